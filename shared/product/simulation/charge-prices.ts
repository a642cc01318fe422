/** Prices the charges that come with every contract of an offer, before and after discounts (Q5, Q6, L3). */

import type { Decimal } from 'decimal.js';
import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import type { ListedInsuranceItem, ListsInForce } from '../catalogue/catalogue-view.ts';
import { findUnstated, type NamedFigures } from '../catalogue/item-filters.ts';
import type {
  CommissionListRecord,
  DiscountDimension,
  DiscountRecord,
  InsuranceRecord,
} from '../catalogue/list-records.ts';
import { isWithin } from '../catalogue/version-in-force.ts';
import {
  toDecimal,
  toExact,
  roundForDisplay,
  type ExactFigure,
  fraction,
  roundToMinor,
  percentOf,
  scaledDecimal,
  signOf,
  times,
} from './exact-figures.ts';
import type { FormulaArguments } from './product-formula.ts';
import { findPeriodicity, partOfYear, type Periodicity } from '../../lending/dates/periodicity.ts';
import type { Validation } from '../../lending/request/validation.ts';
import type { CommissionItem, InsuranceItem } from '../../lending/request/repayment-schedule-request.ts';
import { codeKey, isSameCode } from '../catalogue/catalogue-record.ts';
import { warnOfAssumed } from './decide-filters.ts';
import { type Discount, type Discounted, applyPercentages, applyValues } from './discounts.ts';
import {
  comesWithContract,
  findValueOn,
  isCompulsory,
  placeCharge,
  type ChargePlace,
  type ChargeRecord,
  type ChargeSelection,
} from './charge-selection.ts';
import type { SimulatedLoan } from './loan-within-bounds.ts';
import type { OfferedCharge } from './simulation.ts';

interface ListCharge {
  readonly record: ChargeRecord;
  readonly dimension: Exclude<DiscountDimension, 'Interest'>;
  readonly name: string;
  /** Type of a commission, class of an insurance. */
  readonly group: string | null;
  readonly isPercent: boolean;
}

/** A charge with its price on the day, before discounts. */
export interface CatalogueCharge extends ListCharge {
  readonly place: ChargePlace;
  /** The path of the choice without which the offer would not have the charge. */
  readonly chosenAt: string | undefined;
  /** True if a formula calculates the price from the caller's arguments (Q7). */
  readonly isByFormula: boolean;
  /** Percent, or money in major units. */
  readonly price: ExactFigure;
  /** The price for display: the catalogue's own figure, or the result of its formula with at most ten decimals (Q5). */
  readonly priceShown: Decimal;
}

interface PriceContext {
  readonly requestDay: CalendarDate;
  readonly inputs: FormulaArguments;
  readonly selection: ChargeSelection;
}

/** Prices the selected commissions in catalogue order; leaves out those without a price. */
export function priceCommissions(
  list: CommissionListRecord | undefined,
  context: PriceContext,
): readonly CatalogueCharge[] {
  return (list?.Commissions ?? []).flatMap((commission) => priceSelected(commission, context) ?? []);
}

/** Insurances and, for each, the names of the filters without a figure on which it depends whether it applies. */
export type ListedInsurances = ReadonlyMap<InsuranceRecord, readonly string[]>;

/** The insurances of items that are valid on the day, if no filter fails, in catalogue order (Q6). */
export function listInsurances(
  items: readonly ListedInsuranceItem[],
  { figures, lists }: { readonly figures: NamedFigures; readonly lists: ListsInForce },
  requestDay: CalendarDate,
): ListedInsurances {
  const found = new Map<InsuranceRecord, readonly string[]>();
  for (const { item, list } of items) {
    if (!isWithin(requestDay, item.StartDate, item.EndDate)) continue;
    const ofItem = findUnstated(item.Filters, figures, lists);
    if (ofItem === undefined) continue;
    for (const insurance of list.Insurances) {
      const own = findUnstated(insurance.Filters, figures, lists);
      // Of several items with the insurance, the one with the fewest missing figures decides.
      const ofOtherItem = found.get(insurance)?.length ?? Infinity;
      if (own !== undefined && ofItem.length + own.length < ofOtherItem)
        found.set(insurance, [...ofItem, ...own]);
    }
  }
  return found;
}

/**
 * Prices the selected insurances; leaves out those without a price. Warns of the missing figures on which it depends
 * whether one is charged (L4).
 */
export function priceInsurances(
  listed: ListedInsurances,
  context: PriceContext,
  validation: Validation,
): readonly CatalogueCharge[] {
  const assumed: string[] = [];
  const charges = [...listed].flatMap(([insurance, unstated]) => {
    const charge = priceSelected(insurance, context);
    if (charge === undefined) return [];
    assumed.push(...unstated);
    return [charge];
  });
  warnOfAssumed('jsonInsuranceFilter', assumed, validation);
  return charges;
}

