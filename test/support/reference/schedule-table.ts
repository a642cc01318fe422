/** A schedule as a text table for manual review. */

import { formatCalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import {
  INSTALLMENT_TYPE_IDS,
  type RepaymentSchedule,
  type ScheduleRow,
} from '../../../shared/lending/request/repayment-schedule.ts';
import { formatMinorUnits } from '../../../shared/lending/numbers/money.ts';

/** Columns of money that have a sum, except the balance; `isAlways` if they are shown without amounts too. */
const MONEY_COLUMNS = [
  { head: 'Remaining', width: 14, name: 'remainingValue', isAlways: true },
  { head: 'Interest', width: 12, name: 'interest', isAlways: true },
  { head: 'Capitalised', width: 13, name: 'capitalisedInterest', isAlways: false },
  { head: 'Principal', width: 14, name: 'principal', isAlways: true },
  { head: 'Fees', width: 10, name: 'managementFee', isAlways: false },
  { head: 'Insurance', width: 12, name: 'insurance', isAlways: false },
  { head: 'Installment', width: 14, name: 'totalInstallment', isAlways: true },
] as const;

const EXPLAINED_WIDTH = 32;

/** Empty for a regular row, G for grace, R for a separate residual, E for a prepayment. */
const MARKS = new Map([
  [INSTALLMENT_TYPE_IDS.Grace, 'G'],
  [INSTALLMENT_TYPE_IDS.Residual, 'R'],
  [INSTALLMENT_TYPE_IDS.EarlyRepayment, 'E'],
]);

interface Column {
  readonly head: string;
  readonly width: number;
  readonly cell: (row: ScheduleRow) => string;
  readonly sum?: string;
}

function markOf(row: ScheduleRow): string {
  return MARKS.get(row.installmentTypeId) ?? '';
}

function columnsOf({ rows, currencyDigits }: RepaymentSchedule): readonly Column[] {
  const money = (minor: number) => formatMinorUnits(minor, currencyDigits);
  const hasMarks = rows.some((row) => markOf(row) !== '');
  const shown = MONEY_COLUMNS.filter(
    ({ name, isAlways }) => isAlways || rows.some((row) => (row[name] ?? 0) !== 0),
  );
  return [
    { head: 'No', width: 4, cell: (row) => String(row.InstallmentNo), sum: 'Sum' },
    ...(hasMarks ? [{ head: '', width: 3, cell: markOf }] : []),
    { head: 'Due date', width: 12, cell: (row) => formatCalendarDate(row.dueDate) },
    { head: 'Days', width: 6, cell: (row) => String(row.noDays) },
    ...shown.map(({ head, width, name }) => ({
      head,
      width,
      cell: (row: ScheduleRow) => money(row[name] ?? 0),
      sum: name === 'remainingValue' ? '' : money(rows.reduce((total, row) => total + (row[name] ?? 0), 0)),
    })),
  ];
}

function line(columns: readonly Column[], cellOf: (column: Column) => string): string {
  return columns
    .map((column) => cellOf(column).padStart(column.width))
    .join('')
    .trimEnd();
}

export function scheduleTable(title: string, schedule: RepaymentSchedule): string {
  const columns = columnsOf(schedule);
  const rates = [
    schedule.dae === undefined ? '' : `DAE ${schedule.dae} %`,
    schedule.eir === undefined ? '' : `EIR ${schedule.eir} %`,
  ];
  return [
    title,
    `from ${formatCalendarDate(schedule.startDate)}${rates.map((rate) => rate && `, ${rate}`).join('')}`,
    '',
    line(columns, ({ head }) => head),
    ...schedule.rows.map((row) => line(columns, ({ cell }) => cell(row))),
    line(columns, ({ sum }) => sum ?? ''),
    '',
  ].join('\n');
}

/** The explanations of the figures of a row, one per line (S6, Explain). */
export function explanationTable(schedule: RepaymentSchedule, index: number): string {
  const row = schedule.rows[index];
  if (row?.explanation === undefined) throw new Error(`row ${index} has no explanation`);
  const lines = row.explanation.map(({ figure, name, formula }) => {
    const reported = name === undefined ? figure : `${figure} (${name})`;
    return `${reported.padEnd(EXPLAINED_WIDTH)}${formula}`;
  });
  return [`Row ${row.InstallmentNo}`, ...lines, ''].join('\n');
}
