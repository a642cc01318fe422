import { describe, expect, it } from 'vitest';
import { buildCatalogue } from '../../../../shared/product/validation/build-catalogue.ts';
import type { CatalogueRecord } from '../../../../shared/product/catalogue/catalogue-record.ts';
import type { InsuranceRecord, InterestRecord } from '../../../../shared/product/catalogue/list-records.ts';
import type { ProductRecord } from '../../../../shared/product/catalogue/product-record.ts';
import type { ScheduleTypeRecord } from '../../../../shared/lending/schedule-types/schedule-type-record.ts';
import {
  formulaColumn,
  LEVEL_COLUMNS,
  recordOf as scheduleType,
} from '../../../support/builders/schedule-type-records.ts';
import { discount, guid, insurance, interest, product } from '../../../support/worlds/simulated-product.ts';

interface Parts {
  readonly interests?: readonly InterestRecord[];
  readonly insuranceLists?: readonly (readonly InsuranceRecord[])[];
  readonly scheduleTypes?: readonly ScheduleTypeRecord[];
}

const OFFER = { Id: guid(10), Name: 'Offer', InterestList: 'INT', CommissionList: null, Filters: [] };

const list = (Code: string, number: number) =>
  ({ Version: 1, Status: 'Active', Code, Id: guid(number), Name: Code }) as const;

/** What is wrong with a product that has interests and, unless it says so, nothing else. */
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

/** A schedule type with a column of this formula. */
const reading = (formula: string) => {
  const columns = [...LEVEL_COLUMNS, formulaColumn('Extra', formula)];
  return scheduleType(columns, { PaymentScheduleTypeId: guid(900) });
};

const faultsReading = (formula: string, changes: Partial<ProductRecord> = {}) =>
  faultsOf({ PaymentScheduleTypes: ['Own type'], ...changes }, { scheduleTypes: [reading(formula)] });

const byFormula = (Expression: string): InterestRecord =>
  interest({
    Type: 'BankingFormula',
    UseBankingFormula: true,
    Values: [],
    Formula: { Name: 'Rate', Expression, Inputs: [] },
  });

/** Mandatory insurances, numbered from a place on. */
const many = (start: number, count: number, changes: Partial<InsuranceRecord> = {}) =>
  Array.from({ length: count }, (_, place) =>
    insurance({ Id: guid(start + place), InsuranceName: `Cover ${start + place}`, ...changes }),
  );

/** The item that names the insurance list of that place. */
const item = (place: number, changes: Partial<ProductRecord['Insurances'][number]> = {}) => ({
  Id: guid(40 + place),
  Name: `Item ${place}`,
  Code: `ITEM${place}`,
  InsuranceList: `INS${place}`,
  StartDate: null,
  EndDate: null,
  Filters: [],
  ...changes,
});

describe('an Approved product', () => {
  it.each([
    ['as it stands', ['DIS', 'DIS'], 'DIS'],
    ['in another case', ['DIS', 'dis'], 'dis'],
  ])('names a discount list once: %s (Q5)', (_, Discounts, second) => {
    expect(faultsOf({ Discounts })).toEqual([
      `Discounts[1] names the discount list ${second}, as Discounts[0] does: remove one of them`,
    ]);
  });

  it('has schedule types and interests, or neither and is only looked up (Q2, Q3)', () => {
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

  it('has no formula whose only rate leaves nothing of the balance (R3, Q7)', () => {
    expect(faultsOf({}, { interests: [byFormula('0 - 1300')] })).toEqual([
      'InterestsAndCommissions[0].InterestList names the interest list INT, whose interest Standard rate has the rate -1300, which makes the balance zero or negative with EqualInstallments: raise it',
    ]);
    expect(faultsOf({}, { interests: [byFormula('0 - 1100')] })).toEqual([]);
  });

  it('has what the formulas of its schedule types read of it (S2, B1, B3)', () => {
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

describe('insurances of several lists', () => {
  const FAULT =
    'Insurances must have at most 200 insurances without Filters that come with a contract, not 300 on one day: filter or remove some';
  const lists = [many(1000, 150), many(2000, 150)];

  it('are counted together, as a simulation does (F1, Q6)', () => {
    expect(faultsOf({ Insurances: [item(0), item(1)] }, { insuranceLists: lists })).toEqual([FAULT]);
    const exact = [many(1000, 100), many(2000, 100)];
    expect(faultsOf({ Insurances: [item(0), item(1)] }, { insuranceLists: exact })).toEqual([]);
  });

  it('count once when several items name them, and only together with those of the same day', () => {
    const twice = [item(0), item(1, { InsuranceList: 'ins0' })];
    expect(faultsOf({ Insurances: twice }, { insuranceLists: lists })).toEqual([]);
    const oneAfterTheOther = [item(0, { EndDate: '2024-12-31' }), item(1, { StartDate: '2025-01-01' })];
    expect(faultsOf({ Insurances: oneAfterTheOther }, { insuranceLists: lists })).toEqual([]);
    const shared = [item(0, { EndDate: '2025-01-01' }), item(1, { StartDate: '2025-01-01' })];
    expect(faultsOf({ Insurances: shared }, { insuranceLists: lists })).toEqual([FAULT]);
    expect(faultsOf({ Insurances: shared, EndDate: '2024-06-30' }, { insuranceLists: lists })).toEqual([]);
    const value = { Value: 3, Status: 'Active', ValidFrom: null, ValidTo: '2024-12-31' } as const;
    const ended = [many(1000, 150, { Values: [value] }), many(2000, 150)];
    const later = { StartDate: '2025-01-01', Insurances: [item(0), item(1)] };
    expect(faultsOf(later, { insuranceLists: ended })).toEqual([]);
    expect(faultsOf({ Insurances: [item(0), item(1)] }, { insuranceLists: ended })).toEqual([FAULT]);
  });

  it('do not count when a filter may leave them out, or they are paid once at the start', () => {
    const Filters = [{ Name: 'Age', From: 18, To: null }];
    expect(faultsOf({ Insurances: [item(0), item(1, { Filters })] }, { insuranceLists: lists })).toEqual([]);
    const filtered = [many(1000, 150), many(2000, 150, { Filters })];
    expect(faultsOf({ Insurances: [item(0), item(1)] }, { insuranceLists: filtered })).toEqual([]);
    const once = [many(1000, 150), many(2000, 150, { PeriodicityType: 'Once' })];
    expect(faultsOf({ Insurances: [item(0), item(1)] }, { insuranceLists: once })).toEqual([]);
  });
});
