/** Reads the examples of the fields of a schedule request: base requests, changes to them, and the stated effects. */

import document from '../property/api/schedule/request-fields.json' with { type: 'json' };

export type JsonObject = Readonly<Record<string, unknown>>;

/** Changes to a base request, and their effects on the answer by name. */
export interface FieldExample {
  readonly base: string;
  readonly changes: JsonObject;
  readonly effects: readonly (readonly [name: string, value: string])[];
}

/** One field, its rules of docs/rulings.md and its examples. */
export interface FieldRow {
  /** The path of the field, such as `Commission[].FeeDate`. */
  readonly field: string;
  readonly rules: readonly string[];
  readonly examples: readonly FieldExample[];
}

/** All fields of each base request, by the name of the request. */
export const REQUEST_BASES: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['loan', document.loan],
  ...Object.entries(document.bases).map(([name, changes]): [string, JsonObject] => [
    name,
    withChanges(document.loan, changes),
  ]),
]);

export const REQUEST_FIELDS: readonly FieldRow[] = document.fields.map(({ field, rules, examples }) => ({
  field,
  rules,
  examples: examples.map(({ base, changes, effects }) => ({
    base,
    changes,
    effects: Object.entries(effects),
  })),
}));

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
