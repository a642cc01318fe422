/** Index of catalogue records by kind and code and by id, with only the fields that select a version. */

import type { MessageContent } from '../messaging/message-content.ts';
import { codeKey, type RecordIdentity, type RecordKind } from '../product/catalogue/catalogue-record.ts';
import type { ItemStatus } from '../product/catalogue/record-kinds.ts';
import type { ProductStatus } from '../product/catalogue/product-record.ts';

/** A record as stored on the topic. */
export interface EncodedRecord extends MessageContent {
  readonly partition: number;
  readonly offset: number;
}

/** One version of a record. The capitalised fields are the criteria of valid-versions.ts. */
export interface IndexEntry {
  readonly key: string;
  readonly identity: RecordIdentity;
  readonly encoded: EncodedRecord;
  readonly Version: number;
  readonly Status: ProductStatus & ItemStatus;
  readonly StartDate: string | null;
  readonly EndDate: string | null;
}

/** Creates the entry of a record. */
export function createIndexEntry(key: string, identity: RecordIdentity, encoded: EncodedRecord): IndexEntry {
  return {
    key,
    identity,
    encoded,
    Version: identity.version,
    // A status that a newer version of the software has added is unknown here; such a record is never selected.
    Status: (identity.status ?? undefined) as ProductStatus & ItemStatus,
    StartDate: identity.validFrom,
    EndDate: identity.validTo,
  };
}

const NONE: readonly IndexEntry[] = [];

/** Versions by code and by id; a lookup takes constant time. */
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

  /** The codes of a kind as {@link codeKey} normalises them, in no particular order. */
  codes(kind: RecordKind): readonly string[] {
    const prefix = `${kind}/`;
    return [...this.#byCode.keys()].flatMap((place) =>
      place.startsWith(prefix) ? [place.slice(prefix.length)] : [],
    );
  }

  /** The versions of a code, in no particular order. */
  versions(kind: RecordKind, code: string): readonly IndexEntry[] {
    return this.#byCode.get(`${kind}/${codeKey(code)}`) ?? NONE;
  }

  /** The versions with that id; a valid catalogue has at most one. */
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
