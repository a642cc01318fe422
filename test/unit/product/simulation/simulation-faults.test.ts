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
  name: string,
  fault: string,
  offering: Offering,
  request?: Partial<SimulateRequest>,
])[] = [
  [
    'a balance above the limit',
    'amount amount-too-large 422: must be smaller',
    { interests: [interest(rate(100_000))] },
    { amount: LARGEST },
  ],
  [
    'more instalments than the schedule type has',
    'loanPeriod out-of-range 422: must be at most 1',
    { product: { PaymentScheduleTypes: ['Once'] } },
    { scheduleType: 'Once' },
  ],
  [
    'due dates after the last year',
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
    'a product type that the schedule type does not support',
    "scheduleType product-type-mismatch 422: must be a schedule type for the product's BankingProductType, D",
    { product: { BankingProductType: 'D' } },
  ],
  [
    'an unknown product type',
    'productCode unknown-product-type 422: must be a product whose BankingProductType is known, not Car',
    { product: { BankingProductType: 'Car' } },
  ],
  [
    'a periodicity that the schedule type does not support',
    "scheduleType wrong-unit 422: the product's PeriodicityType, Monthly",
    withOwnType(ofDays),
    OWN,
  ],
  ['an unknown currency', 'productCode unknown-currency 422: not XXQ', { availability: { Currency: 'XXQ' } }],
  [
    'unknown calendars',
    'productCode unknown-calendar 422: CountryCalendars',
    { general: { HolidayShiftForRepaymentInstallments: true }, product: { CountryCalendars: ['Atlantis'] } },
  ],
  [
    'missing calendars',
    'productCode unknown-calendar 422: CountryCalendars is missing',
    { general: { HolidayShiftForRepaymentInstallments: true } },
  ],
  [
    'an unknown holiday method',
    'productCode unknown-value 422: HolidayShiftMethod must be one of',
    {
      general: { HolidayShiftForRepaymentInstallments: true, HolidayShiftMethod: 'Sideways' },
      product: { CountryCalendars: ['RO'] },
    },
  ],
  [
    'a missing residual value',
    'scheduleType not-allowed 422: which the product does not have',
    { product: { PaymentScheduleTypes: ['Balloon'] } },
    { scheduleType: 'Balloon' },
  ],
  [
    'a missing capital percentage',
    'scheduleType not-allowed 422: which the product does not have',
    { product: { BankingProductType: 'CC', PaymentScheduleTypes: ['CreditCard'] } },
    { scheduleType: 'CreditCard' },
  ],
  [
    'a capital percentage out of range',
    'productCode out-of-range 422: CapitalPercent is from 0 to 100',
    { product: { BankingProductType: 'CC', PaymentScheduleTypes: ['CreditCard'], CapitalPercent: 101 } },
    { scheduleType: 'CreditCard' },
  ],
  [
    'a residual value above the amount',
    'productCode out-of-range 422: ResidualPercent is from 0 to 100',
    { product: { PaymentScheduleTypes: ['Balloon'], ResidualPercent: 101 } },
    { scheduleType: 'Balloon' },
  ],
  [
    'a payment below the interest',
    'installmentValue payment-below-interest 422: must cover the interest of row 1; leave it out',
    {},
    { installmentValue: decimal(5) },
  ],
  [
    'a payment that the schedule type does not accept',
    'installmentValue not-allowed 422: must be left out',
    { product: { PaymentScheduleTypes: ['InterestOnly'] } },
    { scheduleType: 'InterestOnly', installmentValue: decimal(500) },
  ],
  [
    'a fixed payment and a fixed principal',
    'principalValue not-allowed 422: when installmentValue is sent',
    {},
    { installmentValue: decimal(300), principalValue: decimal(200) },
  ],
  [
    'a payment with more decimals than the currency',
    'installmentValue too-many-decimals 422: decimals',
    {},
    { installmentValue: decimal('300.001') },
  ],
  [
    'a missing payment that formulas read (Q2)',
    'installmentValue missing 400: must be sent with Own type',
    withOwnType(readsFees),
    OWN,
  ],
  [
    'a formula without a value',
    'scheduleType formula-failed 422: must give column Ratio a value in row 1',
    withOwnType(dividesByZero),
    OWN,
  ],
  [
    'a catalogue rate that is too low',
    'productCode rate-too-low 422: interest Standard rate',
    { interests: [interest(rate(-1300))] },
  ],
  [
    'a catalogue rate out of range',
    'productCode out-of-range 422: interest Standard rate',
    { interests: [interest(rate(100_001))] },
  ],
  [
    'a rate by formula that is too low, with an empty list of arguments',
    'productCode rate-too-low 422: interest Standard rate',
    byFormula('0 - 1300'),
    { interestType: BankingFormula, jsonInputFormula: { interestInput: [], discountInput: X } },
  ],
  [
    'a rate by formula that is too low, without arguments',
    'productCode rate-too-low 422: interest Standard rate',
    byFormula('0 - 1300'),
    { interestType: BankingFormula, jsonInputFormula: { discountInput: X } },
  ],
  [
    'a rate by formula that is too low',
    'jsonInputFormula.interestInput rate-too-low 422: must give a rate',
    byFormula('0 - 1300 * X', 'X'),
    interestInput,
  ],
  [
    'a catalogue rate that is too low, with arguments',
    'productCode rate-too-low 422: interest Standard rate',
    { interests: [interest(rate(-1300))] },
    { ...FIXED, jsonInputFormula: { interestInput: X } },
  ],
  [
    'ranges that end before the term',
    'loanPeriod rates-incomplete 422: must be at most 2 periods: the interest Steps has no rate for later instalments',
    { interests: ranges([1, 2]) },
  ],
  [
    'ranges with a gap',
    'productCode rates-incomplete 422: interest Steps has one rate for every instalment',
    { interests: ranges([1, 1], [3, 4]) },
  ],
  [
    'ranges that overlap',
    'productCode rates-overlap 422: interest Steps has one rate for every instalment',
    { interests: ranges([1, 3], [3, 4]) },
  ],
  [
    'ranges that start after the term',
    'productCode not-allowed 422: interest Steps has a rate for every instalment',
    { interests: ranges([9, 12]) },
  ],
  [
    'ranges with a rate that is too low',
    'productCode rate-too-low 422: interest Steps',
    { interests: [...ranges([1, 4]).slice(0, 1), interest({ Id: guid(101), Name: 'Base', ...rate(-1300) })] },
  ],
  [
    'ranges of the request that end before the term',
    'jsonMultipleInterestRates[0].ToInstNo rates-incomplete 422: must be 4 or left out',
    { interests: ranges([1, 4]) },
    { interestType: Collection, jsonMultipleInterestRates: MULTIPLE },
  ],
  [
    'a range of the request without a rate',
    'jsonMultipleInterestRates[0].InterestRate missing 400: is missing',
    { interests: ranges([1, 4]) },
    { interestType: Collection, jsonMultipleInterestRates: [{}] },
  ],
  [
    'a range of the request with a rate that is too low',
    'jsonMultipleInterestRates[0].InterestRate rate-too-low 422: must leave a positive balance',
    { interests: ranges([1, 4]) },
    { interestType: Collection, jsonMultipleInterestRates: [{ InterestRate: decimal(-1300) }] },
  ],
  [
    'bands that end below the balance',
    'amount outside-bands 422: interest Bands has no rate for every balance',
    { interests: bands([0, 500]) },
  ],
  [
    'bands that start above zero',
    'productCode outside-bands 422: interest Bands has one rate for every amount',
    { interests: bands([100, null]) },
  ],
  [
    'bands that overlap',
    'productCode bands-overlap 422: interest Bands has one rate for every amount',
    { interests: bands([0, 500], [0, null]) },
  ],
  [
    'bands with formulas that read a single rate',
    'scheduleType not-allowed 422: accepts rates by band, such as those of the interest Bands',
    withOwnType(readsRate, { interests: bands([0, null]) }),
    OWN,
  ],
  [
    'commissions of a deposit',
    'productCode not-allowed 422: without commissions',
    { commissions: [commission()], product: { BankingProductType: 'D', PaymentScheduleTypes: ['Deposit'] } },
    { scheduleType: 'Deposit' },
  ],
  [
    'insurances of a deposit',
    'productCode not-allowed 422: without insurances',
    { insurances: [insurance()], product: { BankingProductType: 'D', PaymentScheduleTypes: ['Deposit'] } },
    { scheduleType: 'Deposit' },
  ],
  [
    'more commissions than the limit',
    'productCode out-of-range 422: with fewer commissions',
    {
      commissions: Array.from({ length: 201 }, (_, place) =>
        commission({ Id: guid(2000 + place), Name: `Fee ${place}` }),
      ),
    },
  ],
  [
    'a charge on the unused amount',
    'productCode not-allowed 422: without charges on the unused amount',
    { commissions: [percentFee(1, { PercentAppliedTo: 'UnusedAmount' })] },
  ],
  [
    'a charge on an unknown base',
    'productCode unknown-value 422: insurance Life, PercentAppliedTo, must be one of',
    { insurances: [insurance({ ValueIsPercentage: true, PercentAppliedTo: 'Nothing' })] },
  ],
  [
    'a charge that the schedule type cannot calculate',
    'scheduleType not-allowed 422: supports the commission Administration',
    withOwnType(readsFees, { commissions: [percentFee(1, { PercentAppliedTo: 'Installment' })] }),
    { ...OWN, installmentValue: decimal(300) },
  ],
  [
    'a percentage out of range',
    'productCode out-of-range 422: commission Administration, its percentage,',
    { commissions: [percentFee(100_001)] },
  ],
  [
    'a percentage by formula out of range',
    'jsonInputFormula.commissionInput out-of-range 422: must give the commission Administration a price',
    { commissions: [feeByFormula('100001 * X', { ValueIsPercent: true })] },
    commissionInput,
  ],
  [
    'a price by formula that is too large',
    'jsonInputFormula.commissionInput amount-too-large 422: smaller commission Administration',
    { commissions: [feeByFormula('1000000000000000 * X')] },
    commissionInput,
  ],
  [
    'a negative price by formula',
    'jsonInputFormula.commissionInput out-of-range 422: must not make the price of the commission Administration negative',
    { commissions: [feeByFormula('0 - X')] },
    commissionInput,
  ],
  [
    'a catalogue price that is too large',
    'productCode amount-too-large 422: smaller commission Administration',
    { commissions: [commission(price(1e15))] },
  ],
  [
    'a negative catalogue price',
    'productCode not-allowed 422: commission Administration has no negative price',
    { commissions: [commission(price(-1))] },
  ],
  [
    'percentages with a price that is too large',
    'amount amount-too-large 422: must be smaller, because of commission Administration',
    { commissions: [percentFee(100_000)] },
    { amount: LARGEST },
  ],
  [
    'a grace period of a commission out of range',
    'productCode out-of-range 422: commission Administration, GracePeriodFee, must be',
    { commissions: [commission({ GracePeriodFee: 1201 })] },
  ],
  [
    'charges at the start with a sum that is too large',
    'productCode amount-too-large 422: charges at the start',
    { commissions: [commission({ PeriodicityType: 'Once', ...price(1e15) })] },
  ],
];

/** Fields of a schedule request that a simulation request does not have. */
const SCHEDULE_FIELDS =
  /\b(Amount|InstallmentsNo|ProductType|InterestPercent|MultipleInterestRates|BandedInterestRates|MinUtilizedAmount|MaxUtilizedAmount|HolidayCountry|HolidayMethod|AllowNegativeAmortisation|UpFrontValue|SourceValue|SourcePercent|FeePeriodicityType|FeeDate|ActivationDate|FirstDueDate|Commission\[\d+\]|Insurance\[\d+\])/;

describe('faults of a schedule calculation', () => {
  for (const [name, expected, offering, request] of REFUSALS) {
    it(`are translated to fields of the simulation: ${name} (E1)`, () => {
      const [fault, message] = expected.split(/: (.*)/s);
      const outcome = simulated(offering, request);
      const faults = outcome.kind === 'refused' ? outcome.faults : [];
      expect(faults.map(({ path, code, status }) => `${path} ${code} ${status}`)).toEqual([fault]);
      expect(faults[0]?.message).toContain(message);
      expect(faults[0]?.message).not.toMatch(SCHEDULE_FIELDS);
    });
  }
});
