import { expect, it } from 'vitest';
import { openApiDocument } from '../../../../shared/api/documents/openapi.ts';
import type { JsonSchema } from '../../../../shared/api/json/json-schema.ts';
import { asCurl, asKafkaMessage } from '../../../../workers/ingress/workbench/app/schedules/call-formats.ts';
import { checkLoan } from '../../../../workers/ingress/workbench/app/schedules/check-loan.ts';
import {
  groupFields,
  groupItemFields,
} from '../../../../workers/ingress/workbench/app/schedules/loan-fields.ts';
import { readNumber, twoReadings } from '../../../../workers/ingress/workbench/app/read-number.ts';
import {
  addItem,
  decimalsOf,
  exampleLoan,
  listValues,
  loanTerms,
  placeInForm,
  readLoans,
  writeLoans,
  type Loan,
} from '../../../../workers/ingress/workbench/app/schedules/loan.ts';
import {
  exactSum,
  ownColumns,
  sumSchedule,
  toCsv,
  type ShownRow,
} from '../../../../workers/ingress/workbench/app/schedules/schedule.ts';
import {
  describeFields,
  scheduleFormFields,
} from '../../../../workers/ingress/workbench/schedule-form-fields.ts';

const FORM = scheduleFormFields();
const LOAN = exampleLoan('2026-01-01', (number) => number);
const ROW: ShownRow = {
  InstallmentNo: 1,
  DueDate: '2026-02-01T00:00:00',
  NoDays: 31,
  remainingValue: 1000,
  interest: 0.1,
  principal: 100.2,
  managementFee: 5,
  insurance: 1.5,
  totalInstallment: 106.8,
  dae: 9.1,
  isEarlyRepayment: 'false',
};
const fieldOf = (name: string) => FORM.find((field) => field.name === name);
const withFields = (fields: Record<string, string>): Loan => ({
  ...LOAN,
  fields: { ...LOAN.fields, ...fields },
});
/** The terms of the request where the page writes thousands with a point. */
const termsOf = (fields: Record<string, string>) => loanTerms(withFields(fields), FORM, '.');

it('the fields of the form are those of the request, each in a group, with its kinds and values', () => {
  const { components } = openApiDocument('1') as unknown as {
    components: { schemas: Record<string, JsonSchema> };
  };
  const { RepaymentScheduleTerms: published, CommissionCharge: commission } = components.schemas;
  expect(FORM.map(({ name }) => name)).toEqual(Object.keys(published?.properties ?? {}));
  expect(fieldOf('Commission')?.items?.map(({ name }) => name)).toEqual(
    Object.keys(commission?.properties ?? {}),
  );
  for (const { name, help } of FORM) {
    const described = published?.properties?.[name]?.description ?? '';
    expect(described.replaceAll(/ \([A-Z]\d(?:, [A-Z]\d)*\)/g, '')).toContain(help);
    expect(help).not.toBe('');
  }
  const grouped = groupFields(FORM).flatMap(({ main, more }) => [...main, ...more]);
  expect(grouped.map(({ name }) => name).toSorted()).toEqual(FORM.map(({ name }) => name).toSorted());
  for (const field of FORM) {
    const { main, more } = groupItemFields(field);
    expect(new Set([...main, ...more])).toEqual(new Set(field.items));
  }
  const whole = { kind: 'whole', isRequired: true, minimum: 1, maximum: 1200 };
  expect(fieldOf('InstallmentsNo')).toMatchObject(whole);
  expect(fieldOf('ActivationDate')).toMatchObject({ kind: 'date', isRequired: false });
  expect(fieldOf('DueDates')).toMatchObject({ kind: 'dates', maxLength: 14_400 });
  expect(fieldOf('HolidayShift')?.kind).toBe('flag');
  expect(fieldOf('DeferDueDate')?.kind).toBe('numeric-flag');
  expect(fieldOf('GraceType')?.choices).toEqual(['Deferred', 'Capitalised', 'Spread', 'Forgiven']);
  expect(fieldOf('GraceType')?.isOpen).toBeUndefined();
  expect(fieldOf('ScheduleType')).toMatchObject({ isOpen: true });
  expect(fieldOf('ScheduleType')?.choices).toContain('CreditCard');
});

