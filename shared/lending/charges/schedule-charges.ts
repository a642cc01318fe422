/** Puts the charges of a request on the rows that collect them (F3), and works out once what does not vary by row. */

import type { AmortisedRow } from '../amortisation/amortised-row.ts';
import { formatCalendarDate, type CalendarDate } from '../dates/calendar-date.ts';
import { chargeCounts } from './charge-counts.ts';
import type { ChargeBase, ChargeItem, ChargeTerms } from './charge-terms.ts';
import { dayCountDenominator, type DayCountName } from '../dates/day-count.ts';
import { interestOf, linearInterest, type InterestRule } from '../interest/interest-rule.ts';
import { LARGEST_FIGURE_MINOR } from '../numbers/money.ts';
import type { Findings } from '../request/refusal.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';
import type { RoundingMode } from '../numbers/rounding.ts';
import type { ScheduleDates } from '../due-dates/schedule-dates.ts';
import { sentChargesOf } from './charge-input.ts';
import { unusedDaysOf, type AccrualPeriods } from './unused-days.ts';

/** Figures of a row that a percentage may be of (F2). */
export type RowFigureName = Exclude<ChargeBase, 'FinancedAmount' | 'UnusedAmount'>;

/** A share of a figure of the collecting row: what `share` gives over the count `periods`. */
interface SharePrice {
  readonly kind: 'share';
  readonly of: RowFigureName;
  readonly share: InterestRule;
  readonly periods: number;
}

/** What one charge amounts to. */
export type PlacedPrice =
  | SharePrice
  /** The same in every row; `base` is what a percentage is of. Minor units. */
  | { readonly kind: 'fixed'; readonly amount: number; readonly base: number }
  /** What `share` gives on the unused amount over the row's count (F5). */
  | { readonly kind: 'unusage'; readonly share: InterestRule; readonly base: number };

/** A charge with the rows that collect it. */
export interface PlacedCharge {
  readonly item: ChargeItem;
  /** Charges that each row collects (index from 0), waived ones left out; of unusage the day-count numerators. */
  readonly counts: Int32Array;
  readonly price: PlacedPrice;
}

/** A charge whose amount depends on a figure of the row. */
export interface ShareCharge extends PlacedCharge {
  readonly price: SharePrice;
}

/** What a row collects, in minor units. */
export interface RowCharges {
  /** Sum of the commissions. */
  managementFee: number;
  /** Sum of the insurances. */
  insurance: number;
}

/** The charges of a schedule, ready for its rows. */
export interface PlacedCharges {
  readonly charges: readonly PlacedCharge[];
  /** Those whose amount depends on a figure of the row. */
  readonly shares: readonly ShareCharge[];
  /** What each row collects of the others, blocked amounts included. */
  readonly fixedFees: Float64Array;
  readonly fixedInsurances: Float64Array;
  /** Charges by the names of the columns that show them by themselves (F4). */
  readonly byColumn: ReadonlyMap<string, readonly PlacedCharge[]>;
  /** True when the request sent insurances, so that rows show their sum (F4). */
  readonly hasInsurances: boolean;
  /** The answer of the row asked for last: one object for all rows. */
  readonly ofRow: RowCharges;
  /** The first member whose charges went beyond what can be calculated with. */
  tooLarge: string | undefined;
}

/** The schedule that charges are placed on. */
export interface ChargeSchedule {
  /** Waived charges are counted by original row numbers, so by the rows settled before (X1). */
  readonly dates: AccrualPeriods & Pick<ScheduleDates, 'dueDates' | 'settledRows'>;
  /** Where the first row begins, before holidays move anything: charges before it are dropped (F3). */
  readonly start: CalendarDate;
  /** True when LastDueDate was sent (X1). */
  readonly isRecalculation: boolean;
  readonly dayCount: DayCountName;
  /** Financed amount in minor units. */
  readonly amount: number;
  readonly rounding: RoundingMode;
}

