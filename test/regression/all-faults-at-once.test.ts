/**
 * A request with a missing member and an unknown name was first told of the missing member only, and of the name after
 * that was mended: the calculation's checks ran only on requests without a fault in their shape. A text in place of a
 * list, and a list in place of a text, were each told of twice.
 */

import { describe, expect, it } from 'vitest';
import { readRepaymentScheduleRequest } from '../../shared/contract/read-repayment-schedule-request.ts';

const TERMS = {
  ScheduleType: 'EqualInstallments',
  InterestPercent: 7,
  Amount: 100,
  InstallmentsNo: 6,
  PeriodicityType: 'Monthly',
  InstallmentDay: 1,
};

function faultsOf(changes: object) {
  const read = readRepaymentScheduleRequest({ jsonParam: { ...TERMS, ...changes } });
  if (read.kind === 'valid') return [];
  return [read.problem, ...read.faults.map(({ path, code }) => `${path.replace('jsonParam.', '')} ${code}`)];
}

describe('faults of shape and of meaning (E3)', () => {
  it('are told together', () => {
    const changes = {
      ScheduleType: 'Tontine',
      Amount: undefined,
      InstallmentsNo: 10_000,
      InstallmentDay: 0,
      ActivationDate: '2024-02-30',
      CalculateDAE: 9,
      Commission: 'none',
      Insurance: [],
      ResidualValue: -1,
    };
    expect(faultsOf(changes)).toEqual([
      'invalid-request',
      'Amount missing',
      'ActivationDate invalid-date',
      'Commission wrong-type',
      'CalculateDAE out-of-range',
      'ScheduleType unknown-schedule-type',
      'InstallmentsNo out-of-range',
      'ResidualValue out-of-range',
      'InstallmentDay out-of-range',
    ]);
  });

  it('do not change the problem: numbers that cannot be calculated with are 422 beside an unknown name', () => {
    expect(faultsOf({ Amount: 1e30, ScheduleType: 'Tontine' })).toEqual([
      'not-computable',
      'Amount amount-too-large',
      'ScheduleType unknown-schedule-type',
    ]);
  });

  it('are told of the other members where a list is too long to be read', () => {
    expect(
      faultsOf({ Commission: Array.from({ length: 201 }, () => ({})), Amount: '5', Currency: 'XYZ' }),
    ).toEqual([
      'invalid-request',
      'Commission too-many-items',
      'Amount wrong-type',
      'Currency unknown-currency',
    ]);
  });

  it('are not made up for members that rest on one that cannot be read', () => {
    expect(faultsOf({ ScheduleType: 5, ProductType: 'CC' })).toEqual([
      'invalid-request',
      'ScheduleType wrong-type',
    ]);
    expect(faultsOf({ InstallmentsNo: null, RealInstallmentNo: 8 })).toEqual([
      'invalid-request',
      'InstallmentsNo missing',
    ]);
    expect(faultsOf({ Currency: 5, Amount: 1.234 })).toEqual(['invalid-request', 'Currency wrong-type']);
    expect(faultsOf({ InterestPercent: null, MultipleInterestRates: 5 })).toEqual([
      'invalid-request',
      'MultipleInterestRates wrong-type',
    ]);
  });
});

describe('a member of another kind', () => {
  it('is told of once', () => {
    expect(faultsOf({ Commission: 'x'.repeat(2_000) })).toEqual(['invalid-request', 'Commission wrong-type']);
    expect(faultsOf({ HolidayCountry: [] })).toEqual(['invalid-request', 'HolidayCountry wrong-type']);
  });
});
