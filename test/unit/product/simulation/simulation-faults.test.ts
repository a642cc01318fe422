import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import type { ScheduleTypeRecord } from '../../../../shared/lending/schedule-types/schedule-type-record.ts';
import {
  type CollectionInterest,
  INTEREST_OPTION_IDS,
  type InterestRecord,
} from '../../../../shared/product/catalogue/list-records.ts';
import type { SimulateRequest } from '../../../../shared/product/simulation/simulation.ts';
import {
  columnOf,
  formulaColumn,
  LEVEL_COLUMNS,
  recordOf,
} from '../../../support/builders/schedule-type-records.ts';
import {
  commission,
  guid,
  insurance,
  interest,
  type Offering,
  price,
  rate,
  simulated,
} from '../../../support/worlds/simulated-product.ts';

const decimal = (value: number | string) => new Decimal(value);
const { BankingFormula, Collection } = INTEREST_OPTION_IDS;
const LARGEST = decimal('9999999999999.99');

/** Attaches a custom schedule type to the product. */
function withOwnType(record: ScheduleTypeRecord, offering: Offering = {}): Offering {
  return {
    ...offering,
    lending: { scheduleTypes: [{ source: 'test', record }] },
    product: { PaymentScheduleTypes: ['Own type'] },
  };
}
const OWN = { scheduleType: 'Own type' };

const formula = (Expression: string, ...Inputs: readonly string[]) => ({ Name: 'Price', Expression, Inputs });
const X = [{ name: 'X', value: decimal(1) }];
const byFormula = (Expression: string, ...inputs: readonly string[]): Offering => ({
  interests: [interest({ Type: 'BankingFormula', Values: [], Formula: formula(Expression, ...inputs) })],
});
const interestInput = { interestType: BankingFormula, jsonInputFormula: { interestInput: X } };
const FIXED = { interestType: INTEREST_OPTION_IDS.Fixed };

function ranges(...rows: readonly (readonly [from: number, to: number])[]): readonly InterestRecord[] {
  const CollectionInterests = rows.map(([InterestStartPeriod, InterestEndPeriod]): CollectionInterest => ({
    InterestName: 'Base',
    InterestStartPeriod,
    InterestEndPeriod,
    InterestStartDate: null,
    InterestEndDate: null,
  }));
  return [
    interest({ Name: 'Steps', Type: 'Collection', IsDefault: true, Values: [], CollectionInterests }),
    interest({ Id: guid(101), Name: 'Base' }),
  ];
}

function bands(
  ...limits: readonly (readonly [least: number, most: number | null])[]
): readonly InterestRecord[] {
  const BandedInterests = limits.map(([MinUtilizedAmount, MaxUtilizedAmount]) => ({
    InterestName: 'Band',
    MinUtilizedAmount,
    MaxUtilizedAmount,
    IsForOverdraft: false,
    CollectionValidFrom: null,
    CollectionValidTo: null,
    Value: 12,
    ValueMessage: null,
  }));
  return [interest({ Name: 'Bands', Type: 'Collection', Values: [], BandedInterests })];
}

const readsRate = recordOf([
  columnOf('RemainingValue', 'RemainingValue'),
  formulaColumn('Interest', 'RemainingValue * InterestPercent / 1200'),
  columnOf('Principal', 'Linear'),
]);
const readsFees = recordOf(
  [
    columnOf('RemainingValue', 'RemainingValue'),
    columnOf('Interest', 'Linear'),
    columnOf('ManagementFee', 'Fee'),
    formulaColumn('PMT', 'LockedInstallment - ManagementFee'),
    columnOf('Principal', 'Balance'),
  ],
  { InstallmentValueCustom: true },
);
const dividesByZero = recordOf([...LEVEL_COLUMNS, formulaColumn('Ratio', '1 / (Interest - Interest)')]);
const ofDays = recordOf(LEVEL_COLUMNS, { MeasurementUnit: 'Days' });

const percentFee = (percent: number, changes = {}) =>
  commission({ ValueIsPercent: true, ...price(null, percent), ...changes });
const feeByFormula = (Expression: string, changes = {}) =>
  commission({ UseBankingFormula: true, Formula: formula(Expression, 'X'), ...changes });
const commissionInput = { ...FIXED, jsonInputFormula: { commissionInput: X } };

const MULTIPLE = [{ InterestRate: decimal(5), FromInstNo: 1, ToInstNo: 2 }];