it('the fields of the form contain a new one of the schema, and are refused without a control', () => {
  const form = describeFields({
    properties: {
      Amount: { type: 'number' },
      NewDate: { type: ['string', 'null'], description: 'Extension. A new field.' },
      NewItems: { type: 'array', items: { type: 'object', properties: { Name: { type: 'string' } } } },
    },
  });
  expect(groupFields(form).at(-1)).toMatchObject({
    name: 'other',
    main: [{ name: 'NewDate', kind: 'text', help: 'A new field.' }, { name: 'NewItems' }],
  });
  const loan = addItem({ fields: { NewDate: 'x' }, lists: {} }, 'NewItems', 'one');
  expect(loanTerms({ ...loan, lists: { NewItems: [{ Name: 'a' }] } }, form)).toEqual({
    NewDate: 'x',
    NewItems: [{ Name: 'a' }],
  });
  expect(() => describeFields({ properties: { Odd: { type: 'object' } } })).toThrow(
    'no control for the field Odd of type object',
  );
});

it('the loan becomes the terms of a request', () => {
  const life = { InsuranceName: 'Life', InsurancePeriodicityType: 'Annual', InsuranceDate: '2026-03-01' };
  const entered = { InterestPercent: '8,5', Amount: 'much', HolidayShift: 'true', DeferDueDate: 'false' };
  const prepaid = { Date: '2027-02-01', Amount: '500', DecreaseInstallment: 'false' };
  const loan: Loan = {
    fields: { ...LOAN.fields, ...entered, MaturityDate: '' },
    lists: {
      ...LOAN.lists,
      Insurance: [{ ...life, SourcePercent: '0.1' }],
      EarlyRepayments: [{ Date: '2027-01-01', Amount: '0' }, prepaid],
    },
  };
  const fee = { FeeName: 'Account administration', FeePeriodicityType: 'Monthly', FeeDate: '2026-01-01' };
  const texts = { ScheduleType: 'EqualInstallments', PeriodicityType: 'Monthly', Currency: 'EUR' };
  const numbers = { InstallmentsNo: 60, InterestPercent: 8.5, InstallmentDay: 1, DeferDueDate: 0 };
  expect(loanTerms(loan, FORM)).toEqual({
    ...texts,
    ...numbers,
    Amount: 'much',
    ActivationDate: '2026-01-01',
    HolidayShift: true,
    Commission: [{ ...fee, SourceValue: 4.5 }],
    Insurance: [{ ...life, SourcePercent: 0.1 }],
    EarlyRepayments: [{ Date: '2027-02-01', Amount: 500, DecreaseInstallment: false }],
  });
  const paths = ['Amount', 'EarlyRepayments[0].Date', 'Insurance[0]', 'Commission', 'Unknown'];
  const { byPlace, others } = placeInForm(
    paths.map((path) => ({ path: `jsonParam.${path}` })),
    loan,
    FORM,
  );
  expect(Object.keys(byPlace)).toEqual(['Amount', 'EarlyRepayments[1].Date', 'Insurance[0]', 'Commission']);
  expect(others).toEqual([{ path: 'jsonParam.Unknown' }]);
});

