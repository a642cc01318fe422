import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import type { ScheduleTypeRecord } from '../../../../shared/lending/schedule-types/schedule-type-record.ts';
import {
  type CollectionInterest,
  type CommissionRecord,
  INTEREST_OPTION_IDS,
} from '../../../../shared/product/catalogue/list-records.ts';
import type { ProductRecord } from '../../../../shared/product/catalogue/product-record.ts';
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

/** A product with one schedule type, and the request for it. */
function ofType(scheduleType: string, product: Partial<ProductRecord> = {}, offering: Offering = {}) {
  const own = { ...offering, product: { ...product, PaymentScheduleTypes: [scheduleType] } };
  return [own, { scheduleType }] as const;
}
const fees = (...commissions: readonly CommissionRecord[]): Offering => ({ commissions });
const atRate = (percent: number): Offering => ({ interests: [interest(rate(percent))] });

const formula = (Expression: string, ...Inputs: readonly string[]) => ({ Name: 'Price', Expression, Inputs });
const X = [{ name: 'X', value: decimal(1) }];
const byFormula = (Expression: string, ...inputs: readonly string[]): Offering => ({
  interests: [interest({ Type: 'BankingFormula', Values: [], Formula: formula(Expression, ...inputs) })],
});
const interestInput = { interestType: BankingFormula, jsonInputFormula: { interestInput: X } };
const FIXED = { interestType: INTEREST_OPTION_IDS.Fixed };

function ranges(...rows: readonly (readonly [from: number, to: number])[]): Offering {
  const CollectionInterests = rows.map(([InterestStartPeriod, InterestEndPeriod]): CollectionInterest => ({
    InterestName: 'Base',
    InterestStartPeriod,
    InterestEndPeriod,
    InterestStartDate: null,
    InterestEndDate: null,
  }));
  const steps = interest({
    Name: 'Steps',
    Type: 'Collection',
    IsDefault: true,
    Values: [],
    CollectionInterests,
  });
  return { interests: [steps, interest({ Id: guid(101), Name: 'Base' })] };
}

