import path from 'node:path';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findProductType } from '../../../../shared/lending/schedule-types/schedule-type.ts';
import { selectEntries } from '../../../../shared/product/catalogue/catalogue-view.ts';
import { productByCodeReply } from '../../../../shared/api/actions/product-by-code-reply.ts';
import {
  productDetailsReply,
  productDocumentsReply,
} from '../../../../shared/api/actions/look-up-actions.ts';
import { toJsonSchema, type JsonSchema } from '../../../../shared/api/json/json-schema.ts';
import { toUtcDay } from '../../../../shared/lending/dates/calendar-date.ts';
import { lookUpProduct, SECTION_FLAGS } from '../../../../shared/product/look-up/product-by-code.ts';
import { lookUpDetails, lookUpDocuments } from '../../../../shared/product/look-up/product-look-ups.ts';
import { EXAMPLE_CATALOGUE, EXAMPLE_TIME_MS } from '../../../support/builders/example-catalogue.ts';
import { EXAMPLE_RECORDS } from '../../../support/builders/catalogue-entries.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const page = readFileSync(path.join(root, 'docs/catalogue.md'), 'utf8');

const products = selectEntries(EXAMPLE_RECORDS, 'product').map(({ record }) => record);
describe('the example catalogue', () => {
  it('has at least ten products, of every type with a schedule', () => {
    expect(new Set(products.map(({ Code }) => Code)).size).toBeGreaterThanOrEqual(10);
    const types = new Set(products.map(({ BankingProductType }) => findProductType(BankingProductType)));
    expect([...types]).toEqual(expect.arrayContaining(['TL', 'MG', 'OD', 'D', 'CC', 'LS']));
  });

  it('has two adjacent Approved versions and a Draft of one product, and a Closed product', () => {
    const versions = products.filter(({ Code }) => Code === 'TL-PERSONAL');
    expect(versions.map(({ Status, StartDate, EndDate }) => [Status, StartDate, EndDate])).toEqual([
      ['Approved', '2020-01-01', '2023-12-31'],
      ['Approved', '2024-01-01', null],
      ['Draft', '2024-01-01', null],
    ]);
    expect(products.find(({ Code }) => Code === 'TL-BRIDGE')?.Status).toBe('Closed');
  });

  it('sets every field of the interface in the answer about at least one product on offer', () => {
    const context = { catalogue: EXAMPLE_CATALOGUE, requestDay: toUtcDay(EXAMPLE_TIME_MS) };
    const flags = Object.fromEntries(SECTION_FLAGS.map((flag) => [flag, true]));
    const set = { product: new Set<string>(), details: new Set<string>(), documents: new Set<string>() };
    for (const code of new Set(products.map(({ Code }) => Code))) {
      const product = lookUpProduct({ BankingProductCode: code, ...flags }, context);
      const details = lookUpDetails({ productCode: code }, context);
      const documents = lookUpDocuments({ productCode: code }, context);
      if (product.kind === 'found') collectSet(product.answer, '', set.product);
      if (details.kind === 'found') collectSet(details.answer, '', set.details);
      if (documents.kind === 'found') collectSet(documents.answer, '', set.documents);
    }
    const product = fieldsOf(toJsonSchema(productByCodeReply));
    expect(product.length).toBeGreaterThan(150);
    expect(product.filter((field) => !set.product.has(field))).toEqual([]);
    expect(fieldsOf(toJsonSchema(productDetailsReply)).filter((field) => !set.details.has(field))).toEqual(
      [],
    );
    const documented = fieldsOf(toJsonSchema(productDocumentsReply));
    expect(documented.filter((field) => !set.documents.has(field))).toEqual([]);
  });

  it('uses every list that it contains', () => {
    const used = new Set(
      products.flatMap(({ InterestsAndCommissions, Insurances, Discounts, LimitList }) => [
        ...InterestsAndCommissions.flatMap((item) => [item.InterestList, item.CommissionList]),
        ...Insurances.map(({ InsuranceList }) => InsuranceList),
        ...Discounts,
        LimitList,
      ]),
    );
    const kinds = [
      'interest-list',
      'commission-list',
      'insurance-list',
      'discount-list',
      'limit-list',
    ] as const;
    const codes = kinds.flatMap((kind) =>
      selectEntries(EXAMPLE_RECORDS, kind).map(({ record }) => record.Code),
    );
    expect(codes.filter((code) => !used.has(code))).toEqual([]);
  });
});

describe('docs/catalogue.md', () => {
  it('names every product of the example', () => {
    for (const { Code } of products) expect(page).toContain(`| \`${Code}\` |`);
  });

  it('documents every field of every kind of records', () => {
    const names = new Set<string>();
    for (const { record } of EXAMPLE_RECORDS) collectNames(record, names);
    const missing = [...names].filter((name) => !page.includes(`\`${name}\``));
    expect(missing.filter((name) => !OF_SCHEDULE_TYPES.has(name))).toEqual([]);
  });
});

/** Fields that docs/schedule-types.md documents. */
const OF_SCHEDULE_TYPES: ReadonlySet<string> = new Set(
  selectEntries(EXAMPLE_RECORDS, 'schedule-type').flatMap(({ record }) => [
    ...Object.keys(record),
    ...record.PaymentScheduleTypeDetails.flatMap((column) => Object.keys(column)),
  ]),
);

function collectNames(value: unknown, names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, field] of Object.entries(value)) {
    if (!Array.isArray(value)) names.add(name);
    collectNames(field, names);
  }
}

/** Adds the paths of all fields that are neither null nor an empty list. */
function collectSet(value: unknown, place: string, set: Set<string>): void {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return;
  set.add(place);
  if (typeof value !== 'object') return;
  const isList = Array.isArray(value);
  for (const [name, field] of Object.entries(value))
    collectSet(field, isList ? `${place}[]` : `${place}.${name}`, set);
}

/** The paths of all fields of a schema, as {@link collectSet} writes them. */
function fieldsOf({ properties = {}, items }: JsonSchema, place = ''): readonly string[] {
  return [
    ...(items === undefined ? [] : fieldsOf(items, `${place}[]`)),
    ...Object.entries(properties).flatMap(([name, field]) => [
      `${place}.${name}`,
      ...fieldsOf(field, `${place}.${name}`),
    ]),
  ];
}
