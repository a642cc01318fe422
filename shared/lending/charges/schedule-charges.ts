/** Assigns charges to the rows that collect them (F3); amounts that do not vary by row are calculated once. */

import { formatCalendarDate, type CalendarDate } from '../dates/calendar-date.ts';
import { countCharges, countUnusedDays, type AccrualPeriods } from './charge-counts.ts';
import { readChargeInputs, type ChargeKind } from './charge-input.ts';
import type { ChargeBase } from './requested-charge-price.ts';
import type { ChargeItem, ChargeTerms } from './charge-terms.ts';
import { dayCountDenominator, type DayCountName } from '../dates/day-count.ts';
import { computeInterest, createLinearRule, type InterestRule } from '../interest/interest-rule.ts';
import { MAX_FIGURE_MINOR } from '../numbers/money.ts';
import type { Validation } from '../request/validation.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';
import type { RoundingMode } from '../numbers/rounding.ts';
import type { ScheduleDates } from '../due-dates/schedule-dates.ts';

export type RowFigureName = Exclude<ChargeBase, 'FinancedAmount' | 'UnusedAmount'>;

type ScheduledPrice =
  /** A share of a figure of the collecting row: the rule `share` applied to it with the numerator `periods`. */
  | {
      readonly kind: 'share';
      readonly of: RowFigureName;
      readonly share: InterestRule;
      readonly periods: number;
    }
  /** The same in every row; `base` is the base of a percentage. Minor units. */
  | { readonly kind: 'fixed'; readonly amount: number; readonly base: number }
  /** The rule `share` applied to the unused amount with the row's day-count numerator (F5). */
  | { readonly kind: 'unusage'; readonly share: InterestRule; readonly base: number };

export interface ScheduledCharge {
  readonly item: ChargeItem;
  /** Charges that each row collects (index from 0), without waived ones; for unusage, the day-count numerators. */
  readonly counts: Int32Array;
  readonly price: ScheduledPrice;
}

/** Sums of the commissions and of the insurances that a row collects, in minor units. */
export interface RowCharges {
  readonly managementFee: number;
  readonly insurance: number;
}

export interface ScheduledCharges {
  readonly charges: readonly ScheduledCharge[];
  /** By name of an additional column. */
  readonly byColumn: ReadonlyMap<string, readonly ScheduledCharge[]>;
  readonly hasInsurances: boolean;
  /** Path of the first charge, or list of charges, that makes a sum exceed the limit on a figure. */
  tooLarge: string | undefined;
}

export interface ChargeSchedule {
  /** Waived charges are counted by original row numbers, including settled rows (X1). */
  readonly dates: AccrualPeriods & Pick<ScheduleDates, 'dueDates' | 'settledRows'>;
  /** The unshifted start of the first row: earlier charges are dropped (F3). */
  readonly start: CalendarDate;
  readonly isRecalculation: boolean;
  readonly dayCount: DayCountName;
  /** Financed amount in minor units. */
  readonly amount: number;
  readonly rounding: RoundingMode;
}

/** Assigns charges to rows, and notes fixed ones above the limit. Refuses an ExpiryDateForOD before the start (F5). */
export function scheduleCharges(
  terms: ChargeTerms,
  schedule: ChargeSchedule,
  validation: Validation,
): ScheduledCharges {
  const countRepeated = createChargeCounter(schedule);
  const charges = terms.items.map((item): ScheduledCharge => {
    const all =
      item.price.kind === 'unusage'
        ? countUnusedDays(terms.unused, schedule.dates, schedule.dayCount, validation)
        : countRepeated(item);
    const waived = item.graceRows - schedule.dates.settledRows;
    const counts = waived <= 0 ? all : all.map((count, row) => (row < waived ? 0 : count));
    return { item, counts, price: schedulePrice(item, schedule, terms.unused.amount) };
  });
  return {
    charges,
    byColumn: groupByColumn(charges),
    hasInsurances: terms.hasInsurances,
    tooLarge: findTooLarge(charges),
  };
}

