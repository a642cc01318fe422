/** The columns of a portfolio in CSV, and the conversion of cells to JSON values. */

import { Buffer } from 'node:buffer';
import { toJsonSchema, type JsonSchema } from '../../../shared/contract/json/json-schema.ts';
import { repaymentScheduleFields } from '../../../shared/contract/schedule/request-fields.ts';
import { shapeFault } from '../../../shared/contract/json/faults.ts';
import { nearestName } from '../../../shared/platform/nearest-name.ts';
import type { Fault } from '../../../shared/platform/problem.ts';
import { LINE_FIELD } from './contract.ts';
import { parseJson } from './records.ts';

/** The content of a cell: text, a date, a number or flag in JSON notation, or JSON. */
type CellKind = 'text' | 'trimmed' | 'number' | 'flag' | 'json';

interface Column {
  /** Name of the field, in the interface's casing. */
  readonly name: string;
  /** Its path in faults. */
  readonly path: string;
  readonly kind: CellKind;
  /** Whether it is a field of the request rather than of the line. */
  readonly isRequestField: boolean;
}

/** The columns in order. */
export type Columns = readonly Column[];

/** The columns of a header line, or its faults. */
export type HeaderReading =
  | { readonly kind: 'columns'; readonly columns: Columns }
  | { readonly kind: 'faults'; readonly faults: readonly string[] };

/** The value of a line as in NDJSON, and the faults of cells that could not be read. */
export interface LineOfCells {
  readonly value: Readonly<Record<string, unknown>>;
  readonly faults: readonly Fault[];
}

/** A number in JSON notation; other notations are not guessed. */
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Unknown columns that are compared with the known ones; the first line may be none of columns, and long. */
const MAX_HINTS = 10;

const FIELDS = toJsonSchema(repaymentScheduleFields).properties ?? {};

/** The fields of a request, after which columns are named, in the order and casing of the interface. */
export const FIELD_NAMES: readonly string[] = Object.keys(FIELDS);

const { id: ID, request: REQUEST, former: FORMER } = LINE_FIELD;

const COLUMNS: ReadonlyMap<string, Column> = new Map(
  [
    column(ID, 'text', false),
    column(REQUEST, 'json', false),
    column(FORMER, 'json', false),
    ...Object.entries(FIELDS).map(([name, schema]) => column(name, kindOf(schema), true)),
  ].map((known) => [known.name.toLowerCase(), known]),
);

function column(name: string, kind: CellKind, isRequestField: boolean): Column {
  return { name, path: isRequestField ? `${REQUEST}.${name}` : name, kind, isRequestField };
}

function kindOf({ type, enum: values, anyOf = [], pattern }: JsonSchema): CellKind {
  const types = new Set([type, ...anyOf.map((choice) => choice.type)].flat());
  if (values?.includes(true) === true || types.has('boolean')) return 'flag';
  if (types.has('number') || types.has('integer')) return 'number';
  if (types.has('array') || types.has('object')) return 'json';
  return pattern === undefined ? 'text' : 'trimmed';
}

/** Reads the header line, whose names are case-insensitive and must be unique. Reports all faults, each as a sentence. */
export function readHeader(cells: readonly string[]): HeaderReading {
  const names = cells.map((cell) => cell.trim());
  const columns = names.flatMap((name) => COLUMNS.get(name.toLowerCase()) ?? []);
  const faults = [...unknownColumns(names), ...columnsTwice(columns), ...contradictions(columns)];
  return faults.length === 0 ? { kind: 'columns', columns } : { kind: 'faults', faults };
}

function unknownColumns(names: readonly string[]): readonly string[] {
  const empty = names.flatMap((name, index) => (name === '' ? [`column ${index + 1} has no name`] : []));
  const unknown = names.filter((name) => name !== '' && !COLUMNS.has(name.toLowerCase()));
  if (unknown.length === 0) return empty;
  const known = [...COLUMNS.values()].map(({ name }) => name);
  const shown = unknown.map((name, index) => {
    const nearest = index < MAX_HINTS ? nearestName(name, known) : undefined;
    const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
    return JSON.stringify(name.slice(0, 60)) + hint;
  });
  return [
    ...empty,
    `not known: ${shown.join(', ')}; known columns (case-insensitive) are ${known.join(', ')}`,
  ];
}

function columnsTwice(columns: Columns): readonly string[] {
  const twice = columns.filter((found, index) => columns.indexOf(found) !== index);
  return [...new Set(twice)].map(({ name }) => `${name} occurs more than once`);
}

function contradictions(columns: Columns): readonly string[] {
  const has = (name: string) => columns.some((found) => found.name === name);
  const fields = columns.filter(({ isRequestField }) => isRequestField);
  const faults = has(ID) ? [] : [`${ID} is missing; there must be a column with the ids of the contracts`];
  if (has(REQUEST) && fields.length > 0) {
    faults.push(
      `${REQUEST} contains the whole request; it must not be combined with columns for the fields of the request`,
    );
  }
  if (!has(REQUEST) && fields.length === 0) {
    faults.push(
      `there is no column for any field of the request; there must be such columns, or the column ${REQUEST}`,
    );
  }
  return faults;
}

/** The cells of one record as a line, one for each column. An empty cell is an absent field. */
export function lineOfCells(columns: Columns, cells: readonly string[]): LineOfCells {
  const line: Record<string, unknown> = {};
  const request: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const [index, { name, path, kind, isRequestField }] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (cell === '') continue;
    const into = isRequestField ? request : line;
    if (kind === 'json') readJsonCell(cell, path, faults, (value) => (into[name] = value));
    else {
      const value = valueOf(kind, cell);
      if (value !== undefined) into[name] = value;
    }
  }
  const hasWhole = columns.some(({ name }) => name === REQUEST);
  return { value: hasWhole ? line : { ...line, [REQUEST]: request }, faults };
}

/** The JSON value of a cell; other text is left for the request reader to refuse. */
function valueOf(kind: Exclude<CellKind, 'json'>, cell: string): unknown {
  if (kind === 'text') return cell;
  const shown = cell.trim();
  if (shown === '') return undefined;
  if (kind === 'trimmed') return shown;
  if (JSON_NUMBER.test(shown)) return Number(shown);
  const word = shown.toLowerCase();
  return kind === 'flag' && (word === 'true' || word === 'false') ? word === 'true' : shown;
}

function readJsonCell(cell: string, path: string, faults: Fault[], put: (value: unknown) => void): void {
  const parsed = parseJson(cell, Buffer.from(cell));
  if (parsed.kind === 'parsed') put(parsed.value);
  else faults.push(shapeFault(path, 'invalid-json', parsed.message));
}
