/** Checks that offered interests have rates for all loans within the bounds of the product (Q3, R1-R3). */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import { formatMinorUnits, MAX_FIGURE_MINOR } from '../../lending/numbers/money.ts';
import type { CompiledScheduleType } from '../../lending/schedule-types/compiled-schedule-type.ts';
import { codeKey } from '../catalogue/catalogue-record.ts';
import {
  type BandedInterest,
  INTEREST_TYPES,
  type InterestListRecord,
  type InterestRecord,
  type InterestType,
  type InterestValue,
} from '../catalogue/list-records.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';
import type { ValidDays } from '../catalogue/record-parts.ts';
import {
  bandDays,
  daysOverlap,
  indexValues,
  isActive,
  rangeDays,
  startsBy,
} from '../catalogue/valid-versions.ts';
import { countDecimals } from './check-parts.ts';
import { type ExactFigure, toExact } from '../simulation/exact-figures.ts';
import { MAX_OFFERS } from '../simulation/interest-choice.ts';
import { findRangesOn, selectBands } from '../simulation/interest-rates.ts';
import { evaluateConstant } from '../simulation/product-formula.ts';
import { MAX_ROWS } from '../simulation/simulate.ts';
import type { RecordContext, ReportFault } from './check-context.ts';
import { type LoanRange, findLongestPeriod } from './loan-range.ts';
import { splitAtChanges } from './days-of-change.ts';

const PERCENT = 100;

/** The loans that a product offers. */
export interface OfferedLoans {
  readonly product: ProductRecord;
  readonly range: LoanRange;
  readonly types: readonly CompiledScheduleType[];
}

/** Reports problems because of which interests of a list cannot be simulated with the product, each only once. */
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
    const valid = states.filter(({ days }) => daysOverlap(days, validity));
    hasAny ||= valid.length > 0;
    const found = [
      ...valid.flatMap((state) => findGaps(state, loans)),
      // If the smallest and the largest rate are valid, all rates between them are.
      ...(extremes.some((percent) => findRateProblem(percent, loans) !== undefined)
        ? listPercents(valid, loans).flatMap((percent) => findRateProblem(percent, loans) ?? [])
        : []),
      ...findBandProblems(valid, loans),
    ];
    for (const problem of found) problems.add(`whose interest ${interest.Name} ${problem}`);
  }
  if (!hasAny) {
    reportProblem('in which no interest has a rate while the product is valid: add a value for those days');
  }
  for (const problem of problems) reportProblem(problem);
}

/**
 * Every instalment has a rate up to the longest term (R1), and every balance from zero to the largest amount (R2). Gaps
 * between ranges are reported with the list itself.
 */
function findGaps({ lastInstallment, bands }: RateState, loans: OfferedLoans): readonly string[] {
  const { range } = loans;
  const problems: string[] = [];
  const longest = range.periodicity.unit === 'Once' ? 1 : range.mostPeriods;
  if (typeof lastInstallment === 'number' && lastInstallment < longest) {
    problems.push(
      `has no rate after instalment ${lastInstallment} of ${longest}: extend its last range, or lower MaximumPeriod`,
    );
  }
  const largest = Number(formatMinorUnits(range.mostAmount, range.digits));
  for (const { least, limit } of selectCovers(bands, loans)) {
    if (least > 0) problems.push(`has no band below ${least}: start one at 0`);
    if (limit !== null && limit < largest) {
      problems.push(`has no band above ${limit}: raise its last maximum, or lower MaximumAmount`);
    }
  }
  return problems;
}

/** Selects the bands that the product's schedule types use: those for overdrafts, the others, or both. */
function selectCovers(bands: RateState['bands'], { types }: OfferedLoans): readonly BandCover[] {
  return (bands ?? []).filter(({ isOverdraft }) =>
    types.some(({ type }) => type.useExpiryDate === isOverdraft),
  );
}

