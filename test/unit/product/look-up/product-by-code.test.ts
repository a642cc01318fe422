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
  guid,
  insurance,
  interest,
  type Offering,
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

const BOUNDS =
  `Currency PeriodType MaxPeriodForDisbursement MinimumPeriod MaximumPeriod MinimumEarlyRepaymentValue
  MinimumAmount MaximumAmount UnusageStartPeriod MinimumAdvance MaximumAdvance AvailabilityItemFilters
  ProductCovenants`.split(/\s+/);

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
      const flags = Object.fromEntries(SECTION_FLAGS.map((flag, at) => [flag, (bits & (1 << at)) !== 0]));
      const found = lookUpProduct({ BankingProductCode: 'PL', ...flags }, plain);
      const fields = found.kind === 'found' ? fieldsOf(found.answer) : found.kind;
      const expected = expectedFields(flags);
      if (fields !== expected) wrong.push({ flags, fields, expected });
    }
    expect(wrong).toEqual([]);
  });

  test('are absent if there are no flags, except BankingProduct', () => {
    const identity = { BankingProductCode: 'MG-HOME', Name: 'Home loan', BankingProductType: 'MG' };
    const BankingProduct = { ...identity, StartDate: '2020-01-01T00:00:00', EndDate: null };
    expect(answerOf({ BankingProductCode: 'MG-HOME' })).toEqual({ BankingProduct });
  });
});

test.each('TL-PERSONAL TL-STEPS TL-MARKET MG-HOME OD-CURRENT CC-CLASSIC DP-TERM LS-CAR'.split(' '))(
  '%s with all sections has the documented fields in their order',
  (code) => {
    const answer = answerOf({ BankingProductCode: code, ...ALL });
    const read = productByCodeReply.safeParse(answer);
    expect(read.error?.issues ?? []).toEqual([]);
    // The schema returns the fields in the order of its definition.
    expect(JSON.stringify(answer)).toBe(JSON.stringify(read.data));
  },
);

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
    const request = { BankingProductCode: 'TL-PERSONAL', Date: date('2021-05-05') };
    expect(answerOf(request).BankingProduct['EndDate']).toBe('2023-12-31T00:00:00');
  });

  test.each([
    ['before the first version', '2019-12-31', 'TL-PERSONAL'],
    ['of a Closed product', '2021-01-01', 'TL-BRIDGE'],
    ['of an unknown code', '2026-01-15', 'TL-NOTHING'],
  ])('does not exist %s', (_case, day, code) => {
    const faults = [{ path: 'BankingProductCode', code: 'unknown-product' }];
    expect(versionOn(day, code)).toMatchObject({ kind: 'unknown-product', faults });
  });
});

describe('items and values (L2)', () => {
  const limits = {
    InterestName: 'Low',
    MinUtilizedAmount: 0,
    MaxUtilizedAmount: 1000,
    IsForOverdraft: false,
  };
  const since = { CollectionValidFrom: '2026-01-01', CollectionValidTo: null };
  const band = { ...limits, ...since, Value: 3.5, ValueMessage: null };
  const start = { InterestStartPeriod: 1, InterestStartDate: '2026-01-01' };
  const step = { InterestName: 'Changing', ...start, InterestEndPeriod: null, InterestEndDate: null };
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
    interest({ Name: 'Stepped', Type: 'Collection', Values: [], CollectionInterests: [step] }),
    interest({ Name: 'Banded', Code: 'BANDED', Type: 'Collection', Values: [], BandedInterests: [band] }),
  ];
  const item = { Id: guid(10), Name: 'Offer', InterestList: 'INT', CommissionList: 'GONE', Filters: [] };
  const catalogue = catalogueOf({ interests, product: { InterestsAndCommissions: [item] } });
  const offerOn = (day: string) =>
    answerOf(
      { BankingProductCode: 'PL', displayInterestsAndCommissions: true, Date: date(day) },
      { catalogue, requestDay: SIMULATION_DAY },
    ).Dimensions?.['InterestsAndCommissions']?.[0] as { Interests: readonly Fields[] } & Fields;

  test('are omitted unless Active; a list that is not in force has neither name nor items', () => {
    const offer = offerOn('2026-01-15');
    expect(offer).toMatchObject({ CommissionListName: null, InterestListName: 'List INT', Commissions: [] });
    const names = offer.Interests.map((one) => one['Name'] ?? one['InterestName']);
    expect(names).toEqual(['Changing', 'Stepped', 'Banded']);
  });

  test('are Active and valid on the day, with their days as objects', () => {
    const days = {
      ValueValidFrom: { invariantDate: '2026-01-01' },
      ValueValidTo: { invariantDate: '2026-12-31' },
    };
    const Values = [{ Value: 6, ValueStatus: 'Active', ...days }];
    expect(offerOn('2026-06-30').Interests[0]).toMatchObject({ Values });
    const before = [{ Value: 5, ValueValidFrom: null }];
    expect(offerOn('2025-12-31').Interests[0]).toMatchObject({ Values: before });
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
    const banded = { InterestName: 'Banded', InterestCode: 'BANDED', InterestType: 'Collection' };
    const expected = { ...banded, IsForOverdraft: false, BandedInterests: [band] };
    expect(offerOn('2026-01-15').Interests[2]).toEqual(expected);
  });
});

/** The answer of the product PL for an offering, with all sections. */
const allOf = (offering: Offering) => {
  const context = { catalogue: catalogueOf(offering), requestDay: SIMULATION_DAY };
  return answerOf({ BankingProductCode: 'PL', ...ALL }, context);
};

test('insurances are the Active ones of the lists of the product', () => {
  const closed = insurance({ InsuranceName: 'Old', Status: 'Closed' });
  const [item] = allOf({ insurances: [insurance(), closed] }).Dimensions?.['Insurance'] ?? [];
  expect(item?.['Insurances']).toMatchObject([{ InsuranceName: 'Life' }]);
});

/** The schedule types of a product. */
const typesOf = (product: Offering['product']) =>
  allOf({ product: { ...product } }).Details?.['AssociatedPaymentScheduleTypes'] as readonly Fields[];

test('schedule types are found by name or code, in the order of the product', () => {
  const types = typesOf({ PaymentScheduleTypes: ['EP', 'EqualInstallments'] });
  const first = { PaymentScheduleCode: 'EP', ProductType: 'TL', MeasurementUnit: null };
  expect(types[0]).toMatchObject(first);
  const names = types.map(({ PaymentScheduleTypeName }) => PaymentScheduleTypeName);
  expect(names).toEqual(['EqualPrincipal', 'EqualInstallments']);
  const interestColumn = { ColumnRepaymentSchedule: 'Interest', Fee: null, Display: true };
  expect(types[0]?.['PaymentScheduleTypeDetails']).toContainEqual(expect.objectContaining(interestColumn));
});

test.each([
  ['MG', ['EqualInstallments', 'Once'], ['MG', 'MG']],
  [' mortgage ', ['EqualInstallments'], ['MG']],
  ['Bank Account', ['Overdraft', 'Deposit'], ['BA', 'BA']],
  ['LS', ['EqualInstallments', 'Leasing'], ['TL', 'LS']],
  ['Unknown', ['Overdraft'], ['OD']],
])(
  'a product of type %s has schedule types %j of its type if they support it, otherwise of their first one (S4): %j',
  (BankingProductType, PaymentScheduleTypes, expected) => {
    const types = typesOf({ BankingProductType, PaymentScheduleTypes });
    expect(types.map(({ ProductType }) => ProductType)).toEqual(expected);
  },
);
