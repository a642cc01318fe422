/** Checks that offered interests have rates for every loan within the bounds of the product (Q3, R1-R3). */

import { formatMinorUnits, LARGEST_FIGURE_MINOR } from '../../lending/numbers/money.ts';
import type { CompiledScheduleType } from '../../lending/schedule-types/compiled-schedule-type.ts';
import {
  INTEREST_TYPES,
  type InterestListRecord,
  type InterestRecord,
  type InterestType,
} from '../catalogue/list-records.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';
import { daysOverlap, isActive, startsBy } from '../catalogue/validity.ts';
import { toExact } from '../simulation/exact-figures.ts';
import { MAX_OFFERS } from '../simulation/interest-choice.ts';
import { MAX_ROWS } from '../simulation/simulate.ts';
import type { RecordContext, ReportFault } from './check-context.ts';
import { type LoanRange, findLongestPeriod } from './loan-range.ts';
import { type BandCover, type RateState, listRateStates } from './rate-states.ts';

const PERCENT = 100;

/** The loans that an offer is for. */
export interface OfferedLoans {
  readonly product: ProductRecord;
  readonly range: LoanRange;
  readonly types: readonly CompiledScheduleType[];
}

/** Reports a problem of an interest; continues `whose interest X`. */
type ReportProblem = (problem: string) => unknown;

/** Reports why interests of a list cannot be simulated with the product; each problem once. */
export function checkOfferedRates(
  list: InterestListRecord,
  loans: OfferedLoans,
  reportProblem: (problem: string) => void,
): void {
  const problems = new Set<string>();
  const { StartDate, EndDate } = loans.product;
  // Inverted days are reported separately.
  const validity = { ValidFrom: StartDate, ValidTo: startsBy(StartDate, EndDate) ? EndDate : null };
  let hasAny = false;
  for (const { interest, states, extremes } of listRateStates(list)) {
    const held = states.filter(({ days }) => daysOverlap(days, validity));
    hasAny ||= held.length > 0;
    const note = (problem: string): unknown => problems.add(`whose interest ${interest.Name} ${problem}`);
    // When the least and the greatest of thousands of rates are sound, all of them are.
    const areRatesSound = extremes.every((percent) => isRateSound(percent, loans));
    for (const state of held) checkState(state, loans, note);
    if (!areRatesSound) checkRates(held, loans, note);
    if (interest.BandedInterests.length > 0 && held.length > 0) checkAllBands(held, loans, note);
  }
  if (!hasAny) {
    reportProblem('in which no interest has a rate while the product is valid: add a value for those days');
  }
  for (const problem of problems) reportProblem(problem);
}

function checkState(
  { lastInstallment, bands }: RateState,
  loans: OfferedLoans,
  reportProblem: ReportProblem,
): void {
  if (typeof lastInstallment === 'number') checkLastRange(lastInstallment, loans, reportProblem);
  for (const cover of coversFor(bands, loans)) checkCover(cover, loans, reportProblem);
}

/** Every instalment has a rate up to the longest term (R1); gaps are reported with the list itself. */
function checkLastRange(last: number, { range }: OfferedLoans, reportProblem: ReportProblem): void {
  const most = range.periodicity.unit === 'Once' ? 1 : range.mostPeriods;
  if (last >= most) return;
  reportProblem(
    `has no rate after instalment ${last} of ${most}: let its last range end later, or lower MaximumPeriod`,
  );
}

/** Bands that the product's schedule types use: those for overdrafts, the others, or both. */
function coversFor(bands: RateState['bands'], { types }: OfferedLoans): readonly BandCover[] {
  return (bands ?? []).filter(({ isOverdraft }) =>
    types.some(({ type }) => type.useExpiryDate === isOverdraft),
  );
}

/** Every balance has a rate, from zero up to the largest amount (R2). */
function checkCover(
  { least, limit }: BandCover,
  { range }: OfferedLoans,
  reportProblem: ReportProblem,
): void {
  if (least > 0) reportProblem(`has no band for what is below ${least}: let one start at 0`);
  const most = Number(formatMinorUnits(range.mostAmount, range.digits));
  if (limit !== null && limit < most) {
    reportProblem(`has no band for what is above ${limit}: raise its last maximum, or lower MaximumAmount`);
  }
}