/** Bounds of bands are amounts of the currency (M2), and formulas of schedule types read a single rate (S2). */
function findBandProblems(states: readonly RateState[], loans: OfferedLoans): readonly string[] {
  if (!states.some(({ bands }) => bands !== undefined)) return [];
  const { digits } = loans.range;
  const bounds = states.flatMap(({ bands }) => selectCovers(bands, loans).flatMap((cover) => cover.bounds));
  const tooFine = bounds.filter((bound) => countDecimals(bound) > digits);
  const problems = tooFine.map(
    (bound) => `has the band limit ${bound}, but amounts in the product's currency have ${digits} decimals`,
  );
  const formulas = loans.types.find(
    (type) => type.interest.kind === 'Formula' || type.namesRead.has('InterestPercent'),
  );
  if (formulas === undefined) return problems;
  const { name } = formulas.type;
  return [...problems, `has bands, but the formulas of ${name} use a single rate: remove one of the two`];
}

function listPercents(states: readonly RateState[], loans: OfferedLoans): readonly number[] {
  return states.flatMap(({ percents, bands }) => [
    ...percents,
    ...selectCovers(bands, loans).flatMap((cover) => cover.percents),
  ]);
}

/** A rate must leave a positive balance after the longest period (R3), and the smallest amount must not overflow (M6). */
function findRateProblem(percent: number, { product, range, types }: OfferedLoans): string | undefined {
  if (percent === 0) return undefined;
  for (const { type, interest } of types) {
    const years = findLongestPeriod(product, range, type.dayCount);
    const isEffective = interest.kind === 'EffectiveRate';
    if (percent * (isEffective ? 1 : years) <= -PERCENT) {
      return `has the rate ${percent}, which makes the balance zero or negative with ${type.name}: raise it`;
    }
    if (!isEffective && range.leastAmount * (1 + (percent / PERCENT) * years) > MAX_FIGURE_MINOR) {
      return `has the rate ${percent}, with which an amount of ${type.name} exceeds the supported maximum: lower it`;
    }
  }
  return undefined;
}

/**
 * Reports an interest type for which every simulation would exceed the maximum number of offers, or of rows even with
 * the shortest term. Only items without filters count, and only interests whose rate does not end.
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
  const offered = interests.filter(isAlwaysOffered);
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

/** The rates of an interest during a span of days. */
interface RateState {
  readonly days: ValidDays;
  /** Annual rates in percent, except those of bands and of formulas with arguments. */
  readonly percents: readonly number[];
  /** The last instalment of the ranges; null: unlimited, undefined: no ranges. */
  readonly lastInstallment?: number | null;
  readonly bands?: readonly BandCover[];
}

/** The balances for which bands have a rate (R2). */
interface BandCover {
  /** True for schedule types for overdrafts, false for the others. */
  readonly isOverdraft: boolean;
  readonly least: number;
  /** Null: no limit. */
  readonly limit: number | null;
  readonly bounds: readonly number[];
  readonly percents: readonly number[];
}

/** An interest that a simulation may offer. */
interface OfferedRateStates {
  readonly interest: InterestRecord;
  /** Without the days on which the interest has no rate. */
  readonly states: readonly RateState[];
  /** The smallest and the largest rate of all states; empty without a rate. */
  readonly extremes: readonly number[];
}

/** Records are immutable; a new version is another object. */
const statesByList = new WeakMap<InterestListRecord, readonly OfferedRateStates[]>();

/** Lists the offered interests of a valid list, in catalogue order, with all of their rates. */
function listRateStates(list: InterestListRecord): readonly OfferedRateStates[] {
  const known = statesByList.get(list);
  if (known !== undefined) return known;
  const rates = indexRates(list.Interests);
  const offered = list.Interests.filter((interest) => isActive(interest) && !interest.IsPenalty);
  const found = offered.map((interest) => {
    const states = listStates(interest, rates);
    return { interest, states, extremes: findExtremes(states) };
  });
  statesByList.set(list, found);
  return found;
}

