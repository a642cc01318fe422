/**
 * A slow, plain writer of repayment schedules as JSON text, joined from strings: the writer of the interface must write the
 * same bytes.
 */

import { toDateParts, type CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import { formatMinorUnits } from '../../../shared/lending/numbers/money.ts';
import type {
  Casing,
  ExplainedFigure,
  FigureExplanation,
  RepaymentSchedule,
  ScheduleRow,
} from '../../../shared/lending/request/repayment-schedule.ts';

function spelled(name: string, casing: Casing): string {
  return casing === 'lower' ? name : name.charAt(0).toUpperCase() + name.slice(1);
}

/** Names of explained figures in the lower-case spelling, in the order of the explanations of a row. */
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
  totalInstallment: 'totalInstallment',
};

const ROW_FIELDS = [
  'remainingValue',
  'pMT',
  'interest',
  'capitalisedInterest',
  'principal',
  'managementFee',
  'insurance',
  'totalInstallment',
  'isEarlyRepayment',
  'explanation',
] as const;
const EXPLANATION_FIELDS = [
  'name',
  'amount',
  'days',
  'basis',
  'dayCount',
  'rates',
  'base',
  'formula',
] as const;

/** The text before the value of each field, such as `,"interest":`. */
type Labels<Field extends string> = Readonly<Record<Field, string>>;

/** The fixed strings of one spelling. */
interface Spelling {
  readonly row: Labels<(typeof ROW_FIELDS)[number]>;
  readonly explanation: Labels<(typeof EXPLANATION_FIELDS)[number]>;
  /** Label of the field that names an explained figure. */
  readonly figure: string;
  /** That label with the name, by figure. */
  readonly figures: ReadonlyMap<string, string>;
  /** The time that follows the date in DueDate (D1). */
  readonly midnight: string;
}

const SPELLINGS: Readonly<Record<Casing, Spelling>> = {
  lower: createSpelling('lower', 'T00:00:00"'),
  capitalised: createSpelling('capitalised', 'T00:00:00Z"'),
};

function createSpelling(casing: Casing, midnight: string): Spelling {
  const labels = <Field extends string>(fields: readonly Field[]) =>
    Object.fromEntries(fields.map((name) => [name, `,"${spelled(name, casing)}":`])) as Labels<Field>;
  const figure = `"${spelled('figure', casing)}":`;
  const figures = Object.entries(FIGURE_NAMES).map(
    ([one, name]) => [one, `${figure}"${spelled(name, casing)}"`] as const,
  );
  return {
    row: labels(ROW_FIELDS),
    explanation: labels(EXPLANATION_FIELDS),
    figure,
    figures: new Map(figures),
    midnight,
  };
}

/** The strings and the number of decimals that all rows of a schedule share. */
interface RowStyle {
  readonly spelling: Spelling;
  readonly digits: number;
  /** Labels of the additional columns. */
  readonly extraColumns: readonly string[];
  /** Fields after the total that are the same in every row. */
  readonly tail: string;
}

/** Rates are plain decimal text with a fixed number of decimals; other text would not be valid JSON. */
const PLAIN_DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * Writes a schedule as a JSON array of rows, or of the single object `{"dae": ...}` if only the rate is shown. Throws
 * RangeError on an amount that is not a safe integer and on a rate that is not a plain decimal: bugs of the producer.
 */
export function plainScheduleText(schedule: RepaymentSchedule): string {
  const { casing, show, rows } = schedule;
  if (show === 'dae') return `[{"dae":${rateText(schedule.dae)}}]`;
  const style: RowStyle = {
    // A worker of a later version may send another casing.
    spelling: casing === 'lower' ? SPELLINGS.lower : SPELLINGS.capitalised,
    digits: schedule.currencyDigits,
    extraColumns: (schedule.extraColumns ?? []).map((name) => `,${JSON.stringify(name)}:`),
    tail: rateField(schedule) + `,"ScheduleTypeId":${JSON.stringify(schedule.scheduleTypeId)}`,
  };
  let text = '[';
  for (const row of rows) {
    text += (text.length > 1 ? ',' : '') + renderRow(row, style);
  }
  return `${text}]`;
}

