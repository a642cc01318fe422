/** Calculates the rates of the interests of a list over time (Q3), once per list for all products that refer to it. */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import { codeKey } from '../catalogue/catalogue-record.ts';
import type {
  BandedInterest,
  InterestListRecord,
  InterestRecord,
  InterestValue,
} from '../catalogue/list-records.ts';
import type { ValidDays } from '../catalogue/record-parts.ts';
import { isActive, indexValues, bandDays, rangeDays } from '../catalogue/valid-versions.ts';
import { type ExactFigure, toExact } from '../simulation/exact-figures.ts';
import { selectBands, findRangesOn } from '../simulation/interest-rates.ts';
import { evaluateConstant } from '../simulation/product-formula.ts';
import { splitAtChanges } from './days-of-change.ts';

/** The rates of an interest during a span of days. */
export interface RateState {
  readonly days: ValidDays;
  /** Annual rates in percent, except those of bands and of formulas with arguments. */
  readonly percents: readonly number[];
  /** The last instalment of the ranges; null: unlimited, undefined: no ranges. */
  readonly lastInstallment?: number | null;
  readonly bands?: readonly BandCover[];
}

/** The balances for which bands have a rate (R2). */
export interface BandCover {
  /** True for schedule types for overdrafts, false for the others. */
  readonly isOverdraft: boolean;
  readonly least: number;
  /** Null: no limit. */
  readonly limit: number | null;
  readonly bounds: readonly number[];
  readonly percents: readonly number[];
}

/** An interest that a simulation may offer. */
export interface OfferedRateStates {
  readonly interest: InterestRecord;
  /** Without the days on which the interest has no rate. */
  readonly states: readonly RateState[];
  /** The smallest and the largest rate of all states; empty without a rate. */
  readonly extremes: readonly number[];
}

/** Records are immutable; a new version is another object. */
const statesByList = new WeakMap<InterestListRecord, readonly OfferedRateStates[]>();

/** Lists the offered interests of a valid list, in catalogue order, with all of their rates. */
export function listRateStates(list: InterestListRecord): readonly OfferedRateStates[] {
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
