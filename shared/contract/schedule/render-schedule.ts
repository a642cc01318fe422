/**
 * Writes a repayment schedule as JSON in the interface's two spellings (section 2.1, rule A5). It writes the bytes itself
 * because it runs for every answer and because amounts are exact: whole minor units become decimal text without a binary
 * fraction in between (M1), so 17 euro are written `17.00`.
 */

import {
  type Casing,
  type ExplainedFigure,
  type FigureExplanation,
  INSTALLMENT_TYPE_IDS,
  type RepaymentSchedule,
  type ScheduleRow,
} from '../../lending/request/repayment-schedule.ts';
import { createLabel, JsonBytes, type Label, type Passage } from '../json/json-bytes.ts';

/** The name of a field in a spelling; the capitalised spelling changes the first letter. */
export function spelled(name: string, casing: Casing): string {
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
type Labels<Field extends string> = Readonly<Record<Field, Label>>;

/** The fixed texts of one spelling. */
interface Spelling {
  readonly row: Labels<(typeof ROW_FIELDS)[number]>;
  readonly explanation: Labels<(typeof EXPLANATION_FIELDS)[number]>;
  /** The beginning of an explanation up to the name of its figure. */
  readonly figure: Label;
  /** That beginning with the name, by figure. */
  readonly figures: ReadonlyMap<string, Label>;
  /** The time that follows the date in DueDate (D1), and the label of the next field. */
  readonly noDays: Label;
}

const SPELLINGS: Readonly<Record<Casing, Spelling>> = {
  lower: createSpelling('lower', 'T00:00:00"'),
  capitalised: createSpelling('capitalised', 'T00:00:00Z"'),
};

function createSpelling(casing: Casing, midnight: string): Spelling {
  const labels = <Field extends string>(fields: readonly Field[]) =>
    Object.fromEntries(
      fields.map((name) => [name, createLabel(`,"${spelled(name, casing)}":`)]),
    ) as Labels<Field>;
  const figure = `{"${spelled('figure', casing)}":`;
  const figures = Object.entries(FIGURE_NAMES).map(
    ([one, name]) => [one, createLabel(`${figure}"${spelled(name, casing)}"`)] as const,
  );
  return {
    row: labels(ROW_FIELDS),
    explanation: labels(EXPLANATION_FIELDS),
    figure: createLabel(figure),
    figures: new Map(figures),
    noDays: createLabel(`${midnight},"NoDays":`),
  };
}

const FIRST_ROW = createLabel('[{"InstallmentNo":');
const NEXT_ROW = createLabel(',{"InstallmentNo":');
const DUE_DATE = createLabel(',"DueDate":"');
const TYPE_ID = createLabel(',"InstallmentTypeId":');
const OPEN_LIST = createLabel('[');
const CLOSE_LIST = createLabel(']');
const EMPTY_LIST = createLabel('[]');
const COMMA = createLabel(',');
const YES = createLabel('"true"');
const NO = createLabel('"false"');
const CLOSE_OBJECT = createLabel('}');

/** The published ids of instalment types, with their label. */
const TYPE_IDS = new Map(
  Object.values(INSTALLMENT_TYPE_IDS).map((id) => [id, createLabel(`,"InstallmentTypeId":"${id}"`)]),
);

/** The texts and the number of decimals that all rows of a schedule share. */
interface RowStyle {
  readonly spelling: Spelling;
  readonly digits: number;
  /** Labels of the additional columns. */
  readonly extraColumns: readonly Label[];
  /** The fields after the total that are the same in every row, up to the value of the last one. */
  readonly tail: Passage;
}

/** Rates are plain decimal text with a fixed number of decimals; other text would not be valid JSON. */
const PLAIN_DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** The buffer of all schedules, which are written one after the other. */
const json = new JsonBytes();

/**
 * Writes a schedule as a JSON array of rows, or of the single object `{"dae": ...}` if only the rate is shown. Throws
 * RangeError on an amount that is not a safe integer and on a rate that is not a plain decimal: bugs of the producer.
 */
export function renderRepaymentSchedule(schedule: RepaymentSchedule): string {
  writeSchedule(schedule);
  return json.takeText();
}

/** The same text as UTF-8 bytes. */
export function renderScheduleBytes(schedule: RepaymentSchedule): Buffer {
  writeSchedule(schedule);
  return json.takeBytes();
}

function writeSchedule(schedule: RepaymentSchedule): void {
  const { show, rows } = schedule;
  json.restart();
  if (show === 'dae') return json.text(`[{"dae":${rateText(schedule.dae)}}]`);
  // Before the rows, of which there may be none: it throws on a rate that is not a plain decimal.
  const style = styleOf(schedule);
  if (rows.length === 0) return json.label(EMPTY_LIST);
  let opening = FIRST_ROW;
  for (const row of rows) {
    json.label(opening);
    writeRow(row, style);
    opening = NEXT_ROW;
  }
  json.label(CLOSE_LIST);
}

function styleOf(schedule: RepaymentSchedule): RowStyle {
  // A worker of a later version may send another casing.
  const casing = schedule.casing === 'lower' ? 'lower' : 'capitalised';
  const shared = `${rateField(schedule)},"ScheduleTypeId":${JSON.stringify(schedule.scheduleTypeId)}`;
  const tail = `${shared},"${spelled('isEarlyRepayment', casing)}":`;
  return {
    spelling: SPELLINGS[casing],
    digits: schedule.currencyDigits,
    extraColumns: (schedule.extraColumns ?? []).map((name) => createLabel(`,${JSON.stringify(name)}:`)),
    tail: { json: tail, start: 0, end: 0 },
  };
}

function writeRow(row: ScheduleRow, style: RowStyle): void {
  const { spelling, digits } = style;
  const { row: labels } = spelling;
  const { capitalisedInterest, insurance, columns, explanation } = row;
  json.integer(row.InstallmentNo);
  json.label(DUE_DATE);
  json.date(row.dueDate);
  json.label(spelling.noDays);
  json.integer(row.noDays);
  writeTypeId(row.installmentTypeId);
  json.money(labels.remainingValue, row.remainingValue, digits);
  json.money(labels.pMT, row.pmt, digits);
  json.money(labels.interest, row.interest, digits);
  if (capitalisedInterest !== undefined) json.money(labels.capitalisedInterest, capitalisedInterest, digits);
  json.money(labels.principal, row.principal, digits);
  json.money(labels.managementFee, row.managementFee, digits);
  if (insurance !== undefined) json.money(labels.insurance, insurance, digits);
  if (columns !== undefined) writeColumns(columns, style);
  json.money(labels.totalInstallment, row.totalInstallment, digits);
  json.passage(style.tail);
  json.label(row.isEarlyRepayment ? YES : NO);
  if (explanation !== undefined) {
    json.label(labels.explanation);
    writeExplanation(explanation, spelling, digits);
  }
  json.label(CLOSE_OBJECT);
}

function writeTypeId(id: string): void {
  const known = TYPE_IDS.get(id);
  if (known !== undefined) return json.label(known);
  writeString(TYPE_ID, id);
}

/** Additional columns are fields of the row; their names are the same in both spellings (F4). */
function writeColumns(amounts: readonly number[], { extraColumns, digits }: RowStyle): void {
  for (const [column, label] of extraColumns.entries()) json.money(label, amounts[column] ?? 0, digits);
}

/** Writes the explanations of a row as a JSON array (S6, Explain). */
function writeExplanation(figures: readonly FigureExplanation[], spelling: Spelling, digits: number): void {
  const { explanation: labels } = spelling;
  let opening = OPEN_LIST;
  for (const one of figures) {
    json.label(opening);
    writeFigure(one.figure, spelling);
    writeString(labels.name, one.name);
    json.money(labels.amount, one.amount, digits);
    writeInteger(labels.days, one.days);
    writeInteger(labels.basis, one.basis);
    writeString(labels.dayCount, one.dayCount);
    if (one.rates !== undefined) writeRates(labels.rates, one.rates);
    if (one.base !== undefined) json.money(labels.base, one.base, digits);
    writeString(labels.formula, one.formula);
    json.label(CLOSE_OBJECT);
    opening = COMMA;
  }
  json.label(figures.length === 0 ? EMPTY_LIST : CLOSE_LIST);
}

function writeFigure(figure: string, { figures, figure: label }: Spelling): void {
  const known = figures.get(figure);
  if (known !== undefined) return json.label(known);
  // A worker of a later version may explain other figures.
  writeString(label, figure);
}

function writeString(label: Label, value: string | undefined): void {
  if (value === undefined) return;
  json.label(label);
  json.string(value);
}

function writeInteger(label: Label, value: number | undefined): void {
  if (value === undefined) return;
  json.label(label);
  json.integer(value);
}

function writeRates(label: Label, rates: readonly string[]): void {
  json.label(label);
  json.text(`[${rates.map(rateText).join(',')}]`);
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
