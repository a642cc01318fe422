/**
 * Conditions on items of a product (L3): a request names figures, such as Amount 5000; an item passes when all of its
 * filters do; a filter whose figure is not named counts as passed.
 */

import type { Findings } from '../../lending/request/refusal.ts';
import { codeKey } from './catalogue-record.ts';
import type { CustomListRecord } from './list-records.ts';
import type { ItemFilter } from './record-parts.ts';

/** A figure as a request names it. A JSON number stands for one decimal, so that equal numbers are equal figures (M1). */
export interface NamedFigure {
  readonly name: string;
  readonly value: number;
}

/** The figures of a request by name in lower case. */
export type NamedFigures = ReadonlyMap<string, number>;

/** The figures of a request, and the places of those that contradict an earlier one of the same name. */
export interface ReadFigures {
  readonly figures: NamedFigures;
  readonly contradicting: readonly number[];
}

/** Finds a custom list by code; undefined: there is none. */
export type FindCustomList = (code: string) => CustomListRecord | undefined;

/** Reads the figures of a request; names count in any case. Of two figures of one name the first is kept. */
export function readFigures(sent: readonly NamedFigure[]): ReadFigures {
  const figures = new Map<string, number>();
  const contradicting: number[] = [];
  for (const [place, { name, value }] of sent.entries()) {
    const key = codeKey(name);
    const known = figures.get(key);
    if (known === undefined) figures.set(key, value);
    else if (known !== value) contradicting.push(place);
  }
  return { figures, contradicting };
}

/** True when all filters pass; without any filter nothing stands in the way. */
export function passesFilters(
  filters: readonly ItemFilter[],
  figures: NamedFigures,
  findCustomList: FindCustomList,
): boolean {
  if (figures.size === 0) return true;
  return filters.every((filter) => {
    const figure = figures.get(codeKey(filter.Name));
    return figure === undefined || passes(filter, figure, findCustomList);
  });
}

/**
 * The places of the figures that no filter asks for: they are ignored with a warning each (L3). `filters` are those of
 * all items that the request is about, whether they pass or not.
 */
export function unknownFigures(
  sent: readonly NamedFigure[],
  filters: readonly ItemFilter[],
): readonly number[] {
  if (sent.length === 0) return [];
  const known = new Set(filters.map(({ Name }) => codeKey(Name)));
  return sent.flatMap(({ name }, place) => (known.has(codeKey(name)) ? [] : [place]));
}

/** A list that is not there has no values: what depends on it is not offered to anyone. */
function passes(filter: ItemFilter, figure: number, findCustomList: FindCustomList): boolean {
  if ('Values' in filter) return filter.Values.includes(figure);
  if ('List' in filter) return findCustomList(filter.List)?.Values.includes(figure) ?? false;
  return (filter.From === null || filter.From <= figure) && (filter.To === null || figure <= filter.To);
}

/**
 * The figures that the list of a member names. Two of one name that differ contradict each other (400); a name that
 * none of the filters has is ignored with a warning (L3).
 */
export function figuresOf(
  member: string,
  sent: readonly NamedFigure[] | undefined,
  filters: readonly ItemFilter[],
  findings: Findings,
): NamedFigures {
  const { figures, contradicting } = readFigures(sent ?? []);
  for (const place of contradicting) {
    findings.contradict(`${member}[${place}].value`, 'must be that of the other figure of this name');
  }
  for (const place of unknownFigures(sent ?? [], filters)) {
    findings.warn(`${member}[${place}].name`, 'unknown-filter');
  }
  return figures;
}
