import { Decimal } from 'decimal.js';
import { describe, expect, test } from 'vitest';
import { parseCalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import {
  BUILT_IN_CATALOGUE,
  type ScheduleCatalogue,
} from '../../../../shared/lending/schedule-types/schedule-catalogue.ts';
import { repaymentScheduleRequest } from '../../../../shared/api/actions/schedule-action.ts';

const TERMS = {
  ScheduleType: 'EqualInstallments',
  InterestPercent: 7,
  Amount: 100,
  InstallmentsNo: 6,
  PeriodicityType: 'Monthly',
  InstallmentDay: 1,
};
const FEE = { SourceValue: 1.5, FeePeriodicityType: 'Monthly', FeeDate: '2024-01-01', FeeName: 'Service' };

const read = (fields: object) => repaymentScheduleRequest.read({ jsonParam: fields });
const readText = (text: string) => repaymentScheduleRequest.read(JSON.parse(text));

function payloadOf(fields: object) {
  const result = read({ ...TERMS, ...fields });
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.faults));
  return result.payload;
}

function faultsOf(fields: object) {
  const result = read({ ...TERMS, ...fields });
  return result.kind === 'invalid' ? result.faults : [];
}

function warningsOf(fields: object) {
  const result = read({ ...TERMS, ...fields });
  return result.kind === 'valid' ? result.warnings : [];
}

describe('values', () => {
  test('the mandatory fields suffice', () => {
    expect(payloadOf({})).toEqual({ ...TERMS, InterestPercent: new Decimal(7), Amount: new Decimal(100) });
  });

  test('a number becomes the decimal of its shortest representation (M1)', () => {
    expect(payloadOf({ Amount: 0.1 + 0.2 }).Amount.toString()).toBe('0.30000000000000004');
    expect(payloadOf({ Amount: 1234567.89 }).Amount.toString()).toBe('1234567.89');
    expect(payloadOf({ InterestPercent: 1e-7 }).InterestPercent?.toFixed()).toBe('0.0000001');
  });

  test('null means absent for optional fields (M6)', () => {
    const payload = payloadOf({
      ProductType: null,
      AdvanceAmount: null,
      FirstDueDate: null,
      HolidayShift: null,
    });
    expect(payload).toEqual(payloadOf({}));
  });

  test.each([
    [true, true],
    [1, true],
    [false, false],
    [0, false],
  ])('the flag %j is read as %j (M6)', (sent, expected) => {
    const payload = payloadOf({
      HolidayShift: sent,
      IsLocked: sent,
      Commission: [{ ...FEE, IsUpfront: sent }],
    });
    expect(payload.HolidayShift).toBe(expected);
    expect(payload.IsLocked).toBe(expected);
    expect(payload.Commission?.[0]?.IsUpfront).toBe(expected);
  });

  test('a numeric option accepts true, and leaves other numbers to the engine (M6, B4)', () => {
    expect(payloadOf({ InterestCapitalization: true }).InterestCapitalization).toBe(1);
    expect(payloadOf({ InterestCapitalization: 2 }).InterestCapitalization).toBe(2);
  });

  test.each([
    '2024-01-05',
    '2024-1-5',
    '2024-01-05T00:00:00',
    '2024-01-05T23:59:59Z',
    '2024-01-05T10:00:00.000+02:00',
  ])('the string %s is read as 2024-01-05 (D1)', (sent) => {
    expect(payloadOf({ ActivationDate: sent }).ActivationDate).toBe(parseCalendarDate('2024-01-05'));
  });

  test('an empty list means absent (R1)', () => {
    expect(payloadOf({ Commission: [], BandedInterestRates: [] })).toEqual(payloadOf({}));
  });

  test.each(['MultipleInterestRates', 'BandedInterestRates'])('%s replaces InterestPercent (S4)', (list) => {
    const item = list === 'MultipleInterestRates' ? { InterestRate: 7 } : { Value: 7 };
    expect(payloadOf({ InterestPercent: null, [list]: [item] }).InterestPercent).toBeUndefined();
    expect(faultsOf({ InterestPercent: null, [list]: [] })).toMatchObject([
      { path: 'jsonParam.InterestPercent', code: 'missing' },
    ]);
  });
});

