/** The calls of this room on the catalogue (/api/operations/v1/products), and their replies as far as it uses them. */
import { callJson } from '../api.ts';

/** One version of a product, as lists have it. Days are `yyyy-mm-dd`, null: open. */
export interface ListedVersion {
  readonly version: number;
  readonly status: string | null;
  readonly validFrom: string | null;
  readonly validTo: string | null;
  readonly name?: string | undefined;
}

export interface ListedProduct {
  readonly code: string;
  readonly name?: string | undefined;
  readonly type?: string | undefined;
  readonly currency?: string | undefined;
  readonly versionCount: number;
  /** By ascending number. */
  readonly versions: readonly ListedVersion[];
}

export interface ProductPage {
  readonly products: readonly ListedProduct[];
  readonly count: number;
  readonly total: number;
  readonly isComplete: boolean;
  readonly nextCursor?: string | undefined;
}

export interface CatalogueProduct extends ListedProduct {
  readonly isComplete: boolean;
}

/** The fields of a record of the catalogue (docs/catalogue.md). */
export type RecordFields = Readonly<Record<string, unknown>>;

export interface ReferredList {
  readonly kind: 'interest-list' | 'commission-list' | 'insurance-list' | 'discount-list' | 'custom-list';
  readonly code: string;
  readonly version?: number | undefined;
  readonly record?: RecordFields | undefined;
  readonly fault?: string | undefined;
}

export interface CatalogueVersion extends ListedVersion {
  readonly code: string;
  readonly product?: RecordFields | undefined;
  readonly fault?: string | undefined;
  readonly lists: readonly ReferredList[];
}

/** What a list is limited to; empty: not limited. */
export interface ProductFilters {
  readonly search: string;
  readonly validOn: string;
  readonly cursor: string;
}

const BASE = '/api/operations/v1/products';

export function listProducts(filters: ProductFilters, signal: AbortSignal): Promise<ProductPage> {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''));
  return callJson(`${BASE}?${query}`, { signal });
}

export function getProduct(code: string, signal: AbortSignal): Promise<CatalogueProduct> {
  return callJson(`${BASE}/${encodeURIComponent(code)}`, { signal });
}

export function getVersion(code: string, version: number, signal: AbortSignal): Promise<CatalogueVersion> {
  return callJson(`${BASE}/${encodeURIComponent(code)}/versions/${version}`, { signal });
}
