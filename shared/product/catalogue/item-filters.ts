/**
 * Conditions on items of a product (L3): a request names figures, such as Amount 5000; an item passes when all of its
 * filters do; a filter whose figure is not sent counts as passed.
 */

import type { Validation } from '../../lending/request/validation.ts';
import { codeKey } from './catalogue-record.ts';
import type { ListsInForce } from './catalogue-view.ts';
import type { ItemFilter } from './record-parts.ts';

/** A figure as a request names it. A JSON number stands for one decimal, so that equal numbers are equal figures (M1). */
export interface NamedFigure {
  readonly name: string;
  readonly value: number;
}

/** The figures of a request by name in lower case. */
export type NamedFigures = ReadonlyMap<string, number>;

/**
 * Reads the figures in the list of a request's field; names count in any case. Two of one name that differ contradict
 * each other (400). A name that none of `filters` has is ignored with a warning (L3): these are the filters of all items
 * that the request is about, whether they pass or not.
 */
export function readFigures(
  field: string,
  sent: readonly NamedFigure[] = [],
  filters: readonly ItemFilter[],
  validation: Validation,
): NamedFigures {
  const figures = new Map<string, number>();
  if (sent.length === 0) return figures;
  const known = new Set(filters.map(({ Name }) => codeKey(Name)));
  for (const [place, { name, value }] of sent.entries()) {
    const key = codeKey(name);
    const earlier = figures.get(key);
    if (earlier === undefined) figures.set(key, value);
    else if (earlier !== value) {
      validation.reportConflict(`${field}[${place}].value`, 'must be that of the other figure of this name');
    }
    if (!known.has(key)) validation.warn(`${field}[${place}].name`, 'unknown-filter');
  }
  return figures;
}

/** True when all filters pass; an item without filters is open to everyone. */
export function passesFilters(
  filters: readonly ItemFilter[],
  figures: NamedFigures,
  lists: ListsInForce,
): boolean {
  if (figures.size === 0) return true;
  return filters.every((filter) => {
    const figure = figures.get(codeKey(filter.Name));
    return figure === undefined || passes(filter, figure, lists);
  });
}

/** A custom list that is missing has no values: what depends on it is not offered. */
function passes(filter: ItemFilter, figure: number, lists: ListsInForce): boolean {
  if ('Values' in filter) return filter.Values.includes(figure);
  if ('List' in filter) return lists.list('custom-list', filter.List)?.Values.includes(figure) ?? false;
  return (filter.From === null || filter.From <= figure) && (filter.To === null || figure <= filter.To);
}
