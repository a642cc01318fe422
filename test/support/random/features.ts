/** The features whose combinations are tested, each in a few variants, with their amounts and charges. */

import { Decimal } from 'decimal.js';
import type { CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import type {
  CommissionItem,
  InsuranceItem,
} from '../../../shared/lending/request/repayment-schedule-request.ts';
import type { Combination } from './pairwise.ts';
import { dayOf } from '../reference/dates.ts';

/** Each feature with its variants. */
export const FEATURES = {
  type: [
    'EqualInstallments',
    'EqualPrincipal',
    'InterestOnly',
    'Balloon',
    'EffectiveRate',
    'Once',
    'Overdraft',
    'Deposit',
    'CreditCard',
    'Leasing',
  ],
  residual: ['none', 'own row', 'in last'],
  gracePrincipal: ['0', '2'],
  graceInterest: ['0', '2', '4'],
  graceType: ['absent', 'Deferred', 'Capitalised', 'Spread', 'Forgiven'],
  rates: ['one', 'ranges', 'bands', 'bands whole'],
  fee: [
    'none',
    'value',
    'percent a year upfront',
    'quarterly in arrears with grace',
    'of RemainingValue',
    'of Interest',
    'of Principal',
    'of Installment',
  ],
  insurance: ['none', 'value', 'percent a year upfront'],
  shift: ['none', 'Forward', 'Backward', 'ModifiedForward', 'Nearest'],
  deferDueDate: ['no', 'yes'],
  lock: ['none', 'lower', 'higher'],
  recalculation: ['none', 'settled rows', 'locked with blocked amounts'],
  unused: ['none', 'fee for unusage'],
  early: ['none', 'decrease', 'keep', 'on due date'],
  periodicity: ['Monthly', 'Quarterly', 'Weekly', 'Daily', 'Annual'],
  dayCount: ['of the type', '30/360', '30/365', '30E/360', '30E/360 ISDA', 'Actual/360', 'Actual/Actual'],
  digits: ['2', '0', '3'],
  maturity: ['none', 'later'],
  realInstallments: ['all', 'fewer'],
  calculateDae: ['absent', '0', '1', '2'],
} as const;

/** A variant of each feature. */
export type FeatureSet = Combination<typeof FEATURES>;

/** Financed amount of every combination. */
export const AMOUNT = new Decimal(120_000);
/** Activation date of every combination, at the end of a month. */
export const START = dayOf('2024-01-31') as CalendarDate;

/** A hundredth. */
export const IN_PERCENT = 100;

/** A percentage of the amount, with the currency's number of decimals. */
export function money(features: FeatureSet, percentOfAmount: number): Decimal {
  return AMOUNT.times(percentOfAmount)
    .div(IN_PERCENT)
    .toDecimalPlaces(Number(features.digits), Decimal.ROUND_HALF_UP);
}

/** The commissions of a combination. */
export function feesOf(features: FeatureSet): CommissionItem[] {
  const base = { FeeName: 'Fee', FeeDate: START, BlockFeeAmount: money(features, 0.05) };
  const percent = (PercentAppliedTo: string) => ({
    ...base,
    FeePeriodicityType: features.periodicity,
    SourcePercent: new Decimal('0.35'),
    PercentAppliedTo,
  });
  const unusage: CommissionItem = {
    FeeName: 'Unused',
    FeeDate: START,
    FeePeriodicityType: 'Monthly',
    SourcePercent: new Decimal('0.75'),
    IsForUnusage: true,
  };
  const plain: Partial<Record<FeatureSet['fee'], CommissionItem>> = {
    value: { ...base, FeePeriodicityType: features.periodicity, SourceValue: money(features, 0.02) },
    'percent a year upfront': {
      ...base,
      FeePeriodicityType: 'Annual',
      SourcePercent: new Decimal('0.5'),
      PerAnnum: true,
      IsUpfront: true,
    },
    'quarterly in arrears with grace': {
      ...base,
      FeePeriodicityType: 'Quarterly',
      SourceValue: money(features, 0.1),
      IsUpfront: false,
      GracePeriodFee: 4,
    },
    'of RemainingValue': percent('RemainingValue'),
    'of Interest': percent('Interest'),
    'of Principal': percent('Principal'),
    'of Installment': percent('Installment'),
  };
  const fee = plain[features.fee];
  return [...(fee === undefined ? [] : [fee]), ...(features.unused === 'none' ? [] : [unusage])];
}

/** The insurances of a combination. */
export function insurancesOf(features: FeatureSet): InsuranceItem[] {
  const base = {
    InsuranceName: 'Insurance',
    InsuranceDate: START,
    BlockInsuranceAmount: money(features, 0.03),
  };
  if (features.insurance === 'none') return [];
  return features.insurance === 'value'
    ? [{ ...base, InsurancePeriodicityType: 'Monthly', SourceValue: money(features, 0.04) }]
    : [
        {
          ...base,
          InsurancePeriodicityType: 'Annual',
          SourcePercent: new Decimal('0.9'),
          PercentAppliedTo: 'RemainingValue',
          PerAnnum: true,
          IsUpfront: true,
        },
      ];
}
