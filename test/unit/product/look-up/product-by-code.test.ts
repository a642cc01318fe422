import { describe, expect, test } from 'vitest';
import { productByCodeReply } from '../../../../shared/contract/product/product-by-code-reply.ts';
import type { LookUpContext } from '../../../../shared/product/look-up/product-selection.ts';
import {
  lookUpProduct,
  SECTION_FLAGS,
  type ProductByCodeRequest,
  type SectionFlags,
} from '../../../../shared/product/look-up/product-by-code.ts';
import { EXAMPLE_CATALOGUE } from '../../../support/builders/example-catalogue.ts';
import { date } from '../../../support/builders/lending-loan.ts';
import { catalogueOf, interest, LOOK_UP_DAY, product } from '../../../support/builders/look-up-records.ts';

const example: LookUpContext = { catalogue: EXAMPLE_CATALOGUE, requestDay: date('2026-01-15') };
const ALL: SectionFlags = Object.fromEntries(SECTION_FLAGS.map((flag) => [flag, true]));

/** The answer as callers get it; throws when there is none. */
function answerOf(request: ProductByCodeRequest, context = example) {
  const found = lookUpProduct(request, context);
  if (found.kind !== 'found') throw new Error(JSON.stringify(found));
  return JSON.parse(JSON.stringify(found.answer)) as Answer;
}

type Member = Readonly<Record<string, unknown>>;
interface Answer {
  readonly BankingProduct: Member;
  readonly Details?: Member;
  readonly Availability?: Member;
  readonly Dimensions?: Readonly<Record<string, readonly Member[]>>;
}

const BOUNDS = [
  'Currency',
  'PeriodType',
  'MaxPeriodForDisbursement',
  'MinimumPeriod',
  'MaximumPeriod',
  'MinimumEarlyRepaymentValue',
  'MinimumAmount',
  'MaximumAmount',
  'UnusageStartPeriod',
  'MinimumAdvance',
  'MaximumAdvance',
  'AvailabilityItemFilters',
  'ProductCovenants',
];

/** What each flag answers, by container, in the order of the interface. */
const MEMBERS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  Details: {
    displayBPDetails: ['GeneralData'],
    displayCountryCalendars: ['CountryCalendars'],
    displayPaymentScheduleTypes: ['AssociatedPaymentScheduleTypes'],
    displayProductGuarantees: ['ProductGuarantees'],
    displayProductDestinationTypes: ['ProductDestinationTypes'],
    displayDisbursementMatrix: ['DisbursementMatrix'],
    displayAssociatedProducts: ['AssociatedProducts'],
  },
  Availability: { displayBPAvailability: BOUNDS, displayMandatoryRoles: ['MandatoryRoles'] },
  Dimensions: {
    displayBPDimensions: [],
    displayInterestsAndCommissions: ['InterestsAndCommissions'],
    displayInsurance: ['Insurance'],
    displayDiscounts: ['Discounts'],
    displayQuestions: ['Questions'],
  },
};

/** Containers and members that flags ask for, in their order. */
function expectedMembers(flags: SectionFlags): string {
  const asked = (flag: string) => (flags as Readonly<Record<string, boolean>>)[flag] === true;
  const containers = Object.entries(MEMBERS).filter(([, sections]) => Object.keys(sections).some(asked));
  const lines = containers.map(([container, sections]) => {
    const members = Object.entries(sections).flatMap(([flag, names]) => (asked(flag) ? names : []));
    return `${container}: ${members.join()}`;
  });
  return ['BankingProduct', ...lines].join(' | ');
}

function membersOf({ BankingProduct: _always, ...containers }: Answer): string {
  const lines = Object.entries(containers).map(
    ([name, members]) => `${name}: ${Object.keys(members as object).join()}`,
  );
  return ['BankingProduct', ...lines].join(' | ');
}

