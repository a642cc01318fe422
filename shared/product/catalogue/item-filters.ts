/** Filters of items (L3). An item passes if all its filters pass. */

import type { Validation } from '../../lending/request/validation.ts';
import { codeKey } from './catalogue-record.ts';
import type { ListsInForce } from './catalogue-view.ts';
import type { ItemFilter } from './record-kinds.ts';

/** A figure of a request as a binary number, which is what filters of the catalogue contain. */
export interface NamedFigure {
  readonly name: string;
  readonly value: number;
}

/** Figures by name, as {@link codeKey} normalises it. */
export type NamedFigures = ReadonlyMap<string, number>;

/** Adds a fault (400) if a name has different figures, and the warning `unknown-filter` if no filter has the name. */
export function readFigures(
  field: string,
  sent: readonly NamedFigure[] = [],
  filters: readonly ItemFilter[],
  validation: Validation,
): Map<string, number> {
  const figures = new Map<string, number>();
  if (sent.length === 0) return figures;
  const known = new Set(filters.map(({ Name }) => codeKey(Name)));
  for (const [place, { name, value }] of sent.entries()) {
    const key = codeKey(name);
    const earlier = figures.get(key);
    if (earlier === undefined) figures.set(key, value);
    else if (earlier !== value) {
      validation.reportConflict(`${field}[${place}].value`, 'must equal the other figure of this name');
    }
    if (!known.has(key)) validation.warn(`${field}[${place}].name`, 'unknown-filter');
  }
  return figures;
}

/** True unless a filter fails: one without a figure passes. */
export function passesFilters(
  filters: readonly ItemFilter[],
  figures: NamedFigures,
  lists: ListsInForce,
): boolean {
  return findUnstated(filters, figures, lists) !== undefined;
}

/** The names of filters without a figure, on which it depends whether the item passes; undefined if it does not. */
export function findUnstated(
  filters: readonly ItemFilter[],
  figures: NamedFigures,
  lists: ListsInForce,
): readonly string[] | undefined {
  const unstated: string[] = [];
  for (const filter of filters) {
    const figure = figures.get(codeKey(filter.Name));
    if (figure === undefined) unstated.push(filter.Name);
    else if (!passes(filter, figure, lists)) return undefined;
  }
  return unstated;
}

/** What a filter requires, such as `Amount from 500 to 20000`. */
export function describeFilter(filter: ItemFilter): string {
  if ('Values' in filter) return `${filter.Name} ${filter.Values.join(' or ')}`;
  if ('List' in filter) return `${filter.Name} in the list ${filter.List}`;
  const ends = [
    ...(filter.From === null ? [] : [`from ${filter.From}`]),
    ...(filter.To === null ? [] : [`to ${filter.To}`]),
  ];
  return `${filter.Name} ${ends.join(' ')}`;
}

/** A filter that names a custom list fails if the list does not exist. */
function passes(filter: ItemFilter, figure: number, lists: ListsInForce): boolean {
  if ('Values' in filter) return filter.Values.includes(figure);
  if ('List' in filter) return lists.list('custom-list', filter.List)?.Values.includes(figure) ?? false;
  return (filter.From === null || filter.From <= figure) && (filter.To === null || figure <= filter.To);
}
