/**
 * A request with a missing field and an unknown name was refused only for the missing field, and for the name after
 * that was corrected, because semantic validation ran only on requests without schema violations. A string in place of
 * a list, and a list in place of a string, were each reported twice. A name from the institution's own catalogue was
 * reported as unknown if there was also a schema violation, because the reader did not have that catalogue. Now names
 * are not validated without a catalogue.
 */

import { describe, expect, it } from 'vitest';
import { paymentValueRequest } from '../../shared/api/actions/pmt-action.ts';
import { rateRequest } from '../../shared/api/actions/rate-action.ts';
import { repaymentScheduleRequest } from '../../shared/api/actions/schedule-action.ts';
import {
  BUILT_IN_CATALOGUE,
  type ScheduleCatalogue,
} from '../../shared/lending/schedule-types/schedule-catalogue.ts';
import { EXAMPLE_CATALOGUE } from '../support/builders/example-catalogue.ts';

const TERMS = {
  ScheduleType: 'EqualInstallments',
  InterestPercent: 7,
  Amount: 100,
  InstallmentsNo: 6,
  PeriodicityType: 'Monthly',
  InstallmentDay: 1,
};

function faultsOf(changes: object) {
  const read = repaymentScheduleRequest.read({ jsonParam: { ...TERMS, ...changes } }, BUILT_IN_CATALOGUE);
  if (read.kind === 'valid') return [];
  return [read.problem, ...read.faults.map(({ path, code }) => `${path.replace('jsonParam.', '')} ${code}`)];
}

describe('schema violations and semantic faults (E3)', () => {
  it('are reported together', () => {
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

  it('keep status 422 for a number out of range together with an unknown name', () => {
    expect(faultsOf({ Amount: 1e30, ScheduleType: 'Tontine' })).toEqual([
      'not-computable',
      'Amount amount-too-large',
      'ScheduleType unknown-schedule-type',
    ]);
  });

  it('are reported for the other fields if a list is too long', () => {
    expect(
      faultsOf({ Commission: Array.from({ length: 201 }, () => ({})), Amount: '5', Currency: 'XYZ' }),
    ).toEqual([
      'invalid-request',
      'Commission too-many-items',
      'Amount wrong-type',
      'Currency unknown-currency',
    ]);
  });

  it('are not reported for fields that depend on an invalid one', () => {
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

describe('a field of the wrong type', () => {
  it('is reported once', () => {
    expect(faultsOf({ Commission: 'x'.repeat(2_000) })).toEqual(['invalid-request', 'Commission wrong-type']);
    expect(faultsOf({ HolidayCountry: [] })).toEqual(['invalid-request', 'HolidayCountry wrong-type']);
  });
});

describe('names together with a schema violation (S1, D7)', () => {
  const OWN = {
    ...TERMS,
    ScheduleType: 'CardMinimumPayment',
    ProductType: 'CC',
    PeriodicityType: 'Every 10 days',
    Amount: undefined,
    CalculateDAE: 9,
    Commission: [
      { FeeName: 'Visit', SourceValue: 3, FeePeriodicityType: 'Every 10 days', FeeDate: '2026-01-01' },
      { FeeName: 'Visit', SourceValue: 3, FeePeriodicityType: 'Once', FeeDate: '2026-01-01' },
    ],
  };
  const codesOf = (catalogue?: ScheduleCatalogue) => {
    const read = repaymentScheduleRequest.read({ jsonParam: OWN }, catalogue);
    return read.kind === 'valid'
      ? []
      : read.faults.map(({ path, code }) => `${path.replace('jsonParam.', '')} ${code}`);
  };
  const others = [
    'Amount missing',
    'CalculateDAE out-of-range',
    'Commission[1].FeePeriodicityType not-allowed',
  ];

  it('are not validated without a catalogue; all other faults are reported', () => {
    expect(codesOf()).toEqual(others);
  });

  it('are validated against the catalogue of the reader', () => {
    expect(codesOf(EXAMPLE_CATALOGUE.lending)).toEqual(others.toSpliced(2, 0, 'PeriodicityType wrong-unit'));
    expect(codesOf(BUILT_IN_CATALOGUE)).toEqual([
      'Amount missing',
      'CalculateDAE out-of-range',
      'ScheduleType unknown-schedule-type',
      'PeriodicityType unknown-periodicity',
      'Commission[0].FeePeriodicityType unknown-periodicity',
      'Commission[1].FeePeriodicityType not-allowed',
    ]);
  });

  it('are validated in Avro against the catalogue of the worker', () => {
    const read = repaymentScheduleRequest.read({
      jsonParam: { ...TERMS, ProductType: 'TL', ScheduleType: 'CardMinimumPayment' },
    });
    if (read.kind === 'invalid') throw new Error(JSON.stringify(read.faults));
    const request = { ...read.payload, HolidayCountry: 'x'.repeat(201), InstallmentDay: 0 };
    const codes = [undefined, EXAMPLE_CATALOGUE.lending, BUILT_IN_CATALOGUE].map((catalogue) =>
      repaymentScheduleRequest.check(request, catalogue)?.faults.map(({ code }) => code),
    );
    expect(codes).toEqual([
      ['too-long', 'out-of-range'],
      ['too-long', 'product-type-mismatch', 'out-of-range'],
      ['too-long', 'unknown-schedule-type', 'out-of-range'],
    ]);
  });

  it('are validated in the same way in requests for payment values and rates', () => {
    const wrong = { jsonParam: { PeriodicityType: 'Every 10 days', InterestCalculationMethod: '30/360' } };
    expect(paymentValueRequest.read(wrong)).toMatchObject({ faults: [{ code: 'missing' }] });
    expect(paymentValueRequest.read(wrong, BUILT_IN_CATALOGUE)).toMatchObject({
      faults: [{ code: 'missing' }, { code: 'unknown-periodicity' }],
    });
    const flows = { jsonParam: { Rule: 'IRR', PeriodicityType: 'Every 10 days', Amounts: [-1, 'x'] } };
    expect(rateRequest.read(flows)).toMatchObject({ faults: [{ code: 'wrong-type' }] });
    expect(rateRequest.read(flows, BUILT_IN_CATALOGUE)).toMatchObject({
      faults: [{ code: 'wrong-type' }, { code: 'unknown-periodicity' }],
    });
  });
});