export function readCharge(record: ChargeRecord): ListCharge {
  return 'InsuranceName' in record
    ? {
        record,
        dimension: 'Insurance',
        name: record.InsuranceName,
        group: record.Class,
        isPercent: record.ValueIsPercentage,
      }
    : {
        record,
        dimension: 'Commission',
        name: record.Name,
        group: record.Type,
        isPercent: record.ValueIsPercent,
      };
}

/** Returns undefined without selection or price on the day, or if the formula fails, which `inputs` reports. */
function priceSelected(
  record: ChargeRecord,
  { requestDay, inputs, selection }: PriceContext,
): CatalogueCharge | undefined {
  const place = placeCharge(record, selection);
  if (place === undefined) return undefined;
  const chosenAt = comesWithContract(record) ? undefined : selection.chosen.get(record);
  const charge = { ...readCharge(record), place, chosenAt };
  if (record.UseBankingFormula && record.Formula !== null) {
    const price = inputs.evaluate(record.Formula);
    return price && { ...charge, isByFormula: true, price, priceShown: roundForDisplay(price) };
  }
  const value = findValueOn(record, requestDay);
  if (value === null) return undefined;
  const price = toExact(value);
  return { ...charge, isByFormula: false, price, priceShown: toDecimal(price) };
}

/** Bases that the percentage of a charge paid at the start may have. Both then equal the financed amount. */
export const BASES_AT_START: ReadonlySet<string> = new Set(['financedamount', 'remainingvalue']);

export interface DiscountedCharge {
  readonly charge: CatalogueCharge;
  /** Minor units per charge; undefined if `percent` is charged instead. */
  readonly value: bigint | undefined;
  readonly percent: ExactFigure;
  readonly isOnce: boolean;
  readonly shown: OfferedCharge;
}

/** Applies discounts to a charge (Q5). If the loan cannot have the charge, adds a fault (422) and returns undefined. */
export function priceCharge(
  charge: CatalogueCharge,
  discounts: readonly Discount[],
  loan: SimulatedLoan,
  validation: Validation,
): DiscountedCharge | undefined {
  const { record } = charge;
  const title = chargeTitle(charge);
  const refuse = (requirement: string): undefined => {
    const { chosenAt } = charge;
    const must = chosenAt === undefined ? 'be a product whose' : 'be left out, unless the';
    validation.reject(chosenAt ?? 'productCode', 'not-allowed', `must ${must} ${title} ${requirement}`);
  };
  if (!isSameCode(record.Currency, loan.currency)) return refuse(`is in ${loan.currency}`);
  if (signOf(charge.price) < 0) {
    if (!charge.isByFormula) return refuse('has no negative price');
    const message = `must not make the price of the ${title} negative`;
    return validation.reject(formulaPath(charge), 'out-of-range', message);
  }
  const periodicity = findPeriodicity(record.PeriodicityType, loan.periodicities);
  if (periodicity === undefined) return refuse('has a known periodicity');
  const isOnce = periodicity.unit === 'Once';
  const base = codeKey(record.PercentAppliedTo ?? 'FinancedAmount');
  if (isOnce && charge.isPercent && !BASES_AT_START.has(base)) {
    return refuse('is a percentage of the financed amount, because it is paid at the start');
  }
  const byPercent = applyPercentages(charge.price, discounts);
  const percent = byPercent.left;
  const hasValues = discounts.some((discount) => !discount.record.IsPercentage);
  if (charge.isPercent && !hasValues) {
    const shown = describeCharge(charge, { ...byPercent, value: null }, periodicity, loan);
    return { charge, isOnce, value: undefined, percent, shown };
  }
  if (charge.isPercent && !isOnce && base !== 'financedamount') {
    return refuse('has no discount in money, because it is a percentage of another figure');
  }
  const moneyOf = (price: ExactFigure): ExactFigure =>
    charge.isPercent ? calculateCost(record, price, periodicity, loan) : price;
  const byValue = applyValues(moneyOf(percent), discounts);
  const value = roundToMinor(byValue.left, loan.digits, loan.rounding);
  const shown = {
    ...describeCharge(charge, { ...byPercent, value: byValue.value }, periodicity, loan),
    value: scaledDecimal(value, loan.digits),
    baseValue: charge.isPercent ? roundForDisplay(moneyOf(charge.price)) : charge.priceShown,
  };
  return { charge, isOnce, value, percent, shown };
}

export function chargeTitle({ dimension, name }: ListCharge): string {
  return `${dimension.toLowerCase()} ${name}`;
}

/** The path of faults that the caller's arguments for the formula cause. */
export function formulaPath({ dimension }: CatalogueCharge): string {
  return dimension === 'Commission' ? 'jsonInputFormula.commissionInput' : 'jsonInputFormula.insuranceInput';
}

/** Returns the cost per charge of a percentage of the financed amount, in unrounded major units (F2). */
function calculateCost(
  { PerAnnum }: ChargeRecord,
  percent: ExactFigure,
  periodicity: Periodicity,
  loan: SimulatedLoan,
): ExactFigure {
  const cost = percentOf(fraction(loan.financed, 10 ** loan.digits), percent);
  if (!PerAnnum || periodicity.unit === 'Once') return cost;
  return times(cost, fraction(...partOfYear(periodicity)));
}

