/** The addresses of the pages of products, and their calls on the catalogue. */
import type {
  CatalogueProductReply,
  CatalogueVersionReply,
  ProductPage,
} from '../../../../../shared/api/operations/product-lists.ts';
import { getJson, withQuery } from '../api.ts';
import { WORKBENCH_PATH } from '../page-settings.ts';

/** The fields of a record of the catalogue (docs/catalogue.md). */
export type RecordFields = Readonly<Record<string, unknown>>;

/** What a list is limited to; empty: not limited. */
export const NO_FILTERS = { search: '', validOn: '', cursor: '' };
export type ProductFilters = typeof NO_FILTERS;

type Query = Readonly<Record<string, string>>;

const PAGES = `${WORKBENCH_PATH}/products`;
const PRODUCTS = '/api/operations/v1/products';

/** The code in the path of a page; empty: the list. */
export function codeOf(path: string): string {
  const encoded = path.slice(PAGES.length + 1);
  try {
    return decodeURIComponent(encoded).trim();
  } catch {
    return encoded;
  }
}

/** The address of the list or, with a code, of a product. */
export function addressOf(code: string, query: Query): string {
  return withQuery(code === '' ? PAGES : `${PAGES}/${encodeURIComponent(code)}`, query);
}

/** The version number of a parameter; undefined if it is none. */
export function versionOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
}

export function listProducts(filters: ProductFilters, signal: AbortSignal): Promise<ProductPage> {
  return getJson(PRODUCTS, filters, { signal });
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
