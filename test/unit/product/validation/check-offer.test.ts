import { describe, expect, it } from 'vitest';
import { buildCatalogue } from '../../../../shared/product/validation/build-catalogue.ts';
import type { CatalogueRecord } from '../../../../shared/product/catalogue/catalogue-record.ts';
import type { InsuranceRecord, InterestRecord } from '../../../../shared/product/catalogue/list-records.ts';
import type {
  ProductInsuranceItem,
  ProductRecord,
} from '../../../../shared/product/catalogue/product-record.ts';
import type { ScheduleTypeRecord } from '../../../../shared/lending/schedule-types/schedule-type-record.ts';
import {
  formulaColumn,
  LEVEL_COLUMNS,
  recordOf as scheduleType,
} from '../../../support/builders/schedule-type-records.ts';
import {
  discount,
  guid,
  insurance,
  insuranceItem,
  interest,
  product,
} from '../../../support/worlds/simulated-product.ts';

interface Parts {
  readonly interests?: readonly InterestRecord[];
  readonly insuranceLists?: readonly (readonly InsuranceRecord[])[];
  readonly scheduleTypes?: readonly ScheduleTypeRecord[];
}

const OFFER = { Id: guid(10), Name: 'Offer', InterestList: 'INT', CommissionList: null, Filters: [] };

const list = (Code: string, number: number) =>
  ({ Version: 1, Status: 'Active', Code, Id: guid(number), Name: Code }) as const;

/** The faults of a product that has only interests, unless changed. */
function faultsOf(changes: Partial<ProductRecord>, parts: Parts = {}): readonly string[] {
  const source = 'test';
  const bare = { Insurances: [], Discounts: [], InterestsAndCommissions: [OFFER], ...changes };
  const records: readonly CatalogueRecord[] = [
    { kind: 'product', source, record: product({ product: bare }) },
    {
      kind: 'interest-list',
      source,
      record: { ...list('INT', 11), Interests: parts.interests ?? [interest()] },
    },
    { kind: 'discount-list', source, record: { ...list('DIS', 14), Discounts: [discount()] } },
    ...(parts.insuranceLists ?? []).map((Insurances, place) => ({
      kind: 'insurance-list' as const,
      source,
      record: { ...list(`INS${place}`, 20 + place), Insurances },
    })),
    ...(parts.scheduleTypes ?? []).map((record) => ({ kind: 'schedule-type' as const, source, record })),
  ];
  const outcome = buildCatalogue(records);
  return outcome.kind === 'refused' ? outcome.faults.map(({ message }) => message) : [];
}

/** A schedule type with an additional formula column. */
const typeReading = (formula: string) => {
  const columns = [...LEVEL_COLUMNS, formulaColumn('Extra', formula)];
  return scheduleType(columns, { PaymentScheduleTypeId: guid(900) });
};

const faultsReading = (formula: string, changes: Partial<ProductRecord> = {}) =>
  faultsOf({ PaymentScheduleTypes: ['Own type'], ...changes }, { scheduleTypes: [typeReading(formula)] });

const byFormula = (Expression: string): InterestRecord =>
  interest({
    Type: 'BankingFormula',
    UseBankingFormula: true,
    Values: [],
    Formula: { Name: 'Rate', Expression, Inputs: [] },
  });

/** Mandatory insurances with consecutive numbers. */
const manyInsurances = (start: number, count: number, changes: Partial<InsuranceRecord> = {}) =>
  Array.from({ length: count }, (_, place) =>
    insurance({ Id: guid(start + place), InsuranceName: `Cover ${start + place}`, ...changes }),
  );

/** An insurance item that refers to the insurance list with that number. */
const item = (place: number, changes: Partial<ProductInsuranceItem> = {}) =>
  insuranceItem(`ITEM${place}`, { Id: guid(40 + place), InsuranceList: `INS${place}`, ...changes });

