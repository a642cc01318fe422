import { Decimal } from 'decimal.js';
import { describe, expect, test } from 'vitest';
import { findAction } from '../../../../shared/api/actions/actions.ts';
import {
  insuranceListRequest,
  productByCodeRequest,
} from '../../../../shared/api/actions/look-up-actions.ts';
import { SECTION_FLAGS } from '../../../../shared/product/look-up/product-by-code.ts';
import { date } from '../../../support/builders/lending-loan.ts';

const ID = '9136b630-6317-5acd-85f7-807dd5296800';

const read = (action: string, body: unknown) => {
  const result = findAction(action)?.read(body);
  if (result?.kind !== 'invalid') return result?.payload;
  return { problem: result.problem, faults: result.faults.map(({ path, code }) => `${path} ${code}`) };
};

describe('the flags of sections', () => {
  test.each([
    [true, true],
    [1, true],
    [false, false],
    [0, false],
    [null, undefined],
  ])('read %j as %j (M6)', (sent, payload) => {
    const flags = Object.fromEntries(SECTION_FLAGS.map((flag) => [flag, sent]));
    expect(read('plat_bp_getbankingproductbycode', { BankingProductCode: 'P', ...flags })).toEqual({
      BankingProductCode: 'P',
      ...Object.fromEntries(SECTION_FLAGS.map((flag) => [flag, payload])),
      Date: undefined,
    });
  });

  test('refuse other values, and report a missing code as well (E3)', () => {
    expect(read('PLAT_BP_GETBANKINGPRODUCTBYCODE', { displayBPDetails: 'true', Date: '2025-02-30' })).toEqual(
      {
        problem: 'invalid-request',
        faults: ['BankingProductCode missing', 'displayBPDetails wrong-type', 'Date invalid-date'],
      },
    );
  });
});

describe.each([
  ['plat_bp_getbankingproductdetails', 'productId'],
  ['PLAT_BP_GetProductInsuranceList', 'productId'],
  ['plat_bp_getproductdocuments', 'bankingProductId'],
])('%s', (action, idField) => {
  test('accepts a code, an id or both, and the extension Date', () => {
    expect(read(action, { productCode: 'P' })).toMatchObject({ productCode: 'P' });
    expect(read(action, { [idField]: ID, productCode: null })).toMatchObject({ [idField]: ID });
    expect(read(action, { productCode: 'P', [idField]: ID, Date: '2026-1-5' })).toMatchObject({
      Date: date('2026-01-05'),
    });
  });

  test('refuses a request with neither code nor id, and an id that is not a GUID (L1)', () => {
    expect(read(action, {})).toEqual({ problem: 'invalid-request', faults: ['productCode missing'] });
    expect(read(action, { [idField]: 'x' })).toEqual({
      problem: 'invalid-request',
      faults: [`${idField} wrong-type`],
    });
    expect(read(action, { productCode: 5 })).toMatchObject({ faults: ['productCode wrong-type'] });
    expect(read(action, { productCode: '' })).toMatchObject({ faults: ['productCode empty'] });
    expect(read(action, [])).toMatchObject({ faults: ['body wrong-type'] });
  });
});

const filters = (filterList: unknown) =>
  read('PLAT_BP_GetProductInsuranceList', { productCode: 'P', filterList });

describe('filterList (L3)', () => {
  test.each([[''], [[]], [null], [undefined]])('%j means absent', (sent) => {
    expect(filters(sent)).toEqual({ productCode: 'P' });
  });

  test('converts figures to exact decimals', () => {
    expect(filters([{ name: 'Age', value: 30.1 }])).toMatchObject({
      filterList: [{ name: 'Age', value: new Decimal('30.1') }],
    });
  });

  test.each([
    ['none', ['filterList wrong-type']],
    [[{ name: 'Age', value: '30' }], ['filterList[0].value wrong-type']],
    [[{ value: 30 }], ['filterList[0].name missing']],
    [['Age'], ['filterList[0] wrong-type']],
    [Array.from({ length: 101 }, () => ({ name: 'Age', value: 1 })), ['filterList too-many-items']],
  ])('refuses wrong values and overlong lists: case %#', (sent, faults) => {
    expect(filters(sent)).toMatchObject({ problem: 'invalid-request', faults });
  });

  test('reports other faults together with an overlong list (E3)', () => {
    const filterList = Array.from({ length: 101 }, () => ({ name: 'Age', value: 1 }));
    expect(read('PLAT_BP_GetProductInsuranceList', { filterList, productId: 'x' })).toMatchObject({
      faults: ['filterList too-many-items', 'productId wrong-type'],
    });
    expect(read('PLAT_BP_GetProductInsuranceList', { filterList })).toMatchObject({
      faults: ['filterList too-many-items', 'productCode missing'],
    });
  });

  test('reports unknown fields', () => {
    const result = findAction('plat_bp_getproductinsurancelist')?.read({
      productCode: 'P',
      Filter: 1,
      filterList: [{ name: 'Age', value: 1, unit: 'years' }],
    });
    expect(result).toMatchObject({ warnings: [{ path: 'Filter' }, { path: 'filterList[0].unit' }] });
  });
});

describe('a request from Avro', () => {
  test('has the limits of one from JSON', () => {
    const figure = { name: '', value: new Decimal(1) };
    expect(
      insuranceListRequest.check({
        productCode: undefined,
        productId: 'x',
        filterList: [figure],
        Date: undefined,
      }),
    ).toMatchObject({
      problem: 'invalid-request',
      faults: [
        { path: 'productId', code: 'wrong-type' },
        { path: 'filterList[0].name', code: 'empty' },
      ],
    });
    expect(productByCodeRequest.check({ BankingProductCode: 'x'.repeat(201) })).toMatchObject({
      faults: [{ path: 'BankingProductCode', code: 'too-long' }],
    });
    expect(productByCodeRequest.check({ BankingProductCode: 'P' })).toBeUndefined();
  });
});

test('an answer has null for a field that Avro decodes as absent', () => {
  const details = { Name: 'A', ProductImage: undefined, Benefits: undefined };
  expect(findAction('plat_bp_getbankingproductdetails')?.render(details)).toBe(
    '{"Name":"A","ProductImage":null,"Benefits":null,"DisplayConditions":null,"NoOfDebtor":null}',
  );
  const documents = [{ Doc: { ReportId: ID }, Report: { DisplayName: 'A' } }];
  expect(findAction('plat_bp_getproductdocuments')?.render({ documents })).toBe(
    `[{"Doc":{"ReportId":"${ID}","IsMandatory":null,"IsAccord":null},"Report":{"DisplayName":"A"}}]`,
  );
});
