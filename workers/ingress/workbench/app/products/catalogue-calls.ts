import type { CatalogueVersionReply } from '../../../../../shared/api/operations/product-lists.ts';
import { getJson, withQuery } from '../api.ts';
import { WORKBENCH_PATH } from '../page-settings.ts';

/** The fields of a catalogue record, or of an item in it, by name (docs/catalogue.md). */
export type RecordFields = Readonly<Record<string, unknown>>;

/** The empty filters of the product list. They exclude no product, and an empty `cursor` selects the first page. */
export const NO_FILTERS = { search: '', validOn: '', cursor: '' };
export type ProductFilters = typeof NO_FILTERS;

const PAGES = `${WORKBENCH_PATH}/products`;
/** The address of the product list. Calls to it, and to addresses below it, need the scope operations:read. */
export const PRODUCTS = '/api/operations/v1/products';

/** The address of a product's page, or of the product list if `code` is empty. Empty query values are omitted. */
export function addressOf(code: string, query: Readonly<Record<string, string>>): string {
  return withQuery(code === '' ? PAGES : `${PAGES}/${encodeURIComponent(code)}`, query);
}

/** Reads a version number from a query value; undefined for other text. */
export function versionOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
}

export function getVersion(code: string, version: number, signal: AbortSignal) {
  const path = `${PRODUCTS}/${encodeURIComponent(code)}/versions/${version}`;
  return getJson<CatalogueVersionReply>(path, { signal });
}
