/** The commissions and insurances that belong to an offer, in one shape (Q6, L3). */

import type { Decimal } from 'decimal.js';
import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import { decimalOf, exactOf, shownOf, type ExactFigure } from './exact-figures.ts';
import { type NamedFigures, passesFilters } from '../catalogue/item-filters.ts';
import type {
  CommissionListRecord,
  CommissionRecord,
  DiscountDimension,
  InsuranceRecord,
} from '../catalogue/list-records.ts';
import type { FormulaArguments } from './product-formula.ts';
import type { ListedInsuranceItem, ListsInForce } from '../catalogue/catalogue-view.ts';
import type { FormulaRecord } from '../catalogue/record-parts.ts';
import { isActive, isWithin, valueOn } from '../catalogue/validity.ts';

/** A commission or insurance with its price on the day, before discounts. */
export interface CatalogueCharge {
  readonly dimension: Exclude<DiscountDimension, 'Interest'>;
  /** GUID. */
  readonly id: string;
  readonly name: string;
  /** Type of a commission, class of an insurance. */
  readonly group: string | null;
  /** GUID of an insurance's class. */
  readonly groupId: string | null;
  readonly periodicityType: string;
  readonly currency: string;
  readonly isPercent: boolean;
  /** Percent, or money in major units. */
  readonly price: ExactFigure;
  /** The same, to be shown: that of the catalogue as it stands there. */
  readonly priceShown: Decimal;
  /** True: a formula gives the price, from arguments that the caller sends (Q7). */
  readonly isByFormula: boolean;
  readonly appliedTo: string | null;
  readonly perAnnum: boolean;
  readonly isUpfront: boolean | null;
  readonly graceRows: number | null;
}

/** What prices depend on besides the record itself. */
export interface PriceContext {
  readonly requestDay: CalendarDate;
  readonly inputs: FormulaArguments;
}

/**
 * Active commissions of the schedule that come with the contract by themselves or as a duty, but those on an unused
 * amount, in catalogue order (Q6). One without a price on the day costs nothing.
 */
export function offeredCommissions(
  list: CommissionListRecord | undefined,
  context: PriceContext,
): readonly CatalogueCharge[] {
  return (list?.Commissions ?? []).filter(belongsToContract).flatMap(
    (commission) =>
      chargeOnDay(commission, context.requestDay, () => {
        const price = priceOf(commission, commissionPrice(commission, context), context);
        return price === undefined ? undefined : commissionCharge(commission, price);
      }) ?? [],
  );
}

/** Charges of the day that each record was asked for last. Records never change; a new version is another object. */
const chargesOnDay = new WeakMap<
  CommissionRecord | InsuranceRecord,
  { readonly day: CalendarDate; readonly charge: CatalogueCharge | undefined }
>();

/** Makes a charge once a day, unless a formula prices it from what the caller sends. */
function chargeOnDay(
  record: CommissionRecord | InsuranceRecord,
  day: CalendarDate,
  make: () => CatalogueCharge | undefined,
): CatalogueCharge | undefined {
  if (record.UseBankingFormula) return make();
  const known = chargesOnDay.get(record);
  if (known?.day === day) return known.charge;
  const charge = make();
  chargesOnDay.set(record, { day, charge });
  return charge;
}

/** Whether a commission comes with every contract, in its schedule (Q6). */
export function belongsToContract(commission: CommissionRecord): boolean {
  return (
    isActive(commission) &&
    commission.IncludedInRepaymentSchedule &&
    (commission.AutomaticLoadOnContract || commission.MandatoryForApplicant) &&
    !commission.IsForUnusage
  );
}

function commissionPrice(
  { Values, ValueIsPercent, Percent }: CommissionRecord,
  { requestDay }: PriceContext,
): number | null {
  const value = valueOn(Values, requestDay);
  if (ValueIsPercent) return value?.CommissionPercent ?? Percent;
  return value?.CommissionValue ?? null;
}

function commissionCharge(commission: CommissionRecord, price: ExactFigure): CatalogueCharge {
  return {
    dimension: 'Commission',
    id: commission.Id,
    name: commission.Name,
    group: commission.Type,
    groupId: null,
    periodicityType: commission.PeriodicityType,
    currency: commission.Currency,
    isPercent: commission.ValueIsPercent,
    price,
    ...shownPrice(commission, price),
    appliedTo: commission.PercentAppliedTo,
    perAnnum: commission.PerAnnum,
    isUpfront: commission.IsUpfront,
    graceRows: commission.GracePeriodFee,
  };
}

/**
 * Active insurances of the instalments that are a duty of applicant or debtor, of items that are valid on the day, as
 * far as all filters pass, in catalogue order; one that several items name comes once.
 */
export function offeredInsuranceCharges(
  items: readonly ListedInsuranceItem[],
  filters: { readonly figures: NamedFigures; readonly lists: ListsInForce },
  context: PriceContext,
): readonly CatalogueCharge[] {
  const insurances = items
    .filter(({ item }) => isWithin(context.requestDay, item.StartDate, item.EndDate))
    .filter(({ item }) => passesFilters(item.Filters, filters.figures, filters.lists))
    .flatMap(({ list }) => list.Insurances.filter(isMandatory))
    .filter(({ Filters }) => passesFilters(Filters, filters.figures, filters.lists));
  return [...new Set(insurances)].flatMap(
    (insurance) =>
      chargeOnDay(insurance, context.requestDay, () => {
        const value = valueOn(insurance.Values, context.requestDay);
        const price = priceOf(insurance, value?.Value ?? null, context);
        return price === undefined ? undefined : insuranceCharge(insurance, price);
      }) ?? [],
  );
}

/** Whether an insurance comes with every contract, in its instalments (Q6). */
export function isMandatory(insurance: InsuranceRecord): boolean {
  return (
    isActive(insurance) &&
    insurance.IncludedIntoRepaymentScheduleInstallment &&
    (insurance.IsMandatoryForApplicant || insurance.IsMandatoryForDebtor)
  );
}

function insuranceCharge(insurance: InsuranceRecord, price: ExactFigure): CatalogueCharge {
  return {
    dimension: 'Insurance',
    id: insurance.Id,
    name: insurance.InsuranceName,
    group: insurance.Class,
    groupId: insurance.ClassId,
    periodicityType: insurance.PeriodicityType,
    currency: insurance.Currency,
    isPercent: insurance.ValueIsPercentage,
    price,
    ...shownPrice(insurance, price),
    appliedTo: insurance.PercentAppliedTo,
    perAnnum: insurance.PerAnnum,
    isUpfront: insurance.IsUpfront,
    graceRows: null,
  };
}

/** What may be priced by a formula. */
type PricedRecord = Pick<CommissionRecord, 'UseBankingFormula' | 'Formula'>;

/** The formula that gives the price; undefined: the catalogue has it by day. */
function formulaOf({ UseBankingFormula, Formula }: PricedRecord): FormulaRecord | undefined {
  return UseBankingFormula ? (Formula ?? undefined) : undefined;
}

/** The price by formula, else that of the day; undefined: there is none. */
function priceOf(
  record: PricedRecord,
  value: number | null,
  { inputs }: PriceContext,
): ExactFigure | undefined {
  const formula = formulaOf(record);
  if (formula !== undefined) return inputs.valueOf(formula);
  return value === null ? undefined : exactOf(value);
}

function shownPrice(
  record: PricedRecord,
  price: ExactFigure,
): Pick<CatalogueCharge, 'priceShown' | 'isByFormula'> {
  const isByFormula = formulaOf(record) !== undefined;
  return { isByFormula, priceShown: isByFormula ? shownOf(price) : decimalOf(price) };
}