interface Placing {
  readonly terms: ChargeTerms;
  readonly schedule: ChargeSchedule;
  readonly findings: Findings;
  /** Charges counted last, waived ones included: the next ones mostly fall on the same dates. */
  counted: { readonly item: ChargeItem; readonly counts: Int32Array } | undefined;
}

/** Charges on their rows. Refuses amounts beyond what is calculated with, and an end of unusage before the start. */
export function placeCharges(
  terms: ChargeTerms,
  schedule: ChargeSchedule,
  findings: Findings,
): PlacedCharges {
  const { rowCount } = schedule.dates;
  const placing: Placing = { terms, schedule, findings, counted: undefined };
  const charges = terms.items.map((item) => placedCharge(item, placing));
  const placed: PlacedCharges = {
    charges,
    shares: charges.filter(isShare),
    fixedFees: new Float64Array(rowCount),
    fixedInsurances: new Float64Array(rowCount),
    byColumn: chargesByColumn(charges),
    hasInsurances: terms.hasInsurances,
    ofRow: { managementFee: 0, insurance: 0 },
    tooLarge: undefined,
  };
  for (const charge of charges) addFixed(charge, placed);
  return placed;
}

/** Refuses charges whose first date lies after the last due date of the plan (F3). */
export function refuseLateCharges(
  request: RepaymentScheduleRequest,
  lastDueDate: CalendarDate,
  findings: Findings,
): void {
  for (const { firstDate, datePath } of sentChargesOf(request)) {
    if (firstDate > lastDueDate) {
      const latest = formatCalendarDate(lastDueDate);
      findings.refuse(datePath, 'date-order', `must be on or before the last due date, ${latest}`);
    }
  }
}

/**
 * Checks charges against the rows of a schedule that a fixed instalment or a prepayment ended before its planned last
 * row (B2, X3): a first date after the end is refused (F3), and a charge of which only the missing rows would have
 * collected anything is reported (E5), as are blocked amounts that no row takes in (X2).
 */
export function checkChargesAtEnd(
  request: RepaymentScheduleRequest,
  { charges }: PlacedCharges,
  { rows, dates }: { readonly rows: readonly AmortisedRow[]; readonly dates: ScheduleDates },
  findings: Findings,
): void {
  const dueRows = rows.filter(({ kind }) => kind === 'regular' || kind === 'grace').length;
  const last = rows.at(-1);
  if (dueRows === dates.rowCount || last === undefined) return;
  const lastDueDate = dates.dueDates[dueRows - 1] ?? last.to;
  const end = last.kind === 'early' && last.to > lastDueDate ? last.to : lastDueDate;
  const isInterestBlocked = request.IsLocked === true && request.BlockInterestAmount?.isZero() === false;
  if (dueRows === 0 && isInterestBlocked) findings.warn('BlockInterestAmount');
  const byPath = new Map(charges.map((charge) => [charge.item.path, charge]));
  for (const { path, datePath, blockedPath, firstDate } of sentChargesOf(request)) {
    if (firstDate > end) {
      const message = `must be on or before ${formatCalendarDate(end)}, when the schedule ends with nothing owed`;
      findings.refuseAlso({ path: datePath, code: 'date-order', message });
    }
    const charge = byPath.get(path);
    const isBlockLost = dueRows === 0 && charge !== undefined && charge.item.blocked > 0;
    if (isBlockLost) findings.warn(blockedPath);
    if (charge !== undefined && isLost(charge, dueRows)) findings.warn(path);
  }
}

/** True of a charge that rows after the first `dueRows` alone would collect. */
function isLost({ item, counts }: PlacedCharge, dueRows: number): boolean {
  if (item.blocked > 0 && dueRows > 0) return false;
  const first = counts.findIndex((count) => count !== 0);
  return first >= dueRows;
}

