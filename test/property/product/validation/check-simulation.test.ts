import { describe, expect, it } from 'vitest';
import {
  bands,
  type Change,
  EXAMPLE_RECORDS,
  leaseFee,
  leaseRate,
  steps,
  withChanges,
} from '../../../support/builders/catalogue-entries.ts';
import { refusalsOf } from '../../../support/random/offered-combinations.ts';

describe('a valid catalogue', () => {
  it('can be simulated with every schedule type and interest type, at the lower and upper bounds', () => {
    expect(refusalsOf(EXAMPLE_RECORDS)).toEqual([]);
  });

  it.each<readonly [string, Change]>([
    [
      'a charge in another currency that not every contract has',
      leaseFee({ Currency: 'RON', AutomaticLoadOnContract: false, MandatoryForApplicant: false }),
    ],
    ['a charge in another currency without a price', leaseFee({ Currency: 'RON', Values: [] })],
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
  ])('can be simulated with %s', (_, change) => {
    expect(refusalsOf(withChanges(change))).toEqual([]);
  });
});
