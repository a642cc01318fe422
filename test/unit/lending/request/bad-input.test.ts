import { describe, expect, it } from 'vitest';
import { paymentValueRequest } from '../../../../shared/api/actions/pmt-action.ts';
import { rateRequest } from '../../../../shared/api/actions/rate-action.ts';
import { repaymentScheduleRequest } from '../../../../shared/api/actions/schedule-action.ts';
import {
  BUILT_IN_CATALOGUE,
  type ScheduleCatalogue,
} from '../../../../shared/lending/schedule-types/schedule-catalogue.ts';
import { EXAMPLE_CATALOGUE } from '../../../support/builders/example-catalogue.ts';
import { readSentCases } from '../../../support/builders/request-cases.ts';
import { answerTo } from '../../../support/stated-effects.ts';
import type { JsonObject } from '../../../support/request-fields-table.ts';

const LOAN = {
  ScheduleType: 'EqualInstallments',
  Amount: 1000,
  InterestPercent: 12,
  InstallmentsNo: 4,
  PeriodicityType: 'Monthly',
  InstallmentDay: 1,
  ActivationDate: '2025-01-01',
};
/** Path and code of each fault of the loan with changes, in alphabetical order. */
function faultsOf(changes: JsonObject): readonly string[] {
  const answer = answerTo({ ...LOAN, ...changes });
  return answer.kind === 'refused' ? answer.faults.toSorted() : ['none'];
}

function problemOf(changes: object): string {
  const read = repaymentScheduleRequest.read({ jsonParam: { ...LOAN, ...changes } }, BUILT_IN_CATALOGUE);
  return read.kind === 'invalid' ? read.problem : 'none';
}

describe('faults of a schedule request (E1, E3)', () => {
  it.each(
    readSentCases(`
ScheduleType = "Tontine"; InterestCalculationMethod = "31/360"; HolidayShift = true; HolidayCountry = "Utopia"
  ResidualValue = 1000.01; GracePeriodPrincipal = 4; GracePeriodInterest = 4; CapitalPercent = 101
  CapitalPercent out-of-range | GracePeriodInterest out-of-range | GracePeriodPrincipal out-of-range
  HolidayCountry unknown-calendar | InterestCalculationMethod unknown-day-count | ResidualValue out-of-range
  ScheduleType unknown-schedule-type
InterestPercent = null
  MultipleInterestRates = [{"InterestRate":12,"ToInstNo":2},{"InterestRate":24,"FromInstNo":2,"ToInstNo":3}]
  Commission = [{"FeeName":"A","FeePeriodicityType":"Monthly","FeeDate":"2025-01-01","SourcePercent":5,"PerAnnum":true,"FeePeriodicityType":"Once"}]
  EarlyRepayments = [{"Date":"2025-02-16","Amount":0}] | Commission[0].PerAnnum not-allowed
  EarlyRepayments[0].Amount out-of-range | MultipleInterestRates[1].FromInstNo rates-overlap
  MultipleInterestRates[1].ToInstNo rates-incomplete
InterestPercent = "12"; ActivationDate = "2025-02-30"; InterestCalculationMethod = "31/360"
  PeriodicityType = "Fortnightly"; ResidualValue = 1000.01; GracePeriodPrincipal = 4; BlockInstallmentNo = 4
  ActivationDate invalid-date | BlockInstallmentNo out-of-range | GracePeriodPrincipal out-of-range
  InterestCalculationMethod unknown-day-count | InterestPercent wrong-type
  PeriodicityType unknown-periodicity | ResidualValue out-of-range
Commission = [{"FeeName":"A","FeePeriodicityType":"Monthly","FeeDate":"2025-01-01","SourceValue":5,"SourcePercent":1}]
  Insurance = [{"InsuranceName":"B","InsurancePeriodicityType":"Monthly","InsuranceDate":"2025-01-01"}]
  InterestPercent = "12" | Commission[0].SourceValue mutually-exclusive
  Insurance[0].SourceValue mutually-exclusive | InterestPercent wrong-type
ScheduleType = "Tontine"; Amount = null; InstallmentDay = 0; CalculateDAE = 9; Commission = "none"
  Amount missing | CalculateDAE out-of-range | Commission wrong-type | InstallmentDay out-of-range
  ScheduleType unknown-schedule-type
GraceType = "Endless"; InterestCalculationMethod = "31/360"
  Commission = [{"FeeName":"A","FeePeriodicityType":"Monthly","SourceValue":5,"FeeDate":"2025-05-02"}]
  EarlyRepayments = [{"Date":"2025-01-01","Amount":10}] | Commission[0].FeeDate date-order
  EarlyRepayments[0].Date date-order | GraceType unknown-value | InterestCalculationMethod unknown-day-count
InterestPercent = -1200
  Commission = [{"FeeName":"A","FeePeriodicityType":"Monthly","SourceValue":5,"FeeDate":"2025-05-02"}]
  Insurance = [{"InsuranceName":"B","InsurancePeriodicityType":"Monthly","SourceValue":5,"InsuranceDate":"2026-01-01"}]
  EarlyRepayments = [{"Date":"2025-01-01","Amount":10},{"Date":"2025-05-02","Amount":10}]
  Commission[0].FeeDate date-order | EarlyRepayments[0].Date date-order | EarlyRepayments[1].Date date-order
  Insurance[0].InsuranceDate date-order | InterestPercent rate-too-low
Commission = [{"FeeName":"A","FeePeriodicityType":"Monthly","FeeDate":"2025-01-01","SourceValue":5,"SourcePercent":1}]
  Insurance = [{"InsuranceName":"B","InsurancePeriodicityType":"Monthly","SourceValue":5,"InsuranceDate":"2026-01-01"}]
  EarlyRepayments = [{"Date":"2031-01-01","Amount":10}] | Commission[0].SourceValue mutually-exclusive
  EarlyRepayments[0].Date date-order | Insurance[0].InsuranceDate date-order
Commission = [{"FeeName":"A","FeePeriodicityType":"Monthly","FeeDate":"2025-01-01","SourceValue":5,"SourcePercent":1}]
  MaturityDate = "2025-03-20" | Commission[0].SourceValue mutually-exclusive | MaturityDate date-order
installmentValue = 1; HolidayShift = true; HolidayCountry = "Atlantis"
  Commission = [{"FeeName":"A","FeePeriodicityType":"Monthly","SourceValue":5,"FeeDate":"2025-05-02"}]
  Commission[0].FeeDate date-order | HolidayCountry unknown-calendar | installmentValue payment-below-interest
HolidayCountry = [] | HolidayCountry wrong-type
InstallmentsNo = "four"; ResidualValue = 500; RealInstallmentNo = 3; GracePeriodPrincipal = 2
  MultipleInterestRates = [{"InterestRate":5,"ToInstNo":4}] | InstallmentsNo wrong-type
Amount = "much"; ResidualValue = 5e12 | Amount wrong-type
Amount = "much"; ResidualValue = 10.123 | Amount wrong-type | ResidualValue too-many-decimals
PeriodicityType = "Once"; InstallmentsNo = 1; FirstDueDate = 5 | FirstDueDate wrong-type
ScheduleType = "Balloon"; HolidayCountry = [] | HolidayCountry wrong-type | ResidualValue missing
InterestPercent = null; MultipleInterestRates = {} | MultipleInterestRates wrong-type
ScheduleType = 5; ProductType = "CC" | ScheduleType wrong-type
Currency = 5; Amount = 1.234 | Currency wrong-type
`),
  )('are reported together for $title', ({ sent, others }) => {
    expect(faultsOf(sent)).toEqual(others);
  });

  it('are reported once for a text that is a list, and with others for a list that is too long', () => {
    expect(faultsOf({ Commission: 'x'.repeat(2_000) })).toEqual(['Commission wrong-type']);
    const Commission = Array.from({ length: 201 }, () => ({}));
    expect(faultsOf({ Commission, Amount: '5', Currency: 'XYZ' })).toEqual(
      'Amount wrong-type, Commission too-many-items, Currency unknown-currency'.split(', '),
    );
  });

  it('give the problem of a number out of range, 422, unless the shape is wrong too', () => {
    expect(problemOf({ Amount: 1e30, ScheduleType: 'Tontine' })).toBe('not-computable');
    expect(problemOf({ Amount: '1e30', ScheduleType: 'Tontine' })).toBe('invalid-request');
  });
});

