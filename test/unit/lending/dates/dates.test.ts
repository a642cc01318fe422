import cases from '../../../cases/lending/day-count.json' with { type: 'json' };
import dueDateCases from '../../../cases/lending/due-dates.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import {
  dayCountDenominator,
  dayCountNumerator,
  DAY_COUNT_NAMES,
  findDayCount,
} from '../../../../shared/lending/dates/day-count.ts';
import { column, date, faultCodes, scheduleOf } from '../../../support/builders/lending-loan.ts';
import {
  addDays,
  addMonths,
  toCalendarDate,
  toDateParts,
  formatCalendarDate,
  parseCalendarDate,
} from '../../../../shared/lending/dates/calendar-date.ts';

describe('day counts (C1)', () => {
  it('parse a name with a million blanks in linear time', () => {
    const startedMs = performance.now();
    expect(findDayCount(`Actual${' '.repeat(1_000_000)}360`)).toBeUndefined();
    expect(findDayCount(`Actual${' '.repeat(1_000_000)}/ 360`)).toBe('Actual/360');
    expect(performance.now() - startedMs).toBeLessThan(1_000);
  });

  it.each(cases)('matches the published fraction of $id', (known) => {
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
  });

  it('are found by case-insensitive name, with ACT for Actual and blanks around the slash', () => {
    expect(['act/ACT', 'ACT/ 365', '30e/360 isda', '30 / 360', 'Actual/360'].map(findDayCount)).toEqual(
      'Actual/Actual, Actual/365, 30E/360 ISDA, 30/360, Actual/360'.split(', '),
    );
    expect(DAY_COUNT_NAMES.map(findDayCount)).toEqual(DAY_COUNT_NAMES);
    expect(findDayCount('30/366')).toBeUndefined();
    const faults = faultCodes({ InterestCalculationMethod: 'Actual' });
    expect(faults).toEqual(['InterestCalculationMethod unknown-day-count']);
  });
});

describe('the termination date of 30E/360 ISDA (C1)', () => {
  /** Row 3 is due on 28 February, which counts as the 30th except on the termination date. */
  const isda = {
    InterestCalculationMethod: '30E/360 ISDA',
    InstallmentDay: 31,
    ActivationDate: date('2024-11-30'),
    InstallmentsNo: 5,
  } as const;
  /** The days of each row, from its interest at 12 %. */
  const daysOf = (changes: Parameters<typeof scheduleOf>[0]) =>
    scheduleOf({ ...isda, ...changes }).rows.map((row) =>
      Math.round((row.interest * 360) / (row.remainingValue * 0.12)),
    );
  const paymentOf = (changes: Parameters<typeof scheduleOf>[0] = {}) =>
    column(scheduleOf({ ...isda, ...changes }), 'pmt')[0];

  it('is the last date of the contract for payments, but the own date of the last row shown (B6)', () => {
    expect(paymentOf()).toBe('206.04');
    expect(daysOf({})).toEqual([30, 30, 30, 30, 30]);
    const paid = column(scheduleOf({ ...isda, RealInstallmentNo: 3 }), 'pmt');
    expect(paid).toEqual(['206.04', '206.04', '611.62']);
    expect(daysOf({ RealInstallmentNo: 3 })).toEqual([30, 30, 28]);
    const settled = { LastDueDate: date('2025-01-31'), BlockInstallmentNo: 2, ActivationDate: undefined };
    expect(daysOf({ RealInstallmentNo: 3, ...settled })).toEqual([28]);
    expect(daysOf({ RealInstallmentNo: 4 })).toEqual([30, 30, 30, 30]);
  });

  it('is the maturity date, and the shifted date where interest accrues to it', () => {
    expect(daysOf({ MaturityDate: date('2026-02-28') }).at(-1)).toBe(328);
    expect(daysOf({ InstallmentsNo: 4, MaturityDate: date('2025-03-30') })).toEqual([30, 30, 30, 30]);
  });
});

describe('regular periods (C2)', () => {
  it.each([
    ['Quarterly', '30.00'],
    ['Annual', '120.00'],
  ])('count all months of a period: %s', (PeriodicityType, interest) => {
    expect(column(scheduleOf({ InstallmentsNo: 1, PeriodicityType }), 'interest')).toEqual([interest]);
  });

  it('end if MaturityDate moves the last due date', () => {
    const schedule = scheduleOf({ InstallmentsNo: 1, MaturityDate: date('2025-02-16') });
    expect(column(schedule, 'interest')).toEqual(['15.00']);
    expect(schedule.rows[0]?.noDays).toBe(46);
  });
});

const DAY_MS = 86_400_000;

describe('calendar dates (D1)', () => {
  it('count days from 1970 like the JavaScript Date, over eleven centuries', () => {
    for (let day = date('1900-01-01'); day <= date('2999-12-31'); day = addDays(day, 97)) {
      const utc = new Date(day * DAY_MS);
      const { year, month, day: dayOfMonth } = toDateParts(day);
      expect([year, month, dayOfMonth]).toEqual([
        utc.getUTCFullYear(),
        utc.getUTCMonth() + 1,
        utc.getUTCDate(),
      ]);
      expect(toCalendarDate(year, month, dayOfMonth)).toBe(day);
    }
  });

  it('are parsed with and without zero padding, and from a date-time', () => {
    const times = '2025-02-03T23:59:59.999+14:00 2025-02-03T00:00:00Z 2025-02-03T00:00'.split(' ');
    const texts = ['2025-02-03', '2025-2-3', ...times];
    expect(texts.map((text) => formatCalendarDate(date(text)))).toEqual(texts.map(() => '2025-02-03'));
  });

  it('reject days that do not exist', () => {
    const texts = '2025-02-30 2023-02-29 1900-02-29 2025-04-31 2025-13-01 2025-00-10 2025-01-00'.split(' ');
    expect(texts.filter((text) => parseCalendarDate(text) !== undefined)).toEqual([]);
    expect(formatCalendarDate(date('2000-02-29'))).toBe('2000-02-29');
  });

  it('reject other formats and years', () => {
    const others =
      '25-01-01 2025/01/01 01.02.2025 2025-01-01x 2025-01-01T25:00:00 1899-12-31 3000-01-01 2025-001-01';
    const texts = ['', ' 2025-01-01', ...others.split(' ')];
    expect(texts.filter((text) => parseCalendarDate(text) !== undefined)).toEqual([]);
  });

  it('are clamped to the end of a shorter month when months are added', () => {
    for (const { input, expected } of dueDateCases.filter(({ kind }) => kind === 'add_months')) {
      const moved = addMonths(date(input.date ?? ''), input.months ?? 0);
      expect(formatCalendarDate(moved)).toBe(expected.date);
    }
    expect(formatCalendarDate(addMonths(date('2024-02-29'), -12))).toBe('2023-02-28');
  });
});
