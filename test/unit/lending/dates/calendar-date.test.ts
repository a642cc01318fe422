import { describe, expect, it } from 'vitest';
import {
  addDays,
  addMonths,
  toCalendarDate,
  toDateParts,
  formatCalendarDate,
  parseCalendarDate,
} from '../../../../shared/lending/dates/calendar-date.ts';
import cases from '../../../cases/lending/due-dates.json' with { type: 'json' };
import { date } from '../../../support/builders/lending-loan.ts';

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
    for (const { input, expected } of cases.filter(({ kind }) => kind === 'add_months')) {
      const moved = addMonths(date(input.date ?? ''), input.months ?? 0);
      expect(formatCalendarDate(moved)).toBe(expected.date);
    }
    expect(formatCalendarDate(addMonths(date('2024-02-29'), -12))).toBe('2023-02-28');
  });
});