describe('names together with an unreadable field (S1, D7)', () => {
  const others = 'Amount missing, CalculateDAE out-of-range, Commission[1].PerAnnum not-allowed'.split(', ');

  it.each<[string, ScheduleCatalogue | undefined, readonly string[]]>([
    ['are not validated without a catalogue', undefined, others],
    [
      'are validated against the catalogue of the reader',
      EXAMPLE_CATALOGUE.lending,
      others.toSpliced(2, 0, 'PeriodicityType wrong-unit'),
    ],
    [
      'are validated against the built-in names',
      BUILT_IN_CATALOGUE,
      [
        'Amount missing',
        'CalculateDAE out-of-range',
        'ScheduleType unknown-schedule-type',
        'PeriodicityType unknown-periodicity',
        'Commission[0].FeePeriodicityType unknown-periodicity',
        'Commission[1].PerAnnum not-allowed',
      ],
    ],
  ])('%s', (_title, catalogue, expected) => {
    const visit = { FeeName: 'Visit', SourceValue: 3, FeeDate: '2026-01-01' };
    const own = {
      ...LOAN,
      ScheduleType: 'CardMinimumPayment',
      ProductType: 'CC',
      PeriodicityType: 'Every 10 days',
      Amount: undefined,
      ActivationDate: undefined,
      CalculateDAE: 9,
      Commission: [
        { ...visit, FeePeriodicityType: 'Every 10 days' },
        { ...visit, SourceValue: undefined, SourcePercent: 1, PerAnnum: true, FeePeriodicityType: 'Once' },
      ],
    };
    const read = repaymentScheduleRequest.read({ jsonParam: own }, catalogue);
    const faults = read.kind === 'valid' ? [] : read.faults;
    expect(faults.map(({ path, code }) => `${path.replace('jsonParam.', '')} ${code}`)).toEqual(expected);
  });

  it('are validated in Avro against the catalogue of the worker', () => {
    const read = repaymentScheduleRequest.read({
      jsonParam: { ...LOAN, ProductType: 'TL', ScheduleType: 'CardMinimumPayment' },
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
