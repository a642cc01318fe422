/** The columns of a portfolio in CSV: which members they stand for, and how a cell is read as the member's JSON value. */

import { Buffer } from 'node:buffer';
import { jsonSchemaOf, type JsonSchema } from '../../../shared/contract/json/json-schema.ts';
import { repaymentScheduleFields } from '../../../shared/contract/schedule/request-fields.ts';
import { shapeFault } from '../../../shared/contract/json/faults.ts';
import type { Fault } from '../../../shared/platform/problem.ts';
import { LINE_MEMBER } from './contract.ts';
import { parseJson } from './records.ts';

/** A cell holds text, a day, a number or flag as JSON writes it, or JSON. */
type CellKind = 'text' | 'trimmed' | 'number' | 'flag' | 'json';

interface Column {
  /** Name of the member, in the interface's casing. */
  readonly name: string;
  /** As faults name it. */
  readonly path: string;
  readonly kind: CellKind;
  /** A member of the request; the others stand beside it. */
  readonly isMember: boolean;
}

/** The columns in their order. */
export type Columns = readonly Column[];

/** What the header line amounts to. */
export type HeaderReading =
  | { readonly kind: 'columns'; readonly columns: Columns }
  | { readonly kind: 'faults'; readonly faults: readonly string[] };

/** The value of a line as NDJSON would have it, and what is wrong with cells that could not be read. */
export interface LineOfCells {
  readonly value: Readonly<Record<string, unknown>>;
  readonly faults: readonly Fault[];
}

/** A number as JSON spells it: what other spellings mean is not guessed at. */
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

const MEMBERS = jsonSchemaOf(repaymentScheduleFields).properties ?? {};

/** The members of a request by name, as columns may be called, in the interface's order and casing. */
export const MEMBER_NAMES: readonly string[] = Object.keys(MEMBERS);

const { id: ID, request: REQUEST, former: FORMER } = LINE_MEMBER;

const COLUMNS: ReadonlyMap<string, Column> = new Map(
  [
    column(ID, 'text', false),
    column(REQUEST, 'json', false),
    column(FORMER, 'json', false),
    ...Object.entries(MEMBERS).map(([name, schema]) => column(name, kindOf(schema), true)),
  ].map((known) => [known.name.toLowerCase(), known]),
);

function column(name: string, kind: CellKind, isMember: boolean): Column {
  return { name, path: isMember ? `${REQUEST}.${name}` : name, kind, isMember };
}

function kindOf({ type, enum: values, anyOf = [], pattern }: JsonSchema): CellKind {
  const types = new Set([type, ...anyOf.map((choice) => choice.type)].flat());
  if (values?.includes(true) === true || types.has('boolean')) return 'flag';
  if (types.has('number') || types.has('integer')) return 'number';
  if (types.has('array') || types.has('object')) return 'json';
  return pattern === undefined ? 'text' : 'trimmed';
}

/** Reads the header line: names in any case, with nothing said twice. All faults at once, each a sentence of its own. */
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
  const known = [...COLUMNS.values()].map(({ name }) => name).join(', ');
  const shown = unknown.map((name) => JSON.stringify(name.slice(0, 60))).join(', ');
  return [...empty, `not known: ${shown}; known columns, in any case, are ${known}`];
}

function columnsTwice(columns: Columns): readonly string[] {
  const twice = columns.filter((found, index) => columns.indexOf(found) !== index);
  return [...new Set(twice)].map(({ name }) => `${name} stands there more than once`);
}

function contradictions(columns: Columns): readonly string[] {
  const has = (name: string) => columns.some((found) => found.name === name);
  const members = columns.filter(({ isMember }) => isMember);
  const faults = has(ID) ? [] : [`${ID} is missing; must name the column of the contract's own id`];
  if (has(REQUEST) && members.length > 0) {
    faults.push(`${REQUEST} holds the whole request; must not stand beside columns for its members`);
  }
  if (!has(REQUEST) && members.length === 0) {
    faults.push(`there is no column for any member of the request; must have them, or ${REQUEST}`);
  }
  return faults;
}

/** Puts the cells of one record together; as many as there are columns. An empty cell is a member left out. */
export function lineOfCells(columns: Columns, cells: readonly string[]): LineOfCells {
  const line: Record<string, unknown> = {};
  const members: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const [index, { name, path, kind, isMember }] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (cell === '') continue;
    const into = isMember ? members : line;
    if (kind === 'json') readJsonCell(cell, path, faults, (value) => (into[name] = value));
    else {
      const value = valueOf(kind, cell);
      if (value !== undefined) into[name] = value;
    }
  }
  const hasWhole = columns.some(({ name }) => name === REQUEST);
  return { value: hasWhole ? line : { ...line, [REQUEST]: members }, faults };
}

/** The JSON value that a cell shows; text that shows none is left for the reader to refuse. */
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
