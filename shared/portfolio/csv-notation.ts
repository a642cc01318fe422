/**
 * How a CSV file writes numbers and dates. One notation applies to the whole file and is recognised from its values, never from a
 * single cell: `1.000` alone may be one or a thousand, and `03/04/2026` may be in March or April.
 */

/** The decimal mark of numbers, and the order of dates such as 03/04/2026. */
export interface Notation {
  readonly decimal?: DecimalMark | undefined;
  readonly dates?: DateOrder | undefined;
}

export type DecimalMark = '.' | ',';
export type DateOrder = 'day-first' | 'month-first';

export interface CsvValue {
  readonly line: number;
  readonly column: string;
  readonly value: string;
}

/** Why the notation cannot be recognised, with the values that contradict each other or have two readings. */
export interface NotationFault {
  readonly kind: 'ambiguous-number' | 'mixed-numbers' | 'ambiguous-date' | 'mixed-dates';
  readonly examples: readonly CsvValue[];
}

/** Recognises the notation of a file from its cells. */
export interface NotationSurvey {
  add(kind: 'number' | 'date', example: CsvValue): void;
  /** What the values added so far say, besides what was given. */
  notation(): Notation;
  faults(): readonly NotationFault[];
}

const DELIMITERS = [',', ';', '\t'];
const QUOTED = /"[^"]*"/g;
/** Digits in groups of three or in one row, then a decimal mark and decimals. */
const NUMBER =
  /^(-?)(?:([1-9]\d{0,2}(?:([ \u00A0\u202F'’.,])\d{3})(?:\3\d{3})*)|(0|[1-9]\d*))(?:([.,])(\d+))?$/;
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
/** Integer parts from here on would have a group mark, if the column used one. */
const GROUPED_FROM_DIGITS = 4;
const MAX_SHOWN_VALUE = 40;

interface ParsedNumber {
  readonly sign: string;
  readonly whole: string;
  /** Undefined for digits in one row. */
  readonly group: string | undefined;
  readonly decimal: DecimalMark | undefined;
  readonly fraction: string;
  /** One group and no decimals: the mark could also be the decimal mark. */
  readonly hasTwoReadings: boolean;
}

function parseNumber(cell: string): ParsedNumber | undefined {
  const [text, sign = '', grouped, group, plain = '', decimal, fraction = ''] = NUMBER.exec(cell) ?? [];
  if (text === undefined || (decimal !== undefined && decimal === group)) return undefined;
  const whole = (grouped ?? plain).replaceAll(/\D/g, '');
  const isMark = group === '.' || group === ',';
  const hasTwoReadings = isMark && decimal === undefined && grouped?.split(group).length === 2;
  return { sign, whole, group, decimal: decimal as DecimalMark | undefined, fraction, hasTwoReadings };
}

/** The number in JSON notation; undefined if it is none in a file with this decimal mark. */
export function readNumber(cell: string, mark: DecimalMark = '.'): string | undefined {
  const number = parseNumber(cell);
  if (number === undefined) {
    return JSON_NUMBER.test(cell) && (mark === '.' || !cell.includes('.')) ? cell : undefined;
  }
  const { sign, whole, group, decimal, fraction, hasTwoReadings } = number;
  if (hasTwoReadings && group === mark) return `${sign}${cell.slice(sign.length).replace(mark, '.')}`;
  if (group === mark || (decimal !== undefined && decimal !== mark)) return undefined;
  return `${sign}${whole}${decimal === undefined ? '' : `.${fraction}`}`;
}

const TIME = String.raw`(?:[ T]\d{1,2}:\d{2}(?::\d{2})?)?`;
const YEAR_FIRST = new RegExp(String.raw`^(\d{4})[./] ?(\d{1,2})[./] ?(\d{1,2})\.?${TIME}$`);
const DAY_FIRST = new RegExp(String.raw`^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})${TIME}$`);
const TWO_ORDERS = new RegExp(String.raw`^(\d{1,2})([/-])(\d{1,2})\2(\d{4})${TIME}$`);
const MONTHS = 12;

/** The date as yyyy-mm-dd; any other text as it is, which the reader of the request refuses. */
export function readDate(cell: string, order: DateOrder = 'day-first'): string {
  const [, year, month, day] = YEAR_FIRST.exec(cell) ?? [];
  if (year !== undefined) return isoDate(year, month, day);
  const [, dotDay, dotMonth, dotYear] = DAY_FIRST.exec(cell) ?? [];
  if (dotYear !== undefined) return isoDate(dotYear, dotMonth, dotDay);
  const [, first, , second, lastYear] = TWO_ORDERS.exec(cell) ?? [];
  if (lastYear === undefined) return cell;
  return order === 'day-first' ? isoDate(lastYear, second, first) : isoDate(lastYear, first, second);
}

function isoDate(year: string, month = '', day = ''): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** What the numbers of one column say about its groups of three. */
interface ColumnEvidence {
  /** Four digits or more in one row. */
  ungrouped?: CsvValue;
  /** A number with decimals and no groups. */
  decimals?: CsvValue;
  /** By mark: numbers whose groups are certain, and those that have two readings. */
  readonly grouped: { [Mark in DecimalMark]?: CsvValue };
  readonly twoReadings: { [Mark in DecimalMark]?: CsvValue };
}

/** Starts a survey; what `given` names is not recognised from values. Its memory depends on the number of columns only. */
export function createNotationSurvey(given: Notation): NotationSurvey {
  const marks: { [Mark in DecimalMark]?: CsvValue } = {};
  const orders: { [Order in DateOrder]?: CsvValue } = {};
  const columns = new Map<string, ColumnEvidence>();
  let twoOrders: CsvValue | undefined;

  const addNumber = (example: CsvValue): void => {
    const number = parseNumber(example.value);
    if (number === undefined) {
      // An exponent follows only decimals of JSON.
      if (JSON_NUMBER.test(example.value) && example.value.includes('.')) marks['.'] ??= example;
      return;
    }
    const { whole, group, decimal } = number;
    const isMark = group === '.' || group === ',';
    const evidence = columns.get(example.column) ?? { grouped: {}, twoReadings: {} };
    columns.set(example.column, evidence);
    if (number.hasTwoReadings && isMark) {
      evidence.twoReadings[group] ??= example;
      return;
    }
    if (isMark) {
      evidence.grouped[group] ??= example;
      marks[group === '.' ? ',' : '.'] ??= example;
    }
    if (decimal !== undefined) marks[decimal] ??= example;
    if (group !== undefined) return;
    if (whole.length >= GROUPED_FROM_DIGITS) evidence.ungrouped ??= example;
    if (decimal !== undefined) evidence.decimals ??= example;
  };
  const addDate = (example: CsvValue): void => {
    const [, first, , second] = TWO_ORDERS.exec(example.value) ?? [];
    if (first === undefined || Number(first) === Number(second)) return;
    if (Number(first) > MONTHS) orders['day-first'] ??= example;
    else if (Number(second) > MONTHS) orders['month-first'] ??= example;
    else twoOrders ??= example;
  };
  const decimalOf = (): DecimalMark | undefined => {
    if (given.decimal !== undefined) return given.decimal;
    if (marks['.'] === undefined) return marks[','] === undefined ? undefined : ',';
    return marks[','] === undefined ? '.' : undefined;
  };
  return {
    add: (kind, { line, column, value }) => {
      const example = { line, column, value: value.slice(0, MAX_SHOWN_VALUE) };
      if (kind === 'number') addNumber(example);
      else addDate(example);
    },
    notation: () => ({
      decimal: decimalOf(),
      dates: given.dates ?? (orders['month-first'] === undefined ? undefined : 'month-first'),
    }),
    faults: () => [
      ...(given.decimal === undefined ? numberFaults(marks, [...columns.values()]) : []),
      ...(given.dates === undefined ? dateFaults(orders, twoOrders) : []),
    ],
  };
}

/** A rate has no thousands: `7.125` beside amounts such as `1000,50` is not 7125 percent. */
const RATE_COLUMN = /percent|rate/i;

function numberFaults(
  { '.': point, ',': comma }: { readonly [Mark in DecimalMark]?: CsvValue },
  columns: readonly ColumnEvidence[],
): readonly NotationFault[] {
  if (point !== undefined && comma !== undefined)
    return [{ kind: 'mixed-numbers', examples: [point, comma] }];
  if (point === undefined && comma === undefined) {
    const examples = columns.flatMap(({ twoReadings }) => twoReadings['.'] ?? twoReadings[','] ?? []);
    return examples.length === 0 ? [] : [{ kind: 'ambiguous-number', examples: examples.slice(0, 1) }];
  }
  const groupMark = point === undefined ? '.' : ',';
  return columns.flatMap(({ ungrouped, decimals, grouped, twoReadings }): readonly NotationFault[] => {
    const group = twoReadings[groupMark];
    if (group !== undefined && RATE_COLUMN.test(group.column))
      return [{ kind: 'ambiguous-number', examples: [group] }];
    const contrary = ungrouped ?? (grouped[groupMark] === undefined ? decimals : undefined);
    if (group === undefined || contrary === undefined) return [];
    return [{ kind: 'mixed-numbers', examples: [group, contrary] }];
  });
}

function dateFaults(
  { 'day-first': dayFirst, 'month-first': monthFirst }: { readonly [Order in DateOrder]?: CsvValue },
  twoOrders: CsvValue | undefined,
): readonly NotationFault[] {
  if (dayFirst !== undefined && monthFirst !== undefined) {
    return [{ kind: 'mixed-dates', examples: [dayFirst, monthFirst] }];
  }
  if (dayFirst !== undefined || monthFirst !== undefined || twoOrders === undefined) return [];
  return [{ kind: 'ambiguous-date', examples: [twoOrders] }];
}

/** Whichever of comma, semicolon and tab is most frequent in the first line. */
export function delimiterOf(head: string): string {
  const plain = head.replaceAll(QUOTED, '');
  const counts = DELIMITERS.map((delimiter) => plain.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}
