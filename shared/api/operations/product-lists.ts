/** Products of the catalogue in the operations interface: all products, one product, and one version with its lists. */

import { z } from 'zod';
import { namedObject, objectOf } from '../json/field-kinds.ts';
import { day, line, numberFrom, OPERATIONS_LIMITS as LIMIT } from './operation-fields.ts';

export const PRODUCTS_PATH = '/api/operations/v1/products';

export const productQuery = objectOf({
  search: line(LIMIT.searchCharacters)
    .optional()
    .describe('Words that occur in code, name or type; case and diacritics do not matter.'),
  validOn: day()
    .optional()
    .describe('Products with an Approved version that is valid on this day, as 2026-05-01.'),
  limit: numberFrom(1, LIMIT.pageProducts)
    .optional()
    .describe(`Products on the page; ${LIMIT.defaultPageProducts} by default.`),
  cursor: line().optional().describe('The `nextCursor` of the previous page.'),
});

const maybeDay = (description: string) =>
  z.string().nullable().describe(description).meta({ format: 'date' });

const versionFields = {
  version: z.int().nonnegative().describe('Number of the version.'),
  id: z.string().nullable().describe('GUID of the version.'),
  status: z
    .string()
    .nullable()
    .describe('`Draft`, `VersionDraft`, `Approved` or `Closed`; only Approved versions are used.'),
  validFrom: maybeDay('First day; null: open.'),
  validTo: maybeDay('Last day; null: open.'),
};

const listedVersion = namedObject('CatalogueProductVersion', {
  ...versionFields,
  name: z.string().optional().describe('Absent if it cannot be read.'),
});
export type ListedVersion = z.infer<typeof listedVersion>;

const OF_LATEST = 'of the latest Approved version, otherwise of the latest; absent if it cannot be read.';

const productFields = {
  code: z.string().describe('Code of the product.'),
  name: z.string().optional().describe(`Name ${OF_LATEST}`),
  type: z.string().optional().describe(`Product type ${OF_LATEST}`),
  currency: z.string().optional().describe(`ISO 4217 code ${OF_LATEST}`),
  versionCount: z.int().nonnegative().describe('Number of its versions.'),
  versions: z
    .array(listedVersion)
    .describe(`The latest ${LIMIT.listedVersions} at most, by ascending number.`),
};

const listedProduct = z.object(productFields).meta({ id: 'CatalogueProduct' });
export type ListedProduct = z.infer<typeof listedProduct>;

const isComplete = z
  .boolean()
  .describe('False: the topic cannot be read at the moment, or has more records than an instance keeps.');

export const productPage = namedObject('CatalogueProductPage', {
  products: z.array(listedProduct).describe('By code.'),
  count: z.int().nonnegative().describe('Products that match, on all pages.'),
  total: z.int().nonnegative().describe('Products of the catalogue.'),
  isComplete,
  nextCursor: z.string().optional().describe('For the next page; absent on the last one.'),
});
export type ProductPage = z.infer<typeof productPage>;

export const catalogueProduct = namedObject('CatalogueProductReply', { ...productFields, isComplete });
export type CatalogueProductReply = z.infer<typeof catalogueProduct>;

const record = z
  .record(z.string(), z.unknown())
  .meta({ id: 'CatalogueRecordFields' })
  .describe(
    'All fields of the record, as in a file of the catalogue (docs/catalogue.md), those left out with their defaults.',
  );
const fault = () => z.string().describe('Why there is no record: then workers do not use it either.');

const referredList = namedObject('CatalogueList', {
  kind: z.enum([
    'interest-list',
    'commission-list',
    'insurance-list',
    'discount-list',
    'limit-list',
    'custom-list',
  ]),
  code: z.string().describe('Code of the list.'),
  version: z.int().nonnegative().optional().describe('Number of the version in force.'),
  record: record.optional(),
  fault: fault().optional(),
});
export type ReferredList = z.infer<typeof referredList>;

export const catalogueVersion = namedObject('CatalogueVersionReply', {
  code: z.string().describe('Code of the product.'),
  ...versionFields,
  product: record.optional(),
  fault: fault().optional(),
  lists: z
    .array(referredList)
    .describe('The lists to which it refers, directly or by filters, in the version in force now.'),
  isComplete,
});
export type CatalogueVersionReply = z.infer<typeof catalogueVersion>;
