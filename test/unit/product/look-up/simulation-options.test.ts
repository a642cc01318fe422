import { describe, expect, test } from 'vitest';
import { BUILT_IN_SCHEDULE_TYPE_RECORDS } from '../../../../shared/lending/schedule-types/schedule-catalogue.ts';
import { lookUpProductList } from '../../../../shared/product/look-up/products-on-offer.ts';
import { lookUpReferences } from '../../../../shared/product/look-up/reference-lists.ts';
import { lookUpSimulationOptions } from '../../../../shared/product/simulation/simulation-options.ts';
import { EXAMPLE_CATALOGUE } from '../../../support/builders/example-catalogue.ts';
import { date } from '../../../support/builders/lending-loan.ts';
import {
  catalogueOf,
  commission,
  discount,
  guid,
  insurance,
  insuranceItem,
  interest,
  price,
  SIMULATION_DAY,
  type Offering,
} from '../../../support/worlds/simulated-product.ts';

const TODAY = date('2026-01-15');

const list = (request: Parameters<typeof lookUpProductList>[0]) =>
  lookUpProductList(request, { catalogue: EXAMPLE_CATALOGUE, requestDay: TODAY }).answer;
const codes = (request: Parameters<typeof lookUpProductList>[0]) =>
  list(request).Products.map(({ BankingProductCode }) => BankingProductCode);

const optionsOf = (offering: Offering) => {
  const found = lookUpSimulationOptions(
    { productCode: 'pl' },
    { catalogue: catalogueOf(offering), requestDay: SIMULATION_DAY },
  );
  if (found.kind !== 'found') throw new Error(JSON.stringify(found.faults));
  return found.answer;
};

const setOf = (length: number) => ({ Name: 'Branch', Values: Array.from({ length }, (_, n) => n) });

describe('products on offer (L5)', () => {
  test('are the Approved ones of the day, by code', () => {
    expect(codes({})).toEqual(codes({}).toSorted());
    expect(codes({})).toContain('TL-PERSONAL');
    expect(codes({})).not.toContain('TL-BRIDGE');
    expect(list({}).Next).toBeNull();
    expect(codes({ Date: date('2019-12-31') })).toEqual([]);
    const personal = (Date?: typeof TODAY) =>
      list({ Date }).Products.find(({ BankingProductCode }) => BankingProductCode === 'TL-PERSONAL');
    expect([personal()?.StartDate, personal()?.EndDate]).toEqual(['2024-01-01T00:00:00', null]);
    expect(personal(date('2023-12-31'))?.EndDate).toBe('2023-12-31T00:00:00');
  });

  test('come in pages, which begin after any text in any case', () => {
    const all = codes({});
    expect([codes({ limit: 2 }), list({ limit: 2 }).Next]).toEqual([all.slice(0, 2), all[1]?.toLowerCase()]);
    expect(codes({ after: all[1]?.toLowerCase(), limit: 3 })).toEqual(all.slice(2, 5));
    expect(list({ limit: all.length }).Next).toBeNull();
    expect(codes({ after: 'tl-pzzz' })).toEqual(all.filter((code) => code > 'TL-PZZZ'));
    expect(codes({ after: 'zz' })).toEqual([]);
  });

  test('come after at most 2000 codes, and only those of the page are read (E7)', () => {
    const productCodes = Array.from({ length: 5000 }, (_, index) => `a${String(index).padStart(4, '0')}`);
    const read: string[] = [];
    const product = (code: string) => {
      read.push(code);
      return code < 'a4000' ? undefined : EXAMPLE_CATALOGUE.product('TL-PERSONAL', TODAY);
    };
    const catalogue = { ...EXAMPLE_CATALOGUE, productCodes: () => productCodes, product };
    const pageOf = (request: Parameters<typeof lookUpProductList>[0]) => {
      const { Products, Next } = lookUpProductList(request, { catalogue, requestDay: TODAY }).answer;
      return [Products.length, Next, read.splice(0).length];
    };
    expect(pageOf({})).toEqual([0, 'a1999', 2000]);
    expect(pageOf({ after: 'a1999' })).toEqual([0, 'a3999', 2000]);
    expect(pageOf({ after: 'a3999', limit: 3 })).toEqual([3, 'a4002', 3]);
    expect(pageOf({ after: 'a4997' })).toEqual([2, null, 2]);
  });
});

