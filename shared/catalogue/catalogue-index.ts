/** Where records are, by kind and code and by id: only what it takes to choose a version, not the records themselves. */

import type { TableRecord } from '../messaging/table/table.ts';
import { codeKey, type RecordIdentity, type RecordKind } from '../product/catalogue/catalogue-record.ts';
import type { ItemStatus } from '../product/catalogue/record-parts.ts';
import type { ProductStatus } from '../product/catalogue/product-record.ts';

/** One version of a record. The members in capitals are what validity.ts chooses by. */
export interface IndexEntry {
  readonly key: string;
  readonly identity: RecordIdentity;
  /** As it is on the log. */
  readonly encoded: TableRecord;
  readonly Version: number;
  readonly Status: ProductStatus & ItemStatus;
  readonly StartDate: string | null;
  readonly EndDate: string | null;
}

/** Entry of a record. */
export function indexEntry(key: string, identity: RecordIdentity, encoded: TableRecord): IndexEntry {
  return {
    key,
    identity,
    encoded,
    Version: identity.version,
    // What is neither of a status is never chosen, which is right for a word that this version does not know.
    Status: (identity.status ?? undefined) as ProductStatus & ItemStatus,
    StartDate: identity.validFrom,
    EndDate: identity.validTo,
  };
}

const NONE: readonly IndexEntry[] = [];

/** Versions by code and by id; finding one costs the same however many records there are. */
export class CatalogueIndex {
  readonly #byKey = new Map<string, IndexEntry>();
  readonly #byCode = new Map<string, IndexEntry[]>();
  readonly #byId = new Map<string, IndexEntry[]>();

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): IndexEntry | undefined {
    return this.#byKey.get(key);
  }

  all(): IterableIterator<IndexEntry> {
    return this.#byKey.values();
  }

  /** The versions of a code, in no particular order. */
  versions(kind: RecordKind, code: string): readonly IndexEntry[] {
    return this.#byCode.get(`${kind}/${codeKey(code)}`) ?? NONE;
  }

  /** The versions of that id: one, unless the catalogue is wrong. */
  withId(kind: RecordKind, id: string): readonly IndexEntry[] {
    return this.#byId.get(`${kind}/${codeKey(id)}`) ?? NONE;
  }

  put(entry: IndexEntry): void {
    this.remove(entry.key);
    this.#byKey.set(entry.key, entry);
    const { kind, code, id } = entry.identity;
    addTo(this.#byCode, `${kind}/${codeKey(code)}`, entry);
    if (id !== null) addTo(this.#byId, `${kind}/${codeKey(id)}`, entry);
  }

  remove(key: string): void {
    const entry = this.#byKey.get(key);
    if (entry === undefined) return;
    this.#byKey.delete(key);
    const { kind, code, id } = entry.identity;
    removeFrom(this.#byCode, `${kind}/${codeKey(code)}`, entry);
    if (id !== null) removeFrom(this.#byId, `${kind}/${codeKey(id)}`, entry);
  }
}

function addTo(map: Map<string, IndexEntry[]>, place: string, entry: IndexEntry): void {
  const entries = map.get(place);
  if (entries === undefined) map.set(place, [entry]);
  else entries.push(entry);
}

function removeFrom(map: Map<string, IndexEntry[]>, place: string, entry: IndexEntry): void {
  const left = (map.get(place) ?? []).filter((one) => one !== entry);
  if (left.length === 0) map.delete(place);
  else map.set(place, left);
}