it.each([
  ['8,5', 2, ',', 8.5],
  ['8.5', 2, ',', 8.5],
  ['-1', 2, ',', -1],
  [' 25000 ', 2, ',', 25_000],
  ['25,000', 2, ',', 25_000],
  ['25.000', 2, ',', undefined],
  ['1 00', 2, ',', undefined],
  ['1e3', 2, ',', undefined],
  ['', 2, ',', undefined],
  ['25,000', 2, '.', undefined],
  ['250.000', 2, '.', 250_000],
  ['-1.500', 2, '.', -1_500],
  // Three decimals are possible: neither reading is certain, except with the decimal sign of the page.
  ['25,125', 3, '.', 25.125],
  ['25.125', 3, '.', undefined],
  ['25,125', 3, ',', undefined],
  ['25.125', 3, ',', 25.125],
  ['0.125', 3, ',', 0.125],
  ['-1.000', 3, ',', -1],
  ['25,000,00', 3, ',', undefined],
  ['1.000,000.5', 3, ',', undefined],
  // As documents and spreadsheets have them.
  ['25 000', 2, ',', 25_000],
  ['25\u00A0000,50', 2, ',', 25_000.5],
  ['25.000,50', 2, ',', 25_000.5],
  ['25,000.50', 2, ',', 25_000.5],
  ['1,250,000', 2, ',', 1_250_000],
  ['1.250.000', 2, ',', 1_250_000],
  ['-1’000’000.5', 2, ',', -1_000_000.5],
])('reads %j with %i decimals, where %j separates thousands, as %s', (text, decimals, group, number) => {
  expect(readNumber(text, decimals, group)).toBe(number);
});

it('the loan has two readings where a sign may be either', () => {
  expect(twoReadings('250.000', 2)).toEqual(['250000', '250.00']);
  expect(twoReadings('1,200', 0)).toEqual(['1200', '1']);
  expect(twoReadings('eight', 2)).toBeUndefined();
});

it.each([
  [{ InterestPercent: '7,25 %' }, { InterestPercent: 7.25 }],
  [
    { InterestPercent: '5,125', Amount: '5,125' },
    { InterestPercent: 5.125, Amount: '5,125' },
  ],
  [
    { Amount: '25.000', InstallmentsNo: '1.200' },
    { Amount: 25_000, InstallmentsNo: 1_200 },
  ],
  [{ Amount: '25,125', Currency: 'KWD' }, { Amount: 25.125 }],
  [{ Amount: '250.000 RON', Currency: 'RON' }, { Amount: 250_000 }],
  [{ Amount: 'lei 1.250.000,50', Currency: 'ron' }, { Amount: 1_250_000.5 }],
  [{ InstallmentsNo: '30 years' }, { InstallmentsNo: 360 }],
  [{ InstallmentsNo: '30 de ani' }, { InstallmentsNo: 360 }],
  [{ InstallmentsNo: '2,5 ani', PeriodicityType: 'Quarterly' }, { InstallmentsNo: 10 }],
  [{ InstallmentsNo: '18 luni', PeriodicityType: 'Semiannual' }, { InstallmentsNo: 3 }],
] as readonly [Record<string, string>, object][])('the loan with %o has the terms %o', (fields, terms) => {
  expect(termsOf(fields)).toMatchObject(terms);
});

it.each([
  ['Amount', { Amount: '250 USD' }],
  ['Amount', { Amount: '25.000' }],
  ['InterestPercent', { InterestPercent: '7 EUR' }],
  ['InstallmentsNo', { InstallmentsNo: '7 months', PeriodicityType: 'Annual' }],
  ['InstallmentsNo', { InstallmentsNo: '1 year', PeriodicityType: 'Weekly' }],
  ['InstallmentsNo', { InstallmentsNo: '1.200' }],
] as readonly [string, Record<string, string>][])('names %s as no number: %o', (name, fields) => {
  expect(checkLoan(withFields(fields), FORM)).toEqual({ [name]: { reason: 'notNumber' } });
  expect(loanTerms(withFields(fields), FORM)[name]).toBe(fields[name]);
});

