/** The calls of this page on the catalogue, and what they return. */
import type { Schemas } from '../schemas.ts';
import { getJson } from '../api.ts';

export type ListedVersion = Schemas['CatalogueProductVersion'];
export type ListedProduct = Schemas['CatalogueProduct'];
export type ProductPage = Schemas['CatalogueProductPage'];
export type CatalogueProduct = Schemas['CatalogueProductReply'];
export type CatalogueVersion = Schemas['CatalogueVersionReply'];
export type ReferredList = Schemas['CatalogueList'];

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

export function getProduct(code: string, signal: AbortSignal): Promise<CatalogueProduct> {
  return getJson(`${PRODUCTS}/${encodeURIComponent(code)}`, {}, { signal });
}

export function getVersion(code: string, version: number, signal: AbortSignal): Promise<CatalogueVersion> {
  return getJson(`${PRODUCTS}/${encodeURIComponent(code)}/versions/${version}`, {}, { signal });
}
