/** Prices the commissions and insurances of an offer after discounts, for the schedule and for the reply (Q5, Q6). */

import {
  daysPerPeriod,
  findPeriodicity,
  monthsPerPeriod,
  type Periodicity,
} from '../../lending/dates/periodicity.ts';
import type { Validation } from '../../lending/request/validation.ts';
import type { CommissionItem, InsuranceItem } from '../../lending/request/repayment-schedule-request.ts';
import { codeKey, isSameCode } from '../catalogue/catalogue-record.ts';
import { type Discount, type Discounted, applyPercentages, applyValues } from './discounts.ts';
import {
  toDecimal,
  type ExactFigure,
  fraction,
  roundToMinor,
  percentOf,
  scaledDecimal,
  roundForDisplay,
  signOf,
  times,
} from './exact-figures.ts';
import type { CatalogueCharge, ListCharge } from './contract-charges.ts';
import type { SimulatedLoan } from './simulated-loan.ts';
import type { OfferedCharge } from './simulation-result.ts';

const MONTHS_PER_YEAR = 12;
const DAYS_PER_YEAR = 365;

/** Percentage bases of charges that are paid at the start, when both equal the financed amount. */
export const BASES_AT_START: ReadonlySet<string> = new Set(['financedamount', 'remainingvalue']);

/** A charge with its price after the discounts that apply, if any; exactly one of value and percent is charged. */
export interface DiscountedCharge {
  readonly charge: CatalogueCharge;
  /** Minor units per charge; undefined: the percentage is charged. */
  readonly value: bigint | undefined;
  readonly percent: ExactFigure;
  /** True: paid once at the start (Q6). */
  readonly isOnce: boolean;
  readonly shown: OfferedCharge;
}

/** The settings of a loan on which an undiscounted price depends. */
const PRICE_BASIS = ['start', 'currency', 'digits', 'rounding', 'periodicities'] as const;
type PriceBasis = Pick<SimulatedLoan, (typeof PRICE_BASIS)[number]>;

/** The last undiscounted price of each charge. A charge of another day is another object. */
const undiscounted = new WeakMap<
  CatalogueCharge,
  { readonly basis: PriceBasis; readonly priced: DiscountedCharge }
>();

/** Prices a charge; a price without discounts or formula is cached, because all loans with the same basis share it. */
export function priceChargeOnce(
  charge: CatalogueCharge,
  discounts: readonly Discount[],
  loan: SimulatedLoan,
  validation: Validation,
): DiscountedCharge | undefined {
  if (discounts.length > 0 || charge.isByFormula) return priceCharge(charge, discounts, loan, validation);
  const known = undiscounted.get(charge);
  if (known !== undefined && PRICE_BASIS.every((field) => known.basis[field] === loan[field])) {
    return known.priced;
  }
  const priced = priceCharge(charge, discounts, loan, validation);
  const { start, currency, digits, rounding, periodicities } = loan;
  const basis = { start, currency, digits, rounding, periodicities };
  if (priced !== undefined) undiscounted.set(charge, { basis, priced });
  return priced;
}

/** Applies the discounts to a charge; undefined, with the fault added, when this loan cannot be charged with it. */
function priceCharge(
  charge: CatalogueCharge,
  discounts: readonly Discount[],
  loan: SimulatedLoan,
  validation: Validation,
): DiscountedCharge | undefined {
  const refuse = (message: string): undefined => {
    validation.reject(
      'productCode',
      'not-allowed',
      `must be a product whose ${chargeTitle(charge)} ${message}`,
    );
  };
  if (!isSameCode(charge.currency, loan.currency)) return refuse(`is in ${loan.currency}`);
  if (signOf(charge.price) < 0) return refuseNegative(charge, validation);
  const periodicity = findPeriodicity(charge.periodicityType, loan.periodicities);
  if (periodicity === undefined) return refuse('has a known periodicity');
  const isOnce = periodicity.unit === 'Once';
  const base = chargeBase(charge);
  if (isOnce && charge.isPercent && !BASES_AT_START.has(base)) {
    return refuse('is a percentage of the financed amount, because it is paid at the start');
  }
  const byPercent = applyPercentages(charge.price, discounts);
  const percent = byPercent.left;
  const hasValues = discounts.some(({ record }) => !record.IsPercentage);
  if (charge.isPercent && !hasValues) {
    const shown = describeCharge(charge, { ...byPercent, value: null }, loan);
    return { charge, isOnce, value: undefined, percent, shown };
  }
  if (charge.isPercent && !isOnce && base !== 'financedamount') {
    return refuse('has no discount in money, because it is a percentage of another figure');
  }
  const moneyOf = (price: ExactFigure): ExactFigure =>
    charge.isPercent ? calculateCost(charge, price, periodicity, loan) : price;
  const byValue = applyValues(moneyOf(percent), discounts);
  const value = roundToMinor(byValue.left, loan.digits, loan.rounding);
  const shown = {
    ...describeCharge(charge, { ...byPercent, value: byValue.value }, loan),
    value: scaledDecimal(value, loan.digits),
    baseValue: charge.isPercent ? roundForDisplay(moneyOf(charge.price)) : charge.priceShown,
  };
  return { charge, isOnce, value, percent, shown };
}

/** The figure to which a percentage is applied (F2), in lower case. */
export function chargeBase({ appliedTo }: ListCharge): string {
  return codeKey(appliedTo ?? 'FinancedAmount');
}

