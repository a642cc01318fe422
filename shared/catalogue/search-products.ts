import type { z } from 'zod';
import type {
  ListedProduct,
  ListedVersion,
  productQuery,
  ProductPage,
} from '../contract/operations/products.ts';
import { OPERATIONS_LIMITS } from '../contract/operations/limits.ts';
import { formatCalendarDate } from '../lending/dates/calendar-date.ts';
import { codeKey } from '../product/catalogue/catalogue-record.ts';

/** The searched text of each product: ten thousand take 20 ms, and every letter that a user types is a search. */
const TEXTS = new WeakMap<ListedProduct, string>();

/** The parameters of the list. */
export type ProductQuery = z.output<typeof productQuery>;

/**
 * A page of the products that match, from the first after the cursor. `products` are sorted by code, so that a page is the same
 * while others change.
 */
export function searchProducts(
  products: readonly ListedProduct[],
  { search = '', validOn, limit = OPERATIONS_LIMITS.defaultPageProducts, cursor }: ProductQuery,
): Omit<ProductPage, 'isComplete'> {
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
    ...(last === undefined || page.length === rest.length ? {} : { nextCursor: codeKey(last.code) }),
  };
}

/** The product with as many of its latest versions as an answer shows. */
export function withListedVersions(product: ListedProduct): ListedProduct {
  return { ...product, versions: product.versions.slice(-OPERATIONS_LIMITS.listedVersions) };
}

function hasWords(product: ListedProduct, words: readonly string[]): boolean {
  const { code, name = '', type = '' } = product;
  const text = TEXTS.get(product) ?? plain(`${code} ${name} ${type}`);
  TEXTS.set(product, text);
  return words.every((word) => text.includes(word));
}

function isOffered({ versions }: ListedProduct, day: string): boolean {
  return versions.some((version) => version.status === 'Approved' && isWithin(version, day));
}

/** Days as `yyyy-mm-dd` sort like text. */
function isWithin({ validFrom, validTo }: ListedVersion, day: string): boolean {
  return (validFrom === null || validFrom <= day) && (validTo === null || day <= validTo);
}

/** In lower case, without diacritics. */
function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