describe('sections (L2)', () => {
  test('every flag of the interface is known', () => {
    const known = Object.values(MEMBERS).flatMap((sections) => Object.keys(sections));
    expect([...SECTION_FLAGS].toSorted()).toEqual(known.toSorted());
  });

  test('every combination of flags answers exactly its sections and their containers, in order', () => {
    const plain = { catalogue: catalogueOf([product({})]), requestDay: LOOK_UP_DAY };
    const combinations = 2 ** SECTION_FLAGS.length;
    expect(combinations).toBe(16_384);
    const wrong: object[] = [];
    for (let bits = 0; bits < combinations; bits += 1) {
      const flags = Object.fromEntries(
        SECTION_FLAGS.map((flag, place) => [flag, (bits & (1 << place)) !== 0]),
      );
      const found = lookUpProduct({ BankingProductCode: 'P', ...flags }, plain);
      const members = found.kind === 'found' ? membersOf(found.answer) : found.kind;
      const expected = expectedMembers(flags);
      if (members !== expected) wrong.push({ flags, members, expected });
    }
    expect(wrong).toEqual([]);
  });

  test('without flags only BankingProduct is answered', () => {
    expect(answerOf({ BankingProductCode: 'MG-HOME' })).toEqual({
      BankingProduct: {
        BankingProductCode: 'MG-HOME',
        Name: 'Home loan',
        StartDate: '2020-01-01T00:00:00',
        EndDate: null,
        BankingProductType: 'MG',
      },
    });
  });

  test('displayBPDimensions alone gives an empty object', () => {
    expect(answerOf({ BankingProductCode: 'MG-HOME', displayBPDimensions: true }).Dimensions).toEqual({});
  });

  test('a requested section without data is an empty list', () => {
    const { Details, Availability, Dimensions } = answerOf(
      { BankingProductCode: 'p', ...ALL },
      { catalogue: catalogueOf([product({ PaymentScheduleTypes: [] })]), requestDay: LOOK_UP_DAY },
    );
    const { GeneralData: _data, ...lists } = Details ?? {};
    expect(Object.values(lists)).toEqual([[], [], [], [], [], []]);
    expect(Availability).toMatchObject({
      AvailabilityItemFilters: [],
      ProductCovenants: [],
      MandatoryRoles: [],
    });
    expect(Object.values(Dimensions ?? {})).toEqual([[], [], [], []]);
  });
});

test.each([
  'TL-PERSONAL',
  'TL-STEPS',
  'TL-MARKET',
  'MG-HOME',
  'OD-CURRENT',
  'CC-CLASSIC',
  'DP-TERM',
  'LS-CAR',
])('%s with all sections has the members that are documented, in their order', (code) => {
  const answer = answerOf({ BankingProductCode: code, ...ALL });
  const read = productByCodeReply.safeParse(answer);
  expect(read.error?.issues ?? []).toEqual([]);
  // What is read comes in the order of the definition.
  expect(JSON.stringify(answer)).toBe(JSON.stringify(read.data));
});

const versionOn = (day: string, code = 'tl-personal') =>
  lookUpProduct({ BankingProductCode: code }, { ...example, requestDay: date(day) });

describe('the answering version (L1)', () => {
  test.each([
    ['2023-12-31', '2020-01-01T00:00:00', '2023-12-31T00:00:00'],
    ['2024-01-01', '2024-01-01T00:00:00', null],
  ])('on %s it is the one that is valid, both ends inclusive', (day, StartDate, EndDate) => {
    expect(versionOn(day)).toMatchObject({ answer: { BankingProduct: { StartDate, EndDate } } });
  });

  test('the extension Date counts before the day of the request', () => {
    const Date = date('2021-05-05');
    expect(answerOf({ BankingProductCode: 'TL-PERSONAL', Date }).BankingProduct).toMatchObject({
      EndDate: '2023-12-31T00:00:00',
    });
  });

  test.each([
    ['before the first version', '2019-12-31', 'TL-PERSONAL'],
    ['of a closed product', '2021-01-01', 'TL-BRIDGE'],
    ['of a code that nothing has', '2026-01-15', 'TL-NOTHING'],
  ])('there is none %s', (_case, day, code) => {
    expect(versionOn(day, code)).toMatchObject({
      kind: 'unknown-product',
      faults: [{ path: 'BankingProductCode', code: 'unknown-product' }],
    });
  });
});

