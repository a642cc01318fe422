/** All versions of the products of the catalogue, for operators, including drafts and unreadable records. */

import type { z } from 'zod';
import type {
  ListedProduct,
  ListedVersion,
  productQuery,
  ProductPage,
  CatalogueProductReply,
  CatalogueVersionReply,
  ReferredList,
} from '../../../shared/api/operations/product-lists.ts';
import { OPERATIONS_LIMITS } from '../../../shared/api/operations/operation-fields.ts';
import { formatCalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import {
  codeKey,
  type CatalogueRecord,
  type ListKind,
} from '../../../shared/product/catalogue/catalogue-record.ts';
import { readPayload, unpackBody, unpackRecord } from '../../../shared/product/storage/catalogue-message.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import type { MonotonicClock } from '../../../shared/platform/system-ports.ts';
import type { NotificationTemplateRecord } from '../../../shared/product/catalogue/notification-template.ts';
import type { ProductRecord } from '../../../shared/product/catalogue/product-record.ts';
import type { ItemFilter } from '../../../shared/product/catalogue/record-kinds.ts';
import { selectListVersion } from '../../../shared/product/catalogue/version-in-force.ts';
import {
  type IndexEntry,
  EncodedRecords,
  type EncodedRecordsOptions,
} from '../../../shared/product/storage/records-in-memory.ts';

/** The searched text of each product, kept because each typed letter is a search; making ten thousand takes 20 ms. */
const TEXTS = new WeakMap<ListedProduct, string>();

/** A page of the products that match. `products` must be sorted by code. */
export function searchProducts(
  products: readonly ListedProduct[],
  query: z.output<typeof productQuery>,
): Omit<ProductPage, 'isComplete'> {
  const { search = '', validOn, limit = OPERATIONS_LIMITS.defaultPageProducts, cursor } = query;
  const words = plain(search).split(/\s+/);
  const day = validOn === undefined ? undefined : formatCalendarDate(validOn);
  const matching = products.filter(
    (product) => hasWords(product, words) && (day === undefined || isOffered(product, day)),
  );
  const after = cursor === undefined ? '' : codeKey(cursor);
  const rest = matching.filter(({ code }) => codeKey(code) > after);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    products: page.map(withListedVersions),
    count: matching.length,
    total: products.length,
    nextCursor: last === undefined || page.length === rest.length ? undefined : codeKey(last.code),
  };
}

function withListedVersions(product: ListedProduct): ListedProduct {
  return { ...product, versions: product.versions.slice(-OPERATIONS_LIMITS.listedVersions) };
}

function hasWords(product: ListedProduct, words: readonly string[]): boolean {
  const { code, name = '', type = '' } = product;
  const text = TEXTS.get(product) ?? plain(`${code} ${name} ${type}`);
  TEXTS.set(product, text);
  return words.every((word) => text.includes(word));
}

function isOffered({ versions }: ListedProduct, day: string): boolean {
  // Days as `yyyy-mm-dd` sort like text.
  return versions.some(
    ({ status, validFrom, validTo }) =>
      status === 'Approved' &&
      (validFrom === null || validFrom <= day) &&
      (validTo === null || day <= validTo),
  );
}

function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

interface ProductDirectoryOptions extends Omit<EncodedRecordsOptions, 'onChange'> {
  readonly monotonic: MonotonicClock;
}

type Summary = Pick<ListedProduct, 'name' | 'type' | 'currency'>;

type Unpacked = { readonly entry: CatalogueRecord; readonly bytes: number } | { readonly fault: string };

type Reference = readonly [kind: ReferredList['kind'], code: string];

const SLICE_MS = 5;
const MAX_NAME_CHARACTERS = 200;

/** Follows all versions on the catalogue topic. Names are read on demand, 0.2 ms each, without validating records. */
export class ProductDirectory {
  readonly #options: ProductDirectoryOptions;
  readonly #records: EncodedRecords;
  readonly #summaries = new WeakMap<IndexEntry, Summary>();
  #listing: Promise<readonly ListedProduct[]> | undefined;

