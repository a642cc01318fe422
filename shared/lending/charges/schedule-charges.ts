/**
 * Assigns the charges of a request to the rows that collect them (F3); amounts that do not vary by row are calculated
 * once.
 */

import { formatCalendarDate, type CalendarDate } from '../dates/calendar-date.ts';
import { countCharges, countUnusedDays, type AccrualPeriods } from './charge-counts.ts';
import { readChargeInputs } from './charge-input.ts';
import type { ChargeBase } from './charge-price.ts';
import type { ChargeItem, ChargeTerms } from './charge-terms.ts';
import { dayCountDenominator, type DayCountName } from '../dates/day-count.ts';
import { computeInterest, createLinearRule, type InterestRule } from '../interest/interest-rule.ts';
import { MAX_FIGURE_MINOR } from '../numbers/money.ts';
import type { Validation } from '../request/validation.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';
import type { RoundingMode } from '../numbers/rounding.ts';
import type { ScheduleDates } from '../due-dates/schedule-dates.ts';

/** Figures of a row that can be the base of a percentage (F2). */
export type RowFigureName = Exclude<ChargeBase, 'FinancedAmount' | 'UnusedAmount'>;

/**
 * A share of one of the collecting row's figures: the rule `share` applied to that figure with the numerator `periods`.
 */
interface SharePrice {
  readonly kind: 'share';
  readonly of: RowFigureName;
  readonly share: InterestRule;
  readonly periods: number;
}

/** The amount of one charge. */
export type ScheduledPrice =
  | SharePrice
  /** The same in every row; `base` is the base of a percentage. Minor units. */
  | { readonly kind: 'fixed'; readonly amount: number; readonly base: number }
  /** The rule `share` applied to the unused amount with the row's day-count numerator (F5). */
  | { readonly kind: 'unusage'; readonly share: InterestRule; readonly base: number };

/** A charge with the rows that collect it. */
export interface ScheduledCharge {
  readonly item: ChargeItem;
  /** Charges that each row collects (index from 0), without waived ones; for unusage, the day-count numerators. */
  readonly counts: Int32Array;
  readonly price: ScheduledPrice;
}

/** A charge whose amount depends on a figure of the row. */
export interface ShareCharge extends ScheduledCharge {
  readonly price: SharePrice;
}

/** The sums that a row collects, in minor units. */
export interface RowCharges {
  /** Sum of the commissions. */
  managementFee: number;
  /** Sum of the insurances. */
  insurance: number;
}

/** The charges of a schedule, ready for its rows. */
export interface ScheduledCharges {
  readonly charges: readonly ScheduledCharge[];
  /** Those whose amount depends on a figure of the row. */
  readonly shares: readonly ShareCharge[];
  /** The sums of the other charges for each row, including blocked amounts. */
  readonly fixedFees: readonly number[];
  readonly fixedInsurances: readonly number[];
  /** Charges by the names of the columns that show them separately (F4). */
  readonly byColumn: ReadonlyMap<string, readonly ScheduledCharge[]>;
  /** True when the request sent insurances, so that rows show their sum (F4). */
  readonly hasInsurances: boolean;
  /** The sums of the row collected last: one object for all rows. */
  readonly ofRow: RowCharges;
  /** The first field whose charges exceeded the limit. */
  tooLarge: string | undefined;
}

/** The schedule whose rows collect the charges. */
export interface ChargeSchedule {
  /** Waived charges are counted by original row numbers, including settled rows (X1). */
  readonly dates: AccrualPeriods & Pick<ScheduleDates, 'dueDates' | 'settledRows'>;
  /** The unshifted start of the first row: earlier charges are dropped (F3). */
  readonly start: CalendarDate;
  /** True when LastDueDate was sent (X1). */
  readonly isRecalculation: boolean;
  readonly dayCount: DayCountName;
  /** Financed amount in minor units. */
  readonly amount: number;
  readonly rounding: RoundingMode;
}

/** Assigns charges to rows. Refuses amounts that exceed the limit, and an end of unusage before the start. */
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
  const fixedFees = schedule.dates.dueDates.map(() => 0);
  const fixedInsurances = schedule.dates.dueDates.map(() => 0);
  const scheduled: ScheduledCharges = {
    charges,
    shares: charges.filter(isShare),
    fixedFees,
    fixedInsurances,
    byColumn: groupByColumn(charges),
    hasInsurances: terms.hasInsurances,
    ofRow: { managementFee: 0, insurance: 0 },
    tooLarge: undefined,
  };
  for (const charge of charges) {
    const isFee = charge.item.kind === 'commission';
    const isWithinLimit = addFixed(charge, isFee ? fixedFees : fixedInsurances);
    if (!isWithinLimit) scheduled.tooLarge ??= charge.item.path;
  }
  return scheduled;
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

