/** Compares an offer with the limits that the catalogue has for its product (Q9). No limit is built in. */

import { Decimal } from 'decimal.js';
import { periodsPerYear } from '../../lending/annual-rate/internal-rate-of-return.ts';
import { solveRate } from '../../lending/annual-rate/proven-rate.ts';
import { mergeFlows, type RateFlows } from '../../lending/annual-rate/rate-flows.ts';
import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import { compareValues } from '../../lending/formula/arithmetic.ts';
import { DEFAULT_CURRENCY_DIGITS, currencyDigits } from '../../lending/numbers/money.ts';
import { checkAmount } from '../../lending/request/field-checks.ts';
import type { RepaymentScheduleRequest } from '../../lending/request/repayment-schedule-request.ts';
import type { Validation } from '../../lending/request/validation.ts';
import { findProductType } from '../../lending/schedule-types/schedule-type.ts';
import type { ListsInForce } from '../catalogue/catalogue-view.ts';
import type { LimitedFigure, LimitListRecord, LimitRecord } from '../catalogue/limit-list.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';
import { valuesOn } from '../catalogue/version-in-force.ts';
import {
  fraction,
  percentageOf,
  roundToMinor,
  scaledDecimal,
  times,
  toExact,
  type ExactFigure,
} from './exact-figures.ts';
import type { SimulatedLoan } from './loan-within-bounds.ts';
import type { AppliedLimit, OfferFigures } from './offer-figures.ts';
import type { SimulateRequest, SimulationRow } from './simulation.ts';

/** Decimals of the figures in answers, as of other percentages (Q4). They are compared unrounded. */
const PERCENT_DECIMALS = 4;
/** A rate with one decimal more than any limit has, so that it is on the side of the limit on which the exact rate is. */
const APRC_SCALE = { percentDecimals: 21, unitsAdded: { numerator: 1n, denominator: 1n } };
const MONTHS_PER_YEAR = 12n;

/** The figures of an offer that limits may bind. */
export type LimitedOffer = ReturnType<typeof readLimitedOffer>;

/** The limits of a product on the day of a simulation. */
export interface ProductLimits {
  readonly list: LimitListRecord;
  readonly productType: string;
  readonly day: CalendarDate;
  /** The income of a month, in minor units. */
  readonly income: number | undefined;
}

/** What a simulation calculates of an offer; `rows` are those of its schedule. */
export interface CalculatedOffer {
  readonly totalCostOfCredit: number;
  readonly rateFlows: RateFlows;
  readonly terms: Partial<RepaymentScheduleRequest>;
  readonly rows: readonly SimulationRow[];
  readonly loan: Pick<SimulatedLoan, 'financed' | 'digits' | 'periodicity'>;
}

/** Finds the limits of the product's offers; undefined if it names no list. Reports an income that is out of range. */
export function findLimits(
  request: SimulateRequest,
  { Availability, BankingProductType, LimitList }: ProductRecord,
  { catalogue, requestDay }: { readonly catalogue: ListsInForce; readonly requestDay: CalendarDate },
  validation: Validation,
): ProductLimits | undefined {
  if (request.Income === undefined && request.Offer !== true) return undefined;
  const digits = currencyDigits(Availability.Currency) ?? DEFAULT_CURRENCY_DIGITS;
  const income = checkAmount(validation, 'Income', request.Income, digits);
  if (income === 0) validation.reject('Income', 'out-of-range', 'must be more than zero');
  if (request.Offer !== true) return undefined;
  const list = catalogue.list('limit-list', LimitList ?? null);
  if (list === undefined && LimitList) validation.warn('LimitList', 'not-counted');
  return list && { list, productType: BankingProductType, day: requestDay, income };
}

/** Reports an income that no limit of any record uses (E5). */
export function warnOfUnusedIncome(
  { Income }: SimulateRequest,
  records: readonly { readonly offer?: Pick<OfferFigures, 'limits'> }[],
  validation: Validation,
): void {
  if (Income === undefined) return;
  const applied = records.flatMap(({ offer }) => offer?.limits ?? []);
  const isUsed = applied.some(({ Figure, Value }) => Figure === 'PaymentToIncomePercent' && Value !== null);
  if (!isUsed) validation.warn('Income');
}

