/**
 * A slow, straightforward second implementation of the schedule rules, for comparison. It shares no code with the
 * engine: dates by the host's UTC calendar, every figure a 60-digit decimal, rates by bisection.
 */

import { Decimal } from 'decimal.js';

const Exact = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_HALF_UP });
const DAY_MS = 86_400_000;

/** A loan in plain terms; dates are days since 1970-01-01, amounts are minor units. */
export interface ReferenceLoan {
  readonly equalInstallments: boolean;
  readonly amount: number;
  readonly upFront: number;
  readonly ratePercent: string;
  readonly installments: number;
  readonly unit: 'Days' | 'Weeks' | 'Months';
  readonly count: number;
  readonly day: number;
  readonly start: number;
  readonly firstDueDate?: number | undefined;
  readonly dayCount: string;
}

/** A row in minor units. */
export interface ReferenceRow {
  readonly dueDate: number;
  readonly remaining: number;
  readonly interest: number;
  readonly principal: number;
}

function partsOf(date: number): [year: number, month: number, day: number] {
  const utc = new Date(date * DAY_MS);
  return [utc.getUTCFullYear(), utc.getUTCMonth(), utc.getUTCDate()];
}

function dateOf(year: number, month: number, day: number): number {
  return Date.UTC(year, month, day) / DAY_MS;
}

/** The day of a month, or its last day; `month` counts from January = 0 and may run over. */
function clamped(year: number, month: number, day: number): number {
  const lastDay = partsOf(dateOf(year, month + 1, 0))[2];
  return dateOf(year, month, Math.min(day, lastDay));
}

/** Due dates by D3 (absent method) and D4, and the generated dates from row 0 on for C2. */
export function referenceDates(loan: ReferenceLoan): { dueDates: number[]; generated: number[] } {
  const step = loan.unit === 'Weeks' ? loan.count * 7 : loan.count;
  const [startYear, startMonth] = partsOf(loan.start);
  const planned =
    loan.unit === 'Months' ? clamped(startYear, startMonth + loan.count, loan.day) : loan.start + step;
  const first = loan.firstDueDate ?? planned;
  const [year, month] = partsOf(first);
  const generated = Array.from({ length: loan.installments + 1 }, (_, k) =>
    loan.unit === 'Months' ? clamped(year, month + (k - 1) * loan.count, loan.day) : first + (k - 1) * step,
  );
  return { dueDates: [first, ...generated.slice(2)], generated };
}

function isLeap(year: number): boolean {
  return dateOf(year, 2, 1) - dateOf(year, 1, 1) === 29;
}

interface Period {
  readonly from: number;
  readonly to: number;
  readonly regular: boolean;
  readonly last: boolean;
}

function fractionOf(loan: ReferenceLoan, { from, to, regular, last }: Period): Decimal {
  const [y1, m1, d1] = partsOf(from);
  const [y2, m2, d2] = partsOf(to);
  const thirty = (a: number, b: number) => new Exact(360 * (y2 - y1) + 30 * (m2 - m1) + b - a);
  const isEnd = (y: number, m: number, d: number) => partsOf(dateOf(y, m, d + 1))[1] !== m;
  switch (loan.dayCount) {
    case '30/360':
    case '30/365': {
      const days = regular
        ? new Exact(30 * loan.count)
        : thirty(d1 === 31 ? 30 : d1, d2 === 31 && d1 >= 30 ? 30 : d2);
      return days.div(loan.dayCount === '30/360' ? 360 : 365);
    }
    case '30E/360':
      return thirty(Math.min(d1, 30), Math.min(d2, 30)).div(360);
    case '30E/360 ISDA': {
      const end = isEnd(y2, m2, d2) && !(m2 === 1 && last) ? 30 : d2;
      return thirty(isEnd(y1, m1, d1) ? 30 : d1, end).div(360);
    }
    case 'Actual/360':
      return new Exact(to - from).div(360);
    case 'Actual/365':
      return new Exact(to - from).div(365);
    default: {
      let sum = new Exact(0);
      for (let year = y1; year <= y2; year += 1) {
        const days = Math.min(to, dateOf(year + 1, 0, 1)) - Math.max(from, dateOf(year, 0, 1));
        sum = sum.plus(new Exact(days).div(isLeap(year) ? 366 : 365));
      }
      return sum;
    }
  }
}

