import { describe, expect, it } from 'vitest';
import type { CatalogueRecord } from '../../../../shared/product/catalogue/catalogue-record.ts';
import { selectEntries } from '../../../../shared/product/catalogue/catalogue-view.ts';
import { checkSimulations } from '../../../../shared/product/check/simulate-at-bounds.ts';
import { date } from '../../../support/builders/lending-loan.ts';
import { buildCatalogue } from '../../../../shared/product/check/check-catalogue.ts';
import {
  bands,
  type Change,
  EXAMPLE_RECORDS,
  leaseFee,
  leaseRate,
  steps,
  withChanges,
} from '../../../support/builders/catalogue-entries.ts';

/** A day on which all products of the example catalogue are valid. */
const TODAY = date('2026-01-15');

/** The faults of a catalogue, and of simulations of its products, as `record: message`. */
function faultsOf(records: readonly CatalogueRecord[]): readonly string[] {
  const outcome = buildCatalogue(records);
  const faults =
    outcome.kind === 'refused'
      ? outcome.faults
      : checkSimulations(selectEntries(records, 'product'), { ...outcome, today: TODAY });
  return faults.map(({ record, message }) => `${record}: ${message}`);
}

const carBounds = (change: object): Change => [
  'product',
  'LS-CAR',
  ({ Availability }) => Object.assign(Availability, change),
];

