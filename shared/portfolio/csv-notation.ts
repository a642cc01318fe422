/** How a CSV file writes numbers and dates. It decides how cells such as `1.000` or `03/04/2026` are read. */

export interface Notation {
  readonly decimal?: DecimalMark | undefined;
  readonly dates?: DateOrder | undefined;
}

export type DecimalMark = '.' | ',';
type DateOrder = 'day-first' | 'month-first';

const DELIMITERS = [',', ';', '\t'];
const QUOTED = /"[^"]*"/g;
/** Digits in groups of three or ungrouped, then perhaps a decimal mark and decimals. */
const NUMBER =
  /^(-?)(?:([1-9]\d{0,2}(?:([ \u00A0\u202F'’.,])\d{3})(?:\3\d{3})*)|(0|[1-9]\d*))(?:([.,])(\d+))?$/;
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
/** A number whose only mark, before three digits, may separate thousands or decimals. */
export const TWO_READINGS = /^-?[1-9]\d{0,2}[.,]\d{3}$/;
const MONTHS = 12;

/** True if the trimmed cell has two readings and the notation does not decide between them. */
export function isAmbiguous(kind: 'number' | 'date', cell: string, { decimal, dates }: Notation): boolean {
  if (kind === 'number') return decimal === undefined && TWO_READINGS.test(cell);
  const [, first, , second] = TWO_ORDERS.exec(cell) ?? [];
  const isOpen = dates === undefined && first !== undefined && Number(first) !== Number(second);
  return isOpen && Math.max(Number(first), Number(second)) <= MONTHS;
}

/** Returns JSON notation; undefined if the cell is not a number with the mark `given`. Without it, `1.000` is 1. */
export function readNumber(cell: string, given: DecimalMark | undefined): string | undefined {
  const [text, sign = '', grouped, group, plain = '', decimal, fraction = ''] = NUMBER.exec(cell) ?? [];
  if (text === undefined || (decimal !== undefined && decimal === group)) {
    return JSON_NUMBER.test(cell) && (given !== ',' || !cell.includes('.')) ? cell : undefined;
  }
  const hasTwoReadings = TWO_READINGS.test(cell);
  const mark = given ?? decimal ?? (hasTwoReadings ? group : undefined);
  if (hasTwoReadings && group === mark) return `${sign}${cell.slice(sign.length).replace(group ?? '', '.')}`;
  if (group !== undefined && group === mark) return undefined;
  if (decimal !== undefined && decimal !== mark) return undefined;
  return `${sign}${(grouped ?? plain).replaceAll(/\D/g, '')}${decimal === undefined ? '' : `.${fraction}`}`;
}

const TIME = String.raw`(?:[ T]\d{1,2}:\d{2}(?::\d{2})?)?`;
const YEAR_FIRST = new RegExp(String.raw`^(\d{4})[./] ?(\d{1,2})[./] ?(\d{1,2})\.?${TIME}$`);
const DAY_FIRST = new RegExp(String.raw`^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})${TIME}$`);
const TWO_ORDERS = new RegExp(String.raw`^(\d{1,2})([/-])(\d{1,2})\2(\d{4})${TIME}$`);

/** Returns a date as yyyy-mm-dd. Other text is returned as it is, for the reader of the request to refuse. */
export function readDate(cell: string, given: DateOrder | undefined): string {
  const [, year, month, day] = YEAR_FIRST.exec(cell) ?? [];
  if (year !== undefined) return isoDate(year, month, day);
  const [, dotDay, dotMonth, dotYear] = DAY_FIRST.exec(cell) ?? [];
  if (dotYear !== undefined) return isoDate(dotYear, dotMonth, dotDay);
  const [, first, , second, lastYear] = TWO_ORDERS.exec(cell) ?? [];
  if (lastYear === undefined) return cell;
  const order = given ?? (Number(second) > MONTHS ? 'month-first' : 'day-first');
  return order === 'day-first' ? isoDate(lastYear, second, first) : isoDate(lastYear, first, second);
}

function isoDate(year: string, month = '', day = ''): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** Returns the most frequent of comma, semicolon and tab in the first line, outside quotes. */
export function delimiterOf(head: string): string {
  const plain = head.replaceAll(QUOTED, '');
  const counts = DELIMITERS.map((delimiter) => plain.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** A spreadsheet takes text that begins with one of these characters for a formula, even in quotes. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;
const PLAIN_NUMBER = /^[+-]\d+(?:\.\d+)?$/;

/** Puts an apostrophe before what could be a formula, so that spreadsheets show it as text. */
export function withoutFormula(text: string | number): string {
  const plain = String(text);
  return FORMULA.test(plain) && !PLAIN_NUMBER.test(plain) ? `'${plain}` : plain;
}
