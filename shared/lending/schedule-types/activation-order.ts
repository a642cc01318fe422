/** Order of the columns: each stands after all that it is calculated from (S3). */

import { countsAsCharge, type ColumnDraft } from './column-draft.ts';
import { namesIn } from '../formula/tree.ts';
import type { ActivationFault } from './schedule-type-record.ts';

/** Why a column needs another. */
interface Need {
  /** Name of the other column in lower case. */
  readonly name: string;
  readonly because: string;
  /** True when the other column may be listed later, because it is calculated first anyway. */
  readonly isAnyOrder?: boolean;
}

/** Reports every column that stands before one that it needs, and every circle of columns that need each other. */
export function checkOrder(columns: readonly ColumnDraft[], faults: ActivationFault[]): void {
  const places = new Map<string, number>();
  for (const [place, { name }] of columns.entries()) {
    if (!places.has(name.toLowerCase())) places.set(name.toLowerCase(), place);
  }
  const needs = columns.map((column) => needsOf(column, columns).filter(({ name }) => places.has(name)));
  const reported = new Set<string>();
  for (const [place, column] of columns.entries()) {
    for (const { name, because, isAnyOrder } of needs[place] ?? []) {
      const other = places.get(name) ?? 0;
      if (other < place) continue;
      const circle = wayTo(place, other, needs, places);
      if (circle === undefined && isAnyOrder === true) continue;
      if (circle === undefined) {
        const otherName = columns[other]?.name;
        faults.push({
          column: column.name,
          message: `must stand after ${otherName}${because}: move it below`,
        });
        continue;
      }
      reportCircle([place, ...circle], columns, reported, faults);
    }
  }
}

function needsOf(column: ColumnDraft, columns: readonly ColumnDraft[]): readonly Need[] {
  const needs: Need[] = [];
  const need = (because: string, ...names: readonly string[]): void => {
    for (const name of names) needs.push({ name: name.toLowerCase(), because });
  };
  if (column.standard === 'Interest') need('', 'RemainingValue');
  if (column.standard === 'PMT' || column.standard === 'Principal') {
    needs.push({ name: 'interest', because: '', isAnyOrder: true });
  }
  if (column.method === 'CapitalPercent') need('', 'RemainingValue');
  if (column.method === 'Balance') need(', of which it is what is left', 'PMT');
  if (column.method === 'Balance') need(', which it is calculated from', 'Interest');
  if (column.tree !== undefined) need(', which its formula names', ...namesIn(column.tree).keys());
  if (column.standard === 'TotalInstallment') {
    const charges = columns.filter(countsAsCharge).map(({ name }) => name);
    need(', whose amount it holds', ...charges);
  }
  return needs;
}

/** The places from `start` on to `goal`, along what each needs; undefined when there is no way. Nearest way first. */
function wayTo(
  goal: number,
  start: number,
  needs: readonly (readonly Need[])[],
  places: ReadonlyMap<string, number>,
): readonly number[] | undefined {
  const seen = new Set([start]);
  const ways: (readonly number[])[] = [[start]];
  for (const way of ways) {
    const last = way.at(-1) ?? goal;
    if (last === goal) return way;
    const next = (needs[last] ?? []).map(({ name }) => places.get(name) ?? goal);
    for (const place of next.filter((candidate) => !seen.has(candidate))) {
      seen.add(place);
      ways.push([...way, place]);
    }
  }
  return undefined;
}

function reportCircle(
  circle: readonly number[],
  columns: readonly ColumnDraft[],
  reported: Set<string>,
  faults: ActivationFault[],
): void {
  const key = [...new Set(circle)].toSorted((a, b) => a - b).join(' ');
  if (reported.has(key)) return;
  reported.add(key);
  const names = circle.map((place) => columns[place]?.name ?? '');
  const message = `must not be calculated from itself (${names.join(' needs ')}): change one of these formulas`;
  faults.push({ column: names[0] ?? '', message });
}
