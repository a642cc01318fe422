/** Finds the values that differ between two versions of a product, by section. */
import { isRecord } from '../schedules/loan.ts';
import type { RecordFields } from './catalogue-calls.ts';
import { itemList, titleField, type Section, type SectionKey } from './record-sections.ts';

/** A step into a section: a field, an item by its name or number, or an item by its first day (null: open). */
export type Step = { readonly field: string } | { readonly item: string } | { readonly from: string | null };

export interface Difference {
  readonly path: readonly Step[];
  /** The value in the version before; undefined if the value was added. */
  readonly before: unknown;
  /** The value in the version after; undefined if the value was removed. */
  readonly after: unknown;
  /** The currency of the innermost item that states one; if undefined, amounts are in the product's currency. */
  readonly currency: string | undefined;
}

type Leaf = Pick<Difference, 'path' | 'currency'> & { readonly value: unknown };

const ID = /"Id":"([^"]*)"/g;
const DAY_FIELDS = ['ValidFrom', 'CollectionValidFrom'];

/** The sections with differences; those that only `before` has come last. `leavesIn` decides which items match. */
export function findDifferences(
  before: readonly Section[],
  after: readonly Section[],
): readonly { readonly key: SectionKey; readonly differences: readonly Difference[] }[] {
  return [...new Set([...after, ...before].map(({ key }) => key))]
    .map((key) => {
      const contents = [before, after].map((sections) => sections.find((one) => one.key === key)?.content);
      const ids = contents.map((content) => [...textOf(content).matchAll(ID)].map(([, id]): unknown => id));
      const isShared = (id: unknown): id is string =>
        ids.every((known) => known.filter((one) => one === id).length === 1);
      const [old, current] = [leavesIn(contents[0], isShared), leavesIn(contents[1], isShared)];
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

/** Equal values have equal texts. A value that is absent or null counts as false, the default of flags. */
const textOf = (value: unknown): string => JSON.stringify(value ?? false);

/** The values in a part, by place. A place names an item by its id if `isShared` accepts it, or else by its step. */
function leavesIn(part: unknown, isShared: (id: unknown) => id is string): ReadonlyMap<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  const visit = (content: unknown, place: string, path: readonly Step[], currency?: string): void => {
    const items = itemList(content);
    for (const [at, step] of stepsTo(items).entries()) {
      const id = items[at]?.['Id'];
      visit(items[at], `${place}/${isShared(id) ? id : textOf(step)}`, [...path, step], currency);
    }
    const title = items.length > 1 ? titleField(items) : undefined;
    if (title !== undefined) {
      const value = items.map((item) => item[title]);
      leaves.set(`${place}/Order`, { path: [...path, { field: 'Order' }], currency, value });
    }
    if (isRecord(content)) {
      const own = typeof content['Currency'] === 'string' ? content['Currency'] : currency;
      for (const [field, value] of Object.entries(content)) {
        if (field !== 'Id') visit(value, `${place}/${field}`, [...path, { field }], own);
      }
    } else if (items.length === 0 && content !== undefined && content !== null && textOf(content) !== '[]') {
      leaves.set(place, { path, currency, value: content });
    }
  };
  visit(part, '', []);
  return leaves;
}

/** The steps to the items of a list. A repeated name gets the number of its item: `Fee (3)`. */
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
