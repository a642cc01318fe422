import { describe, expect, it } from 'vitest';
import { answerTo } from '../../../support/stated-effects.ts';
import type { JsonObject } from '../../../support/request-fields-table.ts';
import {
  activationMessages,
  formulaColumn,
  LEVEL_COLUMNS,
  recordOf,
} from '../../../support/builders/schedule-type-records.ts';

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

/** Path, code and message of each fault of the loan with changes, in the reported order. */
function faultsOf(changes: JsonObject): readonly string[] {
  const answer = answerTo({ ...LOAN, ...changes });
  if (answer.kind === 'schedule') throw new Error('the request was not refused');
  return answer.faults.map((fault, index) => `${fault}: ${answer.messages[index]}`);
}

/** Path and code of each fault, in alphabetical order. */
function codesOf(changes: JsonObject): readonly string[] {
  return faultsOf(changes)
    .map((fault) => fault.split(': ')[0] ?? '')
    .toSorted();
}

const ranges = (first: JsonObject, second: JsonObject): JsonObject => ({
  InterestPercent: null,
  MultipleInterestRates: [
    { InterestRate: 12, ...first },
    { InterestRate: 24, ...second },
  ],
});

describe('invalid schedule requests (E1, E3)', () => {
  it('report faults of many kinds together', () => {
    const found = codesOf({
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
    });
    expect(found).toEqual([
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
    ]);
  });

  it('report semantic faults together with unreadable fields', () => {
    const found = codesOf({
      InterestPercent: '12',
      ActivationDate: '2025-02-30',
      InterestCalculationMethod: '31/360',
      PeriodicityType: 'Fortnightly',
      ResidualValue: 1000.01,
      GracePeriodPrincipal: 4,
      Commission: [{ ...FEE, SourceValue: 5, SourcePercent: 1 }],
      Insurance: [PREMIUM],
      BlockInstallmentNo: 4,
    });
    expect(found).toEqual([
      'ActivationDate invalid-date',
      'BlockInstallmentNo out-of-range',
      'Commission[0].SourceValue mutually-exclusive',
      'GracePeriodPrincipal out-of-range',
      'Insurance[0].SourceValue mutually-exclusive',
      'InterestCalculationMethod unknown-day-count',
      'InterestPercent wrong-type',
      'PeriodicityType unknown-periodicity',
      'ResidualValue out-of-range',
    ]);
  });

  it('report faults of fields and of due dates together', () => {
    const found = codesOf({
      InterestCalculationMethod: '31/360',
      MaturityDate: '2025-03-20',
      GraceType: 'Endless',
    });
    expect(found).toEqual([
      'GraceType unknown-value',
      'InterestCalculationMethod unknown-day-count',
      'MaturityDate date-order',
    ]);
  });

  it('report faults of the calendar and of due dates together', () => {
    const found = codesOf({ HolidayShift: true, HolidayCountry: 'Atlantis', MaturityDate: '2025-03-20' });
    expect(found).toEqual(['HolidayCountry unknown-calendar', 'MaturityDate date-order']);
  });

  it('report faults of fields together with dates outside the schedule', () => {
    const found = codesOf({
      GraceType: 'Endless',
      InterestCalculationMethod: '31/360',
      Commission: [{ ...FEE, SourceValue: 5, FeeDate: '2025-05-02' }],
      EarlyRepayments: [{ Date: '2025-01-01', Amount: 10 }],
    });
    expect(found).toEqual([
      'Commission[0].FeeDate date-order',
      'EarlyRepayments[0].Date date-order',
      'GraceType unknown-value',
      'InterestCalculationMethod unknown-day-count',
    ]);
  });

  it('report all dates outside the schedule together', () => {
    const found = codesOf({
      Commission: [{ ...FEE, SourceValue: 5, FeeDate: '2025-05-02' }],
      Insurance: [{ ...PREMIUM, SourceValue: 5, InsuranceDate: '2026-01-01' }],
      EarlyRepayments: [
        { Date: '2025-01-01', Amount: 10 },
        { Date: '2025-05-02', Amount: 10 },
      ],
      InterestPercent: -1200,
    });
    expect(found).toEqual([
      'Commission[0].FeeDate date-order',
      'EarlyRepayments[0].Date date-order',
      'EarlyRepayments[1].Date date-order',
      'Insurance[0].InsuranceDate date-order',
      'InterestPercent rate-too-low',
    ]);
  });

  it('report a cycle of formulas when the schedule type is activated (S3)', () => {
    const record = recordOf([
      ...LEVEL_COLUMNS,
      formulaColumn('Tax', 'Base * 0.1'),
      formulaColumn('Base', 'Interest + Tax'),
      formulaColumn('Levy', 'Nonsense + 1'),
    ]);
    expect(activationMessages(record)).toEqual([
      expect.stringMatching(
        /^column Levy names Nonsense in its formula, .*; known: RemainingValue, Interest/,
      ),
      'column Tax must not be calculated from itself (Tax needs Base needs Tax): change one of these formulas',
    ]);
  });
});

describe('faults of a request with an unreadable field (E3)', () => {
  const both = { SourceValue: 5, SourcePercent: 1 };

  it('include faults of dates if the readable fields determine the start of the schedule', () => {
    const found = codesOf({
      Commission: [{ ...FEE, ...both }],
      Insurance: [{ ...PREMIUM, SourceValue: 5, InsuranceDate: '2026-01-01' }],
      EarlyRepayments: [{ Date: '2031-01-01', Amount: 10 }],
    });
    expect(found).toEqual([
      'Commission[0].SourceValue mutually-exclusive',
      'EarlyRepayments[0].Date date-order',
      'Insurance[0].InsuranceDate date-order',
    ]);
    expect(codesOf({ Commission: [{ ...FEE, ...both }], MaturityDate: '2025-03-20' })).toEqual([
      'Commission[0].SourceValue mutually-exclusive',
      'MaturityDate date-order',
    ]);
  });

  it('include no faults caused by placeholders of unreadable fields', () => {
    const rows = { GracePeriodPrincipal: 2, MultipleInterestRates: [{ InterestRate: 5, ToInstNo: 4 }] };
    const found = codesOf({ ...rows, InstallmentsNo: 'four', ResidualValue: 500, RealInstallmentNo: 3 });
    expect(found).toEqual(['InstallmentsNo wrong-type']);
    expect(codesOf({ Amount: 'much', ResidualValue: 500 })).toEqual(['Amount wrong-type']);
    expect(codesOf({ InterestPercent: null, MultipleInterestRates: {} })).toEqual([
      'MultipleInterestRates wrong-type',
    ]);
  });

  it('include a fixed payment that is too low together with faults of dates and calendars', () => {
    const found = codesOf({
      installmentValue: 1,
      HolidayShift: true,
      HolidayCountry: 'Atlantis',
      Commission: [{ ...FEE, SourceValue: 5, FeeDate: '2025-05-02' }],
    });
    expect(found).toEqual([
      'Commission[0].FeeDate date-order',
      'HolidayCountry unknown-calendar',
      'installmentValue payment-below-interest',
    ]);
  });

  it('report two fixed values as one fault', () => {
    expect(codesOf({ installmentValue: 300, principalValue: 300 })).toEqual(['principalValue not-allowed']);
  });
});
