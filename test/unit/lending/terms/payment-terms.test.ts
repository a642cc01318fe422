import { describe, expect, it } from 'vitest';
import { calculatePaymentValue } from '../../../../shared/lending/payment-value.ts';
import { BUILT_IN_PERIODICITIES } from '../../../../shared/lending/dates/periodicity.ts';
import type { PaymentValueRequest } from '../../../../shared/lending/request/payment-value-request.ts';
import { decimal } from '../../../support/builders/lending-loan.ts';

function faultsOf(changes: Partial<PaymentValueRequest>): readonly string[] {
  const request = {
    InstallmentsNo: 4,
    PeriodicityType: 'Monthly',
    InterestCalculationMethod: '30/360',
    FinancedAmount: decimal(1000),
    InterestPercent: decimal(12),
    ...changes,
  };
  const outcome = calculatePaymentValue(request, BUILT_IN_PERIODICITIES);
  if (outcome.kind !== 'refused') return [];
  return outcome.faults.map(({ path, code, message }) => `${path} ${code} ${message}`);
}

const NINETEEN_DECIMALS = '0.0000000000000000001';
const REPEATING =
  'must be one of Daily, Weekly, Biweekly, Monthly, Bimonthly, Quarterly, Trimestrial, Semiannual, Semestrial, Annual, Yearly';

describe('faults of the terms of a payment value (P1, P2)', () => {
  it.each<[fault: string, Partial<PaymentValueRequest>]>([
    [`PeriodicityType not-allowed ${REPEATING}`, { PeriodicityType: 'Once' }],
    [`PeriodicityType unknown-periodicity ${REPEATING}`, { PeriodicityType: 'Fortnightly' }],
    [
      'GracePeriodPrincipal not-allowed must be 0 with one installment: no payment is left',
      { InstallmentsNo: 1, GracePeriodPrincipal: 1 },
    ],
    ['GracePeriodPrincipal out-of-range must be 0 or 1', { GracePeriodPrincipal: 2 }],
    ['InterestType out-of-range must be 0 or 1', { InterestType: -1 }],
    ['Precision out-of-range must be a whole number from 0 to 10', { Precision: 11 }],
    ['FinancedAmount out-of-range must be zero or more', { FinancedAmount: decimal(-1) }],
    [
      'FutureValue out-of-range must be zero or more where FinancedAmount is zero',
      { FinancedAmount: decimal(0), FutureValue: decimal(-1) },
    ],
    [
      'FutureValue too-many-decimals must have at most 18 decimals',
      { FinancedAmount: decimal(0), FutureValue: decimal(`-${NINETEEN_DECIMALS}`) },
    ],
    [
      'FinancedAmount too-many-decimals must have at most 18 decimals',
      { FinancedAmount: decimal(NINETEEN_DECIMALS) },
    ],
    [
      'FutureValue amount-too-large must be at most 10000000000000 in absolute value',
      { FutureValue: decimal('-1e13').minus(1) },
    ],
    [
      'InterestPercent rate-too-low must leave a positive balance in every period',
      { InterestPercent: decimal(-1200) },
    ],
  ])('consist of %s', (fault, changes) => {
    expect(faultsOf(changes)).toEqual([fault]);
  });

  it('do not occur at the limits', () => {
    const limits = { FinancedAmount: decimal('1e13'), FutureValue: decimal('-1e13'), Precision: 10 };
    expect(faultsOf(limits)).toEqual([]);
    expect(faultsOf({ InterestPercent: decimal('-1199.99') })).toEqual([]);
  });
});
