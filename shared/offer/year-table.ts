/** The lines of an amortisation table: each instalment of the first year, then one line a year, then the total (T4). */

import { daysPerPeriod, monthsPerPeriod, type Periodicity } from '../lending/dates/periodicity.ts';
import type { CalendarDate } from '../lending/dates/calendar-date.ts';
import type { SimulationRow } from '../product/simulation/simulation.ts';

export type PaidRow = Omit<SimulationRow, 'pmt' | 'managementFee' | 'insurance'>;

/** Sums of one or several instalments, in minor units. `costs` is what they pay beside interest and principal. */
export interface TableLine {
  readonly kind: 'instalment' | 'subtotal' | 'year' | 'total';
  /** Number of the instalment or of the year from 1; 0 for the total. */
  readonly number: number;
  /** Number of its last instalment. */
  readonly lastNumber: number;
  readonly dueDate: CalendarDate | undefined;
  readonly total: number;
  readonly interest: number;
  readonly costs: number;
  readonly principal: number;
  readonly balance: number;
}

const MONTHS_PER_YEAR = 12;
const DAYS_PER_YEAR = 365;
const DAYS_PER_WEEK = 7;
const WEEKS_PER_YEAR = 52;

/** ESIS, section 7: the first year by instalments with a subtotal, each later year as one line, then the total. */
export function yearLines(rows: readonly PaidRow[], periodicity: Periodicity): readonly TableLine[] {
  const perYear = rowsPerYear(periodicity);
  // A residual row on the last due date belongs to the year of the row before it (B1).
  const years = Map.groupBy(rows, ({ InstallmentNo, dueDate }, at) =>
    Math.ceil((InstallmentNo - (rows[at - 1]?.dueDate === dueDate ? 1 : 0)) / perYear),
  );
  const lines: TableLine[] = [];
  for (const [year, ofYear] of years) {
    if (year === 1) lines.push(...ofYear.map(instalmentLine));
    lines.push(sumLine(year === 1 ? 'subtotal' : 'year', year, ofYear));
  }
  return [...lines, sumLine('total', 0, rows)];
}

/** Every instalment, then the total (2023/2225, art. 21(1)(j)). */
export function instalmentLines(rows: readonly PaidRow[]): readonly TableLine[] {
  return [...rows.map(instalmentLine), sumLine('total', 0, rows)];
}

/** Instalments of a year: whole periods for months and weeks, and of the days of 365 as many as begin in them. */
function rowsPerYear(periodicity: Periodicity): number {
  const months = monthsPerPeriod(periodicity);
  if (months > 0) return Math.max(1, Math.floor(MONTHS_PER_YEAR / months));
  const days = daysPerPeriod(periodicity);
  if (days === 0) return 1;
  const year = days % DAYS_PER_WEEK === 0 ? WEEKS_PER_YEAR * DAYS_PER_WEEK : DAYS_PER_YEAR;
  return Math.max(1, Math.ceil(year / days));
}

function instalmentLine(row: PaidRow): TableLine {
  return { ...sumLine('instalment', row.InstallmentNo, [row]), dueDate: row.dueDate };
}

function sumLine(kind: TableLine['kind'], number: number, rows: readonly PaidRow[]): TableLine {
  const sum = (figure: (row: PaidRow) => number) => rows.reduce((total, row) => total + figure(row), 0);
  const last = rows.at(-1);
  return {
    kind,
    number,
    lastNumber: last?.InstallmentNo ?? 0,
    dueDate: undefined,
    total: sum(({ totalInstallment }) => totalInstallment),
    interest: sum(({ interest }) => interest),
    costs: sum(({ totalInstallment, interest, principal }) => totalInstallment - interest - principal),
    principal: sum(({ principal }) => principal),
    balance: last === undefined ? 0 : last.remainingValue - last.principal + (last.capitalisedInterest ?? 0),
  };
}