describe('faults', () => {
  test('all faults are reported together, with the paths of the interface (E3)', () => {
    const result = read({
      Amount: 'x',
      InstallmentsNo: null,
      PeriodicityType: '',
      InstallmentDay: 1,
      ActivationDate: '2024-02-30',
      FirstDueDate: 20240201,
      HolidayShift: 2,
      Commission: [null, { SourceValue: 1, SourcePercent: 2, FeePeriodicityType: 'Monthly' }],
      Insurance: {},
    });
    expect(result).toMatchObject({ kind: 'invalid', problem: 'invalid-request' });
    const faults = result.kind === 'invalid' ? result.faults.map(({ path, code }) => `${path} ${code}`) : [];
    expect(faults.toSorted()).toEqual([
      'jsonParam.ActivationDate invalid-date',
      'jsonParam.Amount wrong-type',
      'jsonParam.Commission[0] missing',
      'jsonParam.Commission[1].FeeDate missing',
      'jsonParam.Commission[1].FeeName missing',
      'jsonParam.Commission[1].SourceValue mutually-exclusive',
      'jsonParam.FirstDueDate wrong-type',
      'jsonParam.HolidayShift wrong-type',
      'jsonParam.InstallmentsNo missing',
      'jsonParam.Insurance wrong-type',
      'jsonParam.InterestPercent missing',
      'jsonParam.PeriodicityType empty',
      'jsonParam.ScheduleType missing',
    ]);
  });

  test.each([
    [{ Amount: '100' }, 'must be a number, not text'],
    [{ Amount: null }, 'is missing; must be a number'],
    [{ ActivationDate: 5 }, 'must be a date such as 2024-01-31, not a number'],
    [{ ActivationDate: '31.01.2024' }, 'must be an existing date such as 2024-01-31, from 1900 to 2999'],
    [{ HolidayShift: 'true' }, 'must be one of true, false, 1 and 0, not text'],
    [{ ScheduleType: ['EqualInstallments'] }, 'must be text, not a list'],
    [{ Currency: 'E'.repeat(201) }, 'must have at most 200 characters'],
    [{ Commission: 'none' }, 'must be a list, not text'],
    [{ InstallmentsNo: 3e9 }, 'must be at most 2147483647 in absolute value'],
    [
      { Commission: [{ ...FEE, FeeName: undefined }] },
      'is missing; one of FeeName, FeeId must identify the charge',
    ],
    [
      { Commission: [{ ...FEE, SourceValue: undefined }] },
      'must have exactly one of SourceValue and SourcePercent, but has neither',
    ],
  ])('the message for %j is %j', (fields, message) => {
    expect(faultsOf(fields).map((fault) => fault.message)).toEqual([message]);
  });

  test('unknown names are reported only if the catalogue, which may add names, is known', () => {
    const jsonParam = { ...TERMS, Amount: 'x', PeriodicityType: 'Lunar' };
    const codes = (catalogue?: ScheduleCatalogue) => {
      const result = repaymentScheduleRequest.read({ jsonParam }, catalogue);
      return result.kind === 'invalid' ? result.faults.map(({ code }) => code) : [];
    };
    expect(codes()).toEqual(['wrong-type']);
    expect(codes(BUILT_IN_CATALOGUE)).toEqual(['wrong-type', 'unknown-periodicity']);
  });

  test('an insurance is identified by its name or by its class (F1)', () => {
    const insurance = {
      SourcePercent: 0.1,
      InsurancePeriodicityType: 'Monthly',
      InsuranceDate: '2024-01-01',
    };
    expect(faultsOf({ Insurance: [insurance] })).toMatchObject([
      { path: 'jsonParam.Insurance[0].InsuranceName', code: 'missing' },
    ]);
    for (const name of ['InsuranceName', 'InsuranceClassId', 'InsuranceClassName']) {
      expect(faultsOf({ Insurance: [{ ...insurance, [name]: 'Life' }] })).toEqual([]);
    }
  });

  test.each([
    ['null', 'missing'],
    ['[]', 'wrong-type'],
    ['"text"', 'wrong-type'],
    ['7', 'wrong-type'],
  ])('the body %s is refused with %s', (text, code) => {
    expect(readText(text)).toMatchObject({ kind: 'invalid', faults: [{ path: 'body', code }] });
  });

  test('a request without jsonParam is refused', () => {
    const unknown = Object.keys(TERMS).map((path) => ({ path, code: 'unknown-member' }));
    expect(repaymentScheduleRequest.read(TERMS)).toMatchObject({
      kind: 'invalid',
      faults: [{ path: 'jsonParam', code: 'missing' }, ...unknown],
    });
  });

  test('messages never contain the value', () => {
    const secret = 'eyJhbGciOiJIUzI1NiJ9';
    const everywhere = Object.fromEntries(Object.keys(TERMS).map((name) => [name, [secret]]));
    expect(
      JSON.stringify(read({ ...everywhere, ActivationDate: secret, Commission: [secret] })),
    ).not.toContain(secret);
  });

  test('an overlong list is refused without reading its items', () => {
    const items = new Proxy([], {
      get: (target, key) => {
        if (key === 'length') return 201;
        if (key === Symbol.iterator || key === '0') throw new Error('an item was read');
        return Reflect.get(target, key) as unknown;
      },
    });
    expect(faultsOf({ Commission: items })).toEqual([
      { path: 'jsonParam.Commission', code: 'too-many-items', message: 'must have at most 200 items' },
    ]);
  });

  test('with an overlong list, other fields are checked, but not combinations of fields', () => {
    const faults = faultsOf({
      InstallmentDay: 'x',
      Commission: [{ FeeName: 'f', SourceValue: 'x', SourcePercent: 1 }],
      Insurance: Array.from({ length: 201 }, () => ({})),
    });
    expect(faults.map(({ path, code }) => `${path} ${code}`)).toEqual([
      'jsonParam.Insurance too-many-items',
      'jsonParam.InstallmentDay wrong-type',
      'jsonParam.Commission[0].SourceValue wrong-type',
      'jsonParam.Commission[0].FeePeriodicityType missing',
      'jsonParam.Commission[0].FeeDate missing',
    ]);
  });

  test('at most 100 faults are listed; the last one counts the others', () => {
    const faults = faultsOf({ Commission: Array.from({ length: 200 }, () => 'x') });
    expect(faults).toHaveLength(100);
    expect(faults.at(-1)).toEqual({
      path: 'body',
      code: 'more-faults',
      message: '101 further faults are not listed',
    });
  });
});

