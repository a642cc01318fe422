/** Commissions and insurances of the reference implementation (F1-F5). */

import type {
  CommissionItem,
  InsuranceItem,
} from '../../../shared/lending/request/repayment-schedule-request.ts';
import { periodOf, periodsLater, type Period } from './dates.ts';
import { yearPart } from './day-count.ts';
import { type Exact, minorUnits, NONE, Refused, refuseIf, rounded } from './decimal.ts';
import type { CollectedRow } from './grace.ts';
import { restOfRow } from './interest.ts';
import type { Terms } from './terms.ts';

const MONTHS_PER_YEAR = 12;
const DAYS_PER_YEAR = 365;
const PERCENT = 100;

type Charge = ReturnType<typeof commissionOf>;

function checkedPeriod(name: string, item: CommissionItem | InsuranceItem, isForUnusage: boolean): Period {
  const period = periodOf(name);
  if (period === undefined) throw new Refused('fee periodicity');
  const isYearly = item.PerAnnum === true && item.SourcePercent !== undefined;
  refuseIf(isSingle(period) && (isForUnusage || isYearly), 'a single charge by time');
  return period;
}

function isSingle({ months, days }: Period): boolean {
  return months + days === 0;
}

function checkSource(item: CommissionItem | InsuranceItem, digits: number): void {
  refuseIf((item.SourceValue === undefined) === (item.SourcePercent === undefined), 'value or percentage');
  minorUnits(item.SourceValue, digits, 'SourceValue');
  refuseIf(item.SourcePercent?.isNegative() === true, 'negative percentage');
}

function commissionOf(terms: Terms, item: CommissionItem) {
  const isForUnusage = item.IsForUnusage === true && item.SourcePercent !== undefined;
  return {
    ...chargeOf(terms, item, isForUnusage),
    period: checkedPeriod(item.FeePeriodicityType, item, isForUnusage),
    date: item.FeeDate,
    waived: item.GracePeriodFee ?? 0,
    blocked: minorUnits(item.BlockFeeAmount, terms.digits, 'BlockFeeAmount'),
  };
}

function insuranceOf(terms: Terms, item: InsuranceItem): Charge {
  return {
    ...chargeOf(terms, item, false),
    period: checkedPeriod(item.InsurancePeriodicityType, item, false),
    date: item.InsuranceDate,
    waived: item.GracePeriodInsurance ?? 0,
    blocked: minorUnits(item.BlockInsuranceAmount, terms.digits, 'BlockInsuranceAmount'),
  };
}

function chargeOf(terms: Terms, item: CommissionItem | InsuranceItem, isForUnusage: boolean) {
  checkSource(item, terms.digits);
  const needsUnused = isForUnusage || item.PercentAppliedTo?.toLowerCase() === 'unusedamount';
  refuseIf(needsUnused && terms.request.UnusedAmount === undefined, 'no unused amount');
  return { item, isUpfront: item.IsUpfront === true, isForUnusage };
}

/** The number of charges that each due row collects, by row number (F3). */
function chargesByRow(terms: Terms, charge: Charge, dueRows: readonly CollectedRow[]): Map<number, number> {
  const { plain, chargeStart } = terms.dates;
  // In arrears the payment at the end of a period collects what falls on its start; in advance that on its start does (B7).
  const isLater = charge.isUpfront && !terms.isInAdvance;
  const counts = new Map<number, number>();
  const lastDue = plain[dueRows.at(-1)?.no ?? terms.settled]!;
  const isNew = terms.request.LastDueDate === undefined;
  if (isSingle(charge.period)) {
    const row = dueRows.find(({ no }) => plain[no]! >= charge.date);
    const isInTime = charge.date > chargeStart || (charge.date === chargeStart && isNew);
    return new Map(isInTime && row !== undefined ? [[row.no, 1]] : []);
  }
  for (let step = charge.isUpfront ? 0 : 1; ; step += 1) {
    const date = periodsLater(charge.date, charge.period, step);
    if (isLater ? date >= lastDue : date > lastDue) break;
    const isInTime = date > chargeStart || (date === chargeStart && (isLater || isNew));
    const row = dueRows.find(({ no }) => (isLater ? plain[no]! > date : plain[no]! >= date));
    if (isInTime && row !== undefined) counts.set(row.no, (counts.get(row.no) ?? 0) + 1);
  }
  return counts;
}

