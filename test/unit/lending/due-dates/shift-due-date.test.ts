import { describe, expect, it } from 'vitest';
import { type HolidayMethod, shiftDueDate } from '../../../../shared/lending/due-dates/shift-due-date.ts';
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