/** Changes that make every simulation fail, and the fault that reports each. */
const CASES: readonly (readonly [title: string, change: Change, fault: string])[] = [
  [
    'a commission in another currency (Q6)',
    leaseFee({ Currency: 'RON' }),
    'LS-CAR: PaymentScheduleTypes[0] names Leasing, with which 5000 EUR over 12 periods from 2026-01-15 cannot be simulated: productCode must be a product whose commission Contract fee is in EUR',
  ],
  [
    'a commission in another currency with a percentage but no values (Q6)',
    leaseFee({ Currency: 'RON', Values: [], ValueIsPercent: true, Percent: 1 }),
    'cannot be simulated: productCode must be a product whose commission Contract fee is in EUR',
  ],
  [
    'an insurance in another currency (Q6)',
    ['insurance-list', 'INS-VEHICLE', ({ Insurances }) => (Insurances[0].Currency = 'USD')],
    'cannot be simulated: productCode must be a product whose insurance Comprehensive vehicle insurance is in EUR',
  ],
  [
    'a discount in money on a percentage of the balance (Q5)',
    [
      'commission-list',
      'COM-PERSONAL',
      ({ Commissions }) => {
        for (const commission of Commissions) {
          Object.assign(commission, {
            ValueIsPercent: true,
            Percent: 0.1,
            PercentAppliedTo: 'RemainingValue',
            PeriodicityType: 'Monthly',
          });
        }
      },
    ],
    'cannot be simulated: productCode must be a product whose commission Analysis fee has no discount in money, because it is a percentage of another figure',
  ],
  [
    'a gap between ranges (R1)',
    steps((ranges) => (ranges[1].InterestStartPeriod = 15)),
    'cannot be simulated: productCode must be a product whose interest Stepped rate has one rate for every instalment',
  ],
  [
    'ranges that start after instalment 1 (R1)',
    steps((ranges) => (ranges[0].InterestStartPeriod = 2)),
    'cannot be simulated: productCode must be a product whose interest Stepped rate has one rate for every instalment',
  ],
  [
    'a range from instalment 0 (R1)',
    steps((ranges) => (ranges[0].InterestStartPeriod = 0)),
    'INT-STEPS: Interests[0].CollectionInterests[0].InterestStartPeriod must be at least 1, or null',
  ],
  [
    'a gap between ranges from the end date of a range on (R1)',
    steps((ranges) => (ranges[0].InterestEndDate = '2023-12-31')),
    'cannot be simulated: productCode must be a product whose interest Stepped rate has one rate for every instalment',
  ],
  [
    'ranges that end before the longest term (R1)',
    steps((ranges) => (ranges[1].InterestEndPeriod = 83)),
    '25000 EUR over 84 periods from 2026-01-15 cannot be simulated: loanPeriod must be at most 83 periods: the interest Stepped rate has no rate for later instalments',
  ],
  [
    'bands that start above zero (R2)',
    bands((items) => (items[0].MinUtilizedAmount = 100)),
    'cannot be simulated: productCode must be a product whose interest Overdraft by utilised amount has one rate for every amount',
  ],
  [
    'bands that end below the largest amount (R2)',
    bands((items) => (items[1].MaxUtilizedAmount = 1500)),
    '5000 EUR over 12 periods from 2026-01-15 cannot be simulated: amount must be smaller: the interest Overdraft by utilised amount has no rate for every balance of the schedule',
  ],
  [
    'a band limit with more decimals than the currency (M2)',
    bands((items) => (items[1].MinUtilizedAmount = 1000.001)),
    'cannot be simulated: productCode must be a product whose interest Overdraft by utilised amount has one rate for every amount',
  ],
  [
    'a band with equal limits (R2)',
    bands((items) => Object.assign(items[1], { MaxUtilizedAmount: 1000 })),
    'INT-OVERDRAFT: Interests[0].BandedInterests[1].MaxUtilizedAmount must be above MinUtilizedAmount, or null: the band is empty',
  ],
  [
    'a Once charge that is a percentage of the interest (Q6)',
    leaseFee({ PeriodicityType: 'Once', ValueIsPercent: true, Percent: 1, PercentAppliedTo: 'Interest' }),
    'COM-LEASE: Commissions[0].PercentAppliedTo must be FinancedAmount, RemainingValue or null, because a Once charge is paid at the start',
  ],
  [
    'a percentage of the unused amount (F2)',
    leaseFee({
      PeriodicityType: 'Monthly',
      ValueIsPercent: true,
      Percent: 1,
      PercentAppliedTo: 'UnusedAmount',
    }),
    'COM-LEASE: Commissions[0].PercentAppliedTo must be another figure: simulations include this charge, and have no unused amount',
  ],
  [
    'interests without any value (Q3)',
    leaseRate((interest) => (interest.Values = [])),
    'cannot be simulated: productCode must be a product that has an interest with a rate on the day of the request',
  ],
  [
    'interests without a value while the product is valid (Q3)',
    leaseRate((interest) => Object.assign(interest.Values[0], { ValidFrom: null, ValidTo: '2019-12-31' })),
    'cannot be simulated: productCode must be a product that has an interest with a rate on the day of the request',
  ],
  [
    'a rate that makes the balance negative (R3)',
    leaseRate((interest) => (interest.Values[0].Value = -100_000)),
    'cannot be simulated: productCode must be a product whose interest Car lease fixed has valid rates: each must leave a positive balance in every period',
  ],
  [
    'a rate that makes the balance zero (R3)',
    leaseRate((interest) => (interest.Values[0].Value = -1200)),
    'cannot be simulated: productCode must be a product whose interest Car lease fixed has valid rates: each must leave a positive balance in every period',
  ],
  [
    'a rate above the limit (M6)',
    leaseRate((interest) => (interest.Values[0].Value = 1e6)),
    'INT-LEASE: Interests[0].Values[0].Value must be from -100000 to 100000 percent',
  ],
  [
    'a rate with too many decimals (M6)',
    leaseRate((interest) => (interest.Values[0].Value = 1e-21)),
    'INT-LEASE: Interests[0].Values[0].Value must have at most 20 decimals',
  ],
  [
    'a percentage above the limit (F1)',
    leaseFee({ ValueIsPercent: true, Percent: 100_001 }),
    'COM-LEASE: Commissions[0].Percent must be from 0 to 100000 percent',
  ],
  [
    'a grace period longer than any schedule (F3)',
    leaseFee({ GracePeriodFee: 1201 }),
    'COM-LEASE: Commissions[0].GracePeriodFee must be at most 1200, or null',
  ],
  [
    'two default interests (Q3)',
    [
      'interest-list',
      'INT-PERSONAL',
      ({ Interests }) => Object.assign(Interests[1], { IsDefault: true, IsPenalty: false, Status: 'Active' }),
    ],
    'INT-PERSONAL: Interests[1].IsDefault must be false here or in Interests[0]: only one interest can be the default',
  ],
  [
    'a formula that always divides by zero (Q7)',
    [
      'interest-list',
      'INT-STUDY',
      ({ Interests }) => (Interests[0].Formula.Expression = 'Score * ReferenceRate / 0'),
    ],
    'INT-STUDY: Interests[0].Formula.Expression cannot be calculated at position',
  ],
  [
    'a formula with a negative constant value (Q7)',
    [
      'commission-list',
      'COM-LEASE',
      ({ Commissions }) => Object.assign(Commissions[1].Formula, { Expression: '-5', Inputs: [] }),
    ],
    'COM-LEASE: Commissions[1].Formula.Expression must give a value from 0 to',
  ],
  [
    'a schedule type that needs the missing CapitalPercent (B3)',
    ['product', 'CC-CLASSIC', (product) => (product.CapitalPercent = null)],
    'CC-CLASSIC: PaymentScheduleTypes[1] names CreditCard, with which 300 EUR over 3 periods from 2026-01-15 cannot be simulated: scheduleType must not be a type that needs CapitalPercent, which the product does not have',
  ],
  [
    'a schedule type that needs the missing ResidualPercent (B1)',
    ['product', 'TL-STUDY', (product) => product.PaymentScheduleTypes.splice(0, 9, 'Balloon')],
    'cannot be simulated: scheduleType must not be a type that needs ResidualValue, which the product does not have',
  ],
  [
    'a ResidualPercent above 100 (B1)',
    ['product', 'LS-CAR', (product) => (product.ResidualPercent = 100.5)],
    'LS-CAR: ResidualPercent must be at most 100, or null',
  ],
  [
    'a schedule type whose unit differs from that of the periodicity (S1)',
    ['product', 'CC-CLASSIC', (product) => (product.GeneralData.PeriodicityType = 'Weekly')],
    "cannot be simulated: scheduleType must be a schedule type for the product's PeriodicityType, Weekly",
  ],
  [
    'a schedule type with fewer instalments than the shortest term (S4)',
    ['product', 'TL-STUDY', (product) => product.PaymentScheduleTypes.push('Once')],
    'TL-STUDY: PaymentScheduleTypes[2] names Once, with which 500 EUR over 12 periods from 2026-01-15 cannot be simulated: loanPeriod must be at most 1 with this schedule type',
  ],
  [
    'charges with a schedule type that does not accept any (B4)',
    ['product', 'DP-TERM', (product) => (product.InterestsAndCommissions[0].CommissionList = 'COM-LEASE')],
    'cannot be simulated: productCode must be a product without commissions, which the schedule type does not accept; or use another scheduleType',
  ],
  [
    'amount bounds between two minor units (M2)',
    carBounds({ MinimumAmount: 100.001, MaximumAmount: 100.004 }),
    'LS-CAR: Availability.MaximumAmount must allow an amount above zero with at most 2 decimals, those of EUR: raise it',
  ],
  [
    'a MaximumAmount of zero (M6)',
    carBounds({ MinimumAmount: null, MaximumAmount: 0 }),
    'LS-CAR: Availability.MaximumAmount must allow an amount above zero with at most 2 decimals, those of EUR: raise it',
  ],
  [
    'a MinimumAmount above the limit (M6)',
    carBounds({ MinimumAmount: 1e14, MaximumAmount: null }),
    'cannot be simulated: amount must be at most 10000000000000.00',
  ],
  [
    'a MinimumPeriod above the limit (M6)',
    carBounds({ MinimumPeriod: 1201, MaximumPeriod: null }),
    'LS-CAR: Availability.MaximumPeriod must allow a whole number of Monthly periods from MinimumPeriod on, at most 1200: change the bounds',
  ],
  [
    'period bounds without a whole number of periods (Q6)',
    [
      'product',
      'LS-CAR',
      (product) => {
        Object.assign(product.Availability, { MinimumPeriod: 13, MaximumPeriod: 14 });
        product.GeneralData.PeriodicityType = 'Quarterly';
      },
    ],
    'LS-CAR: Availability.MaximumPeriod must allow a whole number of Quarterly periods from MinimumPeriod on, at most 1200: change the bounds',
  ],
  [
    'a MaximumPeriod below one period (Q6)',
    [
      'product',
      'LS-CAR',
      (product) => {
        Object.assign(product.Availability, { MinimumPeriod: null, MaximumPeriod: 6 });
        product.GeneralData.PeriodicityType = 'Annual';
      },
    ],
    'LS-CAR: Availability.MaximumPeriod must allow a whole number of Annual periods from MinimumPeriod on, at most 1200: change the bounds',
  ],
  [
    'a MinimumAdvance of 100 % (Q1)',
    carBounds({ MinimumAdvance: 100, MaximumAdvance: 100 }),
    'cannot be simulated: downPayment must be less than amount',
  ],
];

