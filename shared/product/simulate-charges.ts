/** Commissions and insurances of an offer as schedule terms, less discounts, and as the answer lists them (Q5, Q6). */

import { daysPerPeriod, findPeriodicity, monthsPerPeriod, type Periodicity } from '../lending/periodicity.ts';
import type { Findings } from '../lending/refusal.ts';
import type { CommissionItem, InsuranceItem } from '../lending/repayment-schedule-request.ts';
import { currencyId } from './currency-ids.ts';
import { lessPercentages, lessValues, type Discount } from './discount-amount.ts';
import {
  decimalOf,
  fraction,
  minorOf,
  percentOf,
  scaledDecimal,
  signOf,
  times,
  type ExactFigure,
} from './exact-figures.ts';
import type { CatalogueCharge } from './offered-charges.ts';
import { codeKey } from './record-identity.ts';
import type { SimulatedLoan } from './simulate-loan.ts';
import type { OfferedCharge } from './simulation.ts';

const MONTHS_PER_YEAR = 12;
const DAYS_PER_YEAR = 365;

/** Charges that are paid at the start have the financed amount as their only base. */
const BASES_AT_START: ReadonlySet<string> = new Set(['financedamount', 'remainingvalue']);

/** A charge with what is left of its price after discounts; exactly one of value and percent is charged. */
export interface PricedCharge {
  readonly charge: CatalogueCharge;
  /** Minor units that each charge costs; undefined: the percentage is charged. */
  readonly value: bigint | undefined;
  readonly percent: ExactFigure;
  /** True: paid once at the start (Q6). */
  readonly isOnce: boolean;
  readonly shown: OfferedCharge;
}

/** The charge less its discounts; undefined, with the fault noted, when it cannot be charged in this loan. */
export function pricedCharge(
  charge: CatalogueCharge,
  discounts: readonly Discount[],
  loan: SimulatedLoan,
  findings: Findings,
): PricedCharge | undefined {
  const refuse = (message: string): undefined => {
    const what = `${charge.dimension.toLowerCase()} ${charge.name}`;
    findings.refuse('productCode', 'not-allowed', `must be a product whose ${what} ${message}`);
  };
  if (codeKey(charge.currency) !== codeKey(loan.currency)) return refuse(`is in ${loan.currency}`);
  if (signOf(charge.price) < 0) return refuse('does not cost less than zero');
  const periodicity = findPeriodicity(charge.periodicityType, loan.periodicities);
  if (periodicity === undefined) return refuse('has a known periodicity');
  const isOnce = periodicity.unit === 'Once';
  const base = codeKey(charge.appliedTo ?? 'FinancedAmount');
  if (isOnce && charge.isPercent && !BASES_AT_START.has(base)) {
    return refuse('is of the financed amount: it is paid at the start');
  }
  const ofPercent = lessPercentages(charge.price, discounts);
  const hasValues = discounts.some(({ record }) => !record.IsPercentage);
  if (!charge.isPercent || hasValues) {
    if (charge.isPercent && !isOnce && base !== 'financedamount') {
      return refuse('has no discount in money, as its percentage is not of the financed amount');
    }
    const money = charge.isPercent ? costOf(charge, ofPercent.left, periodicity, loan) : ofPercent.left;
    const ofValue = lessValues(money, discounts);
    const value = minorOf(ofValue.left, loan.digits, loan.rounding);
    const result = { percent: ofPercent.left, value };
    const shown = shownCharge(charge, result, { percent: ofPercent.percent, value: ofValue.value }, loan);
    return { charge, isOnce, value, percent: ofPercent.left, shown };
  }
  const result = { percent: ofPercent.left, value: undefined };
  const shown = shownCharge(charge, result, { percent: ofPercent.percent, value: null }, loan);
  return { charge, isOnce, value: undefined, percent: ofPercent.left, shown };
}

/** What a percentage of the financed amount costs each time, in major units and not yet rounded (F2). */
function costOf(
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

function shownCharge(
  charge: CatalogueCharge,
  result: Pick<PricedCharge, 'value' | 'percent'>,
  taken: { readonly percent: ExactFigure | null; readonly value: ExactFigure | null },
  { digits, start }: SimulatedLoan,
): OfferedCharge {
  const { isPercent, price, priceShown: base } = charge;
  const left = result.percent === price ? base : decimalOf(result.percent);
  return {
    name: charge.name,
    value: result.value === undefined ? null : scaledDecimal(result.value, digits),
    percent: isPercent ? left : null,
    baseValue: isPercent ? null : base,
    basePercent: isPercent ? base : null,
    discountValue: taken.value === null ? null : decimalOf(taken.value),
    discountPercent: taken.percent === null ? null : decimalOf(taken.percent),
    valueIsPercent: isPercent,
    currencyId: currencyId(charge.currency),
    periodicityType: charge.periodicityType,
    date: start,
    id: charge.id,
    isUpfront: charge.isUpfront,
  };
}

/** What is paid once at the start for the charges that are due then, in minor units, each rounded singly (Q6). */
export function upFrontOf(charges: readonly PricedCharge[], loan: SimulatedLoan): bigint {
  const atStart = charges.filter(({ isOnce }) => isOnce);
  return atStart.reduce((sum, { value, percent }) => {
    if (value !== undefined) return sum + value;
    const cost = percentOf(fraction(loan.financed, 10 ** loan.digits), percent);
    return sum + minorOf(cost, loan.digits, loan.rounding);
  }, 0n);
}

/** The commissions that a schedule collects. */
export function commissionItems(
  charges: readonly PricedCharge[],
  loan: SimulatedLoan,
): readonly CommissionItem[] {
  return charges
    .filter(({ isOnce }) => !isOnce)
    .map((priced) => ({
      ...sourceOf(priced),
      FeePeriodicityType: priced.charge.periodicityType,
      FeeDate: loan.start,
      FeeName: priced.charge.name,
      FeeId: priced.charge.id,
      GracePeriodFee: priced.charge.graceRows ?? undefined,
    }));
}

/** The insurances that a schedule collects. */
export function insuranceItems(
  charges: readonly PricedCharge[],
  loan: SimulatedLoan,
): readonly InsuranceItem[] {
  return charges
    .filter(({ isOnce }) => !isOnce)
    .map((priced) => ({
      ...sourceOf(priced),
      InsurancePeriodicityType: priced.charge.periodicityType,
      InsuranceDate: loan.start,
      InsuranceName: priced.charge.name,
      InsuranceClassId: priced.charge.groupId ?? undefined,
      InsuranceClassName: priced.charge.group ?? undefined,
    }));
}

/** Exactly one of SourceValue and SourcePercent, and what goes with a percentage (F1, F2). */
function sourceOf({
  charge,
  shown,
}: PricedCharge): Pick<
  CommissionItem,
  'SourceValue' | 'SourcePercent' | 'PercentAppliedTo' | 'PerAnnum' | 'IsUpfront'
> {
  const IsUpfront = charge.isUpfront ?? undefined;
  if (shown.value !== null) return { SourceValue: shown.value, IsUpfront };
  return {
    SourcePercent: shown.percent ?? undefined,
    PercentAppliedTo: charge.appliedTo ?? undefined,
    PerAnnum: charge.perAnnum,
    IsUpfront,
  };
}
