import { describe, expect, it } from 'vitest';
import { paymentValueRequest } from '../../../../shared/api/actions/pmt-action.ts';
import { rateRequest } from '../../../../shared/api/actions/rate-action.ts';
import { repaymentScheduleRequest } from '../../../../shared/api/actions/schedule-action.ts';
import {
  BUILT_IN_CATALOGUE,
  type ScheduleCatalogue,
} from '../../../../shared/lending/schedule-types/schedule-catalogue.ts';
import { EXAMPLE_CATALOGUE } from '../../../support/builders/example-catalogue.ts';
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
const FEE = { FeeName: 'Account fee', FeePeriodicityType: 'Monthly', FeeDate: '2025-01-01' };
const PREMIUM = { InsuranceName: 'Life', InsurancePeriodicityType: 'Monthly', InsuranceDate: '2025-01-01' };
const BOTH = { SourceValue: 5, SourcePercent: 1 };
const ATLANTIS = { HolidayShift: true, HolidayCountry: 'Atlantis' };

const ranges = (first: JsonObject, second: JsonObject): JsonObject => ({
  InterestPercent: null,
  MultipleInterestRates: [
    { InterestRate: 12, ...first },
    { InterestRate: 24, ...second },
  ],
});

function problemOf(changes: object): string {
  const read = repaymentScheduleRequest.read({ jsonParam: { ...LOAN, ...changes } }, BUILT_IN_CATALOGUE);
  return read.kind === 'invalid' ? read.problem : 'none';
}

