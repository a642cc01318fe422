/** What is different between two versions of a product, section by section. */
import type { RecordFields } from './catalogue-api.ts';
import { isFields, titleField, type Section, type SectionKey } from './version-sections.ts';

/** A step to a place in a section: a field, or an item by its name or by the first day of its validity. */
export type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'item'; readonly name: string }
  | { readonly kind: 'day'; readonly day: string | null };

export interface Difference {
  readonly kind: 'added' | 'removed' | 'changed';
  readonly path: readonly Step[];
  /** Undefined if added. */
  readonly before?: unknown;
  /** Undefined if removed. */
  readonly after?: unknown;
  /** The items around it, from the outermost on: for their currency. */
  readonly around: readonly RecordFields[];
}

export interface SectionDifferences {
  readonly key: SectionKey;
  readonly differences: readonly Difference[];
}

interface Place {
  readonly path: readonly Step[];
  readonly around: readonly RecordFields[];
}

/** Fields that identify the items of a list, in order of preference. */
const IDENTITIES = [
  'Id',
  'ReportId',
  'Name',
  'InsuranceName',
  'DisplayName',
  'ProductGuaranteeName',
  'ProductDestinationTypeName',
  'AssociatedProductCode',
  'Filter',
  'Code',
  'InterestName',
];
/** An id says nothing of the product: a list that replaces another has ids of its own. */
const IGNORED = new Set(['Id']);
const DAY_FIELDS = ['ValidFrom', 'CollectionValidFrom'];

/** The sections with differences, in the order of the sections. */
export function findDifferences(
  before: readonly Section[],
  after: readonly Section[],
): readonly SectionDifferences[] {
  const [old, current] = [contentsOf(before), contentsOf(after)];
  const keys = [...new Set([...current.keys(), ...old.keys()])];
  return keys
    .map((key) => {
      const [from, to] = [old.get(key), current.get(key)];
      const isList = Array.isArray(from ?? to);
      const none = isList ? [] : {};
      return { key, differences: compare(from ?? none, to ?? none, { path: [], around: [] }) };
    })
    .filter(({ differences }) => differences.length > 0);
}

function contentsOf(sections: readonly Section[]): ReadonlyMap<SectionKey, Section['content']> {
  return new Map(sections.map(({ key, content }) => [key, content]));
}

function compare(before: unknown, after: unknown, place: Place): readonly Difference[] {
  if (isFields(before) && isFields(after)) return compareFields(before, after, place);
  if (isItems(before) && isItems(after)) return compareItems(before, after, place);
  if (isEqual(before, after)) return [];
  if (isAbsent(before)) return [{ kind: 'added', after, ...place }];
  return isAbsent(after)
    ? [{ kind: 'removed', before, ...place }]
    : [{ kind: 'changed', before, after, ...place }];
}

function compareFields(
  before: RecordFields,
  after: RecordFields,
  { path, around }: Place,
): readonly Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => !IGNORED.has(name))
    .flatMap((name) =>
      compare(before[name], after[name], {
        path: [...path, { kind: 'field', name }],
        around: [...around, after],
      }),
    );
}

function compareItems(
  before: readonly RecordFields[],
  after: readonly RecordFields[],
  { path, around }: Place,
): readonly Difference[] {
  const identify = identityOf(before, after);
  const old = new Map(before.map((item, index) => [identify(item, index), item]));
  const current = new Map(after.map((item, index) => [identify(item, index), item]));
  const names = [...new Set([...old.keys(), ...current.keys()])];
  const differences = names.flatMap((name): readonly Difference[] => {
    const [from, to] = [old.get(name), current.get(name)];
    const place = { path: [...path, stepTo(to ?? from ?? {}, name)], around };
    if (from === undefined) return [{ kind: 'added', after: to, ...place }];
    if (to === undefined) return [{ kind: 'removed', before: from, ...place }];
    return compareFields(from, to, place);
  });
  if (differences.length > 0 || isEqual([...old.keys()], [...current.keys()])) return differences;
  return [{ kind: 'changed', before: titlesOf(before), after: titlesOf(after), path, around }];
}

/**
 * How items are recognised in both versions: by a field that is unique on both sides, ids only if both sides have one in common.
 * Otherwise by their number.
 */
function identityOf(
  before: readonly RecordFields[],
  after: readonly RecordFields[],
): (item: RecordFields, index: number) => string {
  const isUnique = (items: readonly RecordFields[], field: string): boolean =>
    items.every((item) => typeof item[field] === 'string' || (DAY_FIELDS.includes(field) && field in item)) &&
    new Set(items.map(readField(field))).size === items.length;
  const hasCommon = (field: string): boolean => {
    const known = new Set(before.map(readField(field)));
    return after.some((item) => known.has(String(item[field])));
  };
  const unique = [...IDENTITIES, ...DAY_FIELDS].filter(
    (field) => isUnique(before, field) && isUnique(after, field),
  );
  const field = unique.find(hasCommon) ?? unique.at(-1);
  return field === undefined ? (_item, index) => String(index + 1) : readField(field);
}

function readField(field: string): (item: RecordFields) => string {
  return (item) => String(item[field]);
}

function stepTo(item: RecordFields, identity: string): Step {
  const title = titleField([item]);
  if (title !== undefined) return { kind: 'item', name: String(item[title]) };
  const dayField = DAY_FIELDS.find((field) => field in item);
  if (dayField === undefined) return { kind: 'item', name: identity };
  const day = item[dayField];
  return { kind: 'day', day: typeof day === 'string' ? day : null };
}

function titlesOf(items: readonly RecordFields[]): readonly string[] {
  const field = titleField(items);
  return items.map((item, index) => (field === undefined ? String(index + 1) : String(item[field])));
}

/** A list of objects, or an empty one. */
function isItems(value: unknown): value is readonly RecordFields[] {
  return Array.isArray(value) && value.every(isFields);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function isEqual(before: unknown, after: unknown): boolean {
  if (isAbsent(before) || isAbsent(after)) return isAbsent(before) && isAbsent(after);
  return JSON.stringify(before) === JSON.stringify(after);
}
