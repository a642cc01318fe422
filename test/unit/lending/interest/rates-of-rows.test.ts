import { describe, expect, it } from 'vitest';
import { column, decimal, faultCodes, scheduleOf } from '../../../support/builders/lending-loan.ts';

const NO_RATE = { InterestPercent: undefined } as const;

describe('rate ranges (R1)', () => {
  const TWO = [
    { InterestRate: decimal(12), FromInstNo: 1, ToInstNo: 2 },
    { InterestRate: decimal(24), FromInstNo: 3, ToInstNo: 4 },
  ];

  it('report a fault that all of them share once', () => {
    const high = TWO.map((range) => ({ ...range, InterestRate: decimal(1200) }));
    const largest = { Amount: decimal('1e13'), PeriodicityType: 'Annual' };
    expect(faultCodes({ ...largest, InterestPercent: undefined, MultipleInterestRates: high })).toEqual([
      'Amount amount-too-large',
    ]);
  });

  it('replace InterestPercent, which is reported as ignored', () => {
    const schedule = scheduleOf({ MultipleInterestRates: TWO });
    expect(schedule.warnings).toEqual([{ code: 'no-effect', path: 'InterestPercent' }]);
  });

  it('use InterestPercent if they have no rate', () => {
    const InterestPercent = decimal(12);
    const MultipleInterestRates = [{ ToInstNo: 2 }, { InterestRate: decimal(24) }];
    const mixed = scheduleOf({ InterestPercent, MultipleInterestRates });
    expect(column(mixed, 'pmt')).toEqual(['256.28', '256.28', '260.09', '260.09']);
    expect(mixed.warnings).toEqual([]);
    const whole = scheduleOf({ InterestPercent, MultipleInterestRates: [{}] });
    expect(column(whole, 'pmt')).toEqual(column(scheduleOf({ InterestPercent }), 'pmt'));
  });
});

describe('rate bands (R2)', () => {
  it('determine always the same one of several payments if the whole balance earns less in a higher band', () => {
    const rates = [12.09, 10.96, 8.16];
    const BandedInterestRates = [0, 161, 621].map((from, index) => ({
      MinUtilizedAmount: decimal(from),
      Value: decimal(rates[index] ?? 0),
    }));
    const terms = { Amount: decimal('2101.67'), InstallmentsNo: 25, BandedInterestRates };
    const schedule = scheduleOf({ ...NO_RATE, ...terms, BandMethod: 'Whole' });
    expect(new Set(column(schedule, 'pmt').slice(0, -1))).toEqual(new Set(['91.92']));
  });
});
