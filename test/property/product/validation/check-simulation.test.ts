import { describe, expect, it } from 'vitest';
import {
  type Change,
  EXAMPLE_RECORDS,
  type Json,
  withChanges,
} from '../../../support/builders/catalogue-entries.ts';
import { refusalsOf } from '../../../support/random/offered-combinations.ts';

/** The fixed interest of the car. */
const leaseRate = (change: (interest: Json) => unknown): Change => [
  'interest-list',
  'INT-LEASE',
  ({ Interests }) => change(Interests[0]),
];

/** The monthly contract fee of the car. */
const leaseFee = (change: object): Change => [
  'commission-list',
  'COM-LEASE',
  ({ Commissions }) => Object.assign(Commissions[0], change),
];

const steps = (change: (ranges: Json) => unknown): Change => [
  'interest-list',
  'INT-STEPS',
  ({ Interests }) => change(Interests[0].CollectionInterests),
];

const bands = (change: (bands: Json) => unknown): Change => [
  'interest-list',
  'INT-OVERDRAFT',
  ({ Interests }) => change(Interests[0].BandedInterests),
];

describe('what validates', () => {
  it('can be simulated by every schedule type and every type of interest, at both ends of the bounds', () => {
    expect(refusalsOf(EXAMPLE_RECORDS)).toEqual([]);
  });

  it.each<readonly [string, Change]>([
    [
      'a charge in another currency that does not come with the contract',
      leaseFee({ Currency: 'RON', AutomaticLoadOnContract: false, MandatoryForApplicant: false }),
    ],
    ['a charge in another currency without a price', leaseFee({ Currency: 'RON', Values: [] })],
    ['a commission that is waived in all rows', leaseFee({ GracePeriodFee: 1200 })],
    ['a negative rate that leaves something', leaseRate((interest) => (interest.Values[0].Value = -1199.99))],
    ['a large rate', leaseRate((interest) => (interest.Values[0].Value = 100_000))],
    [
      'a residual of nothing, and of everything',
      ['product', 'LS-CAR', (product) => (product.ResidualPercent = 100)],
    ],
    [
      'a Balloon with its residual',
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
      'days beside bounds in months',
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
      'a periodicity Once',
      ['product', 'TL-STUDY', (product) => (product.GeneralData.PeriodicityType = 'Once')],
    ],
    [
      'no bounds at all',
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
  ])('can be simulated: %s', (_, change) => {
    expect(refusalsOf(withChanges(change))).toEqual([]);
  });
});
