/** Compares an offer with the limits that the catalogue has for its product (Q9). No limit is built in. */

import { Decimal } from 'decimal.js';
import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import { compareValues } from '../../lending/formula/arithmetic.ts';
import type { ExactRatio } from '../../lending/numbers/exact-ratio.ts';
import { periodsPerYear } from '../../lending/annual-rate/internal-rate-of-return.ts';
import type { RepaymentScheduleRequest } from '../../lending/request/repayment-schedule-request.ts';
import type { ScheduleRow } from '../../lending/request/repayment-schedule.ts';
import { findProductType } from '../../lending/schedule-types/schedule-type.ts';
import type { LimitedFigure, LimitListRecord, LimitRecord } from '../catalogue/limit-list.ts';
import { valuesOn } from '../catalogue/version-in-force.ts';
import { fraction, percentageOf, roundToMinor, scaledDecimal, times, toExact } from './exact-figures.ts';
import type { ExactFigure } from './exact-figures.ts';
import type { SimulatedLoan } from './loan-within-bounds.ts';

/** Decimals of the figures in answers, as of other percentages (Q4). They are compared unrounded. */
const PERCENT_DECIMALS = 4;
const MONTHS_PER_YEAR = 12n;

/** The figures of an offer that limits may bind. Amounts are whole minor units. */
export interface LimitedOffer {
  /** All annual rates in percent that the offer may apply. */
  readonly rates: readonly Decimal[];
  /** In percent, such as `11.5878`; null if there is none (A4). */
  readonly aprc: string | null;
  /** Above zero. */
  readonly financed: number;
  readonly totalCostOfCredit: number;
  /** The part of the total cost that is interest. */
  readonly interest: number;
  /** The payment of a period, charges included. */
  readonly payment: number;
  /** Undefined for Once. */
  readonly paymentsPerYear: ExactRatio | undefined;
  /** The income of a month, above zero; undefined if it is not known. */
  readonly income: number | undefined;
}

/** An offer as a simulation calculates it: `rows` without the down payment, the other figures as in {@link LimitedOffer}. */
export interface CalculatedOffer extends Pick<LimitedOffer, 'aprc' | 'totalCostOfCredit' | 'income'> {
  readonly terms: Pick<
    RepaymentScheduleRequest,
    'InterestPercent' | 'MultipleInterestRates' | 'BandedInterestRates'
  >;
  readonly rows: readonly Pick<ScheduleRow, 'pmt' | 'totalInstallment'>[];
  readonly loan: Pick<SimulatedLoan, 'financed' | 'digits' | 'periodicity'>;
}

export interface AppliedLimit {
  readonly name: string;
  readonly figure: LimitedFigure;
  /** In percent, as is `value`. */
  readonly largest: number;
  /** The figure of the offer, rounded half up to four decimals; null if the offer has none. */
  readonly value: Decimal | null;
  /** Unknown without a value. A figure that equals the limit is within it. */
  readonly result: 'Within' | 'Above' | 'Unknown';
}

/** Applies the Active limits for a kind of product that are valid on the day, in the order of the list (Q9). */
export function applyLimits(
  { Limits }: LimitListRecord,
  { productType, day }: { readonly productType: string; readonly day: CalendarDate },
  offer: LimitedOffer,
): readonly AppliedLimit[] {
  return valuesOn(Limits, day)
    .filter(({ ProductTypes }) => isForType(ProductTypes, productType))
    .map((limit) => applyLimit(limit, FIGURES[limit.Figure](offer)));
}

/** Reads the figures that limits may bind. The last of several rows may repay a rest, so its payment does not count. */
export function readLimitedOffer({ terms, rows, loan, ...figures }: CalculatedOffer): LimitedOffer {
  const { financed, digits, periodicity } = loan;
  const regular = rows.length > 1 ? rows.slice(0, -1) : rows;
  return {
    ...figures,
    rates: listRates(terms, scaledDecimal(BigInt(financed), digits)),
    financed,
    interest: rows.reduce((sum, { pmt }) => sum + pmt, 0) - financed,
    payment: Math.max(...regular.map(({ totalInstallment }) => totalInstallment)),
    paymentsPerYear: periodsPerYear(periodicity),
  };
}

/** A band that begins at the financed amount or above it applies to no balance. */
function listRates(
  { InterestPercent, MultipleInterestRates, BandedInterestRates }: CalculatedOffer['terms'],
  financed: Decimal,
): readonly Decimal[] {
  if (MultipleInterestRates !== undefined) {
    return MultipleInterestRates.flatMap(({ InterestRate }) => InterestRate ?? InterestPercent ?? []);
  }
  if (BandedInterestRates === undefined) return InterestPercent === undefined ? [] : [InterestPercent];
  const reached = BandedInterestRates.filter(({ MinUtilizedAmount }) =>
    financed.greaterThan(MinUtilizedAmount ?? 0),
  );
  return reached.flatMap(({ Value }) => Value ?? []);
}

function isForType(types: readonly string[], productType: string): boolean {
  const own = findProductType(productType);
  return types.length === 0 || types.some((type) => findProductType(type) === own);
}

function applyLimit(
  { Name: name, Figure: figure, Largest: largest }: LimitRecord,
  percent: ExactFigure | undefined,
): AppliedLimit {
  const limit = { name, figure, largest };
  if (percent === undefined) return { ...limit, value: null, result: 'Unknown' };
  const rounded = roundToMinor(percent, PERCENT_DECIMALS, 'HALF_UP');
  const isWithin = compareValues(percent, toExact(largest)) <= 0;
  return { ...limit, value: scaledDecimal(rounded, PERCENT_DECIMALS), result: isWithin ? 'Within' : 'Above' };
}

/** The figures in percent; undefined if the offer has none. */
const FIGURES: Readonly<Record<LimitedFigure, (offer: LimitedOffer) => ExactFigure | undefined>> = {
  InterestPercent: ({ rates: [first, ...others] }) =>
    first && toExact(others.reduce((largest, rate) => (rate.greaterThan(largest) ? rate : largest), first)),
  APRC: ({ aprc }) => (aprc === null ? undefined : toExact(new Decimal(aprc))),
  TotalCostPercent: ({ totalCostOfCredit, financed }) => shareOf(totalCostOfCredit, financed),
  ChargesPercent: ({ totalCostOfCredit, interest, financed }) =>
    shareOf(totalCostOfCredit - interest, financed),
  PaymentToIncomePercent: ({ payment, paymentsPerYear, income }) => {
    if (income === undefined || paymentsPerYear === undefined) return undefined;
    const perMonth = { ...paymentsPerYear, denominator: paymentsPerYear.denominator * MONTHS_PER_YEAR };
    return times(shareOf(payment, income), perMonth);
  },
};

function shareOf(part: number, whole: number): ExactFigure {
  return percentageOf(fraction(part, 1), fraction(whole, 1));
}