/** The charge's title in messages, such as `commission Account administration`. */
export function chargeTitle({ dimension, name }: ListCharge): string {
  return `${dimension.toLowerCase()} ${name}`;
}

/** A negative price by formula is caused by the caller's arguments, any other by the product. */
function refuseNegative(charge: CatalogueCharge, validation: Validation): undefined {
  if (charge.isByFormula) {
    const message = `must not make the price of the ${chargeTitle(charge)} negative`;
    validation.reject(formulaPath(charge), 'out-of-range', message);
    return;
  }
  const message = `must be a product whose ${chargeTitle(charge)} has no negative price`;
  validation.reject('productCode', 'not-allowed', message);
}

/** The field whose arguments determine a price by formula. */
export function formulaPath({ dimension }: CatalogueCharge): string {
  return dimension === 'Commission' ? 'jsonInputFormula.commissionInput' : 'jsonInputFormula.insuranceInput';
}

/** The cost per charge of a percentage of the financed amount, in major units, unrounded (F2). */
function calculateCost(
  { perAnnum }: CatalogueCharge,
  percent: ExactFigure,
  periodicity: Periodicity,
  loan: SimulatedLoan,
): ExactFigure {
  const cost = percentOf(fraction(loan.financed, 10 ** loan.digits), percent);
  if (!perAnnum || periodicity.unit === 'Once') return cost;
  const months = monthsPerPeriod(periodicity);
  const part =
    months > 0 ? fraction(months, MONTHS_PER_YEAR) : fraction(daysPerPeriod(periodicity), DAYS_PER_YEAR);
  return times(cost, part);
}

/** Describes the charge for the reply, without its amount in money; `discounted` is its price after percentages. */
function describeCharge(
  charge: CatalogueCharge,
  discounted: Discounted,
  { start }: SimulatedLoan,
): OfferedCharge {
  const { isPercent, price, priceShown } = charge;
  const { left, percent, value } = discounted;
  const remaining = left === price ? priceShown : roundForDisplay(left);
  return {
    name: charge.name,
    value: null,
    percent: isPercent ? remaining : null,
    baseValue: null,
    basePercent: isPercent ? priceShown : null,
    discountValue: value === null ? null : roundForDisplay(value),
    discountPercent: percent === null ? null : roundForDisplay(percent),
    valueIsPercent: isPercent,
    currencyId: currencyId(charge.currency),
    periodicityType: charge.periodicityType,
    date: start,
    id: charge.id,
    isUpfront: charge.isUpfront,
  };
}

/** Sum of the charges that are paid once at the start, in minor units, each rounded separately (Q6). */
export function sumUpFrontCharges(charges: readonly DiscountedCharge[], loan: SimulatedLoan): bigint {
  const atStart = charges.filter(({ isOnce }) => isOnce);
  return atStart.reduce((sum, { value, percent }) => {
    if (value !== undefined) return sum + value;
    const cost = percentOf(fraction(loan.financed, 10 ** loan.digits), percent);
    return sum + roundToMinor(cost, loan.digits, loan.rounding);
  }, 0n);
}

/** Converts the commissions that the schedule collects repeatedly. */
export function toCommissionItems(
  charges: readonly DiscountedCharge[],
  loan: SimulatedLoan,
): readonly CommissionItem[] {
  return charges.map((priced) => ({
    ...toSource(priced),
    FeePeriodicityType: priced.charge.periodicityType,
    FeeDate: loan.start,
    FeeName: priced.charge.name,
    FeeId: priced.charge.id,
    GracePeriodFee: priced.charge.graceRows ?? undefined,
  }));
}

/** Converts the insurances that the schedule collects repeatedly. */
export function toInsuranceItems(
  charges: readonly DiscountedCharge[],
  loan: SimulatedLoan,
): readonly InsuranceItem[] {
  return charges.map((priced) => ({
    ...toSource(priced),
    InsurancePeriodicityType: priced.charge.periodicityType,
    InsuranceDate: loan.start,
    InsuranceName: priced.charge.name,
    InsuranceClassId: priced.charge.groupId ?? undefined,
    InsuranceClassName: priced.charge.group ?? undefined,
  }));
}

/** Exactly one of SourceValue and SourcePercent, with all digits (M4), and the settings of a percentage (F1, F2). */
function toSource({
  charge,
  shown,
  percent,
}: DiscountedCharge): Pick<
  CommissionItem,
  'SourceValue' | 'SourcePercent' | 'PercentAppliedTo' | 'PerAnnum' | 'IsUpfront'
> {
  const IsUpfront = charge.isUpfront ?? undefined;
  if (shown.value !== null) return { SourceValue: shown.value, IsUpfront };
  const isUnchanged = percent === charge.price && !charge.isByFormula;
  return {
    SourcePercent: isUnchanged ? charge.priceShown : toDecimal(percent),
    PercentAppliedTo: charge.appliedTo ?? undefined,
    PerAnnum: charge.perAnnum,
    IsUpfront,
  };
}

const CURRENCY_ID_PREFIX = '2e9b7d10-4c86-4f35-a1d0-000000';
const HEXADECIMAL = 16;

/**
 * The id of a currency by its ISO 4217 code, case-insensitive: a fixed prefix, followed by the ASCII codes of the three
 * letters in hexadecimal, such as 455552 for EUR.
 */
export function currencyId(code: string): string {
  const letters = code.trim().toUpperCase().split('');
  return CURRENCY_ID_PREFIX + letters.map((letter) => letter.charCodeAt(0).toString(HEXADECIMAL)).join('');
}
