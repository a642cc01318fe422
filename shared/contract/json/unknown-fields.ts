/**
 * The unknown-field check (E3): fields that a definition does not know are ignored but reported, so that a misspelt one
 * does not go unnoticed. Lists beyond their limit are found here too, before anything reads their items.
 */

import { nearestName } from '../../platform/nearest-name.ts';
import type { Fault, Warning } from '../../platform/problem.ts';
import type { JsonSchema } from './json-schema.ts';
import { isRecord, shapeFault } from './faults.ts';

/** Most unknown fields that are reported; the header that carries them is cut at 4 KiB anyway (E3). */
export const MAX_WARNINGS = 100;

/** Code of the warning about an unknown field, and of the fault that it is in a refused request. */
const UNKNOWN_FIELD = 'unknown-member';

/**
 * Most unknown fields of a refused request for which the nearest known name is looked for: comparing names costs more
 * than all other reading.
 */
const MAX_HINTS = 10;

/** Longest part of an unknown field's name that is repeated in a warning, in characters. */
const MAX_SHOWN_NAME = 60;

/** The warning about a field that is not known at a path (`''`: the body itself). */
export function unknownField(name: string, path = ''): Warning {
  return { code: UNKNOWN_FIELD, path: joinPath(path, name.slice(0, MAX_SHOWN_NAME)) };
}

/**
 * The fault that an unknown field is in a refused request, with the nearest of the names that are known there: a missing
 * field was often sent under a misspelt name.
 */
export function unknownFieldFault(path: string, name: string, known: Iterable<string>): Fault {
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return shapeFault(path, UNKNOWN_FIELD, `is not known here and has no effect${hint}`);
}

/** The fields below one place of a definition; a leaf has none that could be unknown. */
interface FieldTree {
  readonly fields: ReadonlyMap<string, FieldTree>;
  /** Set where the definition has a list: the most items that it may have. The fields are those of one item. */
  readonly maxItems?: number;
}

/** The fields that a definition knows, by its JSON Schema. */
export function fieldTree(schema: JsonSchema): FieldTree {
  const { properties = {}, items, maxItems } = schema;
  if (items !== undefined) {
    if (maxItems === undefined) throw new Error('every list of a definition needs a limit');
    return { fields: fieldTree(items).fields, maxItems };
  }
  return { fields: new Map(Object.entries(properties).map(([name, field]) => [name, fieldTree(field)])) };
}

/** The fault of a list with more items than its definition allows. */
export function tooManyItems(path: string, maxItems: number): Fault {
  return shapeFault(path, 'too-many-items', `must have at most ${maxItems} items`);
}

/** What a walk over a body found. */
interface FieldSurvey {
  /** Unknown fields, at most {@link MAX_WARNINGS}. */
  readonly warnings: Warning[];
  /** The same as faults, for a request that has other faults. */
  readonly faults: () => Fault[];
  /** Lists with more items than allowed. */
  readonly overlong: Fault[];
}

/** Walks the fields of a body along the known ones; a value of another type than the known field is skipped. */
export function surveyFields(tree: FieldTree, body: unknown): FieldSurvey {
  const found: Found = { unknown: [], overlong: [] };
  survey(tree, body, '', found);
  const { unknown, overlong } = found;
  return {
    warnings: unknown.map(({ warning }) => warning),
    faults: () =>
      unknown.map(({ warning, name, known }, index) =>
        unknownFieldFault(warning.path, name, index < MAX_HINTS ? known : []),
      ),
    overlong,
  };
}

interface Found {
  readonly unknown: { readonly warning: Warning; readonly name: string; readonly known: Iterable<string> }[];
  readonly overlong: Fault[];
}

function survey(tree: FieldTree, value: unknown, path: string, found: Found): void {
  if (tree.maxItems === undefined) {
    if (isRecord(value)) surveyRecord(tree, value, path, found);
  } else if (Array.isArray(value)) surveyList(tree, value, path, found);
}

function surveyList(tree: FieldTree, list: readonly unknown[], path: string, found: Found): void {
  const { maxItems = 0 } = tree;
  if (list.length > maxItems) {
    found.overlong.push(tooManyItems(path, maxItems));
    return;
  }
  for (const [index, item] of list.entries()) {
    if (isRecord(item)) surveyRecord(tree, item, `${path}[${index}]`, found);
  }
}

function surveyRecord(
  tree: FieldTree,
  record: Readonly<Record<string, unknown>>,
  path: string,
  found: Found,
): void {
  for (const name of Object.keys(record)) {
    const known = tree.fields.get(name);
    if (known === undefined) {
      if (found.unknown.length >= MAX_WARNINGS) continue;
      found.unknown.push({ warning: unknownField(name, path), name, known: tree.fields.keys() });
    } else if (known.fields.size > 0 || known.maxItems !== undefined) {
      survey(known, record[name], joinPath(path, name), found);
    }
  }
}

function joinPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
