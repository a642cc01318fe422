/** The filter figures of a request (L3), with what is to be said about them. */

import type { Findings } from '../../lending/request/refusal.ts';
import { readFigures, unknownFigures, type NamedFigure, type NamedFigures } from './item-filters.ts';
import type { ItemFilter } from './record-parts.ts';

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