describe('options of a simulation (L6)', () => {
  test('an unknown product is refused', () => {
    const context = { catalogue: EXAMPLE_CATALOGUE, requestDay: TODAY };
    expect(lookUpSimulationOptions({ productCode: 'TL-BRIDGE' }, context).kind).toBe('unknown-product');
  });

  const TERMS = [
    { PeriodicityType: 'Monthly', PeriodType: 'Years', from: 1, to: 2, range: [12, 24] },
    { PeriodicityType: 'Quarterly', PeriodType: 'Months', from: 4, to: 13, range: [2, 4] },
    // From 1 January 2025 one month has 31 days, and two have 59.
    { PeriodicityType: 'Weekly', PeriodType: 'Months', from: 1, to: 2, range: [5, 8] },
    { PeriodicityType: 'Once', PeriodType: 'Months', from: 3, to: 9, range: [3, 9], unit: 'months' },
    { PeriodicityType: 'Monthly', PeriodType: 'Months', from: null, to: null, range: [1, 1200] },
    { PeriodicityType: 'Annual', PeriodType: 'Months', from: 13, to: 23, range: [null, null] },
    { PeriodicityType: 'Lunar', PeriodType: 'Months', from: 1, to: 2, range: [null, null], unit: 'periods' },
  ] as const;
  test.each(TERMS)('$PeriodicityType periods from $from to $to $PeriodType are $range', (term) => {
    const { PeriodicityType, PeriodType, from, to, range } = term;
    const bounds = { PeriodType, MinimumPeriod: from, MaximumPeriod: to };
    const options = optionsOf({ general: { PeriodicityType }, availability: bounds });
    expect(options.LoanPeriodUnit).toBe('unit' in term ? term.unit : `${PeriodicityType} periods`);
    const [type] = options.ScheduleTypes;
    expect([type?.MinimumLoanPeriod, type?.MaximumLoanPeriod]).toEqual(range);
  });

  test('a schedule type that allows fewer installments than the product has a shorter longest term, or none', () => {
    const [record] = BUILT_IN_SCHEDULE_TYPE_RECORDS;
    const shorter = (MaximumInstallments: number) => {
      const scheduleTypes = [{ source: 'test', record: { ...record!, MaximumInstallments } }];
      const availability = { MinimumPeriod: 6, MaximumPeriod: 24 };
      return optionsOf({ lending: { scheduleTypes }, availability }).ScheduleTypes[0];
    };
    expect(shorter(12)).toMatchObject({ MinimumLoanPeriod: 6, MaximumLoanPeriod: 12 });
    expect(shorter(5)).toMatchObject({ MinimumLoanPeriod: null, MaximumLoanPeriod: null });
  });

  test('interests are Active and no penalties; a Collection without rates needs them in the request', () => {
    const interests = [
      interest({ Id: guid(101), Name: 'Draft', Status: 'Draft' }),
      interest({ Id: guid(102), Name: 'Penalty', IsPenalty: true }),
      interest({ Id: guid(103), Name: 'Unpriced', Values: [] }),
      interest({ Id: guid(104), Name: 'Free', Type: 'Collection', Values: [], IsDefault: true }),
      interest({ Id: guid(105), Name: 'Priced' }),
      interest({ Id: guid(106), Name: 'Default', IsDefault: true, Type: 'Variable' }),
    ];
    const found = optionsOf({ interests }).Interests;
    expect(found.map((one) => [one.InterestName, one.IsDefault, one.NeedsInterestRates])).toEqual([
      ['Free', false, true],
      ['Priced', false, false],
      ['Default', true, false],
    ]);
  });

  test('commissions are those of items with an interest that a simulation can use', () => {
    const commissions = [
      commission({ UseBankingFormula: true, Formula: { Name: 'F', Expression: 'x', Inputs: ['x'] } }),
    ];
    expect(optionsOf({ commissions }).Commissions).toHaveLength(1);
    const without = optionsOf({ commissions, interests: [interest({ Status: 'Draft' })] });
    expect([without.Commissions, without.FormulaInputs]).toEqual([[], []]);
  });

  test('filters have ranges, sets and at most 1000 values; those of items of other days are left out', () => {
    const Values = Array.from({ length: 1001 }, (_, index) => index);
    const Filters = [
      { Name: 'Region', List: 'odd' },
      { Name: 'Branch', Values },
    ];
    const insurances = [
      insurance({ Filters: [{ Name: 'Age', From: 18, To: null }] }),
      insurance({
        Id: guid(301),
        InsuranceName: 'Old',
        Status: 'Closed',
        Filters: [{ Name: 'X', Values: [1] }],
      }),
    ];
    const past = insuranceItem('PAST', { EndDate: '2024-12-31', Filters: [{ Name: 'Y', Values: [1] }] });
    const discounts = [
      discount({ Filters }),
      discount({
        Id: guid(401),
        Name: 'Later',
        StartDate: '2025-01-02',
        Filters: [{ Name: 'Z', Values: [1] }],
      }),
    ];
    const product = { Insurances: [insuranceItem('COVER'), past] };
    const found = optionsOf({ insurances, discounts, product });
    const range = { From: 18, To: null, Values: [], ValueCount: 0 };
    const set = { From: null, To: null };
    expect(found.Filters).toEqual([
      { Field: 'jsonInsuranceFilter', Name: 'Age', UsedBy: 'Life', ...range },
      {
        Field: 'jsonDiscountFilter',
        Name: 'Region',
        UsedBy: 'Campaign',
        ...set,
        Values: [1, 3],
        ValueCount: 2,
      },
      {
        Field: 'jsonDiscountFilter',
        Name: 'Branch',
        UsedBy: 'Campaign',
        ...set,
        Values: Values.slice(0, 1000),
        ValueCount: 1001,
      },
    ]);
    expect(found.Insurances.map(({ InsuranceName }) => InsuranceName)).toEqual(['Life']);
    expect(found.Discounts.map(({ ProductDiscountId }) => ProductDiscountId)).toEqual([guid(400)]);
  });

  test('all filters together have at most 10,000 values; one that would exceed them has none', () => {
    const Filters = [...Array.from({ length: 9 }, () => setOf(1000)), setOf(999), setOf(2), setOf(1)];
    const lengths = optionsOf({ discounts: [discount({ Filters })] }).Filters.map((one) => [
      one.Values.length,
      one.ValueCount,
    ]);
    expect(lengths.slice(9)).toEqual([
      [999, 999],
      [0, 2],
      [1, 1],
    ]);
  });

  test('arguments are those of formulas that a simulation may read; optional charges have ids and prices', () => {
    const Formula = { Name: 'F', Expression: 'Km', Inputs: ['Km'] };
    const byFormula = { UseBankingFormula: true, Formula, Values: [] };
    const found = optionsOf({
      interests: [interest({ Type: 'BankingFormula', ...byFormula })],
      commissions: [
        commission({ Name: 'Service', ...byFormula }),
        commission({ Id: guid(201), Name: 'Optional', AutomaticLoadOnContract: false, ...byFormula }),
        commission({ Id: guid(202), Name: 'Paper', AutomaticLoadOnContract: false, ...price(1) }),
        commission({ Id: guid(203), Name: 'Closed', Status: 'Closed', ...byFormula }),
        commission({ Id: guid(204), Name: 'Outside', IncludedInRepaymentSchedule: false, ...byFormula }),
        commission({
          Id: guid(205),
          Name: 'Notary',
          IncludedInRepaymentSchedule: false,
          InAprc: true,
          ...byFormula,
        }),
      ],
      insurances: [insurance({ ...byFormula }), insurance({ Id: guid(301), InsuranceName: 'Home' })],
      discounts: [discount({ UseBankingFormula: true, Formula, DiscountValue: null })],
    });
    expect(found.FormulaInputs.map(({ Part, Name, UsedBy }) => `${Part}.${Name} ${UsedBy}`)).toEqual([
      'interestInput.Km Standard rate',
      'commissionInput.Km Service',
      'commissionInput.Km Optional',
      'commissionInput.Km Notary',
      'insuranceInput.Km Life',
      'discountInput.Km Campaign',
    ]);
    const described = found.Commissions.map((one) => [
      one.FeeId,
      one.Price,
      one.ComesWithContract,
      one.IsOptional,
    ]);
    expect(described).toEqual([
      [guid(200), null, true, false],
      [guid(201), null, false, true],
      [guid(202), 1, false, true],
      [guid(204), null, false, false],
      [guid(205), null, false, false],
    ]);
    expect(found.Insurances.map((one) => [one.InsuranceClassId, one.Price])).toEqual([
      [guid(390), null],
      [guid(390), 3],
    ]);
  });
});

