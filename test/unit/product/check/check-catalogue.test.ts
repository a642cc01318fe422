import { describe, expect, it } from 'vitest';
import { checkCatalogue } from '../../../../shared/product/check/check-catalogue.ts';
import type { CatalogueRecord } from '../../../../shared/product/catalogue/catalogue-record.ts';
import {
  type Change,
  exampleJson,
  exampleWith,
  type Json,
  readCases,
  withChanges,
} from '../../../support/builders/catalogue-entries.ts';
import { EXAMPLE_CATALOGUE } from '../../../support/builders/example-catalogue.ts';

const { lending } = EXAMPLE_CATALOGUE;

/** The faults of a catalogue, as `record: message`. */
function faultsOf(records: readonly CatalogueRecord[]): readonly string[] {
  return checkCatalogue(records, { lending }).map(({ record, message }) => `${record}: ${message}`);
}

/** The faults of the example catalogue after changes. */
const faultsAfter = (...changes: readonly Change[]) => faultsOf(withChanges(...changes));

const LIST = 'which is not in the catalogue or not Active: add it to';

const close = (list: Json): string => (list.Status = 'Closed');
const repeatInDraft = (list: Json) =>
  Object.assign(list, { Status: 'Draft', Interests: [...list.Interests, ...list.Interests] });

/** Settings of a product of the example catalogue that are faults. */
const PRODUCTS = readCases(`
LS-CAR BankingProductType = "Car" | must be one of TL, MG, C, OD, BA, D, CC, LS, or the name of one
LS-CAR EndDate = "2019-12-31" | must not be before StartDate: swap the two days
LS-CAR Availability.Currency = "EURO" | must be a currency code of ISO 4217, such as EUR
LS-CAR Availability.MaximumPeriod = 5
  must not be below MinimumPeriod, which is 12: swap the two, or send null for no bound
LS-CAR Availability.MaximumAmount = 5
  must not be below MinimumAmount, which is 5000: swap the two, or send null for no bound
LS-CAR Availability.MaximumAdvance = 5
  must not be below MinimumAdvance, which is 10: swap the two, or send null for no bound
LS-CAR Availability.MaximumAdvance = 100.5 | must be at most 100: it is a percentage of the amount
MG-HOME Availability.ProductCovenants[1].ValidTo = "2019-01-01"
  must not be before ValidFrom: swap the two days
LS-CAR GeneralData.PeriodicityType = "Every full moon"
  names the periodicity Every full moon, which is not known: add it to periodicities, or name one of Once, Daily, Weekly, Biweekly, Semimonthly, Monthly, Bimonthly, Quarterly, Trimestrial, Semiannual, Semestrial, Annual, Yearly, Every 10 days
LS-CAR GeneralData.HolidayShiftMethod = "Sideways"
  must be one of Forward, Backward, ModifiedForward, ModifiedBackward, Nearest, None, or null
LS-CAR GeneralData.GraceType = "Kind" | must be one of Deferred, Capitalised, Spread, Forgiven, or null
MG-GREEN CountryCalendars[2] = "Atlantis"
  names the calendar Atlantis, which is not known: add it to calendars, or name a country or TARGET
LS-CAR PaymentScheduleTypes[1] = "Leasing 2"
  names the schedule type Leasing 2, ${LIST} schedule-types, or name another
LS-CAR PaymentScheduleTypes[0] = "Deposit"
  names Deposit, which does not support products of type LS: name another
LS-CAR InterestsAndCommissions[0].InterestList = "INT-X"
  names the interest list INT-X, ${LIST} interest-lists, or name another
LS-CAR InterestsAndCommissions[0].CommissionList = "INT-LEASE"
  names the commission list INT-LEASE, ${LIST} commission-lists, or name another
DP-TERM InterestsAndCommissions[0].InterestList = null
  is missing; InterestList or CommissionList must name a list
LS-CAR Insurances[0].InsuranceList = "INS-X"
  names the insurance list INS-X, ${LIST} insurance-lists, or name another
LS-CAR Insurances[0].EndDate = "2019-12-31" | must not be before StartDate: swap the two days
LS-CAR Discounts[0] = "DIS-X" | names the discount list DIS-X, ${LIST} discount-lists, or name another
MG-HOME AssociatedProducts[1].AssociatedProductCode = "MG-X"
  names the product MG-X, which is not in the catalogue: add it to products, or name another
TL-PERSONAL InterestsAndCommissions[1].Filters[1].List = "STAFF"
  names the custom list STAFF, ${LIST} custom-lists, or name another
MG-HOME InterestsAndCommissions[0].Filters[0].To = 1
  must not be below From, which is 20000: swap the two, or send null for no bound
MG-HOME InterestsAndCommissions[1].Filters[0].Values = [] | must have at least one number
MG-HOME Discounts = ["DIS-HOME","DIS-HOME"]
  Discounts[1] names the discount list DIS-HOME, as Discounts[0] does: remove one of them
MG-HOME Discounts = ["DIS-HOME","dis-home"]
  Discounts[1] names the discount list dis-home, as Discounts[0] does: remove one of them
LS-CAR LimitList = "LIM-X" | names the limit list LIM-X, ${LIST} limit-lists, or name another
LS-CAR LimitList = null
LS-CAR InterestsAndCommissions = []
  must have an item with an InterestList, or PaymentScheduleTypes must be empty: a product without both can only be looked up
LS-CAR PaymentScheduleTypes = []
  must name a schedule type, or no item may have an InterestList: a product without both can only be looked up
LS-CAR PaymentScheduleTypes = []; InterestsAndCommissions = []
LS-CAR PaymentScheduleTypes = []; Status = "Draft"
`);