describe('checks of an Approved product', () => {
  it.each([
    ['with the same case', ['DIS', 'DIS'], 'DIS'],
    ['with different case', ['DIS', 'dis'], 'dis'],
  ])('report a repeated discount list %s (Q5)', (_, Discounts, second) => {
    expect(faultsOf({ Discounts })).toEqual([
      `Discounts[1] names the discount list ${second}, as Discounts[0] does: remove one of them`,
    ]);
  });

  it('require both schedule types and interests, or neither (Q2, Q3)', () => {
    expect(faultsOf({})).toEqual([]);
    expect(faultsOf({ PaymentScheduleTypes: [], InterestsAndCommissions: [] })).toEqual([]);
    const interests =
      'InterestsAndCommissions must have an item with an InterestList, or PaymentScheduleTypes must be empty: a product without both can only be looked up';
    expect(faultsOf({ InterestsAndCommissions: [] })).toEqual([interests]);
    expect(faultsOf({ PaymentScheduleTypes: [] })).toEqual([
      'PaymentScheduleTypes must name a schedule type, or no item may have an InterestList: a product without both can only be looked up',
    ]);
    expect(faultsOf({ Status: 'Draft', PaymentScheduleTypes: [] })).toEqual([]);
  });

  it('report a constant formula with a rate that makes the balance negative (R3, Q7)', () => {
    expect(faultsOf({}, { interests: [byFormula('0 - 1300')] })).toEqual([
      'InterestsAndCommissions[0].InterestList names the interest list INT, whose interest Standard rate has the rate -1300, which makes the balance zero or negative with EqualInstallments: raise it',
    ]);
    expect(faultsOf({}, { interests: [byFormula('0 - 1100')] })).toEqual([]);
  });

  it.each([
    ['Monthly', -571, -572],
    ['Weekly', -947, -948],
    ['Once', -90, -91],
  ])(
    'compare rates with the longest %s period after a shift of due dates (R3, H3)',
    (every, least, tooLow) => {
      const faultsWith = (rate: number) => {
        const { GeneralData, Availability } = product({
          general: { PeriodicityType: every, HolidayShiftForRepaymentInstallments: true, DeferDueDate: true },
          availability: { MaximumPeriod: 12 },
        });
        return faultsOf({ GeneralData, Availability }, { interests: [byFormula(`0 - ${-rate}`)] });
      };
      expect(faultsWith(least)).toEqual([]);
      expect(faultsWith(tooLow)).toEqual([expect.stringContaining(`has the rate ${tooLow}`)]);
    },
  );

  it('report rates by band for a schedule type with formulas that read one rate (S2, R2)', () => {
    expect(faultsReading('InterestPercent + 1')).toEqual([]);
    const BandedInterests = [
      {
        InterestName: 'Band',
        MinUtilizedAmount: 0,
        MaxUtilizedAmount: null,
        IsForOverdraft: false,
        CollectionValidFrom: null,
        CollectionValidTo: null,
        Value: 12,
        ValueMessage: null,
      },
    ];
    const banded = interest({ Type: 'Collection', Values: [], BandedInterests });
    const scheduleTypes = [typeReading('InterestPercent + 1')];
    expect(faultsOf({ PaymentScheduleTypes: ['Own type'] }, { interests: [banded], scheduleTypes })).toEqual([
      'InterestsAndCommissions[0].InterestList names the interest list INT, whose interest Standard rate has bands, but the formulas of Own type use a single rate: remove one of the two',
    ]);
  });

  it('require the percentages that formulas of the schedule type read (S2, B1, B3)', () => {
    expect(faultsReading('capitalpercent + 1')).toEqual([
      'PaymentScheduleTypes[0] names Own type, which needs CapitalPercent of the product: add it, or name another',
    ]);
    expect(faultsReading('ResidualValue + 1')).toEqual([
      'PaymentScheduleTypes[0] names Own type, which needs ResidualPercent of the product: add it, or name another',
    ]);
    const both = { CapitalPercent: 5, ResidualPercent: 10 };
    expect(faultsReading('CapitalPercent + ResidualValue', both)).toEqual([]);
    expect(faultsReading('Amount + 1')).toEqual([]);
  });
});

describe('checks of insurance counts', () => {
  const FAULT =
    'Insurances must have at most 200 insurances without Filters that come with a contract, not 300 on one day: filter or remove some';
  const lists = [manyInsurances(1000, 150), manyInsurances(2000, 150)];

  it('count the insurances of several lists together (F1, Q6)', () => {
    expect(faultsOf({ Insurances: [item(0), item(1)] }, { insuranceLists: lists })).toEqual([FAULT]);
    const exact = [manyInsurances(1000, 100), manyInsurances(2000, 100)];
    expect(faultsOf({ Insurances: [item(0), item(1)] }, { insuranceLists: exact })).toEqual([]);
  });

  it('report a single list above the limit once', () => {
    const insuranceLists = [manyInsurances(1000, 201)];
    expect(faultsOf({ Insurances: [item(0)] }, { insuranceLists })).toEqual([
      'Insurances[0].InsuranceList names the insurance list INS0, of which 201 come with every contract: at most 200 are allowed',
    ]);
  });

  it('count an insurance of several items once, and only insurances on the same day', () => {
    const twice = [item(0), item(1, { InsuranceList: 'ins0' })];
    expect(faultsOf({ Insurances: twice }, { insuranceLists: lists })).toEqual([]);
    const oneAfterTheOther = [item(0, { EndDate: '2024-12-31' }), item(1, { StartDate: '2025-01-01' })];
    expect(faultsOf({ Insurances: oneAfterTheOther }, { insuranceLists: lists })).toEqual([]);
    const shared = [item(0, { EndDate: '2025-01-01' }), item(1, { StartDate: '2025-01-01' })];
    expect(faultsOf({ Insurances: shared }, { insuranceLists: lists })).toEqual([FAULT]);
    expect(faultsOf({ Insurances: shared, EndDate: '2024-06-30' }, { insuranceLists: lists })).toEqual([]);
    const value = { Value: 3, Status: 'Active', ValidFrom: null, ValidTo: '2024-12-31' } as const;
    const ended = [manyInsurances(1000, 150, { Values: [value] }), manyInsurances(2000, 150)];
    const later = { StartDate: '2025-01-01', Insurances: [item(0), item(1)] };
    expect(faultsOf(later, { insuranceLists: ended })).toEqual([]);
    expect(faultsOf({ Insurances: [item(0), item(1)] }, { insuranceLists: ended })).toEqual([FAULT]);
  });

  it('ignore insurances with filters and insurances that are paid once', () => {
    const Filters = [{ Name: 'Age', From: 18, To: null }];
    expect(faultsOf({ Insurances: [item(0), item(1, { Filters })] }, { insuranceLists: lists })).toEqual([]);
    const filtered = [manyInsurances(1000, 150), manyInsurances(2000, 150, { Filters })];
    expect(faultsOf({ Insurances: [item(0), item(1)] }, { insuranceLists: filtered })).toEqual([]);
    const once = [manyInsurances(1000, 150), manyInsurances(2000, 150, { PeriodicityType: 'Once' })];
    expect(faultsOf({ Insurances: [item(0), item(1)] }, { insuranceLists: once })).toEqual([]);
  });
});