  constructor(options: ProductDirectoryOptions) {
    this.#options = options;
    this.#records = new EncodedRecords({
      ...options,
      onChange: ({ kind }) => {
        if (kind === 'product') this.#listing = undefined;
      },
    });
  }

  start(): Promise<void> {
    return this.#records.start();
  }

  stop(timeoutMs?: number): Promise<void> {
    return this.#records.stop(timeoutMs);
  }

  /** All products, sorted by code, each with all versions. The same array until a product changes. */
  products(): Promise<readonly ListedProduct[]> {
    return (this.#listing ??= this.#list());
  }

  /** Undefined if there is no such product. */
  product(code: string): CatalogueProductReply | undefined {
    const entries = this.#records.index.versions('product', code);
    if (entries.length === 0) return undefined;
    return { ...withListedVersions(this.#describe(entries)), isComplete: this.isComplete() };
  }

  /** A version with the lists to which it refers; undefined if there is no such version. */
  version(code: string, number: number): CatalogueVersionReply | undefined {
    const entries = this.#records.index.versions('product', code);
    const entry = entries.find(({ identity: { version } }) => version === number);
    if (entry === undefined) return undefined;
    const { name: _, ...head } = this.#describeVersion(entry);
    const shown = { code: entry.identity.code, ...head };
    const isComplete = this.isComplete();
    const unpacked = this.#unpack(entry);
    if ('fault' in unpacked) return { ...shown, fault: unpacked.fault, lists: [], isComplete };
    const product = unpacked.entry.record as ProductRecord;
    return { ...shown, product: { ...product }, lists: this.#referredLists(product), isComplete };
  }

  /** The template of notifications in force with a code, if it can be read (N9). */
  template(code: string): NotificationTemplateRecord | undefined {
    const found = this.#listInForce('notification-template', code);
    return 'entry' in found && found.entry.kind === 'notification-template' ? found.entry.record : undefined;
  }

  /** False while the topic cannot be read, and if records were left out because of the limits. */
  isComplete(): boolean {
    return this.#records.health().status === 'ready';
  }

  async #list(): Promise<readonly ListedProduct[]> {
    const { monotonic, timers } = this.#options;
    let endsAtMs = monotonic.elapsedMs() + SLICE_MS;
    const products: ListedProduct[] = [];
    for (const code of this.#records.index.codes('product').toSorted()) {
      // A product may have been removed meanwhile.
      const versions = this.#records.index.versions('product', code);
      if (versions.length > 0) products.push(this.#describe(versions));
      if (monotonic.elapsedMs() < endsAtMs) continue;
      await new Promise<void>((resolve) => timers.nextTurn(resolve));
      endsAtMs = monotonic.elapsedMs() + SLICE_MS;
    }
    return products;
  }

  #describe(entries: readonly IndexEntry[]): ListedProduct {
    const versions = entries.toSorted((one, other) => one.Version - other.Version);
    const latest = versions.findLast(({ identity: { status } }) => status === 'Approved') ?? versions.at(-1);
    return {
      code: latest?.identity.code ?? '',
      ...(latest === undefined ? {} : this.#summaryOf(latest)),
      versionCount: versions.length,
      versions: versions.map((entry) => this.#describeVersion(entry)),
    };
  }

  #describeVersion(entry: IndexEntry): ListedVersion {
    const { version, id, status, validFrom, validTo } = entry.identity;
    const { name } = this.#summaryOf(entry);
    return { version, id, status, validFrom, validTo, name };
  }

  #summaryOf(entry: IndexEntry): Summary {
    const known = this.#summaries.get(entry);
    if (known !== undefined) return known;
    let summary: Summary = {};
    try {
      const { encoding, body } = this.#payload(entry);
      const { Name, BankingProductType, Availability } = fieldsOf(unpackBody(encoding, body).value);
      const currency = nameOf(fieldsOf(Availability)['Currency']);
      summary = { name: nameOf(Name), type: nameOf(BankingProductType), currency };
    } catch {
      // A record that cannot be read has no summary.
    }
    this.#summaries.set(entry, summary);
    return summary;
  }

  #payload({ encoded }: IndexEntry) {
    const decoded = this.#options.codec.decode(encoded);
    if (decoded instanceof Promise) throw new Error('its schema is no longer known');
    return readPayload(decoded);
  }

  #unpack(entry: IndexEntry): Unpacked {
    try {
      return unpackRecord(this.#payload(entry), entry.key);
    } catch (error) {
      return { fault: errorText(error) };
    }
  }

  /** The lists of a product and the custom lists of their filters, each once. */
  #referredLists(product: ProductRecord): ReferredList[] {
    const waiting = [...referencesOf(product)];
    const seen = new Set<string>();
    const lists: ReferredList[] = [];
    let bytes = 0;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [kind, code] = next;
      const place = `${kind}/${codeKey(code)}`;
      if (seen.has(place)) continue;
      seen.add(place);
      if (lists.length >= OPERATIONS_LIMITS.referredLists) break;
      const found = bytes > OPERATIONS_LIMITS.referredListBytes ? TOO_LARGE : this.#listInForce(kind, code);
      if ('fault' in found) {
        lists.push({ kind, code, fault: found.fault });
        continue;
      }
      bytes += found.bytes;
      const record = found.entry.record as { readonly Version: number };
      lists.push({ kind, code, version: record.Version, record: { ...record } });
      waiting.push(...filtersOf(found.entry).flatMap(customListOf));
    }
    return lists;
  }

  /** The latest Active version that can be read. */
  #listInForce(kind: ListKind, code: string): Unpacked {
    let left = this.#records.index.versions(kind, code);
    let fault = NOT_IN_FORCE;
    for (let chosen = selectListVersion(left); chosen !== undefined; chosen = selectListVersion(left)) {
      const read = chosen;
      const unpacked = this.#unpack(read);
      if (!('fault' in unpacked)) return unpacked;
      fault = unpacked;
      left = left.filter((entry) => entry !== read);
    }
    return fault;
  }
}

