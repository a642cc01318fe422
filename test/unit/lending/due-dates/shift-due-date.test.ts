import { MAX_CLOSURE_DAYS } from '../../../../shared/lending/calendars/business-calendar.ts';
import { describe, expect, it } from 'vitest';
import {
  HOLIDAY_METHODS,
  type HolidayMethod,
  shiftDueDate,
} from '../../../../shared/lending/due-dates/shift-due-date.ts';
import { addMonths, formatCalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import rawCases from '../../../cases/lending/calendar.json' with { type: 'json' };
import { calendarNamed, ownCalendar } from '../../../support/builders/lending-calendar.ts';
import { date } from '../../../support/builders/lending-loan.ts';

/** Before every date of these tests, so that the start has no effect. */
const EARLY = '1990-01-01';
const WEEKEND = ['Saturday', 'Sunday'];
const ordinaryWeek = ownCalendar({ weekend: WEEKEND, holidays: [] });

const METHODS: Readonly<Record<string, HolidayMethod>> = {
  Unadjusted: 'None',
  Following: 'Forward',
  ModifiedFollowing: 'ModifiedForward',
  Preceding: 'Backward',
  ModifiedPreceding: 'ModifiedBackward',
  Nearest: 'Nearest',
};

interface MoveCase {
  readonly id: string;
  readonly input: {
    readonly date?: string;
    readonly start?: string;
    readonly shift?: number;
    readonly convention: string;
    readonly weekend: readonly string[];
    readonly holidays: readonly string[];
  };
  readonly expected: { readonly date: string };
}

interface MoveAllCase {
  readonly id: string;
  readonly input: { readonly date: string; readonly calendar: string };
  readonly expected: Readonly<Record<string, string>>;
}

function shifted(due: string, method: HolidayMethod, calendar = ordinaryWeek, start = EARLY): string {
  return formatCalendarDate(shiftDueDate(date(due), method, calendar, date(start)));
}

function methodOf(convention: string): HolidayMethod {
  const method = METHODS[convention];
  if (method === undefined) throw new Error(convention);
  return method;
}

const cases: readonly { readonly id: string; readonly kind: string }[] = rawCases;
const moves = cases.filter(({ kind }) => kind === 'adjust' || kind === 'advance_and_adjust');
const movesByAll = cases.filter(({ kind }) => kind === 'adjust_all');

describe('published business-day adjustments (H1)', () => {
  it.each((moves as unknown as readonly MoveCase[]).map((known) => [known.id, known] as const))(
    '%s is reproduced',
    (_id, { input, expected }) => {
      const due = addMonths(date(input.date ?? input.start ?? ''), input.shift ?? 0);
      const calendar = ownCalendar({ weekend: input.weekend, holidays: input.holidays });
      expect(shifted(formatCalendarDate(due), methodOf(input.convention), calendar)).toBe(expected.date);
    },
  );

  it.each((movesByAll as unknown as readonly MoveAllCase[]).map((known) => [known.id, known] as const))(
    '%s is reproduced by every method',
    (_id, { input, expected }) => {
      const calendar = calendarNamed(input.calendar);
      for (const [convention, day] of Object.entries(expected)) {
        expect([convention, shifted(input.date, methodOf(convention), calendar)]).toEqual([convention, day]);
      }
    },
  );
});

describe('shift methods (H1)', () => {
  it('leave a business day unchanged', () => {
    expect(HOLIDAY_METHODS.map((method) => shifted('2025-03-03', method))).toEqual(
      HOLIDAY_METHODS.map(() => '2025-03-03'),
    );
  });

  it('reverse direction at a month end if modified', () => {
    expect(shifted('2025-05-31', 'Forward')).toBe('2025-06-02');
    expect(shifted('2025-05-31', 'ModifiedForward')).toBe('2025-05-30');
    expect(shifted('2025-03-01', 'Backward')).toBe('2025-02-28');
    expect(shifted('2025-03-01', 'ModifiedBackward')).toBe('2025-03-03');
    expect(shifted('2026-08-01', 'ModifiedBackward')).toBe('2026-08-03');
  });

  it('choose the nearest day, or the later of two equally near days', () => {
    expect(shifted('2025-03-01', 'Nearest')).toBe('2025-02-28');
    expect(shifted('2025-03-02', 'Nearest')).toBe('2025-03-03');
    const longWeekend = ownCalendar({ weekend: WEEKEND, holidays: ['2025-03-03'] });
    expect(shifted('2025-03-02', 'Nearest', longWeekend)).toBe('2025-03-04');
    const midweek = ownCalendar({ weekend: [], holidays: ['2025-03-05'] });
    expect(shifted('2025-03-05', 'Nearest', midweek)).toBe('2025-03-06');
  });

  it('leave the date unchanged with None', () => {
    expect(shifted('2025-12-25', 'None', calendarNamed('RO'))).toBe('2025-12-25');
  });

  it.each(['Backward', 'Nearest', 'ModifiedForward', 'ModifiedBackward'] as const)(
    'shift forward when %s would reach the start or an earlier day',
    (method) => {
      expect(shifted('2025-05-31', method, ordinaryWeek, '2025-05-29')).toBe('2025-05-30');
      expect(shifted('2025-05-31', method, ordinaryWeek, '2025-05-30')).toBe('2025-06-02');
      expect(shifted('2025-05-31', method, ordinaryWeek, '2025-05-31')).toBe('2025-06-02');
    },
  );

  it('search no further than the longest closure and then leave the date unchanged', () => {
    const never = { name: 'Never', version: '1', isWorkingDay: () => false };
    expect(HOLIDAY_METHODS.map((method) => shifted('2025-03-01', method, never))).toEqual(
      HOLIDAY_METHODS.map(() => '2025-03-01'),
    );
    const reopens = date('2025-03-01') + MAX_CLOSURE_DAYS;
    const closed = { name: 'Closed', version: '1', isWorkingDay: (day: number) => day >= reopens };
    expect(shifted('2025-03-01', 'Forward', closed)).toBe('2025-04-30');
  });
});
