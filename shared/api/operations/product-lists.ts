/** Products of the catalogue in the operations interface: all products, one product, and one version with its lists. */

import { z } from 'zod';
import { described, fieldsOf, namedObject } from '../json/field-kinds.ts';
import { day, line, numberFrom, OPERATIONS_LIMITS as LIMIT, named, TEXTS } from './operation-fields.ts';

export const PRODUCTS_PATH = '/api/operations/v1/products';

export const productQuery = fieldsOf(TEXTS.productQuery, {
  search: line(LIMIT.searchCharacters).optional(),
  validOn: day().optional(),
  limit: numberFrom(1, LIMIT.pageProducts).optional(),
  cursor: line().optional(),
});

const maybeDay = (description: string) =>
  z.string().nullable().describe(description).meta({ format: 'date' });

const versionFields = described(TEXTS.versionFields, {
  version: z.int().nonnegative(),
  id: z.string().nullable(),
  status: z.string().nullable(),
  validFrom: maybeDay('First day; null: open.'),
  validTo: maybeDay('Last day; null: open.'),
});

const listedVersion = named('CatalogueProductVersion', {
  ...versionFields,
  name: z.string().optional(),
});
export type ListedVersion = z.infer<typeof listedVersion>;

const OF_LATEST = 'of the latest Approved version, otherwise of the latest; absent if it cannot be read.';

const productFields = described(TEXTS.productFields, {
  code: z.string(),
  name: z.string().optional().describe(`Name ${OF_LATEST}`),
  type: z.string().optional().describe(`Product type ${OF_LATEST}`),
  currency: z.string().optional().describe(`ISO 4217 code ${OF_LATEST}`),
  versionCount: z.int().nonnegative(),
  versions: z.array(listedVersion),
});

const listedProduct = z.object(productFields).meta({ id: 'CatalogueProduct' });
export type ListedProduct = z.infer<typeof listedProduct>;

const isComplete = z
  .boolean()
  .describe('False: the topic cannot be read at the moment, or has more records than an instance keeps.');

export const productPage = named('CatalogueProductPage', {
  products: z.array(listedProduct),
  count: z.int().nonnegative(),
  total: z.int().nonnegative(),
  isComplete,
  nextCursor: z.string().optional(),
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

const referredList = named('CatalogueList', {
  kind: z.enum([
    'interest-list',
    'commission-list',
    'insurance-list',
    'discount-list',
    'limit-list',
    'custom-list',
  ]),
  code: z.string(),
  version: z.int().nonnegative().optional(),
  record: record.optional(),
  fault: fault().optional(),
});
export type ReferredList = z.infer<typeof referredList>;

export const catalogueVersion = named('CatalogueVersionReply', {
  code: z.string(),
  ...versionFields,
  product: record.optional(),
  fault: fault().optional(),
  lists: z.array(referredList),
  isComplete,
});
export type CatalogueVersionReply = z.infer<typeof catalogueVersion>;
