/** Parses docs/request-fields.md: its base requests, its table, and the requests of its examples. */

import { readFileSync } from 'node:fs';

/** A JSON object of the document. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The effect on the answer that an example states. */
export interface StatedEffect {
  readonly name: string;
  readonly value: string;
}

/** Changes to a base request, and their effects. */
export interface FieldExample {
  readonly base: string;
  readonly changes: JsonObject;
  readonly effects: readonly StatedEffect[];
}

/** One row of the table. */
export interface FieldRow {
  /** The path of the field, such as `Commission[].FeeDate`. */
  readonly field: string;
  /** The name of the field without its list. */
  readonly name: string;
  readonly rules: readonly string[];
  readonly does: string;
  readonly examples: readonly FieldExample[];
  /** Links of the last column, relative to docs/. */
  readonly tests: readonly string[];
}

/** The parsed document. */
export interface FieldsDocument {
  /** All fields of each base request, by the name of the request. */
  readonly bases: ReadonlyMap<string, JsonObject>;
  readonly rows: readonly FieldRow[];
}

const DOCUMENT = new URL('../../docs/request-fields.md', import.meta.url);
const LINK = /\[[^\]]+\]\(([^)]+)\)/g;
const RULE = /\[([A-Z]\d)\]\(rulings\.md#([a-z]\d)\)/g;
const EXAMPLE = /^([a-z-]+) `(\{.*\})` → (.+)$/;

/** Reads the document; throws an error that quotes the first line that does not follow the document's introduction. */
export function readFieldsDocument(text: string = readFileSync(DOCUMENT, 'utf8')): FieldsDocument {
  const loan = JSON.parse(/```json\n([\s\S]*?)```/.exec(text)?.[1] ?? '') as JsonObject;
  const bases = new Map<string, JsonObject>([['loan', loan]]);
  for (const [, name = '', changes = ''] of text.matchAll(/^\| `([a-z-]+)` \| `(\{.*\})` \|/gm)) {
    bases.set(name, withChanges(loan, JSON.parse(changes) as JsonObject));
  }
  const lines = text.split('\n').filter((line) => /^\| `[A-Za-z[\].]+` \| \[/.test(line));
  return { bases, rows: lines.map(parseFieldRow) };
}

function parseFieldRow(line: string): FieldRow {
  const cells = line.slice(2, -2).split(' | ');
  const [field = '', rules = '', does = '', examples = '', tests = ''] = cells;
  if (cells.length !== 5) throw new Error(`the row does not have five cells: ${line}`);
  const path = field.replaceAll('`', '');
  return {
    field: path,
    name: path.split('.').at(-1) ?? path,
    rules: [...rules.matchAll(RULE)].map(([, id = '', anchor]) => {
      if (id.toLowerCase() !== anchor) throw new Error(`the link leads to another rule: ${line}`);
      return id;
    }),
    does,
    examples: examples.split('<br>').map(exampleOf),
    tests: [...tests.matchAll(LINK)].map(([, target = '']) => target),
  };
}

function exampleOf(text: string): FieldExample {
  const [, base = '', changes = '', effects = ''] = EXAMPLE.exec(text) ?? [];
  if (effects === '') throw new Error(`not an example: ${text}`);
  return {
    base,
    changes: JSON.parse(changes) as JsonObject,
    effects: effects.split('; ').map((effect) => {
      const [name = '', ...value] = effect.split(': ');
      return { name, value: value.join(': ') };
    }),
  };
}

/** Applies changes to fields: a value replaces the field, null removes it, and lists are changed item by item. */
export function withChanges(fields: JsonObject, changes: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...fields };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete merged[name];
    else merged[name] = changedValue(merged[name], value);
  }
  return merged;
}

function changedValue(before: unknown, value: unknown): unknown {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = Array.isArray(before) ? before : [];
    const changed = value.map((item, index) => changedValue(items[index], item));
    return [...changed, ...items.slice(changed.length)];
  }
  if (typeof value !== 'object' || value === null) return value;
  return withChanges(isObject(before) ? before : {}, value as JsonObject);
}

/** Removes one field, also from the items of a list. */
export function withoutField(changes: JsonObject, field: string): JsonObject {
  const [list = '', name] = field.split('[].');
  if (name === undefined) return without(changes, field);
  const items = changes[list];
  if (!Array.isArray(items)) return changes;
  return { ...changes, [list]: items.map((item) => (isObject(item) ? without(item, name) : item)) };
}

function without(record: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