/** Applies the Active limits for a kind of product that are valid on the day, in the order of the list (Q9). */
export function applyLimits(
  { list, productType, day }: Omit<ProductLimits, 'income'>,
  offer: LimitedOffer,
): readonly AppliedLimit[] {
  return valuesOn(list.Limits, day)
    .filter(({ ProductTypes }) => isForType(ProductTypes, productType))
    .map((limit) => applyLimit(limit, offer));
}

/**
 * Reads the figures that limits may bind: `rates` are all annual rates in percent that the offer may apply, amounts are
 * minor units; `interest` is that part of the total cost, `payment` the largest of a period, charges included, and `income`
 * that of a month. The last row may repay a rest: it does not count if one before it repays.
 */
export function readLimitedOffer(
  { totalCostOfCredit, rateFlows, terms, rows, loan }: CalculatedOffer,
  income: number | undefined,
) {
  const { financed, digits, periodicity } = loan;
  const largestBalance = Math.max(...rows.map(({ remainingValue }) => remainingValue));
  return {
    rateFlows,
    totalCostOfCredit,
    income,
    rates: listRates(terms, scaledDecimal(BigInt(largestBalance), digits)),
    financed,
    interest: rows.reduce((sum, { pmt }) => sum + pmt, 0) - financed,
    payment: Math.max(...selectRegularRows(rows).map(({ totalInstallment }) => totalInstallment)),
    paymentsPerYear: periodsPerYear(periodicity),
  };
}

/** The rows but the last one, which may repay a rest, unless it alone repays (Q9). */
function selectRegularRows(rows: readonly SimulationRow[]): readonly SimulationRow[] {
  const others = rows.slice(0, -1);
  return others.some(({ principal }) => principal > 0) ? others : rows;
}

/** A band that begins at the largest balance or above it applies to none. */
function listRates(
  { InterestPercent, MultipleInterestRates, BandedInterestRates }: CalculatedOffer['terms'],
  largestBalance: Decimal,
): readonly Decimal[] {
  if (MultipleInterestRates !== undefined) {
    return MultipleInterestRates.flatMap(({ InterestRate }) => InterestRate ?? InterestPercent ?? []);
  }
  if (BandedInterestRates === undefined) return InterestPercent === undefined ? [] : [InterestPercent];
  const reached = BandedInterestRates.filter(({ MinUtilizedAmount }) =>
    largestBalance.greaterThan(MinUtilizedAmount ?? 0),
  );
  return reached.flatMap(({ Value }) => Value ?? []);
}

function isForType(types: readonly string[], productType: string): boolean {
  const own = findProductType(productType);
  return types.length === 0 || types.some((type) => findProductType(type) === own);
}

function applyLimit({ Name, Figure, Largest }: LimitRecord, offer: LimitedOffer): AppliedLimit {
  const limit = { Name, Figure, Largest: new Decimal(Largest).toFixed() };
  const percent = FIGURES[Figure](offer);
  if (percent === undefined) {
    const isEndless = Figure === 'APRC' && !isPaidOut(offer);
    return { ...limit, Value: null, Result: isEndless ? 'Above' : 'Unknown' };
  }
  const rounded = scaledDecimal(roundToMinor(percent, PERCENT_DECIMALS, 'HALF_UP'), PERCENT_DECIMALS);
  const isWithin = compareValues(percent, toExact(Largest)) <= 0;
  return { ...limit, Value: rounded.toFixed(), Result: isWithin ? 'Within' : 'Above' };
}

/** False if the costs at the start are at least the financed amount, with which there is no rate (A4). */
function isPaidOut({ rateFlows }: LimitedOffer): boolean {
  return Number(mergeFlows(rateFlows).flows[0]?.amount ?? 0) < 0;
}

/** The figures in percent; undefined if the offer has none. */
const FIGURES: Readonly<Record<LimitedFigure, (offer: LimitedOffer) => ExactFigure | undefined>> = {
  InterestPercent: ({ rates }) => (rates.length === 0 ? undefined : toExact(Decimal.max(...rates))),
  APRC: (offer) => {
    const { percent } = isPaidOut(offer) ? solveRate(offer.rateFlows, APRC_SCALE) : { percent: null };
    return percent === null ? undefined : toExact(new Decimal(percent));
  },
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
