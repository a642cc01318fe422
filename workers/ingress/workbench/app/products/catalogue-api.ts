/** The calls of this page on the catalogue, and what they return. */
import type {
  CatalogueProductReply,
  CatalogueVersionReply,
  ProductPage,
} from '../../../../../shared/api/operations/product-lists.ts';
import { getJson } from '../api.ts';

/** The fields of a record of the catalogue (docs/catalogue.md). */
export type RecordFields = Readonly<Record<string, unknown>>;

/** What a list is limited to; empty: not limited. */
export interface ProductFilters {
  readonly search: string;
  readonly validOn: string;
  readonly cursor: string;
}

const PRODUCTS = '/api/operations/v1/products';

export function listProducts(filters: ProductFilters, signal: AbortSignal): Promise<ProductPage> {
  return getJson(PRODUCTS, { ...filters }, { signal });
}

export function getProduct(code: string, signal: AbortSignal): Promise<CatalogueProductReply> {
  return getJson(`${PRODUCTS}/${encodeURIComponent(code)}`, {}, { signal });
}

export function getVersion(
  code: string,
  version: number,
  signal: AbortSignal,
): Promise<CatalogueVersionReply> {
  return getJson(`${PRODUCTS}/${encodeURIComponent(code)}/versions/${version}`, {}, { signal });
}
