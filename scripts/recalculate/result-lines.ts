import { renderRepaymentSchedule } from '../../shared/api/actions/render-schedule.ts';
import { formatCalendarDate } from '../../shared/lending/dates/calendar-date.ts';
import { formatMinorUnits } from '../../shared/lending/numbers/money.ts';
import type { RepaymentSchedule } from '../../shared/lending/request/repayment-schedule.ts';
import {
  bySum,
  type Comparison,
  renderComparison,
  type ScheduleSums,
  SUM_NAMES,
} from '../../shared/portfolio/comparison.ts';
import { withoutFormula } from '../../shared/portfolio/csv-notation.ts';

interface ContractResult {
  readonly id: string | number;
  readonly schedule: RepaymentSchedule;
  readonly sums: ScheduleSums;
  /** In the format of the header plat-warnings (E3). */
  readonly warnings: string | undefined;
  readonly comparison: Comparison | undefined;
}

export function ndjsonResult({ id, schedule, warnings, comparison }: ContractResult): string {
  const warned = warnings === undefined ? '' : `,"warnings":${JSON.stringify(warnings)}`;
  const compared =
    comparison === undefined ? '' : `,"comparison":${renderComparison(comparison, schedule.currencyDigits)}`;
  return `{"id":${JSON.stringify(id)},"schedule":${renderRepaymentSchedule(schedule)}${warned}${compared}}\n`;
}

const COLUMNS =
  'id,installments,firstDueDate,lastDueDate,firstInstallment,principal,interest,fees,total,dae,eir';
const COMPARED_COLUMNS = [
  ...SUM_NAMES.map((name) => `${name}Before`),
  ...SUM_NAMES.map((name) => `${name}Difference`),
  'largestDifference',
];

export function csvHeader(isCompared: boolean): string {
  return `${[COLUMNS, ...(isCompared ? COMPARED_COLUMNS : [])].join(',')}\n`;
}

/** Cells without a value are empty, and so are all cells of a missing comparison. */
export function csvResult(result: ContractResult, isCompared: boolean): string {
  const { id, schedule, sums, comparison } = result;
  const { rows, currencyDigits, dae, eir } = schedule;
  const money = (minor: number | bigint): string => formatMinorUnits(minor, currencyDigits);
  const first = rows[0];
  const last = rows.at(-1);
  const cells = [
    csvText(id),
    String(rows.length),
    first === undefined ? '' : formatCalendarDate(first.dueDate),
    last === undefined ? '' : formatCalendarDate(last.dueDate),
    first === undefined ? '' : money(first.totalInstallment),
    ...Object.values(bySum((name) => money(sums[name]))),
    dae ?? '',
    eir ?? '',
    ...(isCompared ? comparedCells(comparison, money) : []),
  ];
  return `${cells.join(',')}\n`;
}

function comparedCells(comparison: Comparison | undefined, money: (minor: bigint) => string): string[] {
  if (comparison === undefined) return COMPARED_COLUMNS.map(() => '');
  const { before, difference, largestDifference } = comparison;
  return [
    ...SUM_NAMES.map((name) => money(before[name])),
    ...SUM_NAMES.map((name) => money(difference[name])),
    money(largestDifference),
  ];
}

/** Quotes the text if necessary (RFC 4180), and puts an apostrophe before text that looks like a formula. */
function csvText(text: string | number): string {
  const shown = withoutFormula(text);
  return /[",\t\r\n]|^\s|\s$/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
