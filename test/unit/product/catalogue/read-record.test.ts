import { describe, expect, it } from 'vitest';
import { readCatalogueRecord } from '../../../../shared/product/catalogue/read-record.ts';
import type { RecordKind } from '../../../../shared/product/catalogue/catalogue-record.ts';
import {
  exampleJson,
  type Json,
  readCases,
  recordFrom,
} from '../../../support/builders/catalogue-entries.ts';

const ID = '33333333-3333-4333-8333-333333333333';

/** A product with its mandatory fields only. */
const LEAST_PRODUCT = {
  Code: 'TL',
  Id: ID,
  Status: 'Draft',
  Name: 'Loan',
  BankingProductType: 'TL',
  Display: {},
  GeneralData: { PeriodicityType: 'Monthly' },
  Availability: { Currency: 'EUR', PeriodType: 'Months' },
};

/** The faults of a record of the example catalogue after a change. */
function faultsAfter(kind: RecordKind, code: string, change: (json: Json) => unknown): readonly string[] {
  const json = exampleJson(kind, code);
  change(json);
  const read = readCatalogueRecord(kind, json, 'test.json');
  return read.kind === 'invalid' ? read.faults.map(({ record, message }) => `${record}: ${message}`) : [];
}

const GUID = 'a GUID such as 0b6f7c52-3d0e-4a57-9f5c-8f4f6c1d2a01';
const ONE_KIND = 'must have From or To or both, or Values, or List, and only one of the three';

/** Settings with which a record cannot be read. */
const FAULTY = readCases(`
MG-HOME Cod = "X"; GeneralData.IsRevolvin = true; Insurances[0].Filters[0].Until = 5
  MG-HOME: GeneralData must not have the unknown field IsRevolvin
  MG-HOME: Insurances[0].Filters[0] must not have the unknown field Until
  MG-HOME: must not have the unknown field Cod
LS-CAR Code = ""; Version = 0; Id = "5"; Status = "Active"; StartDate = "2020-1-1"; EndDate = "2021-02-30"; Name = null; Questions = {}
  : Code must have 1 to 64 letters, digits, blanks, single dots, underscores or hyphens, with a letter or digit at both ends
  : Version must be at least 1 | : Id must be ${GUID}
  : Status must be one of Draft, VersionDraft, Approved, Closed | : Name is missing; must be text
  : StartDate must be an existing day written like 2024-01-31
  : EndDate must be an existing day written like 2024-01-31 | : Questions must be a list, not an object
LS-CAR Availability.PeriodType = "Moons"; Availability.MinimumAmount = "5000"; Availability.MaximumPeriod = 7.5; Availability.MinimumAdvance = -1
  LS-CAR: Availability.PeriodType must be one of Days, Weeks, Months, Years
  LS-CAR: Availability.MaximumPeriod must be a whole number
  LS-CAR: Availability.MinimumAmount must be a number, not text
  LS-CAR: Availability.MinimumAdvance must not be below 0
COM-LEASE Commissions[0].Values[0].CommissionValue = -5; Commissions[0].IsForUnusage = "no"; Commissions[1].Formula.Inputs = "Kilometres"; Commissions[1].PeriodicityType = null
  COM-LEASE: Commissions[0].IsForUnusage must be true or false, not text
  COM-LEASE: Commissions[0].Values[0].CommissionValue must not be below 0
  COM-LEASE: Commissions[1].PeriodicityType is missing; must be text
  COM-LEASE: Commissions[1].Formula.Inputs must be a list, not text
INS-HOME Insurances[0].ClassId = "Property"; Insurances[1].Filters = [{"Name":"Age"},{"Name":"Age","From":1,"Values":[1]},{"Name":"Age","List":"A","To":3},{"Name":"Age","From":"young"}]
  INS-HOME: Insurances[0].ClassId must be ${GUID} | INS-HOME: Insurances[1].Filters[0] ${ONE_KIND}
  INS-HOME: Insurances[1].Filters[1] ${ONE_KIND} | INS-HOME: Insurances[1].Filters[2] ${ONE_KIND}
  INS-HOME: Insurances[1].Filters[3].From must be a number, not text
DIS-HOME Discounts[0].AppliedToDimension = "Everything"; Discounts[0].InterestType = "Fix"; Discounts[1].DiscountValue = -1; Discounts[2] = null
  DIS-HOME: Discounts[0].AppliedToDimension must be one of Interest, Commission, Insurance
  DIS-HOME: Discounts[0].InterestType must be one of Fixed, Variable, Collection, BankingFormula
  DIS-HOME: Discounts[1].DiscountValue must not be below 0
  DIS-HOME: Discounts[2] is missing; must be an object
INT-STEPS Interests[0].Type = "Steps"; Interests[0].CollectionInterests[0].InterestStartPeriod = -1; Interests[1].Values[0].Value = null; Interests[2].Values[0].ValueStatus = "active"
  INT-STEPS: Interests[0].Type must be one of Fixed, Variable, Collection, BankingFormula
  INT-STEPS: Interests[0].CollectionInterests[0].InterestStartPeriod must not be below 0
  INT-STEPS: Interests[1].Values[0].Value is missing; must be a number
  INT-STEPS: Interests[2].Values[0].ValueStatus must be one of Active, Draft, Closed
PREFERRED-EMPLOYERS Values = [1,"2"] | PREFERRED-EMPLOYERS: Values[1] must be a number, not text
`);

