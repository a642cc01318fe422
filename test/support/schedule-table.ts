/** A schedule as a text table that a banker can check by eye. */

import { formatCalendarDate } from '../../shared/lending/calendar-date.ts';
import { formatMinorUnits } from '../../shared/lending/money.ts';
import type { RepaymentSchedule } from '../../shared/lending/repayment-schedule.ts';

const WIDTHS = [4, 12, 6, 14, 12, 14, 14] as const;

function line(cells: readonly string[]): string {
  return cells
    .map((cell, index) => cell.padStart(WIDTHS[index] ?? 0))
    .join('')
    .trimEnd();
}

/** The rows with their sums, then start and rates. Amounts in major units. */
export function scheduleTable(title: string, schedule: RepaymentSchedule): string {
  const money = (minor: number) => formatMinorUnits(minor, schedule.currencyDigits);
  const sum = (name: 'interest' | 'principal' | 'totalInstallment') =>
    money(schedule.rows.reduce((total, row) => total + row[name], 0));
  const rates = [
    schedule.dae === undefined ? '' : `DAE ${schedule.dae} %`,
    schedule.eir === undefined ? '' : `EIR ${schedule.eir} %`,
  ];
  return [
    title,
    `from ${formatCalendarDate(schedule.startDate)}${rates.map((rate) => rate && `, ${rate}`).join('')}`,
    '',
    line(['No', 'Due date', 'Days', 'Remaining', 'Interest', 'Principal', 'Installment']),
    ...schedule.rows.map((row) =>
      line([
        String(row.InstallmentNo),
        formatCalendarDate(row.dueDate),
        String(row.noDays),
        money(row.remainingValue),
        money(row.interest),
        money(row.principal),
        money(row.totalInstallment),
      ]),
    ),
    line(['Sum', '', '', '', sum('interest'), sum('principal'), sum('totalInstallment')]),
    '',
  ].join('\n');
}
