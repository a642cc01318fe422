import { describe, expect, test } from 'vitest';
import { productByCodeReply } from '../../../../shared/api/actions/product-by-code-reply.ts';
import type { LookUpContext } from '../../../../shared/product/look-up/product-look-ups.ts';
import {
  lookUpProduct,
  SECTION_FLAGS,
  type ProductByCodeRequest,
  type SectionFlags,
} from '../../../../shared/product/look-up/product-by-code.ts';
import { EXAMPLE_CATALOGUE } from '../../../support/builders/example-catalogue.ts';
import { date } from '../../../support/builders/lending-loan.ts';
import {
  catalogueOf,
  insurance,
  interest,
  SIMULATION_DAY,
} from '../../../support/worlds/simulated-product.ts';

const example: LookUpContext = { catalogue: EXAMPLE_CATALOGUE, requestDay: date('2026-01-15') };
const ALL: SectionFlags = Object.fromEntries(SECTION_FLAGS.map((flag) => [flag, true]));

/** The answer as JSON; throws if there is none. */
function answerOf(request: ProductByCodeRequest, context = example) {
  const found = lookUpProduct(request, context);
  if (found.kind !== 'found') throw new Error(JSON.stringify(found));
  return JSON.parse(JSON.stringify(found.answer)) as Answer;
}