it('the loan is checked by the ranges of the schema', () => {
  const entered: readonly (readonly [name: string, text: string, fault: object])[] = [
    ['Amount', '0', { reason: 'above', from: 0 }],
    ['InstallmentsNo', '1.5', { reason: 'whole', from: 1, to: 1200 }],
    ['InstallmentDay', '', { reason: 'required' }],
    ['CapitalPercent', '101', { reason: 'between', from: 0, to: 100 }],
    ['AdvanceAmount', '-1', { reason: 'atLeast', from: 0 }],
    ['UnusedAmount', '2000000000000000', { reason: 'atMost', to: 1_000_000_000_000_000 }],
    ['MaturityDate', '2026-02-30', { reason: 'notDate' }],
    ['DueDates', '2026-02-01, 2026-02-30', { reason: 'notDate' }],
    ['InterestPercent', 'eight', { reason: 'notNumber' }],
  ];
  const loan = withFields(Object.fromEntries(entered.map(([name, text]) => [name, text])));
  const Commission = [{ FeeName: 'x', SourceValue: '5' }];
  const lists = { Commission, MultipleInterestRates: [{ FromInstNo: '0' }] };
  expect(checkLoan({ ...loan, lists }, FORM)).toEqual({
    ...Object.fromEntries(entered.map(([name, , fault]) => [name, fault])),
    'Commission[0].FeePeriodicityType': { reason: 'required' },
    'MultipleInterestRates[0].FromInstNo': { reason: 'whole', from: 1, to: 1200 },
  });
  expect(checkLoan(LOAN, FORM)).toEqual({});
});

it('the loan has no faults after two items of a list are added', () => {
  for (const list of FORM.filter(({ kind }) => kind === 'list').map(({ name }) => name)) {
    const loan = addItem(addItem(LOAN, list, 'one'), list, 'two');
    expect(checkLoan(loan, FORM)).toEqual({});
    expect(loan.lists[list]).not.toContainEqual({});
  }
});

it.each([
  ['Commission', 'SourceValue'],
  ['Commission', 'SourcePercent'],
  ['Insurance', 'SourceValue'],
  ['EarlyRepayments', 'Amount'],
])('the loan sends an added item of %s when its %s is entered', (list, name) => {
  const loan = addItem({ ...LOAN, lists: {} }, list, 'one');
  expect(loanTerms(loan, FORM)).not.toHaveProperty(list);
  const [item] = loan.lists[list] ?? [];
  const entered = { ...loan, lists: { [list]: [{ ...item, [name]: '5' }] } };
  expect(loanTerms(entered, FORM)[list]).toMatchObject([{ [name]: 5 }]);
});

it('the loan continues the ranges and bands of the items before', () => {
  const ranges = addItem(addItem(LOAN, 'MultipleInterestRates', ''), 'MultipleInterestRates', '');
  expect(ranges.lists['MultipleInterestRates']).toEqual([
    { FromInstNo: '1', ToInstNo: '12', InterestRate: '8.5' },
    { FromInstNo: '13', InterestRate: '8.5' },
  ]);
  const bands = addItem(addItem(LOAN, 'BandedInterestRates', ''), 'BandedInterestRates', '');
  expect(bands.lists['BandedInterestRates']).toEqual([
    { MinUtilizedAmount: '0', MaxUtilizedAmount: '12500', Value: '8.5' },
    { MinUtilizedAmount: '12500', Value: '8.5' },
  ]);
});

it('the address contains every field that is set', () => {
  const fields = FORM.filter(({ items }) => items === undefined).map(({ name }) => [name, '1'] as const);
  const lists = FORM.flatMap(({ name, items = [] }) =>
    items.length === 0 ? [] : [[name, [Object.fromEntries(items.map((item) => [item.name, '2']))]] as const],
  );
  const loan: Loan = { fields: Object.fromEntries(fields), lists: Object.fromEntries(lists) };
  expect(readLoans(new URL(writeLoans([loan, LOAN]), 'http://localhost'), FORM)).toEqual([loan, LOAN]);
  expect(listValues(loan, FORM)).toHaveLength(
    fields.length + lists.reduce((sum, [, [item]]) => sum + Object.keys(item ?? {}).length, 0),
  );
});