describe('readCatalogueRecord', () => {
  it('sets absent fields of a product to null, false, an empty list or version 1', () => {
    expect(recordFrom('product', LEAST_PRODUCT).record).toMatchObject({
      Version: 1,
      StartDate: null,
      Display: { ProductImage: null, Benefits: null, NoOfDebtor: null },
      GeneralData: { IsRevolving: false, AllowCollateralPartialRelease: null, MaxNoDisbursements: null },
      Availability: { MinimumAmount: null, ProductCovenants: [], MandatoryRoles: [] },
      InterestsAndCommissions: [],
      Insurances: [],
      Documents: [],
    });
  });

  it('sets absent fields of lists and items, which are Active by default', () => {
    const item = { Id: ID, Name: 'Own', Code: 'OWN', Type: 'Fixed', Values: [{ Value: 5 }] };
    const list = { Code: 'I', Id: ID, Name: 'Interests', Interests: [item] };
    const { record } = recordFrom('interest-list', list);
    const Values = [{ Value: 5, ValueStatus: 'Active', ValidFrom: null, ValidTo: null }];
    const none = { CollectionInterests: [], BandedInterests: [], Formula: null, Description: null };
    const Interests = [{ Status: 'Active', IsDefault: false, Values, ...none }];
    expect(record).toMatchObject({ Version: 1, Status: 'Active', Interests });
  });

  it('reads filters as ranges, sets and custom lists (L3)', () => {
    const offer = { Id: ID, Name: 'Offer', InterestList: 'INT' };
    const filters = [
      { Name: 'Amount', From: 1 },
      { Name: 'Amount', To: 5, Values: null },
      { Name: 'Class', Values: [1, 2] },
      { Name: 'Employer', List: 'STAFF' },
    ];
    const json = { ...LEAST_PRODUCT, InterestsAndCommissions: [{ ...offer, Filters: filters }] };
    const bounds = [
      { Name: 'Amount', From: 1, To: null },
      { Name: 'Amount', From: null, To: 5 },
    ];
    const Filters = [...bounds, { Name: 'Class', Values: [1, 2] }, { Name: 'Employer', List: 'STAFF' }];
    expect(recordFrom('product', json).record).toMatchObject({ InterestsAndCommissions: [{ Filters }] });
  });

  it.each(FAULTY)('reports all faults together: $title', ({ change: [kind, code, change], faults }) => {
    expect(faultsAfter(kind, code, change)).toEqual(faults);
  });

  it('returns the paths of faults and of unknown fields', () => {
    const json = { ...exampleJson('product', 'LS-CAR'), Cod: 1, Availability: 5 };
    expect(readCatalogueRecord('product', json, 'body')).toMatchObject({
      kind: 'invalid',
      paths: ['Availability', 'Cod'],
    });
    expect(readCatalogueRecord('product', [], 'body')).toMatchObject({ paths: [''] });
  });

  it('limits the length of lists and strings', () => {
    const { Questions } = exampleJson('product', 'MG-HOME');
    const faults = faultsAfter('product', 'MG-HOME', (product) => {
      product.Questions = Array.from({ length: 1001 }, () => Questions[0]);
      product.Name = 'x'.repeat(201);
      product.Display.Benefits = 'x'.repeat(10_001);
    });
    expect(faults).toEqual([
      'MG-HOME: Name must have at most 200 characters',
      'MG-HOME: Display.Benefits must have at most 10000 characters',
      'MG-HOME: Questions must have at most 1000 items',
    ]);
  });
});

it('orders the fields of an interest as in stored records, which are compared byte by byte', () => {
  const [interest] = exampleJson('interest-list', 'INT-PERSONAL').Interests;
  expect(Object.keys(interest).slice(0, 8).join(' ')).toBe(
    'Id Name Code Status Type Description AppliedToLoanItemIfOverdue IsDefault',
  );
});

describe('a name that is part of a message key', () => {
  it.each(['a/b', String.raw`a\b`, '..', 'a..b', ' a', 'a ', 'a\u0000', 'a\nb', ''])(
    'is refused as a code: %j',
    (name) => {
      const json = { ...exampleJson('custom-list', 'PREFERRED-EMPLOYERS'), Code: name };
      expect(readCatalogueRecord('custom-list', json, 'test.json').kind).toBe('invalid');
    },
  );

  it.each(['a/b', String.raw`a\b`, 'a..b', ' a', 'a ', 'a\u0000', 'a\nb'])(
    'is refused for periodicities, calendars and schedule types: %j',
    (name) => {
      const records: readonly (readonly [RecordKind, Json])[] = [
        ['periodicity', { name, count: 2, unit: 'Days' }],
        ['calendar', { name, version: '1', holidays: [] }],
        ['schedule-type', { ...exampleJson('schedule-type', 'CMP'), PaymentScheduleCode: name }],
      ];
      for (const [kind, json] of records) {
        const read = readCatalogueRecord(kind, json, 'test.json');
        expect(read.kind === 'invalid' && read.faults.length).toBe(1);
      }
    },
  );
});

describe('an unknown field', () => {
  it.each(['__proto__', 'constructor', 'toString'])('may be called %s', (name) => {
    const json: unknown = JSON.parse(`{"Code": "A", "Values": [], "${name}": {"x": 1}}`);
    const read = readCatalogueRecord('custom-list', json, 'test.json');
    expect(read.kind === 'invalid' && read.faults.map(({ message }) => message)).toEqual([
      `must not have the unknown field ${name}`,
    ]);
  });
});