function bands(...limits: readonly (readonly [least: number, most: number | null])[]): Offering {
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
  return { interests: [interest({ Name: 'Bands', Type: 'Collection', Values: [], BandedInterests })] };
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
  ['amount amount-too-large: must be smaller', atRate(100_000), { amount: LARGEST }],
  ['loanPeriod out-of-range: must be at most 1', ...ofType('Once')],
  [
    'loanPeriod out-of-range: must be smaller',
    {
      general: { PeriodicityType: 'Century' },
      lending: {
        periodicities: [{ source: 'test', record: { name: 'Century', count: 100, unit: 'Years' } }],
      },
    },
    { loanPeriod: 100 },
  ],
  [
    "scheduleType product-type-mismatch: must be a schedule type for the product's BankingProductType, D",
    { product: { BankingProductType: 'D' } },
  ],
  [
    'productCode unknown-product-type: must be a product whose BankingProductType is known, not Car',
    { product: { BankingProductType: 'Car' } },
  ],
  ["scheduleType wrong-unit: the product's PeriodicityType, Monthly", withOwnType(ofDays), OWN],
  ['productCode unknown-currency: not XXQ', { availability: { Currency: 'XXQ' } }],
  [
    'productCode unknown-calendar: CountryCalendars',
    { general: { HolidayShiftForRepaymentInstallments: true }, product: { CountryCalendars: ['Atlantis'] } },
  ],
  [
    'productCode unknown-calendar: CountryCalendars is missing',
    { general: { HolidayShiftForRepaymentInstallments: true } },
  ],
  [
    'productCode unknown-value: HolidayShiftMethod must be one of',
    {
      general: { HolidayShiftForRepaymentInstallments: true, HolidayShiftMethod: 'Sideways' },
      product: { CountryCalendars: ['RO'] },
    },
  ],
  ['scheduleType not-allowed: which the product does not have', ...ofType('Balloon')],
  [
    'scheduleType not-allowed: which the product does not have',
    ...ofType('CreditCard', { BankingProductType: 'CC' }),
  ],
  [
    'productCode out-of-range: CapitalPercent is from 0 to 100',
    ...ofType('CreditCard', { BankingProductType: 'CC', CapitalPercent: 101 }),
  ],
  [
    'productCode out-of-range: ResidualPercent is from 0 to 100',
    ...ofType('Balloon', { ResidualPercent: 101 }),
  ],
  [
    'installmentValue payment-below-interest: must cover the interest of row 1; leave it out',
    {},
    { installmentValue: decimal(5) },
  ],
  [
    'installmentValue not-allowed: must be left out',
    ofType('InterestOnly')[0],
    { scheduleType: 'InterestOnly', installmentValue: decimal(500) },
  ],
  [
    'principalValue not-allowed: when installmentValue is sent',
    {},
    { installmentValue: decimal(300), principalValue: decimal(200) },
  ],
  ['installmentValue too-many-decimals: decimals', {}, { installmentValue: decimal('300.001') }],
  ['installmentValue missing 400: must be sent with Own type', withOwnType(readsFees), OWN],
  ['scheduleType formula-failed: must give column Ratio a value in row 1', withOwnType(dividesByZero), OWN],
  ['productCode rate-too-low: interest Standard rate', atRate(-1300)],
  ['productCode out-of-range: interest Standard rate', atRate(100_001)],
  [
    'productCode rate-too-low: interest Standard rate',
    byFormula('0 - 1300'),
    { interestType: BankingFormula, jsonInputFormula: { interestInput: [], discountInput: X } },
  ],
  [
    'productCode rate-too-low: interest Standard rate',
    byFormula('0 - 1300'),
    { interestType: BankingFormula, jsonInputFormula: { discountInput: X } },
  ],
  [
    'jsonInputFormula.interestInput rate-too-low: must give a rate',
    byFormula('0 - 1300 * X', 'X'),
    interestInput,
  ],
  [
    'productCode rate-too-low: interest Standard rate',
    atRate(-1300),
    { ...FIXED, jsonInputFormula: { interestInput: X } },
  ],
  [
    'loanPeriod rates-incomplete: must be at most 2 periods: the interest Steps has no rate for later instalments',
    ranges([1, 2]),
  ],
  ['productCode rates-incomplete: interest Steps has one rate for every instalment', ranges([1, 1], [3, 4])],
  ['productCode rates-overlap: interest Steps has one rate for every instalment', ranges([1, 3], [3, 4])],
  ['productCode not-allowed: interest Steps has a rate for every instalment', ranges([9, 12])],
  [
    'productCode rate-too-low: interest Steps',
    {
      interests: [
        ...(ranges([1, 4]).interests ?? []).slice(0, 1),
        interest({ Id: guid(101), Name: 'Base', ...rate(-1300) }),
      ],
    },
  ],
  [
    'jsonMultipleInterestRates[0].ToInstNo rates-incomplete: must be 4 or left out',
    ranges([1, 4]),
    { interestType: Collection, jsonMultipleInterestRates: MULTIPLE },
  ],
  [
    'jsonMultipleInterestRates[0].InterestRate missing 400: is missing',
    ranges([1, 4]),
    { interestType: Collection, jsonMultipleInterestRates: [{}] },
  ],
  [
    'jsonMultipleInterestRates[0].InterestRate rate-too-low: must leave a positive balance',
    ranges([1, 4]),
    { interestType: Collection, jsonMultipleInterestRates: [{ InterestRate: decimal(-1300) }] },
  ],
  ['amount outside-bands: interest Bands has no rate for every balance', bands([0, 500])],
  ['productCode outside-bands: interest Bands has one rate for every amount', bands([100, null])],
  ['productCode bands-overlap: interest Bands has one rate for every amount', bands([0, 500], [0, null])],
  [
    'scheduleType not-allowed: accepts rates by band, such as those of the interest Bands',
    withOwnType(readsRate, bands([0, null])),
    OWN,
  ],
  [
    'productCode not-allowed: without commissions',
    ...ofType('Deposit', { BankingProductType: 'D' }, fees(commission())),
  ],
  [
    'productCode not-allowed: without insurances',
    ...ofType('Deposit', { BankingProductType: 'D' }, { insurances: [insurance()] }),
  ],
  [
    'productCode out-of-range: with fewer commissions',
    {
      commissions: Array.from({ length: 201 }, (_, place) =>
        commission({ Id: guid(2000 + place), Name: `Fee ${place}` }),
      ),
    },
  ],
  [
    'productCode not-allowed: without charges on the unused amount',
    fees(percentFee(1, { PercentAppliedTo: 'UnusedAmount' })),
  ],
  [
    'productCode unknown-value: insurance Life, PercentAppliedTo, must be one of',
    { insurances: [insurance({ ValueIsPercentage: true, PercentAppliedTo: 'Nothing' })] },
  ],
  [
    'scheduleType not-allowed: supports the commission Administration',
    withOwnType(readsFees, fees(percentFee(1, { PercentAppliedTo: 'Installment' }))),
    { ...OWN, installmentValue: decimal(300) },
  ],
  ['productCode out-of-range: commission Administration, its percentage,', fees(percentFee(100_001))],
  [
    'jsonInputFormula.commissionInput out-of-range: must give the commission Administration a price',
    fees(feeByFormula('100001 * X', { ValueIsPercent: true })),
    commissionInput,
  ],
  [
    'jsonInputFormula.commissionInput amount-too-large: smaller commission Administration',
    fees(feeByFormula('1000000000000000 * X')),
    commissionInput,
  ],
  [
    'jsonInputFormula.commissionInput out-of-range: must not make the price of the commission Administration negative',
    fees(feeByFormula('0 - X')),
    commissionInput,
  ],
  ['productCode amount-too-large: smaller commission Administration', fees(commission(price(1e15)))],
  ['productCode not-allowed: commission Administration has no negative price', fees(commission(price(-1)))],
  [
    'amount amount-too-large: must be smaller, because of commission Administration',
    fees(percentFee(100_000)),
    { amount: LARGEST },
  ],
  [
    'productCode out-of-range: commission Administration, GracePeriodFee, must be',
    fees(commission({ GracePeriodFee: 1201 })),
  ],
  [
    'productCode amount-too-large: charges at the start',
    fees(commission({ PeriodicityType: 'Once', ...price(1e15) })),
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
      const found = faults.map(
        ({ path, code, status }) => `${path} ${code}${status === 422 ? '' : ` ${status}`}`,
      );
      expect(found).toEqual([fault]);
      expect(faults[0]?.message).toContain(message);
      expect(faults[0]?.message).not.toMatch(SCHEDULE_FIELDS);
    });
  }
});
