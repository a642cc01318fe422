/**
 * Writes a repayment schedule as JSON in the interface's two spellings (section 2.1, rule A5). Written by hand,
 * because it runs for every answer and because amounts are exact: they go from whole minor units to decimal text
 * without ever being a binary fraction (M1), so 17 euro are written `17.00`.
 */

import { toDateParts, type CalendarDate } from '../../lending/dates/calendar-date.ts';
import { formatMinorUnits } from '../../lending/numbers/money.ts';
import {
  type Casing,
  type ExplainedFigure,
  type FigureExplanation,
  INSTALLMENT_TYPE_IDS,
  type RepaymentSchedule,
  type ScheduleRow,
} from '../../lending/request/repayment-schedule.ts';

/** A field in a spelling: the capitalised one differs in the first letter. */
export function spelled(name: string, casing: Casing): string {
  return casing === 'lower' ? name : name.charAt(0).toUpperCase() + name.slice(1);
}

/** Explained figures as the lower-case spelling names them, in the order in which a row is explained. */
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

/** Names of the explained figures in each spelling. */
export const EXPLAINED_FIGURES: Readonly<Record<Casing, readonly string[]>> = {
  lower: Object.values(FIGURE_NAMES),
  capitalised: Object.values(FIGURE_NAMES).map((name) => spelled(name, 'capitalised')),
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

/** How one spelling is written. */
interface Spelling {
  readonly row: Labels<(typeof ROW_FIELDS)[number]>;
  readonly explanation: Labels<(typeof EXPLANATION_FIELDS)[number]>;
  /** The field that names an explained figure, without the name. */
  readonly figure: string;
  /** The same with the name, by figure. */
  readonly figures: ReadonlyMap<string, string>;
  /** End of the DueDate's text (D1). */
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

/** What the rows of one schedule are written with. */
interface RowStyle {
  readonly spelling: Spelling;
  readonly digits: number;
  /** What comes before the value of each additional column. */
  readonly extraColumns: readonly string[];
  /** Fields after the total that are the same in every row. */
  readonly tail: string;
}

/** Rates come as plain decimal text with a fixed number of digits; anything else would not be JSON. */
const PLAIN_DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * The JSON text of a schedule: an array of rows, or the single object `{"dae": ...}` where only that is shown.
 * Throws RangeError on an amount that is no safe integer and on a rate that is no plain decimal: such a schedule is
 * a bug of its producer.
 */
export function renderRepaymentSchedule(schedule: RepaymentSchedule): string {
  const { casing, show, rows } = schedule;
  if (show === 'dae') return `[{"dae":${rateText(schedule.dae)}}]`;
  const style: RowStyle = {
    // A schedule from the log may have a casing that only newer workers know.
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
    `,"NoDays":${row.noDays},"InstallmentTypeId":${typeIdText(row.installmentTypeId)}` +
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

/** The additional columns are fields of the row by their own names, alike in both spellings (F4). */
function columnFields(amounts: readonly number[], { extraColumns, digits }: RowStyle): string {
  return extraColumns.map((label, column) => label + moneyText(amounts[column] ?? 0, digits)).join('');
}

/** The JSON array that explains a row (S6, Explain). */
function renderExplanation(
  figures: readonly FigureExplanation[],
  { explanation: labels, figure, figures: known }: Spelling,
  digits: number,
): string {
  const texts = figures.map((one) => {
    // A worker of a later version may explain figures that this one does not know.
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

/** The published ids as JSON; each row has one of them. */
const TYPE_ID_TEXTS = new Map(Object.values(INSTALLMENT_TYPE_IDS).map((id) => [id, JSON.stringify(id)]));

function typeIdText(id: string): string {
  return TYPE_ID_TEXTS.get(id) ?? JSON.stringify(id);
}

/** `00` to `31`. */
const TWO_DIGITS = Array.from({ length: 32 }, (_, number) => String(number).padStart(2, '0'));

/** `yyyy-mm-dd` of a date with a year of four digits, as every date of a request and its schedule has. */
function dateText(date: CalendarDate): string {
  const { year, month, day } = toDateParts(date);
  return `${year}-${TWO_DIGITS[month] ?? ''}-${TWO_DIGITS[day] ?? ''}`;
}