function listStates(interest: InterestRecord, rates: ReadonlyMap<string, DatedRates>): readonly RateState[] {
  switch (interest.Type) {
    case 'Fixed':
    case 'Variable':
      return interest.Values.filter(isActive).map((value) => ({
        days: { ValidFrom: value.ValidFrom, ValidTo: value.ValidTo },
        percents: [toNumber(toExact(value.Value))],
      }));
    case 'BankingFormula': {
      if (interest.Formula === null) return [];
      const rate = evaluateConstant(interest.Formula);
      const percents = rate === undefined ? [] : [toNumber(rate)];
      return [{ days: { ValidFrom: null, ValidTo: null }, percents }];
    }
    case 'Collection':
      return interest.BandedInterests.length > 0
        ? listBandStates(interest)
        : listRangeStates(interest, rates);
    default:
      return interest.Type satisfies never;
  }
}

function listRangeStates(
  interest: InterestRecord,
  rates: ReadonlyMap<string, DatedRates>,
): readonly RateState[] {
  const ranges = interest.CollectionInterests;
  const names = new Set(ranges.map(({ InterestName }) => codeKey(InterestName)));
  const spans = [...ranges.map(rangeDays), ...[...names].flatMap((name) => rates.get(name)?.spans ?? [])];
  return splitAtChanges(spans).flatMap(({ day, days }) => {
    const valid = findRangesOn(interest, day);
    const values = valid.flatMap(({ InterestName }) => rates.get(codeKey(InterestName))?.on(day) ?? []);
    const percents = values.map(({ Value }) => toNumber(toExact(Value)));
    if (valid.length === 0 || percents.length < valid.length) return [];
    const ends = valid.map(({ InterestEndPeriod }) => InterestEndPeriod ?? Number.POSITIVE_INFINITY);
    const last = Math.max(...ends);
    return [{ days, percents, lastInstallment: Number.isFinite(last) ? last : null }];
  });
}

function listBandStates(interest: InterestRecord): readonly RateState[] {
  return splitAtChanges(interest.BandedInterests.map(bandDays)).flatMap(({ day, days }) => {
    const bands = [false, true].flatMap((isOverdraft) => {
      const valid = selectBands(interest, { requestDay: day, isOverdraft });
      return valid.length === 0 ? [] : [{ isOverdraft, ...summariseBands(valid) }];
    });
    return bands.length === 0 ? [] : [{ days, percents: [], bands }];
  });
}

function summariseBands(bands: readonly BandedInterest[]): Omit<BandCover, 'isOverdraft'> {
  const starts = bands.map(({ MinUtilizedAmount }) => MinUtilizedAmount ?? 0);
  const highest = Math.max(...starts);
  return {
    least: Math.min(...starts),
    limit: bands.find((_, place) => starts[place] === highest)?.MaxUtilizedAmount ?? null,
    bounds: bands
      .flatMap((band) => [band.MinUtilizedAmount, band.MaxUtilizedAmount])
      .filter((bound) => bound !== null),
    percents: bands.map(({ Value }) => toNumber(toExact(Value))),
  };
}

/** The validity of the Active values of an interest, and the value of a day. */
interface DatedRates {
  readonly spans: readonly ValidDays[];
  readonly on: (day: CalendarDate) => InterestValue | undefined;
}

/** Indexes the rates of interests by name, for ranges; if two share a name, which is a fault, the first one is used. */
function indexRates(interests: readonly InterestRecord[]): ReadonlyMap<string, DatedRates> {
  const active = interests.filter(isActive).toReversed();
  return new Map(
    active.map(({ Name, Values }) => [
      codeKey(Name),
      { spans: Values.filter(isActive), on: indexValues(Values) },
    ]),
  );
}

function findExtremes(states: readonly RateState[]): readonly number[] {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { percents, bands } of states) {
    for (const percent of [...percents, ...(bands ?? []).flatMap((cover) => cover.percents)]) {
      least = Math.min(least, percent);
      greatest = Math.max(greatest, percent);
    }
  }
  return least > greatest ? [] : [least, greatest];
}

function toNumber({ numerator, denominator }: ExactFigure): number {
  return Number(numerator) / Number(denominator);
}