describe('items and values (L2)', () => {
  const lists = {
    'interest-list': [
      interest({ Name: 'Draft', Status: 'Draft' }),
      interest({
        Name: 'Changing',
        Values: [
          { Value: 5, ValueStatus: 'Active', ValidFrom: null, ValidTo: '2025-12-31' },
          { Value: 6, ValueStatus: 'Active', ValidFrom: '2026-01-01', ValidTo: '2026-12-31' },
          { Value: 7, ValueStatus: 'Draft', ValidFrom: '2026-01-01', ValidTo: null },
        ],
      }),
      interest({
        Name: 'Stepped',
        Type: 'Collection',
        CollectionInterests: [
          {
            InterestName: 'Changing',
            InterestStartPeriod: 1,
            InterestEndPeriod: null,
            InterestStartDate: '2026-01-01',
            InterestEndDate: null,
          },
        ],
      }),
      interest({
        Name: 'Banded',
        Type: 'Collection',
        BandedInterests: [
          {
            InterestName: 'Low',
            MinUtilizedAmount: 0,
            MaxUtilizedAmount: 1000,
            IsForOverdraft: false,
            CollectionValidFrom: '2026-01-01',
            CollectionValidTo: null,
            Value: 3.5,
            ValueMessage: null,
          },
        ],
      }),
    ],
  };
  const item = {
    Id: '0f8fad5b-d9cb-469f-a165-708677289501',
    Name: 'Offer',
    InterestList: 'I',
    CommissionList: 'GONE',
    Filters: [],
  };
  const catalogue = catalogueOf([product({ InterestsAndCommissions: [item] })], lists['interest-list']);
  const offerOn = (day: string) =>
    answerOf(
      { BankingProductCode: 'P', displayInterestsAndCommissions: true, Date: date(day) },
      { catalogue, requestDay: LOOK_UP_DAY },
    ).Dimensions?.['InterestsAndCommissions']?.[0] as { Interests: readonly Member[] } & Member;

  test('what is not Active is left out, and a list that is not in force has neither name nor items', () => {
    const offer = offerOn('2026-01-15');
    expect(offer).toMatchObject({ CommissionListName: null, InterestListName: 'Interests', Commissions: [] });
    expect(offer.Interests.map((one) => one['Name'] ?? one['InterestName'])).toEqual([
      'Changing',
      'Stepped',
      'Banded',
    ]);
  });

  test('only Active values that are valid on the day are answered, with their days as objects', () => {
    expect(offerOn('2026-06-30').Interests[0]).toMatchObject({
      Values: [
        {
          Value: 6,
          ValueStatus: 'Active',
          ValueValidFrom: { invariantDate: '2026-01-01' },
          ValueValidTo: { invariantDate: '2026-12-31' },
        },
      ],
    });
    expect(offerOn('2025-12-31').Interests[0]).toMatchObject({
      Values: [{ Value: 5, ValueValidFrom: null }],
    });
  });

  test('an item without a value on the day keeps an empty list', () => {
    const [changing, stepped, banded] = offerOn('2027-01-01').Interests;
    expect(changing).toMatchObject({ Values: [] });
    expect(stepped).toMatchObject({ Values: [], CollectionInterests: [{ InterestStartPeriod: 1 }] });
    expect(banded).toMatchObject({ BandedInterests: [{ Value: 3.5 }] });
    const [, before, bandedBefore] = offerOn('2025-12-31').Interests;
    expect(before).toMatchObject({ CollectionInterests: [] });
    expect(bandedBefore).toMatchObject({ BandedInterests: [] });
  });

  test('a Collection interest by utilised amount has the second shape, days as text', () => {
    expect(offerOn('2026-01-15').Interests[2]).toEqual({
      InterestName: 'Banded',
      InterestCode: 'Banded',
      InterestType: 'Collection',
      IsForOverdraft: false,
      BandedInterests: [
        {
          InterestName: 'Low',
          MinUtilizedAmount: 0,
          MaxUtilizedAmount: 1000,
          IsForOverdraft: false,
          CollectionValidFrom: '2026-01-01',
          CollectionValidTo: null,
          Value: 3.5,
          ValueMessage: null,
        },
      ],
    });
  });
});

test('schedule types are found by name or code, the default first', () => {
  const catalogue = catalogueOf([product({ PaymentScheduleTypes: ['EP', 'EqualInstallments'] })]);
  const { Details } = answerOf(
    { BankingProductCode: 'P', displayPaymentScheduleTypes: true },
    { catalogue, requestDay: LOOK_UP_DAY },
  );
  const types = Details?.['AssociatedPaymentScheduleTypes'] as readonly Member[];
  expect(types.map(({ PaymentScheduleTypeName }) => PaymentScheduleTypeName)).toEqual([
    'EqualPrincipal',
    'EqualInstallments',
  ]);
  expect(types[0]).toMatchObject({
    PaymentScheduleCode: 'EP',
    ProductType: 'TL',
    MeasurementUnit: null,
    PaymentScheduleTypeDetails: expect.arrayContaining([
      expect.objectContaining({ ColumnRepaymentSchedule: 'Interest', Fee: null, Display: true }),
    ]) as unknown,
  });
});

function productTypesOf(BankingProductType: string, ...PaymentScheduleTypes: readonly string[]) {
  const catalogue = catalogueOf([product({ BankingProductType, PaymentScheduleTypes })]);
  const { Details } = answerOf(
    { BankingProductCode: 'P', displayPaymentScheduleTypes: true },
    { catalogue, requestDay: LOOK_UP_DAY },
  );
  const types = Details?.['AssociatedPaymentScheduleTypes'] as readonly Member[];
  return types.map(({ ProductType }) => ProductType);
}

describe('the product type of a schedule type', () => {
  test("is the product's own, by code, where the schedule type is made for it (S4)", () => {
    expect(productTypesOf('MG', 'EqualInstallments', 'Once')).toEqual(['MG', 'MG']);
    expect(productTypesOf(' mortgage ', 'EqualInstallments')).toEqual(['MG']);
    expect(productTypesOf('Bank Account', 'Overdraft', 'Deposit')).toEqual(['BA', 'BA']);
  });

  test('is the first of the schedule type where it is not made for the product (S4)', () => {
    expect(productTypesOf('LS', 'EqualInstallments', 'Leasing')).toEqual(['TL', 'LS']);
    expect(productTypesOf('Unknown', 'Overdraft')).toEqual(['OD']);
  });
});
