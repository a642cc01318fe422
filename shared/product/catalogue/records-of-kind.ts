/** Records of a catalogue by kind, and its lists by code. */

import type { CatalogueEntry } from '../../lending/schedule-types/catalogue-entry.ts';
import type { CatalogueRecord, RecordKind, RecordsByKind } from './catalogue-records.ts';
import type { CatalogueView } from './catalogue-view.ts';
import { listInForce, type ListVersion } from './product-versions.ts';
import { codeKey } from './record-identity.ts';

/** A record of a known kind, and where it stands. */
type EntryOf<Kind extends RecordKind> = CatalogueEntry<RecordsByKind[Kind]>;

/** How lists are found by their code. */
export type FindLists = Omit<CatalogueView, 'product' | 'productById' | 'lending'>;

/** Lists by code, of which the version in force answers. */
export function findLists(records: readonly CatalogueRecord[]): FindLists {
  return {
    interestList: findInForce(recordsOfKind(records, 'interest-list')),
    commissionList: findInForce(recordsOfKind(records, 'commission-list')),
    insuranceList: findInForce(recordsOfKind(records, 'insurance-list')),
    discountList: findInForce(recordsOfKind(records, 'discount-list')),
    customList: findInForce(recordsOfKind(records, 'custom-list')),
  };
}

/** The records of one kind, in catalogue order. */
function recordsOfKind<Kind extends RecordKind>(
  records: readonly CatalogueRecord[],
  kind: Kind,
): readonly RecordsByKind[Kind][] {
  return entriesOfKind(records, kind).map(({ record }) => record);
}

/** The entries of one kind, in catalogue order. */
export function entriesOfKind<Kind extends RecordKind>(
  records: readonly CatalogueRecord[],
  kind: Kind,
): readonly EntryOf<Kind>[] {
  const found: readonly unknown[] = records.filter((entry) => entry.kind === kind);
  // The compiler does not see that a kind decides the record when the kind is itself a parameter.
  return found as readonly EntryOf<Kind>[];
}

function findInForce<List extends ListVersion & { readonly Code: string }>(
  lists: readonly List[],
): (code: string) => List | undefined {
  const versions = Map.groupBy(lists, ({ Code }) => codeKey(Code));
  const inForce = new Map([...versions].map(([code, found]) => [code, listInForce(found)]));
  return (code) => inForce.get(codeKey(code));
}

/** Lists but for those that are in a set of faulty records. */
export function soundLists(lists: FindLists, faulty: ReadonlySet<unknown>): FindLists {
  const sound =
    <List>(find: (code: string) => List | undefined) =>
    (code: string): List | undefined => {
      const list = find(code);
      return faulty.has(list) ? undefined : list;
    };
  return {
    interestList: sound(lists.interestList),
    commissionList: sound(lists.commissionList),
    insuranceList: sound(lists.insuranceList),
    discountList: sound(lists.discountList),
    customList: sound(lists.customList),
  };
}
