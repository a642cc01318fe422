import { describe, expect, it } from 'vitest';
import { checkCatalogue } from '../../../../shared/product/check/check-catalogue.ts';
import type { CatalogueRecord } from '../../../../shared/product/catalogue/catalogue-record.ts';
import {
  type Change,
  EXAMPLE_RECORDS,
  exampleJson,
  exampleWith,
  type Json,
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

describe('checks of a catalogue', () => {
  it('find no faults in the example catalogue', () => {
    expect(faultsOf(EXAMPLE_RECORDS)).toEqual([]);
  });

  it.each<[string, Change, string]>([
    [
      'an unknown product type',
      ['product', 'LS-CAR', (product) => (product.BankingProductType = 'Car')],
      'LS-CAR: BankingProductType must be one of TL, MG, C, OD, BA, D, CC, LS, or the name of one',
    ],
    [
      'a validity that ends before it starts',
      ['product', 'LS-CAR', (product) => (product.EndDate = '2019-12-31')],
      'LS-CAR: EndDate must not be before StartDate: swap the two days',
    ],
    [
      'an unknown currency',
      ['product', 'LS-CAR', (product) => (product.Availability.Currency = 'EURO')],
      'LS-CAR: Availability.Currency must be a currency code of ISO 4217, such as EUR',
    ],
    ...(['Period', 'Amount', 'Advance'] as const).map((bound): [string, Change, string] => [
      `inverted bounds of the ${bound}`,
      ['product', 'LS-CAR', ({ Availability }) => (Availability[`Maximum${bound}`] = 5)],
      `LS-CAR: Availability.Maximum${bound} must not be below Minimum${bound}, which is ${{ Period: 12, Amount: 5000, Advance: 10 }[bound]}: swap the two, or send null for no bound`,
    ]),
    [
      'an advance above 100 %',
      ['product', 'LS-CAR', (product) => (product.Availability.MaximumAdvance = 100.5)],
      'LS-CAR: Availability.MaximumAdvance must be at most 100: it is a percentage of the amount',
    ],
    [
      'a covenant that ends before it starts',
      ['product', 'MG-HOME', (product) => (product.Availability.ProductCovenants[1].ValidTo = '2019-01-01')],
      'MG-HOME: Availability.ProductCovenants[1].ValidTo must not be before ValidFrom: swap the two days',
    ],
    [
      'an unknown periodicity',
      ['product', 'LS-CAR', (product) => (product.GeneralData.PeriodicityType = 'Every full moon')],
      'LS-CAR: GeneralData.PeriodicityType names the periodicity Every full moon, which is not known: add it to periodicities, or name one of Once, Daily, Weekly, Biweekly, Monthly, Bimonthly, Quarterly, Trimestrial, Semiannual, Semestrial, Annual, Yearly, Every 10 days',
    ],
    [
      'an unknown holiday method',
      ['product', 'LS-CAR', (product) => (product.GeneralData.HolidayShiftMethod = 'Sideways')],
      'LS-CAR: GeneralData.HolidayShiftMethod must be one of Forward, Backward, ModifiedForward, ModifiedBackward, Nearest, None, or null',
    ],
    [
      'an unknown grace type',
      ['product', 'LS-CAR', (product) => (product.GeneralData.GraceType = 'Kind')],
      'LS-CAR: GeneralData.GraceType must be one of Deferred, Capitalised, Spread, Forgiven, or null',
    ],
    [
      'an unknown calendar',
      ['product', 'MG-GREEN', (product) => product.CountryCalendars.push('Atlantis')],
      'MG-GREEN: CountryCalendars[2] names the calendar Atlantis, which is not known: add it to calendars, or name a country or TARGET',
    ],
    [
      'an unknown schedule type',
      ['product', 'LS-CAR', (product) => product.PaymentScheduleTypes.push('Leasing 2')],
      `LS-CAR: PaymentScheduleTypes[1] names the schedule type Leasing 2, ${LIST} schedule-types, or name another`,
    ],
    [
      'a schedule type for other product types',
      ['product', 'LS-CAR', (product) => (product.PaymentScheduleTypes[0] = 'Deposit')],
      'LS-CAR: PaymentScheduleTypes[0] names Deposit, which does not support products of type LS: name another',
    ],
    [
      'an unknown interest list',
      ['product', 'LS-CAR', (product) => (product.InterestsAndCommissions[0].InterestList = 'INT-X')],
      `LS-CAR: InterestsAndCommissions[0].InterestList names the interest list INT-X, ${LIST} interest-lists, or name another`,
    ],
    [
      'an unknown commission list',
      ['product', 'LS-CAR', (product) => (product.InterestsAndCommissions[0].CommissionList = 'INT-LEASE')],
      `LS-CAR: InterestsAndCommissions[0].CommissionList names the commission list INT-LEASE, ${LIST} commission-lists, or name another`,
    ],
    [
      'an item without interest list and commission list',
      ['product', 'DP-TERM', (product) => (product.InterestsAndCommissions[0].InterestList = null)],
      'DP-TERM: InterestsAndCommissions[0].InterestList is missing; InterestList or CommissionList must name a list',
    ],
    [
      'an unknown insurance list',
      ['product', 'LS-CAR', (product) => (product.Insurances[0].InsuranceList = 'INS-X')],
      `LS-CAR: Insurances[0].InsuranceList names the insurance list INS-X, ${LIST} insurance-lists, or name another`,
    ],
    [
      'an insurance that ends before it starts',
      ['product', 'LS-CAR', (product) => (product.Insurances[0].EndDate = '2019-12-31')],
      'LS-CAR: Insurances[0].EndDate must not be before StartDate: swap the two days',
    ],
    [
      'an unknown discount list',
      ['product', 'LS-CAR', (product) => product.Discounts.push('DIS-X')],
      `LS-CAR: Discounts[0] names the discount list DIS-X, ${LIST} discount-lists, or name another`,
    ],
    [
      'an unknown associated product',
      ['product', 'MG-HOME', (product) => (product.AssociatedProducts[1].AssociatedProductCode = 'MG-X')],
      'MG-HOME: AssociatedProducts[1].AssociatedProductCode names the product MG-X, which is not in the catalogue: add it to products, or name another',
    ],
    [
      'an unknown custom list',
      ['product', 'TL-PERSONAL', (product) => (product.InterestsAndCommissions[1].Filters[1].List = 'STAFF')],
      `TL-PERSONAL version 2: InterestsAndCommissions[1].Filters[1].List names the custom list STAFF, ${LIST} custom-lists, or name another`,
    ],
    [
      'a filter with an empty range',
      ['product', 'MG-HOME', (product) => (product.InterestsAndCommissions[0].Filters[0].To = 1)],
      'MG-HOME: InterestsAndCommissions[0].Filters[0].To must not be below From, which is 20000: swap the two, or send null for no bound',
    ],
    [
      'a filter with an empty set',
      ['product', 'MG-HOME', (product) => (product.InterestsAndCommissions[1].Filters[0].Values = [])],
      'MG-HOME: InterestsAndCommissions[1].Filters[0].Values must have at least one number',
    ],
  ])('report %s', (_, change, expected) => {
    expect(faultsAfter(change)).toEqual([expected]);
  });

  it.each<[string, Change, readonly string[]]>([
    [
      'interests with the same name',
      ['interest-list', 'INT-PERSONAL', (list) => (list.Interests[1].Name = 'personal FIXED')],
      ['Interests[1].Name must be unique: personal FIXED is also Interests[0].Name'],
    ],
    [
      'values of an interest that share a day',
      ['interest-list', 'INT-PERSONAL', (list) => (list.Interests[0].Values[1].ValidFrom = '2023-12-31')],
      ['Interests[0].Values[1] must not share a day with Values[0]: end one before the other starts'],
    ],
    [
      'a value that ends before it starts',
      ['interest-list', 'INT-LEASE', (list) => (list.Interests[0].Values[0].ValidTo = '2019-12-31')],
      ['Interests[0].Values[0].ValidTo must not be before ValidFrom: swap the two days'],
    ],
    [
      'a Collection without rates',
      ['interest-list', 'INT-STEPS', (list) => (list.Interests[0].CollectionInterests = [])],
      [
        'Interests[0].CollectionInterests must have items, or BandedInterests must, but not both: the Type is Collection',
      ],
    ],
    [
      'ranges and bands of an interest that is not a Collection',
      [
        'interest-list',
        'INT-STEPS',
        (list) => {
          list.Interests[1].CollectionInterests = [{ InterestName: 'Later years' }];
          list.Interests[2].BandedInterests = [{ InterestName: 'Band', Value: 5 }];
        },
      ],
      [
        'Interests[1].CollectionInterests must be left out, because the Type is Fixed, not Collection',
        'Interests[2].BandedInterests must be left out, because the Type is Fixed, not Collection',
      ],
    ],
    [
      'ranges that overlap',
      [
        'interest-list',
        'INT-STEPS',
        ({ Interests }) => (Interests[0].CollectionInterests[1].InterestStartPeriod = 12),
      ],
      [
        'Interests[0].CollectionInterests[1] must not overlap CollectionInterests[0]: end one before the other starts',
      ],
    ],
    [
      'a range that ends before it starts',
      [
        'interest-list',
        'INT-STEPS',
        ({ Interests }) => (Interests[0].CollectionInterests[1].InterestEndPeriod = 12),
      ],
      [
        'Interests[0].CollectionInterests[1].InterestEndPeriod must not be below InterestStartPeriod, which is 13: swap the two, or send null for no bound',
      ],
    ],
    [
      'a range that refers to a Closed interest',
      ['interest-list', 'INT-STEPS', ({ Interests }) => (Interests[1].Status = 'Closed')],
      [
        'Interests[0].CollectionInterests[0].InterestName names First year, which is not an Active interest of Type Fixed or Variable in this list: add it, or name another',
      ],
    ],
    [
      'bands that overlap',
      [
        'interest-list',
        'INT-OVERDRAFT',
        ({ Interests }) => (Interests[0].BandedInterests[0].MaxUtilizedAmount = 1000.01),
      ],
      [
        'Interests[0].BandedInterests[1] must not overlap BandedInterests[0]: end one before the other starts',
      ],
    ],
    [
      'a BankingFormula interest without a formula',
      ['interest-list', 'INT-STUDY', ({ Interests }) => (Interests[0].Formula = null)],
      ['Interests[0].Formula is missing; must be set, because the Type is BankingFormula'],
    ],
    [
      'a formula of a Fixed interest',
      ['interest-list', 'INT-STUDY', ({ Interests }) => (Interests[0].Type = 'Fixed')],
      [
        'Interests[0].Formula must be left out, because the Type is Fixed, not BankingFormula',
        'Interests[0].UseBankingFormula must be false: the Type is Fixed',
      ],
    ],
    [
      'a formula with a syntax error',
      ['interest-list', 'INT-STUDY', ({ Interests }) => (Interests[0].Formula.Expression = 'Score +')],
      [
        'Interests[0].Formula.Expression cannot be read at position 8: a number, a name or ( is missing at the end',
      ],
    ],
    [
      'a formula with arguments that do not match its Inputs',
      [
        'interest-list',
        'INT-STUDY',
        ({ Interests }) => (Interests[0].Formula.Inputs = ['Score', 'Rate', 'score']),
      ],
      [
        'Interests[0].Formula.Inputs must name each argument once',
        'Interests[0].Formula.Expression names ReferenceRate, which is not one of Inputs: add it there, or correct the name',
        'Interests[0].Formula.Inputs must not have Rate, which Expression does not use: remove it',
      ],
    ],
  ])('report %s in an interest list', (_, change, expected) => {
    expect(faultsAfter(change)).toEqual(expected.map((message) => `${change[1]}: ${message}`));
  });

  it('accept adjacent bands, and overlapping ranges of different days', () => {
    expect(
      faultsAfter(
        [
          'interest-list',
          'INT-OVERDRAFT',
          ({ Interests }) => (Interests[0].BandedInterests[0].MaxUtilizedAmount = 1000),
        ],
        [
          'interest-list',
          'INT-STEPS',
          ({ Interests }) => {
            const [first, later] = Interests[0].CollectionInterests;
            const before = {
              ...first,
              InterestEndPeriod: 24,
              InterestEndDate: '2019-12-31',
              InterestStartDate: null,
            };
            Interests[0].CollectionInterests = [before, first, later];
          },
        ],
      ),
    ).toEqual([]);
  });

  it.each<[string, Change, readonly string[]]>([
    [
      'an unknown currency, periodicity and base',
      [
        'commission-list',
        'COM-HOME',
        ({ Commissions }) =>
          Object.assign(Commissions[2], {
            Currency: 'EU',
            PeriodicityType: 'Sometimes',
            PercentAppliedTo: 'Everything',
          }),
      ],
      [
        'Commissions[2].Currency must be a currency code of ISO 4217, such as EUR',
        expect.stringContaining(
          'Commissions[2].PeriodicityType names the periodicity Sometimes, which is not known',
        ),
        'Commissions[2].PercentAppliedTo must be one of FinancedAmount, RemainingValue, Principal, Interest, Installment, UnusedAmount, or null for the financed amount',
      ],
    ],
    [
      'values that contradict ValueIsPercent',
      [
        'commission-list',
        'COM-HOME',
        ({ Commissions }) => {
          Commissions[0].ValueIsPercent = true;
          Commissions[2].ValueIsPercent = false;
        },
      ],
      [
        'Commissions[0].Values[0].CommissionPercent is missing; must be set, or Percent of the commission, because ValueIsPercent is true',
        'Commissions[2].Values[0].CommissionValue is missing; must be set, because ValueIsPercent is false',
      ],
    ],
    [
      'a percentage of a value above the limit',
      [
        'commission-list',
        'COM-HOME',
        ({ Commissions }) => (Commissions[2].Values[0].CommissionPercent = 100_001),
      ],
      ['Commissions[2].Values[0].CommissionPercent must be from 0 to 100000 percent'],
    ],
    [
      'a price above the limit',
      ['commission-list', 'COM-HOME', ({ Commissions }) => (Commissions[0].Values[0].CommissionValue = 1e14)],
      ['Commissions[0].Values[0].CommissionValue must be at most 10000000000000.00 EUR'],
    ],
    [
      'a premium above the limit',
      ['insurance-list', 'INS-VEHICLE', ({ Insurances }) => (Insurances[0].Values[0].Value = 1e14)],
      ['Insurances[0].Values[0].Value must be at most 10000000000000.00 EUR'],
    ],
    [
      'IsForUnusage without a percentage of the unused amount',
      [
        'commission-list',
        'COM-HOME',
        ({ Commissions }) => {
          Commissions[0].IsForUnusage = true;
          Commissions[3].PercentAppliedTo = 'Principal';
        },
      ],
      [
        'Commissions[0].ValueIsPercent must be true: a commission on the unused amount is a percentage of it',
        'Commissions[3].PercentAppliedTo must be UnusedAmount or null, because IsForUnusage is true',
      ],
    ],
    [
      'a formula without UseBankingFormula, and UseBankingFormula without a formula',
      [
        'commission-list',
        'COM-LEASE',
        ({ Commissions }) => {
          Commissions[0].UseBankingFormula = true;
          Commissions[1].UseBankingFormula = false;
        },
      ],
      [
        'Commissions[0].Formula is missing; must be set, or UseBankingFormula must be false',
        'Commissions[1].UseBankingFormula must be true, or Formula must be left out',
      ],
    ],
    [
      'commissions with the same name',
      ['commission-list', 'COM-LEASE', ({ Commissions }) => (Commissions[1].Name = 'contract fee')],
      ['Commissions[1].Name must be unique: contract fee is also Commissions[0].Name'],
    ],
    [
      'insurances with the same name, unknown references and overlapping values',
      [
        'insurance-list',
        'INS-HOME',
        ({ Insurances }) => {
          Object.assign(Insurances[0], { InsuranceName: 'Mortgage life insurance', Currency: 'E' });
          Insurances[0].Values.push(...Insurances[0].Values);
          Object.assign(Insurances[1], { PercentAppliedTo: 'All', Filters: [{ Name: 'Age', List: 'AGES' }] });
        },
      ],
      [
        'Insurances[1].InsuranceName must be unique: Mortgage life insurance is also Insurances[0].InsuranceName',
        'Insurances[0].Currency must be a currency code of ISO 4217, such as EUR',
        'Insurances[0].Values[1] must not share a day with Values[0]: end one before the other starts',
        expect.stringContaining('Insurances[1].PercentAppliedTo must be one of'),
        `Insurances[1].Filters[0].List names the custom list AGES, ${LIST} custom-lists, or name another`,
      ],
    ],
  ])('report %s in a list of charges', (_, change, expected) => {
    const faults = faultsAfter(change).map((fault) => fault.replace(`${change[1]}: `, ''));
    expect(faults.filter((fault) => !fault.startsWith('DIS-'))).toEqual(expected);
  });

  it.each<[string, (discounts: Json) => unknown, readonly string[]]>([
    [
      'unknown names',
      (discounts) => {
        discounts[1].Commission = 'Analysis';
        discounts[2].CommissionType = 'Loyalty';
        discounts[3].Insurance = 'Live insurance';
        discounts[3].InsuranceClass = 'Living';
      },
      [
        'Discounts[1].Commission names the commission Analysis, which no Active list of the catalogue has: add it, or name another',
        'Discounts[2].CommissionType names the type of commissions Loyalty, which no Active list of the catalogue has: add it, or name another',
        'Discounts[3].Insurance names the insurance Live insurance, which no Active list of the catalogue has: add it, or name another',
        'Discounts[3].InsuranceClass names the class of insurances Living, which no Active list of the catalogue has: add it, or name another',
      ],
    ],
    [
      'fields of another dimension',
      (discounts) => (discounts[0].Commission = 'Analysis fee'),
      ['Discounts[0].Commission must be left out, because AppliedToDimension is Interest, not Commission'],
    ],
    [
      'missing values and values above 100 %',
      (discounts) => {
        discounts[0].DiscountValue = null;
        discounts[1].DiscountValue = 100.01;
        discounts[2].DiscountValue = 101;
      },
      [
        'Discounts[0].DiscountValue is missing; must be a number from 0, unless the discount has a Formula',
        'Discounts[1].DiscountValue must be at most 100, because IsPercentage is true',
      ],
    ],
    [
      'duplicate names, inverted days and empty filters',
      (discounts) => {
        discounts[1].Name = 'SALARY CLIENT';
        discounts[2].EndDate = '2019-12-31';
        discounts[2].Filters[0].To = 2;
        discounts[3].UseBankingFormula = true;
      },
      [
        'Discounts[1].Name must be unique: SALARY CLIENT is also Discounts[0].Name',
        'Discounts[2].EndDate must not be before StartDate: swap the two days',
        'Discounts[2].Filters[0].To must not be below From, which is 3: swap the two, or send null for no bound',
        'Discounts[3].Formula is missing; must be set, or UseBankingFormula must be false',
      ],
    ],
  ])('report %s in a discount list', (_, change, expected) => {
    const faults = faultsAfter(['discount-list', 'DIS-PERSONAL', ({ Discounts }) => change(Discounts)]);
    expect(faults).toEqual(expected.map((message) => `DIS-PERSONAL: ${message}`));
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
        [
          'interest-list',
          'INT-LEASE',
          (list) =>
            Object.assign(list, { Status: 'Draft', Interests: [...list.Interests, ...list.Interests] }),
        ],
      ).filter((fault) => !fault.includes('GUID')),
    ).toEqual([]);
  });

  it('skip references to schedule types, periodicities and calendars when these are faulty', () => {
    const product = exampleJson('product', 'MG-HOME');
    Object.assign(product, { CountryCalendars: ['Atlantis'], PaymentScheduleTypes: ['Own'] });
    product.GeneralData.PeriodicityType = 'Never';
    expect(checkCatalogue(exampleWith({ kind: 'product', json: product }), { lending: undefined })).toEqual(
      [],
    );
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
    expect(
      faultsAfter([
        'interest-list',
        'INT-MARKET',
        ({ Interests }) => (Interests[0].Id = lease.Interests[0].Id.toUpperCase()),
      ]),
    ).toEqual([
      'INT-MARKET: Interests[0].Id must be unique: this GUID is also Interests[0].Id of INT-LEASE in interest-lists/int-lease.json',
    ]);
    expect(
      faultsAfter(['commission-list', 'COM-LEASE', (list) => (list.Commissions[1].Id = list.Id)]),
    ).toEqual([
      'COM-LEASE: Commissions[1].Id must be unique: this GUID is also Id of COM-LEASE in changed.json',
    ]);
    expect(
      faultsAfter([
        'commission-list',
        'COM-LEASE',
        ({ Commissions }) => (Commissions[1].Id = Commissions[0].Id),
      ]),
    ).toHaveLength(1);
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
    expect(
      checkCatalogue(records, { lending }).map(({ source, message }) => [source, message.split(' ')[0]]),
    ).toEqual([
      ['changed.json', 'EndDate'],
      ['changed.json', 'BankingProductType'],
      ['products/mg-green.json', 'Discounts[0]'],
      ['products/mg-home.json', 'Discounts[0]'],
    ]);
  });
});
