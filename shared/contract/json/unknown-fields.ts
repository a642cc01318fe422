/**
 * Which members a definition knows, so that others can be reported (E3): they are ignored, but a misspelt member
 * shall not go unnoticed. Lists beyond their limit are found here too, before anything reads their items.
 */

import { nearestName } from '../../platform/nearest-name.ts';
import type { Fault, Warning } from '../../platform/problem.ts';
import type { JsonSchema } from './json-schema.ts';
import { isRecord, shapeFault } from './faults.ts';

/** Most unknown members that are reported; the header that carries them is cut at 4 KiB anyway (E3). */
export const MAX_WARNINGS = 100;

/** Code of a warning about a member that the definition does not know, and of the fault that it is beside others. */
const UNKNOWN_MEMBER = 'unknown-member';

/**
 * Most unknown members of a refused request for which the nearest known name is looked for: comparing names costs more
 * than all other reading, and nobody misspells more.
 */
const MAX_HINTS = 10;

/** Longest part of an unknown member's name that is repeated in a warning, in characters. */
const MAX_SHOWN_NAME = 60;

/** The warning about a member that is not known at a path (`''`: the body itself). */
export function unknownMember(name: string, path = ''): Warning {
  return { code: UNKNOWN_MEMBER, path: joinPath(path, name.slice(0, MAX_SHOWN_NAME)) };
}

/**
 * What a refused request is answered about such a member, with the nearest of the names that are known in its place: a
 * member that is missing is often there under a misspelt name.
 */
export function unknownMemberFault(path: string, name: string, known: Iterable<string>): Fault {
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return shapeFault(path, UNKNOWN_MEMBER, `is not known here and has no effect${hint}`);
}

/** The members below one place of a definition; a leaf has none that could be unknown. */
export interface MemberTree {
  readonly members: ReadonlyMap<string, MemberTree>;
  /** Set where the definition has a list: the most items that it may have. The members are those of one item. */
  readonly maxItems?: number;
}

/** The members that a definition knows, read off its JSON Schema. */
export function memberTree(schema: JsonSchema): MemberTree {
  const { properties = {}, items, maxItems } = schema;
  if (items !== undefined) {
    if (maxItems === undefined) throw new Error('every list of a definition needs a limit');
    return { members: memberTree(items).members, maxItems };
  }
  return { members: new Map(Object.entries(properties).map(([name, member]) => [name, memberTree(member)])) };
}

/** The fault of a list with more items than its definition allows. */
export function tooManyItems(path: string, maxItems: number): Fault {
  return shapeFault(path, 'too-many-items', `must have at most ${maxItems} items`);
}

/** What a walk over a body found. */
export interface MemberSurvey {
  /** Unknown members, at most {@link MAX_WARNINGS}. */
  readonly warnings: Warning[];
  /** The same as faults, which only a request with others has. */
  readonly faults: () => Fault[];
  /** Lists with more items than allowed. */
  readonly overlong: Fault[];
}

/** Walks the members of a body along the known ones; what is of another kind than the known member is passed over. */
export function surveyBody(tree: MemberTree, body: unknown): MemberSurvey {
  const found: Found = { unknown: [], overlong: [] };
  survey(tree, body, '', found);
  const { unknown, overlong } = found;
  return {
    warnings: unknown.map(({ warning }) => warning),
    faults: () =>
      unknown.map(({ warning, name, known }, index) =>
        unknownMemberFault(warning.path, name, index < MAX_HINTS ? known : []),
      ),
    overlong,
  };
}

interface Found {
  readonly unknown: { readonly warning: Warning; readonly name: string; readonly known: Iterable<string> }[];
  readonly overlong: Fault[];
}

function survey(tree: MemberTree, value: unknown, path: string, found: Found): void {
  if (tree.maxItems === undefined) {
    if (isRecord(value)) surveyRecord(tree, value, path, found);
  } else if (Array.isArray(value)) surveyList(tree, value, path, found);
}

function surveyList(tree: MemberTree, list: readonly unknown[], path: string, found: Found): void {
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
  tree: MemberTree,
  record: Readonly<Record<string, unknown>>,
  path: string,
  found: Found,
): void {
  for (const name of Object.keys(record)) {
    const known = tree.members.get(name);
    if (known === undefined) {
      if (found.unknown.length >= MAX_WARNINGS) continue;
      found.unknown.push({ warning: unknownMember(name, path), name, known: tree.members.keys() });
    } else if (known.members.size > 0 || known.maxItems !== undefined) {
      survey(known, record[name], joinPath(path, name), found);
    }
  }
}

function joinPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
