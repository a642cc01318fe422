/** Assigns charges to the rows that collect them (F3); amounts that are the same in every row are calculated once. */

import { formatCalendarDate, type CalendarDate } from '../dates/calendar-date.ts';
import { countCharges } from './charge-counts.ts';
import { countUnusedDays, type AccrualPeriods } from './unused-days.ts';
import { readChargeInputs, type ChargeKind } from './charge-input.ts';
import type { ChargeBase } from './charge-base.ts';
import type { ChargeItem, ChargeTerms } from './charge-terms.ts';
import { dayCountDenominator, type DayCountName } from '../dates/day-count.ts';
import { computeInterest, createLinearRule, type InterestRule } from '../interest/interest-rule.ts';
import { MAX_FIGURE_MINOR } from '../numbers/money.ts';
import type { Validation } from '../request/validation.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';
import type { RoundingMode } from '../numbers/rounding.ts';
import type { ScheduleDates } from '../due-dates/schedule-dates.ts';

export type RowFigureName = Exclude<ChargeBase, 'FinancedAmount' | 'UnusedAmount' | 'CreditValue'>;

type ScheduledPrice =
  /** A share of the figure `of` in the collecting row: the rule `share` applied to it with the numerator `periods`. */
  | {
      readonly kind: 'share';
      readonly of: RowFigureName;
      readonly share: InterestRule;
      readonly periods: number;
    }
  /** The same amount in every row; `base` is what a percentage was taken of, else 0. Minor units. */
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
  /** The part of both sums that no annual rate counts (Q8). */
  readonly onlyInRows: number;
  /** Charges that the row does not collect, though annual rates count them (Q8). */
  readonly onlyInRate: number;
}

export interface ScheduledCharges {
  readonly charges: readonly ScheduledCharge[];
  /** By name of an additional column. */
  readonly byColumn: ReadonlyMap<string, readonly ScheduledCharge[]>;
  readonly hasInsurances: boolean;
  /** Path of the first charge, or list of charges, with which a figure exceeds the limit; undefined if none does. */
  tooLarge: string | undefined;
}

export interface ChargeSchedule {
  /** Includes `settledRows`, because grace periods of charges count original rows (F3, X1). */
  readonly dates: AccrualPeriods & Pick<ScheduleDates, 'dueDates' | 'settledRows'>;
  /** The unshifted start of the first row; charges before it are dropped (F3). */
  readonly start: CalendarDate;
  readonly isRecalculation: boolean;
  readonly dayCount: DayCountName;
  /** Financed amount in minor units. */
  readonly amount: number;
  /** Financed amount and advance in minor units (F2). */
  readonly creditValue: number;
  readonly rounding: RoundingMode;
}

/**
 * Assigns charges to rows. Refuses an ExpiryDateForOD before the start (F5), reports a single charge that no row collects
 * (E5), and sets `tooLarge` without refusing it.
 */
export function scheduleCharges(
  terms: ChargeTerms,
  schedule: ChargeSchedule,
  validation: Validation,
): ScheduledCharges {
  const countDated = createChargeCounter(schedule);
  const charges = terms.items.map((item): ScheduledCharge => {
    const planned =
      item.price.kind === 'unusage'
        ? countUnusedDays(terms.unused, schedule.dates, schedule.dayCount, validation)
        : countDated(item);
    if (item.periodicity.unit === 'Once' && !planned.includes(1)) validation.warn(item.path);
    const waived = item.graceRows - schedule.dates.settledRows;
    const counts = waived <= 0 ? planned : planned.map((count, row) => (row < waived ? 0 : count));
    return { item, counts, price: schedulePrice(item, schedule, terms.unused.amount) };
  });
  return {
    charges,
    byColumn: groupByColumn(charges),
    hasInsurances: terms.hasInsurances,
    tooLarge: findTooLarge(charges),
  };
}

/** Path of the first charge with which a row's sum of its kind exceeds the limit, not counting shares of figures. */
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

/** Refuses charges whose first date is after the due date of the last row shown (F3). */
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

/** Reuses the counts of the previous item if its dates are the same, which they usually are. */
function createChargeCounter({
  start,
  isRecalculation,
  dates,
}: ChargeSchedule): (item: ChargeItem) => Int32Array {
  const { dueDates, rowCount } = dates;
  const isInAdvance = dates.termEnd !== undefined;
  let last: { readonly item: ChargeItem; readonly counts: Int32Array } | undefined;
  return (item) => {
    const { periodicity, firstDate, isUpfront } = last?.item ?? {};
    const hasSameDates =
      item.periodicity === periodicity && item.firstDate === firstDate && item.isUpfront === isUpfront;
    if (last === undefined || !hasSameDates) {
      last = {
        item,
        counts: countCharges({ start, dueDates, rowCount, isRecalculation, isInAdvance }, item),
      };
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
  const { amount: FinancedAmount, creditValue: CreditValue } = schedule;
  const amounts = { FinancedAmount, CreditValue, UnusedAmount: unusedAmount };
  const { base: of } = price;
  if (of !== 'FinancedAmount' && of !== 'CreditValue' && of !== 'UnusedAmount')
    return { kind: 'share', of, share, periods };
  const base = amounts[of];
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
