import type { CatalogueVersionReply } from '../../../../../shared/api/operations/product-lists.ts';
import { getJson, withQuery } from '../api.ts';
import { WORKBENCH_PATH } from '../page-settings.ts';

/** The fields of a record of the catalogue (docs/catalogue.md). */
export type RecordFields = Readonly<Record<string, unknown>>;

/** The filters of the product list. An empty one does not filter; an empty `cursor` is the first page. */
export const NO_FILTERS = { search: '', validOn: '', cursor: '' };
export type ProductFilters = typeof NO_FILTERS;

const PAGES = `${WORKBENCH_PATH}/products`;
/** The address of the catalogue's products; it needs the scope operations:read. */
export const PRODUCTS = '/api/operations/v1/products';

/** The address of a product's page, or of the list if `code` is empty. Empty values of the query are omitted. */
export function addressOf(code: string, query: Readonly<Record<string, string>>): string {
  return withQuery(code === '' ? PAGES : `${PAGES}/${encodeURIComponent(code)}`, query);
}

/** A version number of an address; undefined for other text. */
export function versionOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
}

export function getVersion(code: string, version: number, signal: AbortSignal) {
  const path = `${PRODUCTS}/${encodeURIComponent(code)}/versions/${version}`;
  return getJson<CatalogueVersionReply>(path, { signal });
}
