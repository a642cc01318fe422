/**
 * The commissions and insurances that come with every contract of an offer, in a common form and at their prices before
 * discounts (Q6, L3).
 */

import type { Decimal } from 'decimal.js';
import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import type { ListedInsuranceItem, ListsInForce } from '../catalogue/catalogue-view.ts';
import { type NamedFigures, passesFilters } from '../catalogue/item-filters.ts';
import type {
  CommissionListRecord,
  CommissionRecord,
  DiscountDimension,
  InsuranceRecord,
} from '../catalogue/list-records.ts';
import { isActive, isWithin, valueOn } from '../catalogue/valid-versions.ts';
import { toDecimal, toExact, roundForDisplay, type ExactFigure } from './exact-figures.ts';
import type { FormulaArguments } from './product-formula.ts';

/** The catalogue record of a commission or an insurance. */
export type ChargeRecord = CommissionRecord | InsuranceRecord;

/** A commission or insurance of a list, without its price. */
export interface ListCharge {
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
  /** True: a formula calculates the price from arguments that the caller sends (Q7). */
  readonly isByFormula: boolean;
  readonly appliedTo: string | null;
  readonly perAnnum: boolean;
  readonly isUpfront: boolean | null;
  /** Number of first instalments in which it is waived (F3). */
  readonly graceRows: number | null;
}

/** A charge with its price on the day, before discounts. */
export interface CatalogueCharge extends ListCharge {
  /** Percent, or money in major units. */
  readonly price: ExactFigure;
  /** The price for display: the catalogue's own figure. */
  readonly priceShown: Decimal;
}

/** The context of a price besides the record. */
export interface PriceContext {
  readonly requestDay: CalendarDate;
  readonly inputs: FormulaArguments;
}

/** The commissions of a list that come with every contract, in catalogue order; those without a price are left out. */
export function priceCommissions(
  list: CommissionListRecord | undefined,
  context: PriceContext,
): readonly CatalogueCharge[] {
  const commissions = (list?.Commissions ?? []).filter(comesWithContract);
  return commissions.flatMap((commission) => priceOnDay(commission, context) ?? []);
}

/**
 * The insurances that come with every contract, in catalogue order: of items that are valid on the day, and only where all
 * filters of item and insurance pass. An insurance of several items is included once.
 */
export function priceInsurances(
  items: readonly ListedInsuranceItem[],
  { figures, lists }: { readonly figures: NamedFigures; readonly lists: ListsInForce },
  context: PriceContext,
): readonly CatalogueCharge[] {
  const insurances = items
    .filter(({ item }) => isWithin(context.requestDay, item.StartDate, item.EndDate))
    .filter(({ item }) => passesFilters(item.Filters, figures, lists))
    .flatMap(({ list }) => list.Insurances.filter(comesWithContract))
    .filter(({ Filters }) => passesFilters(Filters, figures, lists));
  return [...new Set(insurances)].flatMap((insurance) => priceOnDay(insurance, context) ?? []);
}

/**
 * True if a charge comes with every contract (Q6): a commission that is included in the schedule and is mandatory or
 * loaded automatically, unless it is charged on an unused amount; or an insurance that is included in the instalments
 * and is mandatory for the applicant or the debtor.
 */
export function comesWithContract(record: ChargeRecord): boolean {
  if (!isActive(record)) return false;
  if ('InsuranceName' in record) {
    const isMandatory = record.IsMandatoryForApplicant || record.IsMandatoryForDebtor;
    return record.IncludedIntoRepaymentScheduleInstallment && isMandatory;
  }
  const isLoaded = record.AutomaticLoadOnContract || record.MandatoryForApplicant;
  return record.IncludedInRepaymentSchedule && isLoaded && !record.IsForUnusage;
}

/** Converts a commission or an insurance. */
export function readCharge(record: ChargeRecord): ListCharge {
  const common = {
    id: record.Id,
    periodicityType: record.PeriodicityType,
    currency: record.Currency,
    isByFormula: selectFormula(record) !== null,
    appliedTo: record.PercentAppliedTo,
    perAnnum: record.PerAnnum,
    isUpfront: record.IsUpfront,
  };
  if ('InsuranceName' in record) {
    return {
      ...common,
      dimension: 'Insurance',
      name: record.InsuranceName,
      group: record.Class,
      groupId: record.ClassId,
      isPercent: record.ValueIsPercentage,
      graceRows: null,
    };
  }
  return {
    ...common,
    dimension: 'Commission',
    name: record.Name,
    group: record.Type,
    groupId: null,
    isPercent: record.ValueIsPercent,
    graceRows: record.GracePeriodFee,
  };
}

/** The last calculated charge of each record. Records are immutable; a new version is another object. */
const chargesOnDay = new WeakMap<
  ChargeRecord,
  { readonly day: CalendarDate; readonly charge: CatalogueCharge | undefined }
>();

/** The charge with its price, cached per day unless a formula calculates the price from the caller's arguments. */
function priceOnDay(record: ChargeRecord, context: PriceContext): CatalogueCharge | undefined {
  if (record.UseBankingFormula) return calculatePrice(record, context);
  const known = chargesOnDay.get(record);
  if (known?.day === context.requestDay) return known.charge;
  const charge = calculatePrice(record, context);
  chargesOnDay.set(record, { day: context.requestDay, charge });
  return charge;
}

/** Undefined if the charge has no price on the day, or its formula has no value. */
function calculatePrice(
  record: ChargeRecord,
  { requestDay, inputs }: PriceContext,
): CatalogueCharge | undefined {
  const formula = selectFormula(record);
  const value = formula === null ? findValueOn(record, requestDay) : null;
  const price = formula !== null ? inputs.evaluate(formula) : value === null ? undefined : toExact(value);
  if (price === undefined) return undefined;
  return {
    ...readCharge(record),
    price,
    priceShown: formula === null ? toDecimal(price) : roundForDisplay(price),
  };
}

function selectFormula({ UseBankingFormula, Formula }: ChargeRecord) {
  return UseBankingFormula ? Formula : null;
}

function findValueOn(record: ChargeRecord, day: CalendarDate): number | null {
  if ('InsuranceName' in record) return valueOn(record.Values, day)?.Value ?? null;
  const value = valueOn(record.Values, day);
  if (record.ValueIsPercent) return value?.CommissionPercent ?? record.Percent;
  return value?.CommissionValue ?? null;
}