it('the address has many rows in its fragment and at most three loans; what is not one is left out', () => {
  const items = Array.from({ length: 100 }, (_, at) => ({ FromInstNo: String(at + 1), InterestRate: '5' }));
  const loan: Loan = { fields: LOAN.fields, lists: { MultipleInterestRates: items } };
  const address = new URL(writeLoans([loan]), 'http://localhost');
  expect(address.search).toBe('');
  expect(readLoans(address, FORM)).toEqual([loan]);
  expect(
    readLoans(
      { search: '?loan=%7B&loan=[]&loan={"Amount":5,"Other":"x","Commission":3,"commissions":3}', hash: '' },
      FORM,
    ),
  ).toEqual([{ fields: { Amount: '5' }, lists: {} }]);
  expect(readLoans({ search: `?${'loan={}&'.repeat(9)}`, hash: '' }, FORM)).toHaveLength(3);
});

it('the figures of a schedule have no binary fractions, and include what is paid at the start', () => {
  expect(exactSum([0.1, 0.2, 0.7])).toBe(1);
  // Amounts with ten decimals may be below a millionth.
  expect(exactSum([0.000_000_1, 0.000_000_25, 1])).toBe(1.000_000_35);
  const rows = [ROW, ROW, ROW];
  const sums = { interest: 0.3, charges: 19.5, total: 320.4, rows: 3 };
  expect(sumSchedule({ rows, terms: {} })).toMatchObject(sums);
  const terms = { UpFrontValue: 2500 };
  const withCosts = { charges: 2506.5, total: 2606.8, atStart: 2500 };
  expect(sumSchedule({ rows: [ROW], terms })).toMatchObject(withCosts);
  const recalculated = { ...terms, LastDueDate: '2026-01-01' };
  expect(sumSchedule({ rows: [ROW], terms: recalculated })).toMatchObject({ total: 106.8, atStart: 0 });
});

it('the figures of a schedule become CSV, and have the decimals of the currency or those asked for', () => {
  expect(toCsv([ROW], 2).split('\r\n')[1]).toBe('1,2026-02-01,31,1000.00,0.10,100.20,5.00,1.50,106.80,false');
  expect(toCsv([ROW, { ...ROW, overpaid: 6.28 }], 2).split('\r\n')[2]).toBe(
    '1,2026-02-01,31,1000.00,0.10,100.20,5.00,1.50,106.80,6.28,false',
  );
  const own = { ...ROW, capitalisedInterest: 2, VatOnFees: 0.95 };
  expect(ownColumns([ROW, own])).toEqual(['VatOnFees']);
  expect(toCsv([own, ROW], 2).split('\r\n')).toEqual([
    'InstallmentNo,DueDate,NoDays,RemainingValue,Interest,CapitalisedInterest,Principal,ManagementFee,Insurance,TotalInstallment,IsEarlyRepayment,VatOnFees',
    '1,2026-02-01,31,1000.00,0.10,2.00,100.20,5.00,1.50,106.80,false,0.95',
    '1,2026-02-01,31,1000.00,0.10,0.00,100.20,5.00,1.50,106.80,false,0.00',
    '',
  ]);
  const loans = [
    { Currency: 'EUR' },
    { Currency: 'jpy' },
    {},
    { Currency: 'EUR', Precision: '4' },
    { Currency: 'EUR', Precision: '40' },
    // Browsers have other decimals for these.
    { Currency: 'HUF' },
    { Currency: 'ALL' },
    { Currency: 'IQD' },
  ];
  expect(loans.map((fields) => decimalsOf({ fields, lists: {} }))).toEqual([2, 0, 2, 4, 2, 2, 2, 3]);
});

it('texts of a call quote an apostrophe, take the token from the shell, and name topic and type', () => {
  expect(asCurl('http://localhost', { FeeName: "bank's" })).toContain(String.raw`bank'\''s`);
  expect(asCurl('http://localhost', {}, true)).toContain('-H "authorization: Bearer $TOKEN"');
  expect(asCurl('http://localhost', {})).not.toContain('authorization');
  expect(JSON.parse(asKafkaMessage('bank.plat.schedule.requests.v1', { Amount: 1 }))).toMatchObject({
    topic: 'bank.plat.schedule.requests.v1',
    headers: { 'plat-message-type': 'CalculateRepaymentScheduleRequest' },
    value: { jsonParam: { Amount: 1 } },
  });
});