/** Growth factors 1 + r f of the rows. */
export function referenceGrowth(loan: ReferenceLoan): Decimal[] {
  const { dueDates, generated } = referenceDates(loan);
  const rate = new Exact(loan.ratePercent).div(100);
  return dueDates.map((to, index) => {
    const from = index === 0 ? loan.start : (dueDates[index - 1] ?? 0);
    const regular = loan.unit === 'Months' && from === generated[index] && to === generated[index + 1];
    return rate.times(fractionOf(loan, { from, to, regular, last: index === dueDates.length - 1 })).plus(1);
  });
}

function round(value: Decimal): Decimal {
  return value.toDecimalPlaces(0, Decimal.ROUND_HALF_UP);
}

function solvePayment(balance: Decimal, growth: readonly Decimal[]): Decimal {
  let factor = new Exact(1);
  let sum = new Exact(0);
  for (const g of growth) {
    factor = factor.div(g);
    sum = sum.plus(factor);
  }
  return round(balance.div(sum).toSignificantDigits(50));
}

/** The rows by M2, M3 and S5. */
export function referenceRows(loan: ReferenceLoan): ReferenceRow[] {
  const { dueDates } = referenceDates(loan);
  const growth = referenceGrowth(loan);
  const rows: ReferenceRow[] = [];
  let balance = new Exact(loan.amount);
  let payment = loan.equalInstallments ? solvePayment(balance, growth) : new Exact(0);
  const part = round(balance.div(loan.installments));
  for (const [index, dueDate] of dueDates.entries()) {
    const interest = round(balance.times((growth[index] ?? new Exact(1)).minus(1)).toSignificantDigits(50));
    let principal = loan.equalInstallments ? payment.minus(interest) : part;
    const mustSolve = loan.equalInstallments && principal.lt(0);
    principal = Exact.min(Exact.max(principal, 0), balance);
    if (index === dueDates.length - 1) principal = balance;
    rows.push({
      dueDate,
      remaining: balance.toNumber(),
      interest: interest.toNumber() + 0,
      principal: principal.toNumber() + 0,
    });
    balance = balance.minus(principal);
    if (mustSolve && index < dueDates.length - 1) payment = solvePayment(balance, growth.slice(index + 1));
  }
  return rows;
}

/** A flow after the start: its time in years as an exact decimal, and what is paid. */
export interface ReferenceFlow {
  readonly years: Decimal;
  readonly amount: number;
}

/** Percent with four decimals by bisection on 1 + r; the flows are not negative and not all zero. */
export function referencePercent(drawn: number, flows: readonly ReferenceFlow[]): string {
  const Rate = Decimal.clone({ precision: 40 });
  const worth = (growth: Decimal) => {
    const log = Rate.ln(growth);
    return flows.reduce(
      (sum, flow) => sum.plus(Rate.exp(log.times(flow.years).negated()).times(flow.amount)),
      new Rate(-drawn),
    );
  };
  let low = new Rate('1e-9');
  let high = new Rate(2);
  while (worth(high).gt(0)) high = high.times(high);
  while (high.minus(low).gt(high.times('1e-14'))) {
    const middle = low.plus(high).div(2);
    if (worth(middle).gt(0)) low = middle;
    else high = middle;
  }
  const percent = low.plus(high).div(2).minus(1).times(100).toDecimalPlaces(4, Decimal.ROUND_HALF_UP);
  return percent.isZero() ? '0.0000' : percent.toFixed(4);
}

/** Time of a payment by A1: unit months, weeks or (for days) years, counted back from the payment. */
export function referenceYears(loan: ReferenceLoan, due: number): Decimal {
  if (loan.unit === 'Weeks') {
    const weeks = Math.floor((due - loan.start) / 7);
    return leftOver(loan.start, due - weeks * 7).plus(new Exact(weeks).div(52));
  }
  const months = loan.unit === 'Months' ? 1 : 12;
  const [y1, m1, d1] = partsOf(loan.start);
  const [y2, m2, d2] = partsOf(due);
  const apart = (y2 - y1) * 12 + m2 - m1;
  const isEnd = (y: number, m: number, d: number) => clamped(y, m, 31) === dateOf(y, m, d);
  if (isEnd(y1, m1, d1) && isEnd(y2, m2, d2) && apart % months === 0) return new Exact(apart).div(12);
  let units = 0;
  while (clamped(y2, m2 - (units + 1) * months, d2) >= loan.start) units += 1;
  const reached = clamped(y2, m2 - units * months, d2);
  return leftOver(loan.start, reached).plus(new Exact(units * months).div(12));
}

function leftOver(start: number, reached: number): Decimal {
  const [year, month, day] = partsOf(reached);
  return new Exact(reached - start).div(reached - clamped(year - 1, month, day));
}