type Fields = Readonly<Record<string, unknown>>;
interface Answer {
  readonly BankingProduct: Fields;
  readonly Details?: Fields;
  readonly Availability?: Fields;
  readonly Dimensions?: Readonly<Record<string, readonly Fields[]>>;
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

/** The fields of each flag, by container, in the order of the interface. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
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

/** The requested containers and fields, in their order. */
function expectedFields(flags: SectionFlags): string {
  const isRequested = (flag: string) => (flags as Readonly<Record<string, boolean>>)[flag] === true;
  const containers = Object.entries(FIELDS).filter(([, sections]) => Object.keys(sections).some(isRequested));
  const lines = containers.map(([container, sections]) => {
    const fields = Object.entries(sections).flatMap(([flag, names]) => (isRequested(flag) ? names : []));
    return `${container}: ${fields.join()}`;
  });
  return ['BankingProduct', ...lines].join(' | ');
}

function fieldsOf({ BankingProduct: _always, ...containers }: Answer): string {
  const lines = Object.entries(containers).map(
    ([name, fields]) => `${name}: ${Object.keys(fields as object).join()}`,
  );
  return ['BankingProduct', ...lines].join(' | ');
}

describe('sections (L2)', () => {
  test('are returned in order for every combination of flags, with their containers', () => {
    const plain = { catalogue: catalogueOf(), requestDay: SIMULATION_DAY };
    const combinations = 2 ** SECTION_FLAGS.length;
    expect(combinations).toBe(16_384);
    const wrong: object[] = [];
    for (let bits = 0; bits < combinations; bits += 1) {
      const flags = Object.fromEntries(
        SECTION_FLAGS.map((flag, place) => [flag, (bits & (1 << place)) !== 0]),
      );
      const found = lookUpProduct({ BankingProductCode: 'PL', ...flags }, plain);
      const fields = found.kind === 'found' ? fieldsOf(found.answer) : found.kind;
      const expected = expectedFields(flags);
      if (fields !== expected) wrong.push({ flags, fields, expected });
    }
    expect(wrong).toEqual([]);
  });

  test('are absent if there are no flags, except BankingProduct', () => {
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
])('%s with all sections has the documented fields in their order', (code) => {
  const answer = answerOf({ BankingProductCode: code, ...ALL });
  const read = productByCodeReply.safeParse(answer);
  expect(read.error?.issues ?? []).toEqual([]);
  // The schema returns the fields in the order of its definition.
  expect(JSON.stringify(answer)).toBe(JSON.stringify(read.data));
});

const versionOn = (day: string, code = 'tl-personal') =>
  lookUpProduct({ BankingProductCode: code }, { ...example, requestDay: date(day) });

describe('the version of a look-up (L1)', () => {
  test.each([
    ['2023-12-31', '2020-01-01T00:00:00', '2023-12-31T00:00:00'],
    ['2024-01-01', '2024-01-01T00:00:00', null],
  ])('is the valid one on %s, both ends inclusive', (day, StartDate, EndDate) => {
    expect(versionOn(day)).toMatchObject({ answer: { BankingProduct: { StartDate, EndDate } } });
  });

  test('is that on the day in the extension Date instead of the day of the request', () => {
    const Date = date('2021-05-05');
    expect(answerOf({ BankingProductCode: 'TL-PERSONAL', Date }).BankingProduct).toMatchObject({
      EndDate: '2023-12-31T00:00:00',
    });
  });

  test.each([
    ['before the first version', '2019-12-31', 'TL-PERSONAL'],
    ['of a Closed product', '2021-01-01', 'TL-BRIDGE'],
    ['of an unknown code', '2026-01-15', 'TL-NOTHING'],
  ])('does not exist %s', (_case, day, code) => {
    expect(versionOn(day, code)).toMatchObject({
      kind: 'unknown-product',
      faults: [{ path: 'BankingProductCode', code: 'unknown-product' }],
    });
  });
});

describe('items and values (L2)', () => {
  const band = {
    InterestName: 'Low',
    MinUtilizedAmount: 0,
    MaxUtilizedAmount: 1000,
    IsForOverdraft: false,
    CollectionValidFrom: '2026-01-01',
    CollectionValidTo: null,
    Value: 3.5,
    ValueMessage: null,
  };
  const interests = [
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
      Values: [],
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
      Code: 'BANDED',
      Type: 'Collection',
      Values: [],
      BandedInterests: [band],
    }),
  ];
  const item = {
    Id: '0f8fad5b-d9cb-469f-a165-708677289501',
    Name: 'Offer',
    InterestList: 'INT',
    CommissionList: 'GONE',
    Filters: [],
  };
  const catalogue = catalogueOf({ interests, product: { InterestsAndCommissions: [item] } });
  const offerOn = (day: string) =>
    answerOf(
      { BankingProductCode: 'PL', displayInterestsAndCommissions: true, Date: date(day) },
      { catalogue, requestDay: SIMULATION_DAY },
    ).Dimensions?.['InterestsAndCommissions']?.[0] as { Interests: readonly Fields[] } & Fields;

  test('are omitted unless Active; a list that is not in force has neither name nor items', () => {
    const offer = offerOn('2026-01-15');
    expect(offer).toMatchObject({ CommissionListName: null, InterestListName: 'List INT', Commissions: [] });
    expect(offer.Interests.map((one) => one['Name'] ?? one['InterestName'])).toEqual([
      'Changing',
      'Stepped',
      'Banded',
    ]);
  });

  test('are Active and valid on the day, with their days as objects', () => {
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

  test('are empty lists if there is no value on the day', () => {
    const [changing, stepped, banded] = offerOn('2027-01-01').Interests;
    expect(changing).toMatchObject({ Values: [] });
    expect(stepped).toMatchObject({ Values: [], CollectionInterests: [{ InterestStartPeriod: 1 }] });
    expect(banded).toMatchObject({ BandedInterests: [{ Value: 3.5 }] });
    const [, before, bandedBefore] = offerOn('2025-12-31').Interests;
    expect(before).toMatchObject({ CollectionInterests: [] });
    expect(bandedBefore).toMatchObject({ BandedInterests: [] });
  });

  test('have the second structure for a Collection interest by utilised amount, with days as strings', () => {
    expect(offerOn('2026-01-15').Interests[2]).toEqual({
      InterestName: 'Banded',
      InterestCode: 'BANDED',
      InterestType: 'Collection',
      IsForOverdraft: false,
      BandedInterests: [band],
    });
  });
});

test('insurances are the Active ones of the lists of the product', () => {
  const active = insurance({ InsuranceName: 'Life' });
  const closed = insurance({ InsuranceName: 'Old', Status: 'Closed' });
  const { Dimensions } = answerOf(
    { BankingProductCode: 'PL', displayInsurance: true },
    {
      catalogue: catalogueOf({ insurances: [active, closed] }),
      requestDay: SIMULATION_DAY,
    },
  );
  expect(Dimensions?.['Insurance']).toMatchObject([{ Insurances: [{ InsuranceName: 'Life' }] }]);
  expect(Dimensions?.['Insurance']?.[0]?.['Insurances']).toHaveLength(1);
});

test('schedule types are found by name or code, in the order of the product', () => {
  const catalogue = catalogueOf({ product: { PaymentScheduleTypes: ['EP', 'EqualInstallments'] } });
  const { Details } = answerOf(
    { BankingProductCode: 'PL', displayPaymentScheduleTypes: true },
    { catalogue, requestDay: SIMULATION_DAY },
  );
  const types = Details?.['AssociatedPaymentScheduleTypes'] as readonly Fields[];
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
  const catalogue = catalogueOf({ product: { BankingProductType, PaymentScheduleTypes } });
  const { Details } = answerOf(
    { BankingProductCode: 'PL', displayPaymentScheduleTypes: true },
    { catalogue, requestDay: SIMULATION_DAY },
  );
  const types = Details?.['AssociatedPaymentScheduleTypes'] as readonly Fields[];
  return types.map(({ ProductType }) => ProductType);
}

describe('the product type of a schedule type', () => {
  test("is the code of the product's type if the schedule type supports it (S4)", () => {
    expect(productTypesOf('MG', 'EqualInstallments', 'Once')).toEqual(['MG', 'MG']);
    expect(productTypesOf(' mortgage ', 'EqualInstallments')).toEqual(['MG']);
    expect(productTypesOf('Bank Account', 'Overdraft', 'Deposit')).toEqual(['BA', 'BA']);
  });

  test('is otherwise the first type of the schedule type (S4)', () => {
    expect(productTypesOf('LS', 'EqualInstallments', 'Leasing')).toEqual(['TL', 'LS']);
    expect(productTypesOf('Unknown', 'Overdraft')).toEqual(['OD']);
  });
});
