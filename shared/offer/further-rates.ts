/** The annual rates that the ESIS shows beside that of the offer (T5; 2014/17/EU, art. 17(5) and (6)). */

import { Decimal } from 'decimal.js';
import { highestRateTerms, initialPeriodRows } from '../lending/annual-rate/second-rate-terms.ts';
import { addMonths, formatCalendarDate } from '../lending/dates/calendar-date.ts';
import type { Validation } from '../lending/request/validation.ts';
import { isSameCode } from '../product/catalogue/catalogue-record.ts';
import type { InterestListRecord, InterestRecord } from '../product/catalogue/list-records.ts';
import { daysOverlap, isActive } from '../product/catalogue/version-in-force.ts';
import { findRangesOn } from '../product/simulation/offered-rates.ts';
import type { OfferVariation } from '../product/simulation/simulate-product.ts';
import type { SimulationRecord } from '../product/simulation/simulation.ts';
import type { OfferFacts } from './offer-facts.ts';

export interface HighestRateRequest {
  /** Percent to which a variable rate may rise. @default the highest of the last 20 years in the catalogue */
  readonly HighestRate?: Decimal | undefined;
  /** The first row that may have it. @default the first at a variable rate */
  readonly HighestRateFrom?: number | undefined;
}

/** Whether the rate of an offer varies, now or later. */
export interface OfferedRate {
  /** The variable interests that the offer has, now or later. */
  readonly variable: readonly InterestRecord[];
  readonly firstVariableRow: number;
  /** False if instalments from that row on may have a fixed rate. */
  readonly variesToEnd: boolean;
}

/**
 * A Collection has the rates of the interests that its ranges of the day name; a range that the loan reaches within
 * `count` instalments is variable if its interest is. Sent rates have ranges of their own: any of them may be variable.
 */
export function findOfferedRate(
  list: InterestListRecord | undefined,
  interestId: string,
  { count, date, hasSentRates }: Pick<OfferFacts, 'date' | 'hasSentRates'> & { readonly count: number },
): OfferedRate {
  const interests = list?.Interests ?? [];
  const offered = interests.find(({ Id }) => Id === interestId);
  if (offered?.Type === 'Variable') return { variable: [offered], firstVariableRow: 1, variesToEnd: true };
  const ranges = (offered ? findRangesOn(offered, date) : []).flatMap((range) => {
    const named = interests.find((one) => isActive(one) && isSameCode(one.Name, range.InterestName));
    const from = range.InterestStartPeriod ?? 1;
    return named !== undefined && (from <= count || hasSentRates) ? [{ named, from }] : [];
  });
  const varying = ranges.filter(({ named }) => named.Type === 'Variable');
  const firstVariableRow = hasSentRates ? 1 : Math.min(...varying.map(({ from }) => from));
  const isFixedLater = ranges.some(({ named, from }) => named.Type !== 'Variable' && from > firstVariableRow);
  const variable = [...new Set(varying.map(({ named }) => named))];
  return { variable, firstVariableRow, variesToEnd: !hasSentRates && !isFixedLater };
}

type FurtherRates = Pick<OfferFacts, 'initialPeriod' | 'highestRate'>;

/** An offer before its further rates. */
export interface BasicOffer {
  readonly facts: Omit<OfferFacts, keyof FurtherRates>;
  readonly rate: OfferedRate;
}

/** An offer, and a way to calculate it again with changed terms; undefined if it cannot be. */
interface VariedOffer extends BasicOffer {
  readonly again: (
    change: OfferVariation['changeTerms'],
  ) => Generator<number, SimulationRecord | undefined, undefined>;
}

/** A highest rate is needed where the rate varies, and may be sent only there. */
export function* furtherRates(
  request: HighestRateRequest,
  offer: VariedOffer,
  validation: Validation,
): Generator<number, FurtherRates, undefined> {
  return {
    initialPeriod: yield* rateOfInitialPeriod(offer),
    highestRate: yield* rateAtHighest(request, offer, validation),
  };
}

/** Null where a rate varies within the period; undefined if it is not known which rates do. */
function* rateOfInitialPeriod({
  facts,
  rate,
  again,
}: VariedOffer): Generator<number, FurtherRates['initialPeriod'], undefined> {
  const rows = initialPeriodRows(facts.record.terms, facts.periodicity);
  if (rows === undefined || rows >= facts.instalments.length) return null;
  if (rate.variable.length > 0 && rate.firstVariableRow <= rows) return rate.variesToEnd ? null : undefined;
  // The balance is repaid with the last row of the period (B6).
  const record = yield* again((own) => ({ ...own, RealInstallmentNo: rows }));
  if (record === undefined) return undefined;
  return { rows, aprc: record.offer?.aprc ?? null, repaid: facts.instalments[rows]?.remainingValue ?? 0 };
}

