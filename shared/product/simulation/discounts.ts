/** Selects the discounts of a request and applies them to prices and rates (Q5, L3). */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import { compareValues } from '../../lending/formula/arithmetic.ts';
import type { Validation } from '../../lending/request/validation.ts';
import { isSameCode } from '../catalogue/catalogue-record.ts';
import type { CatalogueView } from '../catalogue/catalogue-view.ts';
import { findUnstated } from '../catalogue/item-filters.ts';
import type { DiscountRecord, InterestRecord } from '../catalogue/list-records.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';
import { isWithin } from '../catalogue/version-in-force.ts';
import { readFilterFigures, warnOfAssumed } from './decide-filters.ts';
import {
  type ExactFigure,
  toExact,
  lesser,
  minus,
  ONE_HUNDRED,
  percentageOf,
  percentOf,
  plus,
  signOf,
  ZERO,
} from './exact-figures.ts';
import { findNamed } from './named-choice.ts';
import type { FormulaArguments } from './product-formula.ts';
import type { ChosenDiscount, SimulateRequest } from './simulation.ts';

export interface Discount {
  readonly record: DiscountRecord;
  /** Above zero, in percent, percentage points of a rate, or major units. */
  readonly amount: ExactFigure;
  /** True once the discount has lowered a price or rate. */
  hasEffect: boolean;
}

/** A discounted figure: base * (1 - percent / 100) - value. */
export interface Discounted {
  readonly left: ExactFigure;
  /** All percentages combined, as a percentage of the base; null if there are none. */
  readonly percent: ExactFigure | null;
  /** Sum of the values, at most what the percentages leave; null if there are none. */
  readonly value: ExactFigure | null;
}

interface DiscountContext {
  readonly catalogue: CatalogueView;
  readonly requestDay: CalendarDate;
  readonly grantsUnstated?: boolean;
  readonly inputs: FormulaArguments;
}

interface ChosenDiscounts {
  readonly discounts: readonly Discount[];
  readonly named: readonly NamedDiscount[];
}

interface NamedDiscount {
  readonly path: string;
  /** There is more than one if discounts of the product share the name. */
  readonly records: readonly DiscountRecord[];
}

/**
 * Chooses the Active discounts of the day of which no filter fails: optional ones only if the request names them, others
 * only if no figure is missing (Q5). Warns of the missing figures on which it depends whether one is granted (L4).
 */
export function chooseDiscounts(
  request: SimulateRequest,
  product: ProductRecord,
  context: DiscountContext,
  validation: Validation,
): ChosenDiscounts {
  const { catalogue, requestDay } = context;
  const lists = new Set(product.Discounts.map((code) => catalogue.list('discount-list', code)));
  const listed = [...lists].flatMap((list) => list?.Discounts ?? []);
  const filters = listed.flatMap(({ Filters }) => Filters);
  const figures = readFilterFigures('jsonDiscountFilter', request, filters, validation);
  const ofDay = listed.filter(
    ({ Status, StartDate, EndDate }) => Status === 'Active' && isWithin(requestDay, StartDate, EndDate),
  );
  const unstated = new Map(ofDay.map((record) => [record, findUnstated(record.Filters, figures, catalogue)]));
  const offered = ofDay.filter((record) => unstated.get(record) !== undefined);
  const named = (['optional', 'discount'] as const).flatMap((field) =>
    (request[field] ?? []).map((item, index) => {
      const path = `${field}[${index}]`;
      return { path, records: findNamedDiscounts(path, item, { offered, product }, validation) };
    }),
  );
  const chosen = new Set(named.flatMap(({ records }) => records));
  const meant = offered.filter((record) => !record.IsOptionalDiscount || chosen.has(record));
  const assumed = meant.flatMap((record) => unstated.get(record) ?? []);
  warnOfAssumed('jsonDiscountFilter', assumed, validation);
  const given = meant.filter(
    (record) => record.IsOptionalDiscount || context.grantsUnstated || unstated.get(record)?.length === 0,
  );
  return { discounts: given.flatMap((record) => calculateAmount(record, context.inputs, validation)), named };
}