/** Settings of lists of the example catalogue that are faults. */
const LISTS = readCases(`
INT-PERSONAL Interests[1].Name = "personal FIXED" | must be unique: personal FIXED is also Interests[0].Name
INT-PERSONAL Interests[0].Values[1].ValidFrom = "2023-12-31"
  Interests[0].Values[1] must not share a day with Values[0]: end one before the other starts
INT-LEASE Interests[0].Values[0].ValidTo = "2019-12-31" | must not be before ValidFrom: swap the two days
INT-STEPS Interests[0].CollectionInterests = []
  must have items, or BandedInterests must, but not both: the Type is Collection
INT-STEPS Interests[1].CollectionInterests = [{"InterestName":"Later years"}]; Interests[2].BandedInterests = [{"InterestName":"Band","Value":5}]
  must be left out, because the Type is Fixed, not Collection
  Interests[2].BandedInterests must be left out, because the Type is Fixed, not Collection
INT-STEPS Interests[0].CollectionInterests[1].InterestStartPeriod = 12
  Interests[0].CollectionInterests[1] must not overlap CollectionInterests[0]: end one before the other starts
INT-STEPS Interests[0].CollectionInterests[1].InterestEndPeriod = 12
  must not be below InterestStartPeriod, which is 13: swap the two, or send null for no bound
INT-STEPS Interests[1].Status = "Closed"
  Interests[0].CollectionInterests[0].InterestName names First year, which is not an Active interest of Type Fixed or Variable in this list: add it, or name another
INT-OVERDRAFT Interests[0].BandedInterests[0].MaxUtilizedAmount = 1000.01
  Interests[0].BandedInterests[1] must not overlap BandedInterests[0]: end one before the other starts
INT-STUDY Interests[0].Formula = null | is missing; must be set, because the Type is BankingFormula
INT-STUDY Interests[0].Type = "Fixed"
  Interests[0].Formula must be left out, because the Type is Fixed, not BankingFormula
  Interests[0].UseBankingFormula must be false: the Type is Fixed
INT-STUDY Interests[0].Formula.Expression = "Score +"
  cannot be read at position 8: a number, a name or ( is missing at the end
INT-STUDY Interests[0].Formula.Inputs = ["Score","Rate","score"] | must name each argument once
  Interests[0].Formula.Expression names ReferenceRate, which is not one of Inputs: add it there, or correct the name
  Interests[0].Formula.Inputs must not have Rate, which Expression does not use: remove it
COM-HOME Commissions[2].Currency = "EU"; Commissions[2].PeriodicityType = "Sometimes"; Commissions[2].PercentAppliedTo = "Everything"
  must be a currency code of ISO 4217, such as EUR
  Commissions[2].PeriodicityType names the periodicity Sometimes, which is not known: add it to periodicities, or name one of Once, Daily, Weekly, Biweekly, Semimonthly, Monthly, Bimonthly, Quarterly, Trimestrial, Semiannual, Semestrial, Annual, Yearly, Every 10 days
  Commissions[2].PercentAppliedTo must be one of FinancedAmount, RemainingValue, Principal, Interest, Installment, UnusedAmount, CreditValue, or null for the financed amount
COM-HOME Commissions[0].ValueIsPercent = true; Commissions[2].ValueIsPercent = false
  Commissions[0].Values[0].CommissionPercent is missing; must be set, or Percent of the commission, because ValueIsPercent is true
  Commissions[2].Values[0].CommissionValue is missing; must be set, because ValueIsPercent is false
COM-HOME Commissions[2].Values[0].CommissionPercent = 100001 | must be from 0 to 100000 percent
COM-HOME Commissions[0].Values[0].CommissionValue = 1e14 | must be at most 10000000000000.00 EUR
INS-VEHICLE Insurances[0].Values[0].Value = 1e14 | must be at most 10000000000000.00 EUR
COM-HOME Commissions[0].IsForUnusage = true; Commissions[3].PercentAppliedTo = "Principal"
  Commissions[0].ValueIsPercent must be true: a commission on the unused amount is a percentage of it
  Commissions[3].PercentAppliedTo must be UnusedAmount or null, because IsForUnusage is true
COM-LEASE Commissions[0].UseBankingFormula = true; Commissions[1].UseBankingFormula = false
  Commissions[0].Formula is missing; must be set, or UseBankingFormula must be false
  Commissions[1].UseBankingFormula must be true, or Formula must be left out
COM-LEASE Commissions[1].Name = "contract fee" | must be unique: contract fee is also Commissions[0].Name
INS-HOME Insurances[0].InsuranceName = "Mortgage life insurance"; Insurances[0].Currency = "E"; Insurances[1].Filters = [{"Name":"Age","List":"AGES"}]
  Insurances[1].InsuranceName must be unique: Mortgage life insurance is also Insurances[0].InsuranceName
  Insurances[0].Currency must be a currency code of ISO 4217, such as EUR
  Insurances[1].Filters[0].List names the custom list AGES, ${LIST} custom-lists, or name another
DIS-PERSONAL Discounts[1].Commission = "Analysis"; Discounts[2].CommissionType = "Loyalty"; Discounts[3].Insurance = "Live insurance"; Discounts[3].InsuranceClass = "Living"
  names the commission Analysis, which no Active list of the catalogue has: add it, or name another
  Discounts[2].CommissionType names the type of commissions Loyalty, which no Active list of the catalogue has: add it, or name another
  Discounts[3].Insurance names the insurance Live insurance, which no Active list of the catalogue has: add it, or name another
  Discounts[3].InsuranceClass names the class of insurances Living, which no Active list of the catalogue has: add it, or name another
DIS-PERSONAL Discounts[0].Commission = "Analysis fee"
  must be left out, because AppliedToDimension is Interest, not Commission
DIS-PERSONAL Discounts[0].DiscountValue = null; Discounts[1].DiscountValue = 100.01; Discounts[2].DiscountValue = 101
  is missing; must be a number from 0, unless the discount has a Formula
  Discounts[1].DiscountValue must be at most 100, because IsPercentage is true
DIS-PERSONAL Discounts[1].Name = "SALARY CLIENT"; Discounts[2].EndDate = "2019-12-31"; Discounts[2].Filters[0].To = 2; Discounts[3].UseBankingFormula = true
  must be unique: SALARY CLIENT is also Discounts[0].Name
  Discounts[2].EndDate must not be before StartDate: swap the two days
  Discounts[2].Filters[0].To must not be below From, which is 3: swap the two, or send null for no bound
  Discounts[3].Formula is missing; must be set, or UseBankingFormula must be false
LIM-EXAMPLE Limits[2].Largest = -0.01; Limits[3].Largest = 100001; Limits[4].Largest = 0
  must be from 0 to 100000 percent
  Limits[3].Largest must be from 0 to 100000 percent
LIM-EXAMPLE Limits[0].ValidTo = "2019-12-31" | must not be before ValidFrom: swap the two days
LIM-EXAMPLE Limits[3].ProductTypes = ["Term loan","Boat"]
  Limits[3].ProductTypes[1] must be one of TL, MG, C, OD, BA, D, CC, LS, or the name of one
`);

