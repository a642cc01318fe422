/** Finds what a request chooses by a name, an id, or both where they agree (Q5, Q8). */

import type { Validation } from '../../lending/request/validation.ts';
import { isSameCode } from '../catalogue/catalogue-record.ts';
import type { NamedChoice } from './simulation.ts';

/** What a choice may name. `Found` is found by either key; several may share a name. */
interface Choices<Found, IdField> {
  /** What is chosen, in messages, such as `discount`. */
  readonly what: string;
  readonly idField: IdField;
  readonly offered: readonly { readonly name: string; readonly id: string; readonly record: Found }[];
}

/** Reports a fault if nothing is named (400), what is named is not offered (422), or name and id disagree (400). */
export function findNamed<Found, IdField extends string>(
  path: string,
  choice: NamedChoice<IdField>,
  { what, idField, offered }: Choices<Found, IdField>,
  validation: Validation,
): readonly Found[] {
  const { Name, [idField]: id } = choice;
  const find = (field: string, sent: string, by: 'name' | 'id'): readonly Found[] => {
    const found = offered.filter((one) => isSameCode(one[by], sent)).map(({ record }) => record);
    if (found.length > 0) return found;
    const names = offered.map(({ name }) => name).join(', ');
    const message =
      offered.length === 0
        ? `must be left out: the product has no ${what} for this request`
        : `must be ${by === 'id' ? 'the id of one' : 'one'} of ${names}`;
    validation.reject(`${path}.${field}`, 'unknown-value', message);
    return [];
  };
  const byName = Name === undefined ? undefined : find('Name', Name, 'name');
  const byId = id === undefined ? undefined : find(idField, id, 'id');
  if (byName === undefined && byId === undefined) {
    validation.reportMissing(`${path}.Name`, `is missing; the ${what} must have Name or ${idField}`);
  }
  if (byName === undefined || byId === undefined) return byName ?? byId ?? [];
  const both = byName.filter((found) => byId.includes(found));
  if (byName.length > 0 && byId.length > 0 && both.length === 0) {
    validation.reportConflict(`${path}.${idField}`, `must be the id of the ${what} that Name names`);
  }
  return both;
}
