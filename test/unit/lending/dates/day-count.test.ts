import { describe, expect, it } from 'vitest';
import {
  dayCountDenominator,
  dayCountNumerator,
  DAY_COUNT_NAMES,
  findDayCount,
} from '../../../../shared/lending/dates/day-count.ts';
import cases from '../../../cases/lending/day-count.json' with { type: 'json' };
import { column, date, decimal, faultCodes, scheduleOf } from '../../../support/builders/lending-loan.ts';

describe('day counts (C1)', () => {
  it.each(cases.map((known) => [known.id, known] as const))(
    'matches the published fraction of %s',
    (_id, known) => {
      const { input, expected } = known;
      const name = findDayCount(input.name);
      if (name === undefined) throw new Error(input.name);
      const numerator = dayCountNumerator(name, {
        from: date(input.start),
        to: date(input.end),
        regularMonths: 0,
        endsOnTermination:
          ('termination_date' in input && input.termination_date === input.end) ||
          ('end_is_termination_date' in input && input.end_is_termination_date),
      });
      const years = 'years' in expected ? expected.years : (expected.days ?? Number.NaN) / 360;
      expect(numerator / dayCountDenominator(name)).toBeCloseTo(years, 9);
    },
  );

  it('are found by case-insensitive name, with ACT for Actual and blanks around the slash', () => {
    expect(['act/ACT', 'ACT/ 365', '30e/360 isda', '30 / 360', 'Actual/360'].map(findDayCount)).toEqual([
      'Actual/Actual',
      'Actual/365',
      '30E/360 ISDA',
      '30/360',
      'Actual/360',
    ]);
    expect(DAY_COUNT_NAMES.map(findDayCount)).toEqual(DAY_COUNT_NAMES);
    expect(findDayCount('30/366')).toBeUndefined();
    expect(faultCodes({ InterestCalculationMethod: 'Actual' })).toEqual([
      'InterestCalculationMethod unknown-day-count',
    ]);
  });
});

describe('regular periods (C2)', () => {
  const monthEnd = { InstallmentDay: 31, ActivationDate: date('2025-01-31') } as const;

  it('count a whole month from 31 January to 28 February', () => {
    const schedule = scheduleOf(monthEnd);
    expect(column(schedule, 'interest')[0]).toBe('10.00');
    expect(schedule.rows[0]?.noDays).toBe(28);
  });

  it('follow the convention if the period is irregular', () => {
    const schedule = scheduleOf({ ...monthEnd, FirstDueDate: date('2025-02-28'), InstallmentDay: 28 });
    expect(column(schedule, 'interest')[0]).toBe('9.33');
  });

  it('count 30 days over 365 with 30/365', () => {
    const schedule = scheduleOf({ ...monthEnd, InterestCalculationMethod: '30/365' });
    expect(column(schedule, 'interest')[0]).toBe('9.86');
  });

  it('do not apply to the 30E conventions', () => {
    const schedule = scheduleOf({ ...monthEnd, InterestCalculationMethod: '30E/360' });
    expect(column(schedule, 'interest')[0]).toBe('9.33');
  });

  it('count three months in a quarter and twelve in a year', () => {
    const rate = { InstallmentsNo: 1, InterestPercent: decimal(12) } as const;
    expect(column(scheduleOf({ ...rate, PeriodicityType: 'Quarterly' }), 'interest')).toEqual(['30.00']);
    expect(column(scheduleOf({ ...rate, PeriodicityType: 'Annual' }), 'interest')).toEqual(['120.00']);
  });

  it('end if MaturityDate moves the last due date', () => {
    const schedule = scheduleOf({ InstallmentsNo: 1, MaturityDate: date('2025-02-16') });
    expect(column(schedule, 'interest')).toEqual(['15.00']);
    expect(schedule.rows[0]?.noDays).toBe(46);
  });
});