/** Warns of named discounts that lower nothing in any offer (Q5). Call this after the last offer is calculated. */
export function warnOfUnusedDiscounts({ discounts, named }: ChosenDiscounts, validation: Validation): void {
  for (const { path, records } of named) {
    const isUsed = discounts.some(({ record, hasEffect }) => hasEffect && records.includes(record));
    if (!isUsed) validation.warn(path);
  }
}

function findNamedDiscounts(
  path: string,
  choice: ChosenDiscount,
  { offered, product }: { readonly offered: readonly DiscountRecord[]; readonly product: ProductRecord },
  validation: Validation,
): readonly DiscountRecord[] {
  if (choice.ProductCode !== undefined && !isSameCode(choice.ProductCode, product.Code)) {
    const message = `must be ${product.Code}, the product's code`;
    validation.reject(`${path}.ProductCode`, 'unknown-value', message);
  }
  const choices = {
    what: 'discount',
    idField: 'ProductDiscountId' as const,
    offered: offered.map((record) => ({ name: record.Name, id: record.Id, record })),
  };
  return findNamed(path, choice, choices, validation);
}

/** Returns an empty list if the discount has no value above zero. */
function calculateAmount(
  record: DiscountRecord,
  inputs: FormulaArguments,
  validation: Validation,
): readonly Discount[] {
  const { UseBankingFormula, Formula, DiscountValue, Name } = record;
  const isByFormula = UseBankingFormula && Formula !== null;
  const amount = isByFormula ? inputs.evaluate(Formula) : toExact(DiscountValue ?? 0);
  if (amount !== undefined && signOf(amount) < 0) {
    const path = isByFormula ? 'jsonInputFormula.discountInput' : 'productCode';
    validation.reject(path, 'out-of-range', `must not make the discount ${Name} negative`);
  }
  return amount !== undefined && signOf(amount) > 0 ? [{ record, amount, hasEffect: false }] : [];
}

export function appliesToInterest(
  { AppliedToDimension, InterestType }: DiscountRecord,
  { Type }: InterestRecord,
): boolean {
  return AppliedToDimension === 'Interest' && (InterestType === null || InterestType === Type);
}

/** Applies percentages, then values, each to what is left, never below zero (Q5). A base below zero stays as it is. */
export function applyDiscounts(base: ExactFigure, discounts: readonly Discount[]): Discounted {
  if (signOf(base) <= 0) return { left: base, percent: null, value: null };
  const ofPercent = applyPercentages(base, discounts);
  const ofValue = applyValues(ofPercent.left, discounts);
  return { ...ofValue, percent: ofPercent.percent };
}

/** Applies only the percentages, and sets `hasEffect` of those that reduce the base. */
export function applyPercentages(
  base: ExactFigure,
  discounts: readonly Discount[],
): Omit<Discounted, 'value'> {
  const percentages = discounts.filter(({ record }) => record.IsPercentage);
  if (percentages.length === 0 || signOf(base) <= 0) return { left: base, percent: null };
  let left = base;
  for (const discount of percentages) {
    if (signOf(left) > 0 && signOf(discount.amount) > 0) discount.hasEffect = true;
    left = minus(left, percentOf(left, lesser(discount.amount, ONE_HUNDRED)));
  }
  return { left, percent: minus(ONE_HUNDRED, percentageOf(left, base)) };
}

/** Applies only the values, and sets `hasEffect` of those that reduce the base, which must not be below zero. */
export function applyValues(base: ExactFigure, discounts: readonly Discount[]): Omit<Discounted, 'percent'> {
  const values = discounts.filter(({ record }) => !record.IsPercentage);
  if (values.length === 0) return { left: base, value: null };
  let sum = ZERO;
  for (const discount of values) {
    if (compareValues(sum, base) < 0 && signOf(discount.amount) > 0) discount.hasEffect = true;
    sum = plus(sum, discount.amount);
  }
  const value = lesser(sum, base);
  return { left: minus(base, value), value };
}
