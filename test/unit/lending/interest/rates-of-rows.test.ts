import { describe, expect, it } from 'vitest';
import { column, decimal, faultCodes, scheduleOf } from '../../../support/builders/lending-loan.ts';

const NO_RATE = { InterestPercent: undefined } as const;

describe('rate ranges (R1)', () => {
  const TWO = [
    { InterestRate: decimal(12), FromInstNo: 1, ToInstNo: 2 },
    { InterestRate: decimal(24), FromInstNo: 3, ToInstNo: 4 },
  ];

  it('report a fault that all of them share once', () => {
    const open = [{ ToInstNo: 2 }, { FromInstNo: 3 }];
    expect(faultCodes({ InterestPercent: decimal(-1200), MultipleInterestRates: open })).toEqual([
      'InterestPercent rate-too-low',
    ]);
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

  const refused = [
    ['MultipleInterestRates[1].FromInstNo rates-overlap', 2, 2, 4],
    ['MultipleInterestRates[1].FromInstNo rates-incomplete', 2, 4, 4],
    ['MultipleInterestRates[1].ToInstNo rates-incomplete', 2, 3, 3],
    ['MultipleInterestRates[1].ToInstNo out-of-range', 2, 3, 5],
    ['MultipleInterestRates[1].ToInstNo out-of-range', 2, 4, 3],
    ['MultipleInterestRates[1].FromInstNo out-of-range', 2, 0, 4],
  ] as const;
  it.each(refused)(
    'are rejected with %s if the first ends at row %i and the second covers rows %i to %i',
    (code, ...rows) => {
      const [end, FromInstNo, ToInstNo] = rows;
      const ranges = [
        { InterestRate: decimal(12), ToInstNo: end },
        { InterestRate: decimal(24), FromInstNo, ToInstNo },
      ];
      expect(faultCodes({ ...NO_RATE, MultipleInterestRates: ranges })).toEqual([code]);
    },
  );

  it('use InterestPercent if they have no rate', () => {
    const InterestPercent = decimal(12);
    const MultipleInterestRates = [{ ToInstNo: 2 }, { InterestRate: decimal(24) }];
    const mixed = scheduleOf({ InterestPercent, MultipleInterestRates });
    expect(column(mixed, 'pmt')).toEqual(['256.28', '256.28', '260.09', '260.09']);
    expect(mixed.warnings).toEqual([]);
    const whole = scheduleOf({ InterestPercent, MultipleInterestRates: [{}] });
    expect(column(whole, 'pmt')).toEqual(column(scheduleOf({ InterestPercent }), 'pmt'));
    expect(faultCodes({ InterestPercent: decimal(-1200), MultipleInterestRates })).toEqual([
      'InterestPercent rate-too-low',
    ]);
    expect(faultCodes({ InterestPercent: decimal(200_000), MultipleInterestRates })).toEqual([
      'InterestPercent out-of-range',
    ]);
  });
});

const BANDS = [
  { MinUtilizedAmount: decimal(0), MaxUtilizedAmount: decimal('999.99'), Value: decimal(10) },
  { MinUtilizedAmount: decimal(1000), Value: decimal(8) },
];

describe('rate bands (R2)', () => {
  it('determine a level payment that repays the unrounded balance', () => {
    const schedule = scheduleOf({ ...NO_RATE, Amount: decimal(1500), BandedInterestRates: BANDS });
    expect(column(schedule, 'pmt')).toEqual(['382.58', '382.58', '382.58', '382.58']);
    expect(column(schedule, 'interest')).toEqual(['11.67', '9.19', '6.30', '3.16']);
  });

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

  it('give the same rows as a single rate if all bands have that rate', () => {
    for (const percent of ['12', '-3.5', '0']) {
      const bands = BANDS.map((band) => ({ ...band, Value: decimal(percent) }));
      const terms = { Amount: decimal('4321.09'), InstallmentsNo: 37, ResidualValue: decimal(700) };
      const one = scheduleOf({ ...terms, InterestPercent: decimal(percent) });
      expect(scheduleOf({ ...terms, ...NO_RATE, BandedInterestRates: bands }).rows).toEqual(one.rows);
    }
  });

  it('end at the largest balance that has a rate', () => {
    const limited = BANDS.map((band) => ({ MaxUtilizedAmount: decimal(2000), ...band }));
    const terms = { ...NO_RATE, BandedInterestRates: limited };
    expect(faultCodes({ ...terms, Amount: decimal(2001) })).toEqual(['BandedInterestRates outside-bands']);
    expect(scheduleOf({ ...terms, Amount: decimal(2000) }).rows).toHaveLength(4);
  });
});