/** The end of a schedule before its planned last row. */
export interface EarlyEnd {
  /** Number of due rows before the end. */
  readonly dueRows: number;
  /** The last due date, or the date of the prepayment after it that ended the loan. */
  readonly date: CalendarDate;
}

/**
 * Checks charges against the end of a schedule that a fixed instalment or a prepayment ended before its planned last
 * row (B2, X3): a first date after the end is refused (F3), and a charge that only the dropped rows would have
 * collected is reported (E5), as are blocked amounts that no row collects (X2).
 */
export function checkChargesAtEnd(
  request: RepaymentScheduleRequest,
  { charges }: ScheduledCharges,
  { dueRows, date }: EarlyEnd,
  validation: Validation,
): void {
  const isInterestBlocked = request.IsLocked === true && request.BlockInterestAmount?.isZero() === false;
  if (dueRows === 0 && isInterestBlocked) validation.warn('BlockInterestAmount');
  const byPath = new Map(charges.map((charge) => [charge.item.path, charge]));
  for (const { path, datePath, blockedPath, firstDate } of readChargeInputs(request)) {
    if (firstDate > date) {
      const message = `must be on or before ${formatCalendarDate(date)}, when the loan is repaid`;
      validation.rejectOnce({ path: datePath, code: 'date-order', message });
    }
    const charge = byPath.get(path);
    if (charge === undefined) continue;
    if (dueRows === 0 && charge.item.blocked > 0) validation.warn(blockedPath);
    if (isLost(charge, dueRows)) validation.warn(path);
  }
}

/** True for a charge that only rows after the first `dueRows` would collect. */
function isLost({ item, counts }: ScheduledCharge, dueRows: number): boolean {
  if (item.blocked > 0 && dueRows > 0) return false;
  const first = counts.findIndex((count) => count !== 0);
  return first >= dueRows;
}

/** Reports the field whose charges exceeded the limit, if any; called after the last row. */
export function refuseTooLargeCharges({ tooLarge }: ScheduledCharges, validation: Validation): void {
  if (tooLarge === undefined) return;
  const message = 'must be smaller: the total of one installment exceeds the largest supported amount';
  validation.reject(tooLarge, 'amount-too-large', message);
}

function isShare(charge: ScheduledCharge): charge is ShareCharge {
  return charge.price.kind === 'share';
}

/** Counts the charges of each item. Most items have the same dates as the previous one, so its counts are reused. */
function createChargeCounter({
  start,
  isRecalculation,
  dates,
}: ChargeSchedule): (item: ChargeItem) => Int32Array {
  const { dueDates, rowCount } = dates;
  let last: { readonly item: ChargeItem; readonly counts: Int32Array } | undefined;
  return (item) => {
    if (last === undefined || !hasSameDates(last.item, item)) {
      last = { item, counts: countCharges({ start, dueDates, rowCount, isRecalculation }, item) };
    }
    return last.counts;
  };
}

function hasSameDates(one: ChargeItem, other: ChargeItem): boolean {
  return (
    one.periodicity === other.periodicity &&
    one.firstDate === other.firstDate &&
    one.isUpfront === other.isUpfront
  );
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

/**
 * Adds the amounts that do not depend on the row's figures to the sums of each row. An amount that makes a sum too
 * large is left out; the result is then false.
 */
function addFixed({ item, counts, price }: ScheduledCharge, sums: number[]): boolean {
  sums[0] = (sums[0] ?? 0) + item.blocked;
  if (price.kind === 'share') return true;
  let isWithinLimit = true;
  for (let row = 0; row < counts.length; row += 1) {
    const count = counts[row] ?? 0;
    if (count === 0) continue;
    const amount =
      price.kind === 'fixed' ? count * price.amount : computeInterest(price.share, price.base, count);
    const sum = (sums[row] ?? 0) + amount;
    if (sum <= MAX_FIGURE_MINOR) sums[row] = sum;
    else isWithinLimit = false;
  }
  return isWithinLimit;
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
