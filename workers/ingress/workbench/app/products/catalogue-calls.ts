/** The addresses of the pages of products, and their calls on the catalogue. */
import type { CatalogueVersionReply } from '../../../../../shared/api/operations/product-lists.ts';
import { getJson, withQuery } from '../api.ts';
import { WORKBENCH_PATH } from '../page-settings.ts';

/** The fields of a record of the catalogue (docs/catalogue.md). */
export type RecordFields = Readonly<Record<string, unknown>>;

/** What a list is limited to; empty: not limited. */
export const NO_FILTERS = { search: '', validOn: '', cursor: '' };
export type ProductFilters = typeof NO_FILTERS;

const PAGES = `${WORKBENCH_PATH}/products`;
export const PRODUCTS = '/api/operations/v1/products';

export function addressOf(code: string, query: Readonly<Record<string, string>>): string {
  return withQuery(code === '' ? PAGES : `${PAGES}/${encodeURIComponent(code)}`, query);
}

export function versionOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
}

export function getVersion(code: string, version: number, signal: AbortSignal) {
  const path = `${PRODUCTS}/${encodeURIComponent(code)}/versions/${version}`;
  return getJson<CatalogueVersionReply>(path, { signal });
}