/** Path of the first charge that makes the sum of its kind too large in any planned row, without shares of figures. */
function findTooLarge(charges: readonly ScheduledCharge[]): string | undefined {
  const sums: Record<ChargeKind, number[]> = { commission: [], insurance: [] };
  for (const { item, counts, price } of charges) {
    const ofKind = sums[item.kind];
    ofKind[0] = (ofKind[0] ?? 0) + item.blocked;
    if (price.kind === 'share') continue;
    for (let row = 0; row < counts.length; row += 1) {
      const count = counts[row] ?? 0;
      const amount =
        price.kind === 'fixed' ? count * price.amount : computeInterest(price.share, price.base, count);
      const sum = (ofKind[row] ?? 0) + amount;
      if (sum > MAX_FIGURE_MINOR) return item.path;
      ofKind[row] = sum;
    }
  }
  return undefined;
}

/** Refuses charges whose first date lies after the last due date of the plan (F3). */
export function refuseLateCharges(
  request: RepaymentScheduleRequest,
  lastDueDate: CalendarDate,
  validation: Validation,
): void {
  for (const { firstDate, datePath } of readChargeInputs(request)) {
    if (firstDate > lastDueDate) {
      const latest = formatCalendarDate(lastDueDate);
      validation.reject(datePath, 'date-order', `must be on or before the last due date, ${latest}`);
    }
  }
}

export function refuseTooLargeCharges({ tooLarge }: ScheduledCharges, validation: Validation): void {
  if (tooLarge === undefined) return;
  const message = 'must be smaller: the total of one installment exceeds the largest supported amount';
  validation.reject(tooLarge, 'amount-too-large', message);
}

/** Most items have the same dates as the previous one, so its counts are reused. */
function createChargeCounter({
  start,
  isRecalculation,
  dates,
}: ChargeSchedule): (item: ChargeItem) => Int32Array {
  const { dueDates, rowCount } = dates;
  let last: { readonly item: ChargeItem; readonly counts: Int32Array } | undefined;
  return (item) => {
    const { periodicity, firstDate, isUpfront } = last?.item ?? {};
    const hasSameDates =
      item.periodicity === periodicity && item.firstDate === firstDate && item.isUpfront === isUpfront;
    if (last === undefined || !hasSameDates) {
      last = { item, counts: countCharges({ start, dueDates, rowCount, isRecalculation }, item) };
    }
    return last.counts;
  };
}

function schedulePrice(
  { price }: ChargeItem,
  schedule: ChargeSchedule,
  unusedAmount: number,
): ScheduledPrice {
  if (price.kind === 'value') return { kind: 'fixed', amount: price.amount, base: 0 };
  if (price.kind === 'unusage') {
    const denominator = dayCountDenominator(schedule.dayCount);
    const share = createLinearRule(price.rate, denominator, schedule.rounding);
    return { kind: 'unusage', share, base: unusedAmount };
  }
  const [periods, perYear] = price.partOfYear ?? [1, 1];
  const share = createLinearRule(price.rate, perYear, schedule.rounding);
  if (price.base !== 'FinancedAmount' && price.base !== 'UnusedAmount') {
    return { kind: 'share', of: price.base, share, periods };
  }
  const base = price.base === 'FinancedAmount' ? schedule.amount : unusedAmount;
  return { kind: 'fixed', amount: computeInterest(share, base, periods), base };
}

function groupByColumn(charges: readonly ScheduledCharge[]): ReadonlyMap<string, readonly ScheduledCharge[]> {
  const byColumn = new Map<string, ScheduledCharge[]>();
  for (const charge of charges) {
    for (const column of charge.item.columns) {
      const shown = byColumn.get(column);
      if (shown === undefined) byColumn.set(column, [charge]);
      else shown.push(charge);
    }
  }
  return byColumn;
}