function* rateAtHighest(
  request: HighestRateRequest,
  { facts, rate, again }: VariedOffer,
  validation: Validation,
): Generator<number, FurtherRates['highestRate'], undefined> {
  if (rate.variable.length === 0) {
    for (const field of ['HighestRate', 'HighestRateFrom'] as const) {
      if (request[field] === undefined) continue;
      validation.reject(field, 'not-allowed', 'must be left out: the rate of the offer does not vary');
    }
    return undefined;
  }
  const last = facts.instalments.length;
  const first = rate.firstVariableRow;
  const fromRow = request.HighestRateFrom ?? first;
  if (fromRow < first || fromRow > last) {
    const message = `must be a whole number from ${first} to ${last}`;
    return validation.reject('HighestRateFrom', 'out-of-range', message);
  }
  const offered = highestOffered(facts, fromRow);
  if (request.HighestRate?.lessThanOrEqualTo(offered) === true) {
    const message = `must be above ${offered.toFixed()}, the highest offered rate from instalment ${fromRow} on`;
    return validation.reject('HighestRate', 'out-of-range', message);
  }
  const percent = request.HighestRate ?? highestOfCatalogue(rate.variable, facts, offered);
  if (percent === undefined) {
    if (request.HighestRateFrom !== undefined) validation.warn('HighestRateFrom');
    return undefined;
  }
  const record = yield* again((own) => highestRateTerms(own, { percent, fromRow }));
  if (record === undefined) {
    if (request.HighestRate === undefined) return undefined;
    const message = 'must be a rate at which the loan can be calculated';
    return validation.reject('HighestRate', 'out-of-range', message);
  }
  return {
    percent: percent.toFixed(),
    fromRow,
    aprc: record.offer?.aprc ?? null,
    payment: higherPayment(facts.instalments, record, fromRow),
  };
}

/**
 * The largest payment before the last if it exceeds that of today, else the last one if it exceeds all of today, as with
 * a fixed payment; without the residual row (art. 17(6)).
 */
function higherPayment(
  today: VariedOffer['facts']['instalments'],
  { rows, terms }: SimulationRecord,
  fromRow: number,
): NonNullable<FurtherRates['highestRate']>['payment'] {
  const raised = rows.filter(({ InstallmentNo: row }) => row >= fromRow && row <= terms.InstallmentsNo);
  const largest = (some: typeof today) => Math.max(...some.map(({ totalInstallment }) => totalInstallment));
  const amount = largest(raised.slice(0, -1));
  if (amount > largest(today.slice(0, -1))) return { amount, isLast: false };
  const last = largest(raised.slice(-1));
  return last > largest(today) ? { amount: last, isLast: today.length > 1 } : undefined;
}

function highestOffered({ firstRate, ranges, record }: VariedOffer['facts'], fromRow: number): Decimal {
  const ofRanges = ranges.filter(({ to }) => to >= fromRow).map(({ rate }) => rate);
  const ofBands = record.terms.BandedInterestRates?.map(({ Value }) => Value) ?? [];
  const known = [...ofRanges, ...ofBands].filter((value) => value !== undefined);
  return known.length === 0 ? new Decimal(firstRate) : Decimal.max(...known);
}

const YEARS_BACK = 20;
const MONTHS_PER_YEAR = 12;

const DECIMALS = 4;

/**
 * The highest rate that the catalogue had in the last 20 years, less the discount of the offer, with four decimals;
 * undefined if none was above the offered one.
 */
function highestOfCatalogue(
  variable: readonly InterestRecord[],
  { date: day, record }: Pick<OfferFacts, 'date' | 'record'>,
  offered: Decimal,
): Decimal | undefined {
  const since = addMonths(day, -YEARS_BACK * MONTHS_PER_YEAR);
  const years = { ValidFrom: formatCalendarDate(since), ValidTo: formatCalendarDate(day) };
  const values = variable
    .flatMap(({ Values }) => Values)
    .filter((value) => isActive(value) && daysOverlap(value, years))
    .map(({ Value }) => new Decimal(Value));
  if (values.length === 0) return undefined;
  const { discountPercent, discountValue } = record.interest;
  const ratio = new Decimal(1).minus(discountPercent.dividedBy(100));
  const highest = Decimal.max(...values)
    .times(ratio)
    .minus(discountValue)
    .toDecimalPlaces(DECIMALS);
  return highest.greaterThan(offered.toDecimalPlaces(DECIMALS)) ? highest : undefined;
}