describe('checks of a catalogue', () => {
  it.each(PRODUCTS)('report $title', ({ code, change, faults }) => {
    const record = code === 'TL-PERSONAL' ? 'TL-PERSONAL version 2' : code;
    expect(faultsAfter(change)).toEqual(faults.map((message) => `${record}: ${message}`));
  });

  it.each(LISTS)('report $title', ({ code, change, faults }) => {
    // Discounts refer to charges by their names.
    const others = code.startsWith('DIS-') ? 'none' : 'DIS-';
    const found = faultsAfter(change).filter((fault) => !fault.startsWith(others));
    expect(found).toEqual(faults.map((message) => `${code}: ${message}`));
  });

  it('accept adjacent bands, and overlapping ranges of different days', () => {
    const adjacent: Change = [
      'interest-list',
      'INT-OVERDRAFT',
      ({ Interests }) => (Interests[0].BandedInterests[0].MaxUtilizedAmount = 1000),
    ];
    const overlapping: Change = [
      'interest-list',
      'INT-STEPS',
      ({ Interests }) => {
        const [first, later] = Interests[0].CollectionInterests;
        const until = { InterestStartDate: null, InterestEndDate: '2019-12-31' };
        const before = { ...first, InterestEndPeriod: 24, ...until };
        Interests[0].CollectionInterests = [before, first, later];
      },
    ];
    expect(faultsAfter(adjacent, overlapping)).toEqual([]);
  });

  it('resolve references in Active lists only, and ignore drafts', () => {
    expect(faultsAfter(['insurance-list', 'INS-VEHICLE', close])).toEqual([
      `LS-CAR: Insurances[0].InsuranceList names the insurance list INS-VEHICLE, ${LIST} insurance-lists, or name another`,
    ]);
    expect(
      faultsAfter(
        ['insurance-list', 'INS-VEHICLE', close],
        ['product', 'LS-CAR', (product) => (product.Status = 'VersionDraft')],
        ['product', 'TL-BRIDGE', (product) => (product.InterestsAndCommissions[0].InterestList = 'GONE')],
        ['interest-list', 'INT-LEASE', repeatInDraft],
      ).filter((fault) => !fault.includes('GUID')),
    ).toEqual([]);
  });

  it('are in the order of the record, what concerns a whole list before its items', () => {
    const change: Change = [
      'interest-list',
      'INT-PERSONAL',
      ({ Interests: [fixed, variable] }) => {
        variable.IsDefault = true;
        fixed.Values[1].ValidFrom = '2023-01-01';
        fixed.Values.push({ ...fixed.Values[0], ValueStatus: 'Closed', ValidTo: '2019-01-01' });
      },
    ];
    expect(faultsAfter(change)).toEqual([
      'INT-PERSONAL: Interests[1].IsDefault must be false here or in Interests[0]: only one interest can be the default',
      'INT-PERSONAL: Interests[0].Values[1] must not share a day with Values[0]: end one before the other starts',
      'INT-PERSONAL: Interests[0].Values[2].ValidTo must not be before ValidFrom: swap the two days',
    ]);
  });

  it('skip references to schedule types, periodicities and calendars when these are faulty', () => {
    const product = exampleJson('product', 'MG-HOME');
    Object.assign(product, { CountryCalendars: ['Atlantis'], PaymentScheduleTypes: ['Own'] });
    product.GeneralData.PeriodicityType = 'Never';
    const records = exampleWith({ kind: 'product', json: product });
    expect(checkCatalogue(records, { lending: undefined })).toEqual([]);
  });
});

