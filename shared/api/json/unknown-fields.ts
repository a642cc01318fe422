/** Finds unknown fields, so that callers notice misspelt names (E3), and overlong lists before their items are read. */

import { nearestName } from '../../platform/nearest-name.ts';
import { type Fault, type Warning, joinPath } from '../../platform/problem.ts';
import type { JsonSchema } from './json-schema.ts';
import { isRecord, shapeFault } from './faults.ts';

/** Maximum number of unknown fields that surveyFields reports; the header `Warnings` is cut at 4 KiB anyway (E3). */
export const MAX_WARNINGS = 100;

/** Maximum number of unknown fields with a suggested name: finding a name takes longer than reading the request. */
const MAX_HINTS = 10;

export const MAX_SHOWN_NAME = 60;

/** The warning about an ignored field; a long name is truncated. */
export function unknownField(name: string, path = ''): Warning {
  return { code: 'unknown-member', path: joinPath(path, name.slice(0, MAX_SHOWN_NAME)) };
}

/** The fault of an unknown field in a refused request. Suggests a similar name: a missing field is often misspelt. */
export function unknownFieldFault(path: string, name: string, known: Iterable<string>): Fault {
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return shapeFault(path, 'unknown-member', `is not known here and has no effect${hint}`);
}

/** Returns the schemas of the fields of an object, or of the items of a list. */
export function knownFields({ properties, items }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (items === undefined ? properties : items.properties) ?? {};
}

export function tooManyItems(path: string, maxItems: number): Fault {
  return shapeFault(path, 'too-many-items', `must have at most ${maxItems} items`);
}

/** The fault of a raw number in place of an object. Other checks would take the number for an object. */
function notAnObject(path: string): Fault {
  return shapeFault(path === '' ? 'body' : path, 'wrong-type', 'must be an object, not a number');
}

interface Found {
  readonly unknown: { readonly warning: Warning; readonly name: string; readonly known: Iterable<string> }[];
  readonly overlong: Fault[];
}

/** Finds the unknown fields of a body and, as `overlong`, its overlong lists and raw numbers in place of objects. */
export function surveyFields(schema: JsonSchema, body: unknown) {
  const { unknown, overlong }: Found = { unknown: [], overlong: [] };
  survey(schema, body, '', { unknown, overlong });
  return {
    warnings: unknown.map(({ warning }) => warning),
    faults: () =>
      unknown.map(({ warning, name, known }, index) =>
        unknownFieldFault(warning.path, name, index < MAX_HINTS ? known : []),
      ),
    overlong,
  };
}

/** Returns an object without the named fields, such as overlong lists, whose items must not be read. */
export function withoutFields(value: unknown, names: ReadonlySet<string>): unknown {
  if (names.size === 0 || !isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
}

function survey(schema: JsonSchema, value: unknown, path: string, found: Found): void {
  const { maxItems, items } = schema;
  if (items === undefined) {
    if (isRecord(value)) surveyRecord(schema, value, path, found);
    else if (JSON.isRawJSON(value)) found.overlong.push(notAnObject(path));
    return;
  }
  if (maxItems === undefined) throw new Error('every list of a definition needs maxItems');
  if (!Array.isArray(value)) return;
  if (value.length > maxItems) {
    found.overlong.push(tooManyItems(path, maxItems));
    return;
  }
  for (const [index, item] of value.entries()) {
    if (items.properties !== undefined || isRecord(item)) survey(items, item, `${path}[${index}]`, found);
  }
}

function surveyRecord(
  schema: JsonSchema,
  record: Readonly<Record<string, unknown>>,
  path: string,
  found: Found,
): void {
  const fields = knownFields(schema);
  for (const name of Object.keys(record)) {
    const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (known === undefined) {
      if (found.unknown.length >= MAX_WARNINGS) continue;
      found.unknown.push({ warning: unknownField(name, path), name, known: Object.keys(fields) });
    } else if (known.properties !== undefined || known.items !== undefined) {
      survey(known, record[name], joinPath(path, name), found);
    }
  }
}