/** Replaces the fixed interest of the car lease by several. */
const manyInterests = (length: number): Change => [
  'interest-list',
  'INT-LEASE',
  (list) => {
    const [first] = list.Interests;
    list.Interests = Array.from({ length }, (_, place) => ({
      ...first,
      Id: `99999999-9999-4999-8999-${String(place).padStart(12, '0')}`,
      Name: `Rate ${place}`,
      IsDefault: false,
    }));
  },
];

describe('checks of simulations', () => {
  it('accept the example catalogue', () => {
    expect(faultsOf(EXAMPLE_RECORDS)).toEqual([]);
  });

  it.each(CASES)('report %s', (_, change, fault) => {
    const faults = faultsOf(withChanges(change));
    expect(faults.filter((reported) => reported.includes(fault))).not.toEqual([]);
    const [, code] = change;
    const others = faults.filter((reported) => !reported.includes(fault) && reported.startsWith(`${code}: `));
    expect(others).toEqual([]);
  });

  it.each<readonly [string, Change]>([
    [
      'a schedule type with as many instalments as the shortest term (S4)',
      [
        'product',
        'TL-STUDY',
        (product) => {
          product.PaymentScheduleTypes.push('Once');
          product.Availability.MinimumPeriod = 1;
        },
      ],
    ],
    ['a charge in another currency without a price (Q6)', leaseFee({ Currency: 'RON', Values: [] })],
    [
      'a charge in another currency with an unused percentage (Q6)',
      leaseFee({ Currency: 'RON', Values: [], Percent: 1 }),
    ],
    ['an amount on both bounds (M2)', carBounds({ MinimumAmount: 100, MaximumAmount: 100 })],
    [
      'a single minor unit within the bounds (M2)',
      carBounds({ MinimumAmount: 100.001, MaximumAmount: 100.01 }),
    ],
    ['as many interests as the limit of offers (Q3)', manyInterests(100)],
    [
      'a charge in another currency that not every contract has',
      leaseFee({ Currency: 'RON', AutomaticLoadOnContract: false, MandatoryForApplicant: false }),
    ],
    ['a commission that is waived in all instalments', leaseFee({ GracePeriodFee: 1200 })],
    [
      'a negative rate that leaves a positive balance',
      leaseRate((interest) => (interest.Values[0].Value = -1199.99)),
    ],
    ['a large rate', leaseRate((interest) => (interest.Values[0].Value = 100_000))],
    ['a residual of 100 %', ['product', 'LS-CAR', (product) => (product.ResidualPercent = 100)]],
    [
      'a Balloon with a residual',
      [
        'product',
        'TL-STUDY',
        (product) =>
          Object.assign(product, {
            ResidualPercent: 33.333,
            PaymentScheduleTypes: ['EqualInstallments', 'Balloon'],
          }),
      ],
    ],
    ['ranges that end with the longest term', steps((ranges) => (ranges[1].InterestEndPeriod = 84))],
    ['bands up to the largest amount', bands((items) => (items[1].MaxUtilizedAmount = 100_000_000))],
    [
      'a periodicity in days with bounds in months',
      [
        'product',
        'TL-MARKET',
        ({ Availability }) =>
          Object.assign(Availability, { PeriodType: 'Months', MinimumPeriod: 1, MaximumPeriod: 12 }),
      ],
    ],
    [
      'an annual periodicity',
      ['product', 'TL-STUDY', (product) => (product.GeneralData.PeriodicityType = 'Annual')],
    ],
    [
      'the periodicity Once',
      ['product', 'TL-STUDY', (product) => (product.GeneralData.PeriodicityType = 'Once')],
    ],
    [
      'no bounds',
      [
        'product',
        'DP-TERM',
        ({ Availability }) =>
          Object.assign(Availability, {
            MinimumPeriod: null,
            MaximumPeriod: null,
            MinimumAmount: null,
            MaximumAmount: null,
          }),
      ],
    ],
  ])('accept %s', (_, change) => {
    expect(faultsOf(withChanges(change))).toEqual([]);
  });
});
