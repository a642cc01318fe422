/** Writes a schedule as JSON in either spelling of the interface (A5). Amounts are exact: 17 euros are `17.00` (M1). */

import type {
  Casing,
  ExplainedFigure,
  FigureExplanation,
  RepaymentSchedule,
  ScheduleRow,
} from '../../lending/request/repayment-schedule.ts';
import { decimalText, scalarText } from '../json/json-writer.ts';
import { formatCalendarDate } from '../../lending/dates/calendar-date.ts';
import { formatMinorUnits } from '../../lending/numbers/money.ts';

/** Converts a name from the lower-case spelling to `casing`: `pMT` becomes `PMT` when capitalised (A5). */
export function spelled(name: string, casing: Casing): string {
  return casing === 'lower' ? name : name.charAt(0).toUpperCase() + name.slice(1);
}

const FIGURE_NAMES: Readonly<Record<ExplainedFigure, string>> = {
  remainingValue: 'remainingValue',
  payment: 'payment',
  accruedInterest: 'accruedInterest',
  interest: 'interest',
  capitalisedInterest: 'capitalisedInterest',
  principal: 'principal',
  pmt: 'pMT',
  managementFee: 'managementFee',
  insurance: 'insurance',
  column: 'column',
  overpaid: 'overpaid',
  totalInstallment: 'totalInstallment',
};

/** The values of `figure` in an explanation, in each spelling. */
export const EXPLAINED_FIGURES: Readonly<Record<Casing, readonly string[]>> = {
  lower: Object.values(FIGURE_NAMES),
  capitalised: Object.values(FIGURE_NAMES).map((name) => spelled(name, 'capitalised')),
};

type Spelling = ReturnType<typeof createSpelling>;

const SPELLINGS: Readonly<Record<Casing, Spelling>> = {
  lower: createSpelling('lower', 'T00:00:00'),
  capitalised: createSpelling('capitalised', 'T00:00:00Z'),
};

function createSpelling(casing: Casing, midnight: string) {
  const labels = <Field extends string>(fields: readonly Field[]) =>
    Object.fromEntries(fields.map((name) => [name, `,"${spelled(name, casing)}":`])) as Readonly<
      Record<Field, string>
    >;
  const figures = Object.entries(FIGURE_NAMES).map(([one, name]) => [one, spelled(name, casing)] as const);
  return {
    row: labels([
      'remainingValue',
      'pMT',
      'interest',
      'capitalisedInterest',
      'principal',
      'managementFee',
      'insurance',
      'totalInstallment',
      'overpaid',
      'explanation',
    ]),
    explanation: labels(['name', 'amount', 'days', 'basis', 'dayCount', 'rates', 'base', 'formula']),
    figure: `{"${spelled('figure', casing)}":`,
    figures: Object.fromEntries(figures) as Readonly<Record<string, string>>,
    /** The time that follows the date in DueDate (D1). */
    midnight,
  };
}

interface RowStyle {
  readonly spelling: Spelling;
  readonly digits: number;
  readonly extraColumns: readonly string[];
  /** What follows the total in each row: the rate (if shown), the schedule type and the label of isEarlyRepayment. */
  readonly tail: string;
}

/** Throws RangeError if an amount is not a safe integer, or a rate is not plain decimal text. */
export function renderRepaymentSchedule(schedule: RepaymentSchedule): string {
  if (schedule.show === 'dae') return `[{"dae":${decimalText(schedule.dae)}}]`;
  // Even without rows, styleOf throws if a rate is not plain decimal text.
  const style = styleOf(schedule);
  return `[${schedule.rows.map((row) => rowText(row, style)).join(',')}]`;
}

function styleOf(schedule: RepaymentSchedule): RowStyle {
  // A worker of a later version may send a casing that this version does not know.
  const casing = schedule.casing === 'lower' ? 'lower' : 'capitalised';
  const shared = `${rateField(schedule)},"ScheduleTypeId":${JSON.stringify(schedule.scheduleTypeId)}`;
  return {
    spelling: SPELLINGS[casing],
    digits: schedule.currencyDigits,
    extraColumns: (schedule.extraColumns ?? []).map((name) => `,${JSON.stringify(name)}:`),
    tail: `${shared},"${spelled('isEarlyRepayment', casing)}":`,
  };
}

function rowText(row: ScheduleRow, { spelling, digits, extraColumns, tail }: RowStyle): string {
  const { row: label, midnight } = spelling;
  const { columns, explanation } = row;
  // Additional columns are fields of the row; their names are the same in both spellings (F4).
  const extra =
    columns === undefined
      ? []
      : extraColumns.map((column, index) => moneyField(column, columns[index] ?? 0, digits));
  return (
    `{"InstallmentNo":${row.InstallmentNo},"DueDate":"${formatCalendarDate(row.dueDate)}${midnight}"` +
    `,"NoDays":${row.noDays},"InstallmentTypeId":${scalarText(row.installmentTypeId)}` +
    moneyField(label.remainingValue, row.remainingValue, digits) +
    moneyField(label.pMT, row.pmt, digits) +
    moneyField(label.interest, row.interest, digits) +
    moneyField(label.capitalisedInterest, row.capitalisedInterest, digits) +
    moneyField(label.principal, row.principal, digits) +
    moneyField(label.managementFee, row.managementFee, digits) +
    moneyField(label.insurance, row.insurance, digits) +
    extra.join('') +
    moneyField(label.totalInstallment, row.totalInstallment, digits) +
    moneyField(label.overpaid, row.overpaid, digits) +
    `${tail}"${row.isEarlyRepayment}"` +
    (explanation === undefined
      ? ''
      : `${label.explanation}[${explanation.map((one) => figureText(one, spelling, digits)).join(',')}]`) +
    '}'
  );
}

/** Writes the explanation of a figure (S6). A figure that only a later version of the worker knows keeps its name. */
function figureText(one: FigureExplanation, spelling: Spelling, digits: number): string {
  const { explanation: label, figures, figure } = spelling;
  const rates = one.rates === undefined ? '' : `${label.rates}[${one.rates.map(decimalText).join(',')}]`;
  return (
    figure +
    scalarText(figures[one.figure] ?? one.figure) +
    valueField(label.name, one.name) +
    moneyField(label.amount, one.amount, digits) +
    valueField(label.days, one.days) +
    valueField(label.basis, one.basis) +
    valueField(label.dayCount, one.dayCount) +
    rates +
    moneyField(label.base, one.base, digits) +
    valueField(label.formula, one.formula) +
    '}'
  );
}

function valueField(label: string, value: string | number | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'number' ? `${label}${value}` : label + scalarText(value);
}

function moneyField(label: string, minor: number | undefined, digits: number): string {
  if (minor === undefined) return '';
  if (!Number.isSafeInteger(minor)) throw new RangeError('an amount must be a safe integer of minor units');
  return label + formatMinorUnits(minor, digits);
}

function rateField({ show, dae, eir }: RepaymentSchedule): string {
  if (show === 'rows-with-dae') return `,"dae":${decimalText(dae)}`;
  return show === 'rows-with-eir' ? `,"EIR":${decimalText(eir)}` : '';
}