function checkAllBands(held: readonly RateState[], loans: OfferedLoans, reportProblem: ReportProblem): void {
  const covers = held.flatMap(({ bands }) => coversFor(bands, loans));
  checkFineness(new Set(covers.flatMap(({ bounds }) => bounds)), loans.range, reportProblem);
  const formulas = loans.types.find(
    (type) => type.interest.kind === 'Formula' || type.namesRead.has('InterestPercent'),
  );
  if (formulas !== undefined) {
    reportProblem(
      `has bands, while the formulas of ${formulas.type.name} take one rate: detach the one or the other`,
    );
  }
}

function checkFineness(
  bounds: ReadonlySet<number>,
  { digits }: LoanRange,
  reportProblem: ReportProblem,
): void {
  const isTooFine = (bound: number): boolean => 10n ** BigInt(digits) % exactDenominator(bound) !== 0n;
  for (const bound of bounds) {
    if (isTooFine(bound)) {
      reportProblem(`has a band to ${bound}: amounts of the product's currency have ${digits} decimals`);
    }
  }
}

function exactDenominator(value: number): bigint {
  const { numerator, denominator } = toExact(value);
  const divisor = greatestDivisor(numerator, denominator);
  return divisor === 0n ? denominator : denominator / divisor;
}

function greatestDivisor(one: bigint, other: bigint): bigint {
  return other === 0n ? one : greatestDivisor(other, one % other);
}

function checkRates(held: readonly RateState[], loans: OfferedLoans, reportProblem: ReportProblem): void {
  const percents = held.flatMap((state) => [
    ...state.percents,
    ...coversFor(state.bands, loans).flatMap((cover) => cover.percents),
  ]);
  for (const percent of new Set(percents)) checkRate(percent, loans, reportProblem);
}

function isRateSound(percent: number, loans: OfferedLoans): boolean {
  let isSound = true;
  checkRate(percent, loans, () => (isSound = false));
  return isSound;
}

/** A rate must leave a positive balance after the longest period (R3), and the least amount must not overflow (M6). */
function checkRate(percent: number, loans: OfferedLoans, reportProblem: ReportProblem): void {
  if (percent === 0) return;
  for (const { type, interest } of loans.types) {
    const years = findLongestPeriod(loans.product, loans.range, type.dayCount);
    const isEffective = interest.kind === 'EffectiveRate';
    if (percent * (isEffective ? 1 : years) <= -PERCENT) {
      reportProblem(`has the rate ${percent}, which leaves nothing of a balance with ${type.name}: raise it`);
      return;
    }
    if (!isEffective && loans.range.leastAmount * (1 + (percent / PERCENT) * years) > LARGEST_FIGURE_MINOR) {
      reportProblem(
        `has the rate ${percent}, which is more than can be calculated with ${type.name}: lower it`,
      );
      return;
    }
  }
}

/**
 * Reports an interest type for which every simulation would exceed the limit of offers, or of rows in the shortest term.
 * Only items without filters count, and interests with a rate that never ends.
 */
export function checkOfferCounts(
  { product, range }: OfferedLoans,
  { soundLists }: RecordContext,
  report: ReportFault,
): void {
  const rows = range.periodicity.unit === 'Once' ? 1 : range.leastPeriods;
  const most = Math.min(MAX_OFFERS, Math.floor(MAX_ROWS / rows));
  const interests = product.InterestsAndCommissions.filter(({ Filters }) => Filters.length === 0).flatMap(
    ({ InterestList }) => soundLists.list('interest-list', InterestList)?.Interests ?? [],
  );
  if (interests.length <= most) return;
  const offered = interests.filter((interest) => isAlwaysOffered(interest));
  const counts = new Map<InterestType, number>();
  for (const { Type } of offered) counts.set(Type, (counts.get(Type) ?? 0) + 1);
  for (const type of INTEREST_TYPES) {
    const count = counts.get(type) ?? 0;
    if (count <= most) continue;
    const message = `must have at most ${most} interests of Type ${type} without Filters, not ${count}: filter or remove some`;
    report('InterestsAndCommissions', message);
  }
}

function isAlwaysOffered(interest: InterestRecord): boolean {
  if (!isActive(interest) || interest.IsPenalty) return false;
  if (interest.Type === 'BankingFormula') return true;
  return interest.Values.some((value) => isActive(value) && value.ValidTo === null);
}