describe('faults of a schedule request (E1, E3)', () => {
  it.each<[title: string, JsonObject, readonly string[]]>([
    [
      'of many kinds',
      {
        ScheduleType: 'Tontine',
        InterestCalculationMethod: '31/360',
        HolidayShift: true,
        HolidayCountry: 'Utopia',
        ...ranges({ ToInstNo: 2 }, { FromInstNo: 2, ToInstNo: 3 }),
        ResidualValue: 1000.01,
        GracePeriodPrincipal: 4,
        GracePeriodInterest: 4,
        Commission: [{ ...FEE, SourceValue: 5, FeePeriodicityType: 'Once' }],
        CapitalPercent: 101,
        EarlyRepayments: [{ Date: '2025-02-16', Amount: 0 }],
      },
      [
        'CapitalPercent out-of-range',
        'Commission[0].FeePeriodicityType not-allowed',
        'EarlyRepayments[0].Amount out-of-range',
        'GracePeriodInterest out-of-range',
        'GracePeriodPrincipal out-of-range',
        'HolidayCountry unknown-calendar',
        'InterestCalculationMethod unknown-day-count',
        'MultipleInterestRates[1].FromInstNo rates-overlap',
        'MultipleInterestRates[1].ToInstNo rates-incomplete',
        'ResidualValue out-of-range',
        'ScheduleType unknown-schedule-type',
      ],
    ],
    [
      'of unreadable and readable fields',
      {
        InterestPercent: '12',
        ActivationDate: '2025-02-30',
        InterestCalculationMethod: '31/360',
        PeriodicityType: 'Fortnightly',
        ResidualValue: 1000.01,
        GracePeriodPrincipal: 4,
        Commission: [{ ...FEE, ...BOTH }],
        Insurance: [PREMIUM],
        BlockInstallmentNo: 4,
      },
      [
        'ActivationDate invalid-date',
        'BlockInstallmentNo out-of-range',
        'Commission[0].SourceValue mutually-exclusive',
        'GracePeriodPrincipal out-of-range',
        'Insurance[0].SourceValue mutually-exclusive',
        'InterestCalculationMethod unknown-day-count',
        'InterestPercent wrong-type',
        'PeriodicityType unknown-periodicity',
        'ResidualValue out-of-range',
      ],
    ],
    [
      'of missing, unreadable and unknown values',
      { ScheduleType: 'Tontine', Amount: undefined, InstallmentDay: 0, CalculateDAE: 9, Commission: 'none' },
      [
        'Amount missing',
        'CalculateDAE out-of-range',
        'Commission wrong-type',
        'InstallmentDay out-of-range',
        'ScheduleType unknown-schedule-type',
      ],
    ],
    [
      'of fields and due dates',
      { InterestCalculationMethod: '31/360', MaturityDate: '2025-03-20', GraceType: 'Endless' },
      ['GraceType unknown-value', 'InterestCalculationMethod unknown-day-count', 'MaturityDate date-order'],
    ],
    [
      'of the calendar and due dates',
      { ...ATLANTIS, MaturityDate: '2025-03-20' },
      ['HolidayCountry unknown-calendar', 'MaturityDate date-order'],
    ],
    [
      'of fields and dates outside the schedule',
      {
        GraceType: 'Endless',
        InterestCalculationMethod: '31/360',
        Commission: [{ ...FEE, SourceValue: 5, FeeDate: '2025-05-02' }],
        EarlyRepayments: [{ Date: '2025-01-01', Amount: 10 }],
      },
      [
        'Commission[0].FeeDate date-order',
        'EarlyRepayments[0].Date date-order',
        'GraceType unknown-value',
        'InterestCalculationMethod unknown-day-count',
      ],
    ],
    [
      'of all dates outside the schedule',
      {
        Commission: [{ ...FEE, SourceValue: 5, FeeDate: '2025-05-02' }],
        Insurance: [{ ...PREMIUM, SourceValue: 5, InsuranceDate: '2026-01-01' }],
        EarlyRepayments: [
          { Date: '2025-01-01', Amount: 10 },
          { Date: '2025-05-02', Amount: 10 },
        ],
        InterestPercent: -1200,
      },
      [
        'Commission[0].FeeDate date-order',
        'EarlyRepayments[0].Date date-order',
        'EarlyRepayments[1].Date date-order',
        'Insurance[0].InsuranceDate date-order',
        'InterestPercent rate-too-low',
      ],
    ],
    [
      'of dates that readable fields determine, with an unreadable fee',
      {
        Commission: [{ ...FEE, ...BOTH }],
        Insurance: [{ ...PREMIUM, SourceValue: 5, InsuranceDate: '2026-01-01' }],
        EarlyRepayments: [{ Date: '2031-01-01', Amount: 10 }],
      },
      [
        'Commission[0].SourceValue mutually-exclusive',
        'EarlyRepayments[0].Date date-order',
        'Insurance[0].InsuranceDate date-order',
      ],
    ],
    [
      'of a maturity, with an unreadable fee',
      { Commission: [{ ...FEE, ...BOTH }], MaturityDate: '2025-03-20' },
      ['Commission[0].SourceValue mutually-exclusive', 'MaturityDate date-order'],
    ],
    [
      'of a fixed payment that is too low, dates and the calendar',
      { ...ATLANTIS, installmentValue: 1, Commission: [{ ...FEE, SourceValue: 5, FeeDate: '2025-05-02' }] },
      [
        'Commission[0].FeeDate date-order',
        'HolidayCountry unknown-calendar',
        'installmentValue payment-below-interest',
      ],
    ],
    ['two fixed values', { installmentValue: 300, principalValue: 300 }, ['principalValue not-allowed']],
    [
      'of a list with too many items and other fields',
      { Commission: Array.from({ length: 201 }, () => ({})), Amount: '5', Currency: 'XYZ' },
      ['Amount wrong-type', 'Commission too-many-items', 'Currency unknown-currency'],
    ],
    ['of a list that is a text', { Commission: 'x'.repeat(2_000) }, ['Commission wrong-type']],
    ['of a text that is a list', { HolidayCountry: [] }, ['HolidayCountry wrong-type']],
    [
      'not of fields that depend on an unreadable number of rows',
      {
        InstallmentsNo: 'four',
        ResidualValue: 500,
        RealInstallmentNo: 3,
        GracePeriodPrincipal: 2,
        MultipleInterestRates: [{ InterestRate: 5, ToInstNo: 4 }],
      },
      ['InstallmentsNo wrong-type'],
    ],
    ['not of a part of an unreadable amount', { Amount: 'much', ResidualValue: 500 }, ['Amount wrong-type']],
    [
      'not of a rate that an unreadable list may contain',
      { InterestPercent: null, MultipleInterestRates: {} },
      ['MultipleInterestRates wrong-type'],
    ],
    [
      'not of a product type with an unreadable schedule type',
      { ScheduleType: 5, ProductType: 'CC' },
      ['ScheduleType wrong-type'],
    ],
    ['not of decimals in an unreadable currency', { Currency: 5, Amount: 1.234 }, ['Currency wrong-type']],
  ])('are reported together: %s', (_title, changes, expected) => {
    const answer = answerTo({ ...LOAN, ...changes });
    expect(answer.kind === 'refused' ? answer.faults.toSorted() : answer).toEqual(expected);
  });

  it('give the problem of a number out of range, 422, unless the shape is wrong too', () => {
    expect(problemOf({ Amount: 1e30, ScheduleType: 'Tontine' })).toBe('not-computable');
    expect(problemOf({ Amount: '1e30', ScheduleType: 'Tontine' })).toBe('invalid-request');
  });
});

describe('names together with an unreadable field (S1, D7)', () => {
  const others = [
    'Amount missing',
    'CalculateDAE out-of-range',
    'Commission[1].FeePeriodicityType not-allowed',
  ];

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
        'Commission[1].FeePeriodicityType not-allowed',
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
        { ...visit, FeePeriodicityType: 'Once' },
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