describe('checks of identities (L1)', () => {
  const NEW_ID = '22222222-2222-4222-8222-222222222222';

  it('report two Approved versions on one day', () => {
    expect(faultsAfter(['product', 'TL-PERSONAL', (product) => (product.StartDate = '2023-12-31')])).toEqual([
      'TL-PERSONAL version 2: StartDate must not share a day with TL-PERSONAL in products/tl-personal-1.json: only one version may be Approved on a day, so end one before the other starts',
    ]);
    const draft = exampleJson('product', 'TL-PERSONAL', 3);
    const records = exampleWith({ kind: 'product', json: { ...draft, Status: 'Approved' } });
    expect(faultsOf(records)).toHaveLength(1);
  });

  it('report records with the same code and version, case-insensitively', () => {
    const json = { ...exampleJson('product', 'LS-CAR'), Code: 'ls-car', Id: NEW_ID, Status: 'Draft' };
    expect(faultsOf(exampleWith({ kind: 'product', json, source: 'products/copy.json' }))).toEqual([
      'ls-car: Version must differ: ls-car is also in products/ls-car.json; give this one another Code or Version',
    ]);
    const other = { ...json, Version: 2 };
    expect(faultsOf(exampleWith({ kind: 'product', json: other, source: 'products/copy.json' }))).toEqual([]);
  });

  it('report repeated GUIDs of versions and items, case-insensitively', () => {
    const lease = exampleJson('interest-list', 'INT-LEASE');
    const product = exampleJson('product', 'LS-CAR');
    const second = { ...product, Version: 2, Status: 'Draft' };
    expect(faultsOf(exampleWith({ kind: 'product', json: second, source: 'b.json' }))).toEqual([
      'LS-CAR version 2: Id must be unique: this GUID is also Id of LS-CAR in products/ls-car.json',
    ]);
    const repeat = ({ Interests }: Json) => (Interests[0].Id = lease.Interests[0].Id.toUpperCase());
    expect(faultsAfter(['interest-list', 'INT-MARKET', repeat])).toEqual([
      'INT-MARKET: Interests[0].Id must be unique: this GUID is also Interests[0].Id of INT-LEASE in interest-lists/int-lease.json',
    ]);
    const ofList: Change = ['commission-list', 'COM-LEASE', (list) => (list.Commissions[1].Id = list.Id)];
    expect(faultsAfter(ofList)).toEqual([
      'COM-LEASE: Commissions[1].Id must be unique: this GUID is also Id of COM-LEASE in changed.json',
    ]);
    const within: Change = ['commission-list', 'COM-LEASE', ({ Commissions: [a, b] }) => (b.Id = a.Id)];
    expect(faultsAfter(within)).toHaveLength(1);
    const type = exampleJson('schedule-type', 'CMP').PaymentScheduleTypeId;
    expect(faultsAfter(['product', 'LS-CAR', (record) => (record.Id = type)])).toEqual([
      'CardMinimumPayment: PaymentScheduleTypeId must be unique: this GUID is also Id of LS-CAR in changed.json',
    ]);
  });

  it('accept items with the same GUID in several versions', () => {
    const [one, two] = [1, 2].map((version) => exampleJson('product', 'TL-PERSONAL', version));
    expect(one.InterestsAndCommissions[0].Id).toBe(two.InterestsAndCommissions[0].Id);
  });
});