function renderRow(row: ScheduleRow, style: RowStyle): string {
  const { spelling, digits } = style;
  const { row: labels } = spelling;
  const { capitalisedInterest, insurance, explanation } = row;
  return (
    `{"InstallmentNo":${row.InstallmentNo},"DueDate":"${dateText(row.dueDate)}${spelling.midnight}` +
    `,"NoDays":${row.noDays},"InstallmentTypeId":${JSON.stringify(row.installmentTypeId)}` +
    labels.remainingValue +
    moneyText(row.remainingValue, digits) +
    labels.pMT +
    moneyText(row.pmt, digits) +
    labels.interest +
    moneyText(row.interest, digits) +
    (capitalisedInterest === undefined
      ? ''
      : labels.capitalisedInterest + moneyText(capitalisedInterest, digits)) +
    labels.principal +
    moneyText(row.principal, digits) +
    labels.managementFee +
    moneyText(row.managementFee, digits) +
    (insurance === undefined ? '' : labels.insurance + moneyText(insurance, digits)) +
    (row.columns === undefined ? '' : columnFields(row.columns, style)) +
    labels.totalInstallment +
    moneyText(row.totalInstallment, digits) +
    style.tail +
    labels.isEarlyRepayment +
    (row.isEarlyRepayment ? '"true"' : '"false"') +
    (explanation === undefined
      ? '}'
      : `${labels.explanation}${renderExplanation(explanation, spelling, digits)}}`)
  );
}

/** Additional columns are fields of the row; their names are the same in both spellings (F4). */
function columnFields(amounts: readonly number[], { extraColumns, digits }: RowStyle): string {
  return extraColumns.map((label, column) => label + moneyText(amounts[column] ?? 0, digits)).join('');
}

/** Writes the explanations of a row as a JSON array (S6, Explain). */
function renderExplanation(
  figures: readonly FigureExplanation[],
  { explanation: labels, figure, figures: known }: Spelling,
  digits: number,
): string {
  const texts = figures.map((one) => {
    // A worker of a later version may explain other figures.
    const named = known.get(one.figure) ?? figure + JSON.stringify(one.figure);
    return (
      `{${named}` +
      optionalText(labels.name, one.name, JSON.stringify) +
      labels.amount +
      moneyText(one.amount, digits) +
      optionalText(labels.days, one.days, String) +
      optionalText(labels.basis, one.basis, String) +
      optionalText(labels.dayCount, one.dayCount, JSON.stringify) +
      optionalText(labels.rates, one.rates, ratesText) +
      optionalText(labels.base, one.base, (base) => moneyText(base, digits)) +
      `${labels.formula}${JSON.stringify(one.formula)}}`
    );
  });
  return `[${texts.join(',')}]`;
}

function optionalText<Value>(
  label: string,
  value: Value | undefined,
  write: (value: Value) => string,
): string {
  return value === undefined ? '' : label + write(value);
}

function ratesText(rates: readonly string[]): string {
  let text = '';
  for (const rate of rates) text += (text === '' ? '' : ',') + rateText(rate);
  return `[${text}]`;
}

function rateField({ show, dae, eir }: RepaymentSchedule): string {
  if (show === 'rows-with-dae') return `,"dae":${rateText(dae)}`;
  return show === 'rows-with-eir' ? `,"EIR":${rateText(eir)}` : '';
}

/** A rate that does not exist is null (A4). */
function rateText(rate: string | null | undefined): string {
  if (rate === null || rate === undefined) return 'null';
  if (!PLAIN_DECIMAL.test(rate)) throw new RangeError('a rate must be plain decimal text');
  return rate;
}

function moneyText(minor: number, digits: number): string {
  if (!Number.isSafeInteger(minor)) throw new RangeError('an amount must be a safe integer of minor units');
  return formatMinorUnits(minor, digits);
}

/** The texts `00` to `31`, by number. */
const TWO_DIGITS = Array.from({ length: 32 }, (_, number) => String(number).padStart(2, '0'));

/** `yyyy-mm-dd`. The year has four digits in every date of a request and of its schedule. */
function dateText(date: CalendarDate): string {
  const { year, month, day } = toDateParts(date);
  return `${year}-${TWO_DIGITS[month] ?? ''}-${TWO_DIGITS[day] ?? ''}`;
}
