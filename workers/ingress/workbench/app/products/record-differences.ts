/** What is different between two versions of a product, by section: single values, each with its place on both sides. */
import type { RecordFields } from './catalogue-calls.ts';
import { isFields, itemList, titleField, type Section, type SectionKey } from './record-sections.ts';

/** A step to a place in a section: a field, or an item by its name or by the first day of its validity. */
export type Step = { readonly field: string } | { readonly item: string } | { readonly from: string | null };

export interface Difference {
  readonly path: readonly Step[];
  /** Undefined if added. */
  readonly before: unknown;
  /** Undefined if removed. */
  readonly after: unknown;
  /** That of the items around it; undefined: that of the product. */
  readonly currency: string | undefined;
}

interface Leaf extends Pick<Difference, 'path' | 'currency'> {
  readonly value: unknown;
}

const DAY_FIELDS = ['ValidFrom', 'CollectionValidFrom'];

/** The sections with differences, in the order of the sections. An item with another name is another item. */
export function findDifferences(
  before: readonly Section[],
  after: readonly Section[],
): readonly { readonly key: SectionKey; readonly differences: readonly Difference[] }[] {
  const keys = new Set([...after, ...before].map(({ key }) => key));
  return [...keys]
    .map((key) => {
      const [old, current] = [leavesIn(before, key), leavesIn(after, key)];
      const differences = [...new Map([...old, ...current]).entries()]
        .map(([place, { path, currency }]) => ({
          path,
          currency,
          before: old.get(place)?.value,
          after: current.get(place)?.value,
        }))
        .filter(({ before: from, after: to }) => textOf(from) !== textOf(to));
      return { key, differences };
    })
    .filter(({ differences }) => differences.length > 0);
}

/** A flag that is absent is not set. */
const textOf = (value: unknown): string => JSON.stringify(value ?? false);

function leavesIn(sections: readonly Section[], key: SectionKey): ReadonlyMap<string, Leaf> {
  const leaves = leavesOf(sections.find((section) => section.key === key)?.content, [], undefined);
  return new Map(leaves.map((leaf) => [JSON.stringify(leaf.path), leaf]));
}

/** All values of a part that are no objects, with their places. An id says nothing of the product. */
function leavesOf(content: unknown, path: readonly Step[], currency: string | undefined): readonly Leaf[] {
  if (content === undefined || content === null) return [];
  if (isFields(content)) {
    const own = typeof content['Currency'] === 'string' ? content['Currency'] : currency;
    return Object.entries(content)
      .filter(([name]) => name !== 'Id')
      .flatMap(([field, value]) => leavesOf(value, [...path, { field }], own));
  }
  const items = itemList(content);
  if (items.length > 0) {
    const steps = stepsTo(items);
    return items.flatMap((item, at) => leavesOf(item, [...path, steps[at] ?? { item: '' }], currency));
  }
  return Array.isArray(content) && content.length === 0 ? [] : [{ path, value: content, currency }];
}

/** Steps to the items of a list; of those with the same name the later ones have their number too. */
function stepsTo(items: readonly RecordFields[]): readonly Step[] {
  const steps = items.map(stepTo);
  const texts = steps.map((step) => JSON.stringify(step));
  return steps.map((step, at) => {
    const isRepeated = texts.indexOf(texts[at] ?? '') < at;
    return isRepeated && 'item' in step ? { item: `${step.item} (${at + 1})` } : step;
  });
}

function stepTo(item: RecordFields, index: number): Step {
  const title = titleField([item]);
  if (title !== undefined) return { item: String(item[title]) };
  const day = DAY_FIELDS.find((field) => field in item);
  if (day === undefined) return { item: String(index + 1) };
  return { from: typeof item[day] === 'string' ? item[day] : null };
}
