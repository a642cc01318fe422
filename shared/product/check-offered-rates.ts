/** Whether the interests of an offer have rates for every loan within the bounds of the product (Q3, R1-R3). */

import type { CalendarDate } from '../lending/calendar-date.ts';
import type { CompiledScheduleType } from '../lending/compiled-schedule-type.ts';
import { formatMinorUnits, LARGEST_FIGURE_MINOR } from '../lending/money.ts';
import type { LoanRange } from './check-bounds.ts';
import { changesOf, statesWithin } from './days-of-change.ts';
import { signOf, type ExactFigure, exactOf } from './exact-figures.ts';
import { bandsFor, hasRate, rangesOn, rateOfRange } from './interest-rates.ts';
import type { InterestListRecord, InterestRecord } from './list-records.ts';
import { longestPeriodYears } from './longest-period.ts';
import type { ProductRecord } from './product-record.ts';
import type { ValidDays } from './record-parts.ts';
import { isActive, valueOn } from './valid-values.ts';

const PERCENT = 100;

/** The loans that an offer is for. */
export interface OfferedLoans {
  readonly product: ProductRecord;
  readonly range: LoanRange;
  readonly types: readonly CompiledScheduleType[];
}

/** Tells what is wrong with an interest, to go on from `whose interest X`. */
type Tell = (problem: string) => void;

/** Tells what keeps interests of a list from being simulated with a product; each problem once. */
export function checkOfferedRates(
  list: InterestListRecord,
  loans: OfferedLoans,
  tell: (problem: string) => void,
): void {
  const problems = new Set<string>();
  const offered = list.Interests.filter((interest) => isActive(interest) && !interest.IsPenalty);
  let hasAny = false;
  for (const requestDay of statesOf(list, loans.product)) {
    for (const interest of offered) {
      if (!hasRate(interest, list, { requestDay, hasSentRates: false })) continue;
      hasAny = true;
      checkInterest(interest, { list, requestDay, loans }, (problem) => {
        problems.add(`whose interest ${interest.Name} ${problem}`);
      });
    }
  }
  if (!hasAny) {
    tell('in which no interest has a rate while the product is valid: add a value for those days');
  }
  for (const problem of problems) tell(problem);
}

interface InterestOnDay {
  readonly list: InterestListRecord;
  readonly requestDay: CalendarDate;
  readonly loans: OfferedLoans;
}

function checkInterest(interest: InterestRecord, day: InterestOnDay, tell: Tell): void {
  const { list, requestDay, loans } = day;
  if (interest.Type === 'Fixed' || interest.Type === 'Variable') {
    const value = valueOn(interest.Values, requestDay);
    if (value !== undefined) checkRate(exactOf(value.Value), loans, tell);
  }
  if (interest.Type !== 'Collection') return;
  const ranges = rangesOn(interest, requestDay);
  for (const range of ranges) {
    const rate = rateOfRange(range, list, requestDay);
    if (rate !== undefined) checkRate(rate, loans, tell);
  }
  checkLastRange(ranges, loans, tell);
  if (interest.BandedInterests.length > 0) checkBands(interest, day, tell);
}

/** Every instalment has a rate up to the longest term (R1); gaps before it are told of the list itself. */
function checkLastRange(ranges: ReturnType<typeof rangesOn>, { range }: OfferedLoans, tell: Tell): void {
  const most = range.periodicity.unit === 'Once' ? 1 : range.mostPeriods;
  const ends = ranges.map(({ InterestEndPeriod }) => InterestEndPeriod ?? most);
  const last = Math.max(...ends);
  if (ranges.length === 0 || last >= most) return;
  tell(
    `has no rate after instalment ${last} of ${most}: let its last range end later, or lower MaximumPeriod`,
  );
}