/** A discount that names no charge and no group (type or class) applies to its whole dimension. */
export function appliesToCharge(record: DiscountRecord, charge: ListCharge): boolean {
  if (record.AppliedToDimension !== charge.dimension) return false;
  const isCommission = charge.dimension === 'Commission';
  const name = isCommission ? record.Commission : record.Insurance;
  const group = isCommission ? record.CommissionType : record.InsuranceClass;
  return isNullOr(name, charge.name) && isNullOr(group, charge.group);
}

function isNullOr(wanted: string | null, found: string | null): boolean {
  return wanted === null || isSameCode(found, wanted);
}

function describeCharge(
  charge: CatalogueCharge,
  discounted: Discounted,
  periodicity: Periodicity,
  { start }: SimulatedLoan,
): OfferedCharge {
  const { record, isPercent, price, priceShown } = charge;
  const { left, percent, value } = discounted;
  const remaining = left === price ? priceShown : roundForDisplay(left);
  return {
    name: charge.name,
    value: null,
    percent: isPercent ? remaining : null,
    appliedTo: record.PercentAppliedTo ?? 'FinancedAmount',
    perAnnum: record.PerAnnum,
    baseValue: null,
    basePercent: isPercent ? priceShown : null,
    discountValue: value === null ? null : roundForDisplay(value),
    discountPercent: percent === null ? null : roundForDisplay(percent),
    valueIsPercent: isPercent,
    currencyId: currencyId(record.Currency),
    periodicityType: record.PeriodicityType,
    periodicity,
    date: start,
    id: record.Id,
    isUpfront: record.IsUpfront,
    isCompulsory: isCompulsory(record),
    place: charge.place,
  };
}

/** Sums the charges that are paid once at the start, in minor units; each is rounded separately (Q6). */
export function sumUpFrontCharges(charges: readonly DiscountedCharge[], loan: SimulatedLoan): bigint {
  const atStart = charges.filter(({ isOnce }) => isOnce);
  return atStart.reduce((sum, charge) => sum + costAtStart(charge, loan), 0n);
}

/** What a charge costs that is paid once at the start, in minor units. */
export function costAtStart({ value, percent }: DiscountedCharge, loan: SimulatedLoan): bigint {
  if (value !== undefined) return value;
  const cost = percentOf(fraction(loan.financed, 10 ** loan.digits), percent);
  return roundToMinor(cost, loan.digits, loan.rounding);
}

export function toCommissionItems(charges: readonly DiscountedCharge[], { start }: SimulatedLoan) {
  return charges.map((priced): CommissionItem => {
    const { record, name } = priced.charge;
    return {
      ...toSource(priced),
      FeePeriodicityType: record.PeriodicityType,
      FeeDate: start,
      FeeName: name,
      FeeId: record.Id,
      GracePeriodFee: 'GracePeriodFee' in record ? (record.GracePeriodFee ?? undefined) : undefined,
    };
  });
}

export function toInsuranceItems(charges: readonly DiscountedCharge[], { start }: SimulatedLoan) {
  return charges.map((priced): InsuranceItem => {
    const { record, name, group } = priced.charge;
    return {
      ...toSource(priced),
      InsurancePeriodicityType: record.PeriodicityType,
      InsuranceDate: start,
      InsuranceName: name,
      InsuranceClassId: 'ClassId' in record ? (record.ClassId ?? undefined) : undefined,
      InsuranceClassName: group ?? undefined,
    };
  });
}

/** Returns either SourceValue, or SourcePercent with up to 20 decimals (M6) and its settings (F2), never both (F1). */
function toSource({ charge, shown, percent }: DiscountedCharge) {
  const { PercentAppliedTo, PerAnnum } = charge.record;
  const { inSchedule, inAprc } = charge.place;
  const common = {
    IsUpfront: charge.record.IsUpfront ?? undefined,
    ...((!inSchedule || !inAprc) && { CountsIn: inSchedule ? ('Rows' as const) : ('Rate' as const) }),
  };
  if (shown.value !== null) return { SourceValue: shown.value, ...common };
  const isUnchanged = percent === charge.price && !charge.isByFormula;
  return {
    SourcePercent: isUnchanged ? charge.priceShown : toDecimal(percent),
    PercentAppliedTo: PercentAppliedTo ?? undefined,
    PerAnnum,
    ...common,
  };
}

const CURRENCY_ID_PREFIX = '2e9b7d10-4c86-4f35-a1d0-000000';
const HEXADECIMAL = 16;

/** Appends the hexadecimal ASCII codes of the ISO 4217 letters to a prefix (Q4): 455552 for EUR. */
export function currencyId(code: string): string {
  const letters = code.trim().toUpperCase().split('');
  return CURRENCY_ID_PREFIX + letters.map((letter) => letter.charCodeAt(0).toString(HEXADECIMAL)).join('');
}