describe('the faults of a catalogue', () => {
  it('are reported together, in catalogue order, each with its file', () => {
    const car = exampleJson('product', 'LS-CAR');
    Object.assign(car, { EndDate: '2019-01-01', BankingProductType: 'Car' });
    const list = { ...exampleJson('discount-list', 'DIS-HOME'), Status: 'Closed' };
    const records = exampleWith({ kind: 'product', json: car }, { kind: 'discount-list', json: list });
    const found = checkCatalogue(records, { lending });
    expect(found.map(({ source, message }) => `${source} ${message.split(' ')[0]}`)).toEqual([
      'changed.json EndDate',
      'changed.json BankingProductType',
      'products/mg-green.json Discounts[0]',
      'products/mg-home.json Discounts[0]',
    ]);
  });
});

const faultsOfTemplate = (edit: (record: Json) => unknown) =>
  faultsAfter(['notification-template', 'PAYMENT-REMINDER', edit]).map((fault) =>
    fault.replace('PAYMENT-REMINDER: ', ''),
  );

describe('a notification template (N9)', () => {
  it.each<[string, (record: Json) => unknown, readonly string[]]>([
    [
      'a placeholder that is no field',
      ({ Sms, Email }) => [(Sms[1].Message += '{{ nume }}'), (Email[0].Subject += '{{a b}}')],
      [
        'Sms[1].Message must not have {{nume}}, which is not in Fields: add it there',
        'Email[0].Subject must not have {{a b}}, which is not in Fields: add it there',
      ],
    ],
    [
      'an unused field',
      ({ Fields }) => Fields.push({ Name: 'iban', IsOptional: true }),
      ['Fields must not have iban, which no text uses: remove it'],
    ],
    [
      'repeated names',
      ({ Fields, Sms }) => [Fields.push({ ...Fields[0] }), Sms.push({ ...Sms[0] })],
      ['Fields must not repeat a name: remove one', 'Sms must have one text of each language: remove one'],
    ],
    [
      'no text',
      (record) => Object.assign(record, { Fields: [], Sms: [], Email: [] }),
      ['Sms must have a text, or Email'],
    ],
  ])('is refused for %s', (_, edit, faults) => {
    expect(faultsOfTemplate(edit)).toEqual(faults);
  });

  it('may be incomplete in a Draft', () => {
    expect(faultsOfTemplate((record) => Object.assign(record, { Status: 'Draft', Fields: [] }))).toEqual([]);
  });
});
