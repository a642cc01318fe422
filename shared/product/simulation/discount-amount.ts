/** What discounts leave of a price or a rate (Q5). */

import { compareValues } from '../../lending/formula/formula-arithmetic.ts';
import {
  lesser,
  minus,
  ONE_HUNDRED,
  percentageOf,
  percentOf,
  plus,
  signOf,
  ZERO,
  type ExactFigure,
} from './exact-figures.ts';
import type { DiscountRecord } from '../catalogue/list-records.ts';

/** A discount that is given, with its amount: percent, percentage points of a rate, or money. */
export interface Discount {
  readonly record: DiscountRecord;
  /** Not below zero. */
  readonly amount: ExactFigure;
  /** Set as soon as the discount has taken something from any price or rate. */
  hasEffect: boolean;
}

/** What is left, which is base * (1 - percent / 100) - value. */
export interface Discounted {
  readonly left: ExactFigure;
  /** All percentages together, as one of the base; null: there are none. */
  readonly percent: ExactFigure | null;
  /** All values together, as far as there was something left; null: there are none. */
  readonly value: ExactFigure | null;
}

/**
 * Percentages first, then values, each group in catalogue order and each discount on what is left, never below zero
 * (Q5). A base of zero or less, such as a negative rate, has nothing to take from.
 */
export function discounted(base: ExactFigure, discounts: readonly Discount[]): Discounted {
  if (signOf(base) <= 0) return { left: base, percent: null, value: null };
  const ofPercent = lessPercentages(base, discounts);
  const ofValue = lessValues(ofPercent.left, discounts);
  return { ...ofValue, percent: ofPercent.percent };
}

/** The percentages alone; notes which of them have an effect. */
export function lessPercentages(
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

/** The values alone; notes which of them have an effect. */
export function lessValues(base: ExactFigure, discounts: readonly Discount[]): Omit<Discounted, 'percent'> {
  const values = discounts.filter(({ record }) => !record.IsPercentage);
  if (values.length === 0) return { left: base, value: null };
  let sum = ZERO;
  for (const discount of values) {
    if (compareValues(sum, base) < 0 && signOf(discount.amount) > 0) discount.hasEffect = true;
    sum = plus(sum, discount.amount);
  }
  const taken = compareValues(sum, base) > 0 ? base : sum;
  return { left: minus(base, taken), value: taken };
}