/** Notes the member whose charges went beyond what can be calculated with, if any did; asked after the last row. */
export function refuseTooLargeCharges({ tooLarge }: PlacedCharges, findings: Findings): void {
  if (tooLarge === undefined) return;
  const message = 'must be smaller: what one installment pays is beyond what can be calculated with';
  findings.refuse(tooLarge, 'amount-too-large', message);
}

function isShare(charge: PlacedCharge): charge is ShareCharge {
  return charge.price.kind === 'share';
}

function placedCharge(item: ChargeItem, placing: Placing): PlacedCharge {
  const counts = item.price.kind === 'unusage' ? unusedDays(placing) : repeatedCounts(item, placing);
  counts.fill(0, 0, Math.max(0, item.graceRows - placing.schedule.dates.settledRows));
  return { item, counts, price: placedPrice(item, placing) };
}

function repeatedCounts(item: ChargeItem, placing: Placing): Int32Array {
  const { counted, schedule } = placing;
  if (counted !== undefined && hasSameDates(counted.item, item)) return counted.counts.slice();
  const { start, isRecalculation } = schedule;
  const { dueDates, rowCount } = schedule.dates;
  const counts = chargeCounts({ start, dueDates, rowCount, isRecalculation }, item);
  placing.counted = { item, counts: counts.slice() };
  return counts;
}

function hasSameDates(one: ChargeItem, other: ChargeItem): boolean {
  return (
    one.periodicity === other.periodicity &&
    one.firstDate === other.firstDate &&
    one.isUpfront === other.isUpfront
  );
}

function unusedDays({ schedule, terms, findings }: Placing): Int32Array {
  return unusedDaysOf(terms.unused, schedule.dates, schedule.dayCount, findings);
}

function placedPrice({ price }: ChargeItem, { schedule, terms }: Placing): PlacedPrice {
  if (price.kind === 'value') return { kind: 'fixed', amount: price.amount, base: 0 };
  if (price.kind === 'unusage') {
    const denominator = dayCountDenominator(schedule.dayCount);
    const share = linearInterest(price.rate, denominator, schedule.rounding);
    return { kind: 'unusage', share, base: terms.unused.amount };
  }
  const [periods, perYear] = price.partOfYear ?? [1, 1];
  const share = linearInterest(price.rate, perYear, schedule.rounding);
  if (price.base !== 'FinancedAmount' && price.base !== 'UnusedAmount') {
    return { kind: 'share', of: price.base, share, periods };
  }
  const base = price.base === 'FinancedAmount' ? schedule.amount : terms.unused.amount;
  return { kind: 'fixed', amount: interestOf(share, base, periods), base };
}

/** What does not depend on the row's figures is added up beforehand; a sum that is too large is left out and noted. */
function addFixed(charge: PlacedCharge, placed: PlacedCharges): void {
  const { item, counts, price } = charge;
  const sums = item.kind === 'commission' ? placed.fixedFees : placed.fixedInsurances;
  sums[0] = (sums[0] ?? 0) + item.blocked;
  if (price.kind === 'share') return;
  for (let row = 0; row < sums.length; row += 1) {
    const count = counts[row] ?? 0;
    if (count === 0) continue;
    const amount = price.kind === 'fixed' ? count * price.amount : interestOf(price.share, price.base, count);
    const sum = (sums[row] ?? 0) + amount;
    if (sum <= LARGEST_FIGURE_MINOR) sums[row] = sum;
    else placed.tooLarge ??= item.path;
  }
}

function chargesByColumn(charges: readonly PlacedCharge[]): ReadonlyMap<string, readonly PlacedCharge[]> {
  const byColumn = new Map<string, PlacedCharge[]>();
  for (const charge of charges) {
    for (const column of charge.item.columns) {
      const shown = byColumn.get(column);
      if (shown === undefined) byColumn.set(column, [charge]);
      else shown.push(charge);
    }
  }
  return byColumn;
}