const NOT_IN_FORCE = { fault: 'no version of it is in force' };
const TOO_LARGE = { fault: 'it is left out, because the lists before it are as large as an answer may be' };

function reference(kind: Reference[0], code: string | null | undefined): Reference[] {
  return code === null || code === undefined ? [] : [[kind, code]];
}

function referencesOf(product: ProductRecord): readonly Reference[] {
  const { InterestsAndCommissions, Insurances, Discounts, LimitList } = product;
  return [
    ...InterestsAndCommissions.flatMap(({ InterestList }) => reference('interest-list', InterestList)),
    ...InterestsAndCommissions.flatMap(({ CommissionList }) => reference('commission-list', CommissionList)),
    ...Insurances.flatMap(({ InsuranceList }) => reference('insurance-list', InsuranceList)),
    ...Discounts.flatMap((code) => reference('discount-list', code)),
    ...reference('limit-list', LimitList),
    ...[...InterestsAndCommissions, ...Insurances].flatMap(({ Filters }) => Filters).flatMap(customListOf),
  ];
}

function filtersOf({ kind, record }: CatalogueRecord): readonly ItemFilter[] {
  if (kind === 'insurance-list') return record.Insurances.flatMap(({ Filters }) => Filters);
  return kind === 'discount-list' ? record.Discounts.flatMap(({ Filters }) => Filters) : [];
}

function customListOf(filter: ItemFilter): Reference[] {
  return 'List' in filter ? [['custom-list', filter.List]] : [];
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= MAX_NAME_CHARACTERS ? value : undefined;
}
