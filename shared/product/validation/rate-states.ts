/** The rates of the interests of a list over time (Q3), calculated once per list however many products name it. */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import { assertNever } from '../../lending/numbers/assert-never.ts';
import { codeKey } from '../catalogue/catalogue-record.ts';
import type {
  BandedInterest,
  InterestListRecord,
  InterestRecord,
  InterestValue,
} from '../catalogue/list-records.ts';
import type { ValidDays } from '../catalogue/record-parts.ts';
import { isActive, indexValues } from '../catalogue/validity.ts';
import { type ExactFigure, toExact } from '../simulation/exact-figures.ts';
import { selectBands, findRangesOn } from '../simulation/interest-rates.ts';
import { evaluateConstant } from '../simulation/product-formula.ts';
import { splitAtChanges } from './days-of-change.ts';

/** The rates of an interest during a span of days. */
export interface RateState {
  readonly days: ValidDays;
  /** Annual rates in percent, without those of bands and of formulas with arguments. */
  readonly percents: readonly number[];
  /** The last instalment with a rate of a range; null: unlimited, undefined: no ranges. */
  readonly lastInstallment?: number | null;
  readonly bands?: readonly BandCover[];
}

/** The balances that have a rate (R2). */
export interface BandCover {
  /** Whether this applies to schedule types for overdrafts or to the others. */
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
  /** Days without a rate belong to none. */
  readonly states: readonly RateState[];
  /** The least and the greatest rate of all states; empty without any. */
  readonly extremes: readonly number[];
}

/** Records never change; a new version is another object. */
const statesByList = new WeakMap<InterestListRecord, readonly OfferedRateStates[]>();

/** The offered interests of a list without faults, in catalogue order, with all of their rates. */
export function listRateStates(list: InterestListRecord): readonly OfferedRateStates[] {
  const known = statesByList.get(list);
  if (known !== undefined) return known;
  const rates = new RatesByName(list.Interests);
  const offered = list.Interests.filter((interest) => isActive(interest) && !interest.IsPenalty);
  const found = offered.map((interest) => {
    const states = listStates(interest, rates);
    return { interest, states, extremes: findExtremes(states) };
  });
  statesByList.set(list, found);
  return found;
}

function listStates(interest: InterestRecord, rates: RatesByName): readonly RateState[] {
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
      return assertNever(interest.Type);
  }
}

function listRangeStates(interest: InterestRecord, rates: RatesByName): readonly RateState[] {
  const ranges = interest.CollectionInterests;
  const names = new Set(ranges.map(({ InterestName }) => codeKey(InterestName)));
  const spans = [
    ...ranges.map((range) => ({ ValidFrom: range.InterestStartDate, ValidTo: range.InterestEndDate })),
    ...[...names].flatMap((name) => rates.spansOf(name)),
  ];
  return splitAtChanges(spans).flatMap(({ day, days }) => {
    const held = findRangesOn(interest, day);
    const found = held.map(({ InterestName }) => rates.on(codeKey(InterestName), day));
    const percents = found.filter((percent) => percent !== undefined);
    if (held.length === 0 || percents.length < held.length) return [];
    const ends = held.map(({ InterestEndPeriod }) => InterestEndPeriod ?? Number.POSITIVE_INFINITY);
    const last = Math.max(...ends);
    return [{ days, percents, lastInstallment: Number.isFinite(last) ? last : null }];
  });
}

function listBandStates(interest: InterestRecord): readonly RateState[] {
  const spans = interest.BandedInterests.map((band) => ({
    ValidFrom: band.CollectionValidFrom,
    ValidTo: band.CollectionValidTo,
  }));
  return splitAtChanges(spans).flatMap(({ day, days }) => {
    const bands = [false, true].flatMap((isOverdraft) => {
      const held = selectBands(interest, { requestDay: day, isOverdraft });
      return held.length === 0 ? [] : [{ isOverdraft, ...summariseBands(held) }];
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

/** The rates of the interests that ranges refer to. */
class RatesByName {
  readonly #interests: ReadonlyMap<string, InterestRecord>;
  readonly #indexes = new Map<string, (day: CalendarDate) => InterestValue | undefined>();

  constructor(interests: readonly InterestRecord[]) {
    // If two share a name, which is a fault, the first one counts.
    const active = interests.filter(isActive).toReversed();
    this.#interests = new Map(active.map((interest) => [codeKey(interest.Name), interest]));
  }

  /** Validity of the values of an interest. */
  spansOf(name: string): readonly ValidDays[] {
    return this.#interests.get(name)?.Values.filter(isActive) ?? [];
  }

  on(name: string, day: CalendarDate): number | undefined {
    const find = this.#indexes.get(name) ?? indexValues(this.#interests.get(name)?.Values ?? []);
    this.#indexes.set(name, find);
    const value = find(day);
    return value === undefined ? undefined : toNumber(toExact(value.Value));
  }
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
