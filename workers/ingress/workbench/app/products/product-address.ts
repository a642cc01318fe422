/** The addresses of this page: the list, and a product with its view. Both keep what the list was limited to. */
import { WORKBENCH_PATH } from '../page-settings.ts';
import type { ProductFilters } from './catalogue-api.ts';

export const PRODUCTS_PATH = `${WORKBENCH_PATH}/products`;

/** The views of a product. Look-up and offer use the actions; the others need the scope operations:read. */
export const VIEWS = ['sections', 'differences', 'look-up', 'offer'] as const;
export type ViewName = (typeof VIEWS)[number];

type Query = Readonly<Record<string, string>>;

/** The code in the path; empty: the list. */
export function codeOf(path: string): string {
  const encoded = path.slice(PRODUCTS_PATH.length + 1);
  try {
    return decodeURIComponent(encoded).trim();
  } catch {
    return encoded;
  }
}

export function filtersOf({ search = '', validOn = '', cursor = '' }: Query): ProductFilters {
  return { search, validOn, cursor };
}

/** The address of the list or, with a code, of a product. Empty values are left out. */
export function addressOf(code: string, query: Query): string {
  const sent = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  const path = code === '' ? PRODUCTS_PATH : `${PRODUCTS_PATH}/${encodeURIComponent(code)}`;
  return sent === '' ? path : `${path}?${sent}`;
}

/** The version number of a parameter; undefined if it is none. */
export function versionOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
}