describe('numbers outside the limits of calculations', () => {
  test.each([
    [{ Amount: 1e30 }, 'amount-too-large'],
    [{ Amount: -1e20 }, 'amount-too-large'],
    [{ Amount: 1e-19 }, 'too-many-decimals'],
    [{ InterestPercent: 1e10 }, 'out-of-range'],
    [{ InterestPercent: 1e-21 }, 'too-many-decimals'],
    [{ InstallmentsNo: 6.5 }, 'out-of-range'],
    [{ InstallmentsNo: 3e9 }, 'out-of-range'],
    [{ InterestCapitalization: 0.5 }, 'out-of-range'],
  ])('%j is not computable: %s (422, M6)', (fields, code) => {
    const result = read({ ...TERMS, ...fields });
    expect(result).toMatchObject({ kind: 'invalid', problem: 'not-computable', faults: [{ code }] });
  });

  test('are part of a 400 if the request violates the schema elsewhere', () => {
    const result = read({ ...TERMS, Amount: 1e30, ScheduleType: null });
    expect(result).toMatchObject({ kind: 'invalid', problem: 'invalid-request' });
    expect(result.kind === 'invalid' && result.faults).toHaveLength(2);
  });

  test('are necessary but not sufficient: the calculation checks ranges', () => {
    expect(faultsOf({ Amount: -5, InstallmentsNo: 10_000, InstallmentDay: 99, CalculateDAE: 7 })).toEqual([]);
  });

  test('a number that JSON parsers read as infinite has the wrong type', () => {
    expect(readText(`{"jsonParam":{"Amount":1e400}}`)).toMatchObject({
      faults: expect.arrayContaining([
        { path: 'jsonParam.Amount', code: 'wrong-type', message: 'is too large to be read as a number' },
      ]) as unknown,
    });
  });
});

describe('unknown fields', () => {
  test('are ignored and reported with their path (E3)', () => {
    const fields = { amount: 1, Commission: [{ ...FEE, feeDate: 'x' }] };
    expect(payloadOf(fields)).not.toHaveProperty('amount');
    expect(warningsOf(fields)).toEqual([
      { code: 'unknown-member', path: 'jsonParam.amount' },
      { code: 'unknown-member', path: 'jsonParam.Commission[0].feeDate' },
    ]);
    expect(repaymentScheduleRequest.read({ jsonParam: TERMS, jsonParams: {} })).toMatchObject({
      kind: 'valid',
      warnings: [{ code: 'unknown-member', path: 'jsonParams' }],
    });
  });

  test('may be called __proto__, constructor or toString', () => {
    const text = `{"jsonParam":{"__proto__":{"Amount":5},"constructor":1,"toString":2,${JSON.stringify(TERMS).slice(1)}}`;
    const result = readText(text);
    expect(result).toMatchObject({ kind: 'valid' });
    expect(result.kind === 'valid' && result.warnings.map(({ path }) => path)).toEqual([
      'jsonParam.__proto__',
      'jsonParam.constructor',
      'jsonParam.toString',
    ]);
    expect({}).not.toHaveProperty('Amount');
  });

  test('named __proto__ do not provide mandatory fields', () => {
    expect(readText('{"jsonParam":{"__proto__":{"ScheduleType":"EqualInstallments"}}}')).toMatchObject({
      faults: expect.arrayContaining([
        expect.objectContaining({ path: 'jsonParam.ScheduleType' }),
      ]) as unknown,
    });
  });

  test('are reported up to 100, with at most 60 characters of their names', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x${index}`, 1]));
    expect(warningsOf(many)).toHaveLength(100);
    expect(warningsOf({ ['y'.repeat(5_000)]: 1 })).toEqual([
      { code: 'unknown-member', path: `jsonParam.${'y'.repeat(60)}` },
    ]);
  });
});