const BASES: Readonly<Record<string, (terms: Terms, row: CollectedRow) => Exact>> = {
  financedamount: ({ amount }) => amount,
  remainingvalue: (_, row) => row.remaining,
  principal: (_, row) => row.principal,
  interest: (_, row) => row.interest,
  installment: (_, row) => row.interest.plus(row.principal),
  creditvalue: ({ amount, request, digits }) =>
    amount.plus(minorUnits(request.AdvanceAmount, digits, 'AdvanceAmount')),
  unusedamount: ({ request, digits }) => minorUnits(request.UnusedAmount, digits, 'UnusedAmount'),
};

function baseOf(terms: Terms, item: CommissionItem | InsuranceItem, row: CollectedRow): Exact {
  const base = BASES[item.PercentAppliedTo?.trim().toLowerCase() ?? 'financedamount'];
  if (base === undefined) throw new Refused('unknown base');
  return base(terms, row);
}

function priceOf(terms: Terms, { item, period }: Charge, row: CollectedRow): Exact {
  if (item.SourceValue !== undefined) return minorUnits(item.SourceValue, terms.digits, 'SourceValue');
  const yearly = baseOf(terms, item, row).times(item.SourcePercent ?? NONE);
  if (item.PerAnnum !== true) return rounded(yearly.div(PERCENT));
  return period.months > 0
    ? rounded(yearly.times(period.months).div(PERCENT * MONTHS_PER_YEAR))
    : rounded(yearly.times(period.days).div(PERCENT * DAYS_PER_YEAR));
}

/** The yearly percentage of the unused amount, for the days of a row within the unused time (F5). */
function unusedPrice(terms: Terms, { item }: Charge, row: CollectedRow, lastDue: number): Exact {
  const { accrual, accrualStart, isRegular } = terms.dates;
  const { request, dayCount } = terms;
  const rowFrom = accrual[row.no - 1]!;
  const rowTo = accrual[row.no]!;
  const from = Math.max(rowFrom, request.StartDateForUnusage ?? accrualStart);
  const to = Math.min(rowTo, request.ExpiryDateForOD ?? lastDue);
  if (to <= from) return NONE;
  const isWhole = from === rowFrom && to === rowTo && isRegular(row.no);
  const part = isWhole
    ? restOfRow(terms, row.no, rowFrom, 0)
    : yearPart(dayCount, {
        from,
        to,
        endsSchedule: !terms.isInAdvance && row.no === terms.lastRow && to === rowTo,
      });
  const unused = minorUnits(request.UnusedAmount, terms.digits, 'UnusedAmount');
  return rounded(
    unused
      .times(item.SourcePercent ?? NONE)
      .times(part.days)
      .div(PERCENT * part.basis),
  );
}

function sumsOf(terms: Terms, charges: readonly Charge[], rows: readonly CollectedRow[]): Exact[] {
  const dueRows = rows.filter((row) => !row.isEarly);
  const lastDue = terms.dates.accrual[dueRows.at(-1)?.no ?? terms.settled]!;
  const sums = rows.map(() => NONE);
  const lastPlain = terms.dates.plain[dueRows.at(-1)?.no ?? terms.settled]!;
  const last = rows.at(-1);
  const end = last?.isEarly === true ? Math.max(last.date, lastPlain) : lastPlain;
  refuseIf(
    charges.some(({ date }) => date > end),
    'FeeDate after the end of the schedule',
  );
  for (const charge of charges) {
    const counts = chargesByRow(terms, charge, dueRows);
    for (const [index, row] of rows.entries()) {
      if (row.isEarly) continue;
      if (row === dueRows[0] && terms.block !== undefined) sums[index] = sums[index]!.plus(charge.blocked);
      if (row.no <= charge.waived) continue;
      const price = charge.isForUnusage
        ? unusedPrice(terms, charge, row, lastDue)
        : priceOf(terms, charge, row).times(counts.get(row.no) ?? 0);
      sums[index] = sums[index]!.plus(price);
    }
  }
  return sums;
}

export function chargesOf(terms: Terms, rows: readonly CollectedRow[]) {
  const commissions = (terms.request.Commission ?? []).map((item) => commissionOf(terms, item));
  const insurances = (terms.request.Insurance ?? []).map((item) => insuranceOf(terms, item));
  return { fees: sumsOf(terms, commissions, rows), insurances: sumsOf(terms, insurances, rows) };
}
