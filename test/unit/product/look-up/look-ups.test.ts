import { describe, expect, test } from 'vitest';
import type { CalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import {
  lookUpInsuranceList,
  type InsuranceListRequest,
  type LookUpContext,
  lookUpDetails,
  lookUpDocuments,
} from '../../../../shared/product/look-up/product-look-ups.ts';
import type { ProductInsuranceItem } from '../../../../shared/product/catalogue/product-record.ts';
import type { ItemFilter } from '../../../../shared/product/catalogue/record-kinds.ts';
import { EXAMPLE_CATALOGUE } from '../../../support/builders/example-catalogue.ts';
import { date } from '../../../support/builders/lending-loan.ts';
import {
  catalogueOf,
  guid,
  insuranceItem,
  SIMULATION_DAY,
} from '../../../support/worlds/simulated-product.ts';

const example: LookUpContext = { catalogue: EXAMPLE_CATALOGUE, requestDay: date('2026-01-15') };
const PERSONAL_2 = '9136b630-6317-5acd-85f7-807dd5296800';
const PERSONAL_1 = '5593c70c-2b68-56c4-9a24-441c71af660f';
const HOME = '0ea28468-eabf-59d0-a3c0-ef7ba75a2d13';

describe('selection of the product (L1)', () => {
  test.each([
    [{ productCode: 'tl-personal' }],
    [{ productId: PERSONAL_2.toUpperCase() }],
    [{ productCode: 'TL-PERSONAL', productId: PERSONAL_2 }],
    [{ bankingProductId: PERSONAL_2 }],
  ])('%j selects the version of the day', (request) => {
    const answer = { Name: 'Personal loan' };
    expect(lookUpDetails(request, example)).toMatchObject({ kind: 'found', answer });
  });

  test('rejects a code and an id of different products', () => {
    const faults = [{ path: 'productId', code: 'exclusive', status: 400 }];
    const found = lookUpDetails({ productCode: 'TL-PERSONAL', productId: HOME }, example);
    expect(found).toMatchObject({ kind: 'refused', faults });
  });

  test('does not find the id of a version that is not valid on the day', () => {
    const request = { productCode: 'TL-PERSONAL', bankingProductId: PERSONAL_1 };
    const faults = [{ path: 'bankingProductId', code: 'unknown-product' }];
    expect(lookUpDocuments(request, example)).toMatchObject({ kind: 'unknown-product', faults });
    expect(lookUpDocuments({ ...request, Date: date('2021-01-01') }, example).kind).toBe('found');
  });

  test('reports an unknown code and an unknown id together', () => {
    const request = { productCode: 'NOTHING', productId: '0f8fad5b-d9cb-469f-a165-70867728950e' };
    const faults = [{ path: 'productCode' }, { path: 'productId' }];
    expect(lookUpDetails(request, example)).toMatchObject({ kind: 'unknown-product', faults });
  });
});

test('display data has the images as a JSON string, with only the fields of the interface', () => {
  const ProductImage = '[{"Name":"home-loan.png","RealName":"home-loan-large.png"}]';
  const answer = { ProductImage, NoOfDebtor: 4 };
  expect(lookUpDetails({ productCode: 'MG-HOME' }, example)).toMatchObject({ answer });
});

test('documents are in catalogue order, or an empty list', () => {
  const documents = [
    { ReportId: HOME, DisplayName: 'B', IsMandatory: null, IsAccord: false },
    { ReportId: PERSONAL_1, DisplayName: 'A', IsMandatory: true, IsAccord: null },
  ];
  const context = (Documents: typeof documents) => ({
    catalogue: catalogueOf({ product: { Documents } }),
    requestDay: SIMULATION_DAY,
  });
  expect(lookUpDocuments({ productCode: 'PL' }, context(documents))).toMatchObject({
    answer: [
      { Doc: { ReportId: HOME, IsMandatory: null, IsAccord: false }, Report: { DisplayName: 'B' } },
      { Doc: { ReportId: PERSONAL_1, IsMandatory: true, IsAccord: null }, Report: { DisplayName: 'A' } },
    ],
  });
  expect(lookUpDocuments({ productCode: 'PL' }, context([]))).toMatchObject({ answer: [] });
});

const filtered = (Code: string, ...Filters: readonly ItemFilter[]) => insuranceItem(Code, { Filters });
const AGE: ItemFilter = { Name: 'Age', From: 18, To: 70 };

function codesFor(
  Insurances: readonly ProductInsuranceItem[],
  filterList?: InsuranceListRequest['filterList'],
  requestDay: CalendarDate = SIMULATION_DAY,
) {
  const catalogue = catalogueOf({ product: { Insurances } });
  const found = lookUpInsuranceList({ productCode: 'PL', filterList }, { catalogue, requestDay });
  if (found.kind !== 'found') return found.faults.map(({ path, code }) => `${path} ${code}`);
  const warnings = found.warnings.map(({ code, path }) => `${code};${path}`);
  return [...found.answer.map(({ ItemCode }) => ItemCode), ...warnings];
}

describe('insurance lists (L3)', () => {
  test('returns items with their lists, in catalogue order', () => {
    const catalogue = catalogueOf({ product: { Insurances: [insuranceItem('B'), insuranceItem('A')] } });
    const found = lookUpInsuranceList({ productCode: 'PL' }, { catalogue, requestDay: SIMULATION_DAY });
    const ofList = { InsuranceListId: guid(13), InsuranceListName: 'List INS' };
    const first = { ItemName: 'Item B', ItemCode: 'B', ...ofList };
    expect(found).toMatchObject({ answer: [first, { ItemCode: 'A' }] });
  });

  test('returns the items whose filters pass', () => {
    const items = [filtered('A', AGE), filtered('B', { Name: 'Region', List: 'odd' }), insuranceItem('C')];
    expect(codesFor(items)).toEqual(['A', 'B', 'C']);
    expect(codesFor(items, [{ name: 'age', value: 70 }])).toEqual(['A', 'B', 'C']);
    expect(codesFor(items, [{ name: 'age', value: 71 }])).toEqual(['B', 'C']);
    expect(codesFor(items, [{ name: 'Region', value: 2 }])).toEqual(['A', 'C']);
  });

  test('rejects two values with the same name', () => {
    const figures = [30, 31].map((value) => ({ name: 'Age', value }));
    expect(codesFor([filtered('A', AGE)], figures)).toEqual(['filterList[1].value exclusive']);
  });

  test('omits items that are not valid on the day, or whose list is not in force', () => {
    const items = [
      insuranceItem('A', { StartDate: '2025-01-01', EndDate: '2025-01-01' }),
      insuranceItem('B', { InsuranceList: 'UNKNOWN' }),
    ];
    expect(codesFor(items)).toEqual(['A']);
    expect(codesFor(items, [], date('2025-01-02'))).toEqual([]);
    expect(codesFor(items, [], date('2024-12-31'))).toEqual([]);
  });
});