/** A refused simulation: its fault, and a part of the message. */
const REFUSALS: readonly (readonly [
  fault: string,
  offering: Offering,
  request?: Partial<SimulateRequest>,
])[] = [
  [
    'amount amount-too-large 422: must be smaller',
    { interests: [interest(rate(100_000))] },
    { amount: LARGEST },
  ],
  [
    'loanPeriod out-of-range 422: must be at most 1',
    { product: { PaymentScheduleTypes: ['Once'] } },
    { scheduleType: 'Once' },
  ],
  [
    'loanPeriod out-of-range 422: must be smaller',
    {
      general: { PeriodicityType: 'Century' },
      lending: {
        periodicities: [{ source: 'test', record: { name: 'Century', count: 100, unit: 'Years' } }],
      },
    },
    { loanPeriod: 100 },
  ],
  [
    "scheduleType product-type-mismatch 422: must be a schedule type for the product's BankingProductType, D",
    { product: { BankingProductType: 'D' } },
  ],
  [
    'productCode unknown-product-type 422: must be a product whose BankingProductType is known, not Car',
    { product: { BankingProductType: 'Car' } },
  ],
  ["scheduleType wrong-unit 422: the product's PeriodicityType, Monthly", withOwnType(ofDays), OWN],
  ['productCode unknown-currency 422: not XXQ', { availability: { Currency: 'XXQ' } }],
  [
    'productCode unknown-calendar 422: CountryCalendars',
    { general: { HolidayShiftForRepaymentInstallments: true }, product: { CountryCalendars: ['Atlantis'] } },
  ],
  [
    'productCode unknown-calendar 422: CountryCalendars is missing',
    { general: { HolidayShiftForRepaymentInstallments: true } },
  ],
  [
    'productCode unknown-value 422: HolidayShiftMethod must be one of',
    {
      general: { HolidayShiftForRepaymentInstallments: true, HolidayShiftMethod: 'Sideways' },
      product: { CountryCalendars: ['RO'] },
    },
  ],
  [
    'scheduleType not-allowed 422: which the product does not have',
    { product: { PaymentScheduleTypes: ['Balloon'] } },
    { scheduleType: 'Balloon' },
  ],
  [
    'scheduleType not-allowed 422: which the product does not have',
    { product: { BankingProductType: 'CC', PaymentScheduleTypes: ['CreditCard'] } },
    { scheduleType: 'CreditCard' },
  ],
  [
    'productCode out-of-range 422: CapitalPercent is from 0 to 100',
    { product: { BankingProductType: 'CC', PaymentScheduleTypes: ['CreditCard'], CapitalPercent: 101 } },
    { scheduleType: 'CreditCard' },
  ],
  [
    'productCode out-of-range 422: ResidualPercent is from 0 to 100',
    { product: { PaymentScheduleTypes: ['Balloon'], ResidualPercent: 101 } },
    { scheduleType: 'Balloon' },
  ],
  [
    'installmentValue payment-below-interest 422: must cover the interest of row 1; leave it out',
    {},
    { installmentValue: decimal(5) },
  ],
  [
    'installmentValue not-allowed 422: must be left out',
    { product: { PaymentScheduleTypes: ['InterestOnly'] } },
    { scheduleType: 'InterestOnly', installmentValue: decimal(500) },
  ],
  [
    'principalValue not-allowed 422: when installmentValue is sent',
    {},
    { installmentValue: decimal(300), principalValue: decimal(200) },
  ],
  ['installmentValue too-many-decimals 422: decimals', {}, { installmentValue: decimal('300.001') }],
  ['installmentValue missing 400: must be sent with Own type', withOwnType(readsFees), OWN],
  [
    'scheduleType formula-failed 422: must give column Ratio a value in row 1',
    withOwnType(dividesByZero),
    OWN,
  ],
  ['productCode rate-too-low 422: interest Standard rate', { interests: [interest(rate(-1300))] }],
  ['productCode out-of-range 422: interest Standard rate', { interests: [interest(rate(100_001))] }],
  [
    'productCode rate-too-low 422: interest Standard rate',
    byFormula('0 - 1300'),
    { interestType: BankingFormula, jsonInputFormula: { interestInput: [], discountInput: X } },
  ],
  [
    'productCode rate-too-low 422: interest Standard rate',
    byFormula('0 - 1300'),
    { interestType: BankingFormula, jsonInputFormula: { discountInput: X } },
  ],
  [
    'jsonInputFormula.interestInput rate-too-low 422: must give a rate',
    byFormula('0 - 1300 * X', 'X'),
    interestInput,
  ],
  [
    'productCode rate-too-low 422: interest Standard rate',
    { interests: [interest(rate(-1300))] },
    { ...FIXED, jsonInputFormula: { interestInput: X } },
  ],
  [
    'loanPeriod rates-incomplete 422: must be at most 2 periods: the interest Steps has no rate for later instalments',
    { interests: ranges([1, 2]) },
  ],
  [
    'productCode rates-incomplete 422: interest Steps has one rate for every instalment',
    { interests: ranges([1, 1], [3, 4]) },
  ],
  [
    'productCode rates-overlap 422: interest Steps has one rate for every instalment',
    { interests: ranges([1, 3], [3, 4]) },
  ],
  [
    'productCode not-allowed 422: interest Steps has a rate for every instalment',
    { interests: ranges([9, 12]) },
  ],
  [
    'productCode rate-too-low 422: interest Steps',
    { interests: [...ranges([1, 4]).slice(0, 1), interest({ Id: guid(101), Name: 'Base', ...rate(-1300) })] },
  ],
  [
    'jsonMultipleInterestRates[0].ToInstNo rates-incomplete 422: must be 4 or left out',
    { interests: ranges([1, 4]) },
    { interestType: Collection, jsonMultipleInterestRates: MULTIPLE },
  ],
  [
    'jsonMultipleInterestRates[0].InterestRate missing 400: is missing',
    { interests: ranges([1, 4]) },
    { interestType: Collection, jsonMultipleInterestRates: [{}] },
  ],
  [
    'jsonMultipleInterestRates[0].InterestRate rate-too-low 422: must leave a positive balance',
    { interests: ranges([1, 4]) },
    { interestType: Collection, jsonMultipleInterestRates: [{ InterestRate: decimal(-1300) }] },
  ],
  ['amount outside-bands 422: interest Bands has no rate for every balance', { interests: bands([0, 500]) }],
  [
    'productCode outside-bands 422: interest Bands has one rate for every amount',
    { interests: bands([100, null]) },
  ],
  [
    'productCode bands-overlap 422: interest Bands has one rate for every amount',
    { interests: bands([0, 500], [0, null]) },
  ],
  [
    'scheduleType not-allowed 422: accepts rates by band, such as those of the interest Bands',
    withOwnType(readsRate, { interests: bands([0, null]) }),
    OWN,
  ],
  [
    'productCode not-allowed 422: without commissions',
    { commissions: [commission()], product: { BankingProductType: 'D', PaymentScheduleTypes: ['Deposit'] } },
    { scheduleType: 'Deposit' },
  ],
  [
    'productCode not-allowed 422: without insurances',
    { insurances: [insurance()], product: { BankingProductType: 'D', PaymentScheduleTypes: ['Deposit'] } },
    { scheduleType: 'Deposit' },
  ],
  [
    'productCode out-of-range 422: with fewer commissions',
    {
      commissions: Array.from({ length: 201 }, (_, place) =>
        commission({ Id: guid(2000 + place), Name: `Fee ${place}` }),
      ),
    },
  ],
  [
    'productCode not-allowed 422: without charges on the unused amount',
    { commissions: [percentFee(1, { PercentAppliedTo: 'UnusedAmount' })] },
  ],
  [
    'productCode unknown-value 422: insurance Life, PercentAppliedTo, must be one of',
    { insurances: [insurance({ ValueIsPercentage: true, PercentAppliedTo: 'Nothing' })] },
  ],
  [
    'scheduleType not-allowed 422: supports the commission Administration',
    withOwnType(readsFees, { commissions: [percentFee(1, { PercentAppliedTo: 'Installment' })] }),
    { ...OWN, installmentValue: decimal(300) },
  ],
  [
    'productCode out-of-range 422: commission Administration, its percentage,',
    { commissions: [percentFee(100_001)] },
  ],
  [
    'jsonInputFormula.commissionInput out-of-range 422: must give the commission Administration a price',
    { commissions: [feeByFormula('100001 * X', { ValueIsPercent: true })] },
    commissionInput,
  ],
  [
    'jsonInputFormula.commissionInput amount-too-large 422: smaller commission Administration',
    { commissions: [feeByFormula('1000000000000000 * X')] },
    commissionInput,
  ],
  [
    'jsonInputFormula.commissionInput out-of-range 422: must not make the price of the commission Administration negative',
    { commissions: [feeByFormula('0 - X')] },
    commissionInput,
  ],
  [
    'productCode amount-too-large 422: smaller commission Administration',
    { commissions: [commission(price(1e15))] },
  ],
  [
    'productCode not-allowed 422: commission Administration has no negative price',
    { commissions: [commission(price(-1))] },
  ],
  [
    'amount amount-too-large 422: must be smaller, because of commission Administration',
    { commissions: [percentFee(100_000)] },
    { amount: LARGEST },
  ],
  [
    'productCode out-of-range 422: commission Administration, GracePeriodFee, must be',
    { commissions: [commission({ GracePeriodFee: 1201 })] },
  ],
  [
    'productCode amount-too-large 422: charges at the start',
    { commissions: [commission({ PeriodicityType: 'Once', ...price(1e15) })] },
  ],
];

/** Fields of a schedule request that a simulation request does not have. */
const SCHEDULE_FIELDS =
  /\b(Amount|InstallmentsNo|ProductType|InterestPercent|MultipleInterestRates|BandedInterestRates|MinUtilizedAmount|MaxUtilizedAmount|HolidayCountry|HolidayMethod|AllowNegativeAmortisation|UpFrontValue|SourceValue|SourcePercent|FeePeriodicityType|FeeDate|ActivationDate|FirstDueDate|Commission\[\d+\]|Insurance\[\d+\])/;

describe('faults of a schedule calculation', () => {
  for (const [expected, offering, request] of REFUSALS) {
    it(`are translated to fields of the simulation: ${expected} (E1)`, () => {
      const [fault, message] = expected.split(/: (.*)/s);
      const outcome = simulated(offering, request);
      const faults = outcome.kind === 'refused' ? outcome.faults : [];
      expect(faults.map(({ path, code, status }) => `${path} ${code} ${status}`)).toEqual([fault]);
      expect(faults[0]?.message).toContain(message);
      expect(faults[0]?.message).not.toMatch(SCHEDULE_FIELDS);
    });
  }
});