/** Every balance has a rate, from zero up to the largest amount (R2). */
function checkBands(interest: InterestRecord, { requestDay, loans }: InterestOnDay, tell: Tell): void {
  const { types, range } = loans;
  for (const isOverdraft of new Set(types.map(({ type }) => type.useExpiryDate))) {
    const bands = bandsFor(interest, { requestDay, isOverdraft });
    const starts = bands.map(({ MinUtilizedAmount }) => MinUtilizedAmount ?? 0);
    const least = Math.min(...starts);
    if (least > 0) tell(`has no band for what is below ${least}: let one start at 0`);
    const limit = bands.find((_, place) => starts[place] === Math.max(...starts))?.MaxUtilizedAmount ?? null;
    const most = Number(formatMinorUnits(range.mostAmount, range.digits));
    if (limit !== null && limit < most) {
      tell(`has no band for what is above ${limit}: raise its last maximum, or lower MaximumAmount`);
    }
    for (const { Value } of bands) checkRate(exactOf(Value), loans, tell);
    checkFineness(
      bands.flatMap((band) => [band.MinUtilizedAmount, band.MaxUtilizedAmount]),
      range,
      tell,
    );
  }
  const formulas = types.find(
    (type) => type.interest.kind === 'Formula' || type.namesRead.has('InterestPercent'),
  );
  if (formulas !== undefined) {
    tell(`has bands, while the formulas of ${formulas.type.name} take one rate: detach the one or the other`);
  }
}

function checkFineness(bounds: readonly (number | null)[], { digits }: LoanRange, tell: Tell): void {
  const isTooFine = (bound: number): boolean => 10n ** BigInt(digits) % exactDenominator(bound) !== 0n;
  for (const bound of bounds) {
    if (bound !== null && isTooFine(bound)) {
      tell(`has a band to ${bound}: amounts of the product's currency have ${digits} decimals`);
    }
  }
}

function exactDenominator(value: number): bigint {
  const { numerator, denominator } = exactOf(value);
  const divisor = greatestDivisor(numerator, denominator);
  return divisor === 0n ? denominator : denominator / divisor;
}

function greatestDivisor(one: bigint, other: bigint): bigint {
  return other === 0n ? one : greatestDivisor(other, one % other);
}

/** A rate must leave something of the balance in the longest period (R3), and not burst the least amount (M6). */
function checkRate(rate: ExactFigure, loans: OfferedLoans, tell: Tell): void {
  if (signOf(rate) === 0) return;
  const percent = Number(rate.numerator) / Number(rate.denominator);
  for (const { type, interest } of loans.types) {
    const years = longestPeriodYears(loans.product, loans.range, type.dayCount);
    const isEffective = interest.kind === 'EffectiveRate';
    if (percent * (isEffective ? 1 : years) <= -PERCENT) {
      tell(`has the rate ${percent}, which leaves nothing of a balance with ${type.name}: raise it`);
      return;
    }
    if (!isEffective && loans.range.leastAmount * (1 + (percent / PERCENT) * years) > LARGEST_FIGURE_MINOR) {
      tell(`has the rate ${percent}, which is more than can be calculated with ${type.name}: lower it`);
      return;
    }
  }
}

/** First days of new states of lists. */
const changesByList = new WeakMap<InterestListRecord, readonly string[]>();

/** A day of each state that the rates of a list are in while a product is valid. */
function statesOf(list: InterestListRecord, { StartDate, EndDate }: ProductRecord): readonly CalendarDate[] {
  const known = changesByList.get(list) ?? changesOf(list.Interests.flatMap(spansOf));
  changesByList.set(list, known);
  return statesWithin(known, { ValidFrom: StartDate, ValidTo: EndDate });
}

function spansOf({ Values, CollectionInterests, BandedInterests }: InterestRecord): readonly ValidDays[] {
  return [
    ...Values,
    ...CollectionInterests.map((range) => ({
      ValidFrom: range.InterestStartDate,
      ValidTo: range.InterestEndDate,
    })),
    ...BandedInterests.map((band) => ({
      ValidFrom: band.CollectionValidFrom,
      ValidTo: band.CollectionValidTo,
    })),
  ];
}