test('a reference list has the schedule types that are in force, and no calendar twice (L7)', () => {
  const shadow = { name: 'CH', version: '1', holidays: ['2026-08-01'] };
  const { lending } = catalogueOf({ lending: { calendars: [{ source: 'test', record: shadow }] } });
  const flags = { displayCountryCalendars: true, displayPaymentScheduleTypes: true };
  const lists = lookUpReferences(flags, { lending });
  const swiss = lists.CountryCalendars?.filter(({ Name }) => Name === 'CH');
  expect(swiss).toEqual([{ Name: 'CH', Description: null, Version: '1', Source: 'Catalogue' }]);
  expect(lists.PaymentScheduleTypes).toHaveLength(BUILT_IN_SCHEDULE_TYPE_RECORDS.length);
  expect(lists).not.toHaveProperty('Periodicities');
});

test('reference lists have the names and ids of the catalogue, and its calendars before the others (L7)', () => {
  const flags = {
    displayCountryCalendars: true,
    displayPaymentScheduleTypes: true,
    displayPeriodicities: true,
  };
  const lists = lookUpReferences(flags, EXAMPLE_CATALOGUE);
  const vat = lists.PaymentScheduleTypes?.find(({ PaymentScheduleCode }) => PaymentScheduleCode === 'LTV');
  expect(vat).toMatchObject({ ProductTypes: ['TL', 'C'], RequiresOneOf: ['installmentValue'] });
  expect(lists.Periodicities).toContainEqual({ Name: 'Every 10 days', Count: 10, Unit: 'Days' });
  const calendars = lists.CountryCalendars ?? [];
  expect(calendars[0]).toMatchObject({ Name: 'Bank', Description: 'Based on RO+TARGET', Version: '2026.1' });
  expect(new Set(calendars.map(({ Name }) => Name)).size).toBe(calendars.length);
  const sources = Map.groupBy(calendars, ({ Source }) => Source);
  expect([...sources].map(([source, { length }]) => [source, length])).toEqual([
    ['Catalogue', 1],
    ['BuiltIn', 18],
    ['Library', 190],
  ]);
});
