import { describe, expect, it } from 'vitest';
import {
  addDays,
  toCalendarDate,
  formatCalendarDate,
} from '../../../../shared/lending/dates/calendar-date.ts';
import { BUILT_IN_CALENDARS } from '../../../../shared/lending/calendars/built-in-calendars.ts';
import {
  listHolidays,
  orthodoxEaster,
  readHolidayDay,
  findSubstitution,
  readWeekendRules,
  westernEaster,
} from '../../../../shared/lending/calendars/national-calendar.ts';
import { findCalendar } from '../../../../shared/lending/calendars/find-calendar.ts';
import { getWeekday } from '../../../../shared/lending/dates/weekday.ts';
import rawCases from '../../../cases/lending/calendar.json' with { type: 'json' };
import { calendarNamed } from '../../../support/builders/lending-calendar.ts';
import { date } from '../../../support/builders/lending-loan.ts';

interface HolidayListCase {
  readonly id: string;
  readonly kind: string;
  readonly input: { readonly calendar: string; readonly year: number };
  readonly expected: {
    readonly holidays?: readonly string[];
    readonly holidays_on_weekdays?: readonly string[];
  };
}

interface EasterCase {
  readonly kind: string;
  readonly input: { readonly year: number };
  readonly expected: { readonly western: string; readonly orthodox: string };
}

interface DayCase {
  readonly id: string;
  readonly kind: string;
  readonly input: { readonly calendar: string; readonly date: string };
  readonly expected: { readonly business_day: boolean };
}

const cases: readonly { readonly id: string; readonly kind: string }[] = rawCases;
/** The calendar of a published case; some cases append `settlement` to its name. */
const nameOf = (calendar: string): string => calendar.replace(' settlement', '');

function dataOf(name: string) {
  const canonical = calendarNamed(name).name;
  const data = BUILT_IN_CALENDARS.find((candidate) => candidate.name === canonical);
  if (data === undefined) throw new Error(name);
  return data;
}

/** The legal holidays of a year, including those on rest days. */
function listedHolidays(name: string, year: number): readonly string[] {
  return [...listHolidays(dataOf(name))(year)].map(formatCalendarDate).toSorted();
}

function closedWeekdays(name: string, year: number): readonly string[] {
  const calendar = calendarNamed(name);
  const days: string[] = [];
  for (let day = toCalendarDate(year, 1, 1); day < toCalendarDate(year + 1, 1, 1); day = addDays(day, 1)) {
    if (getWeekday(day) < 5 && !calendar.isWorkingDay(day)) days.push(formatCalendarDate(day));
  }
  return days;
}

describe('published holidays (H2)', () => {
  const lists = cases.filter(
    (known) => known.kind === 'holiday_list',
  ) as unknown as readonly HolidayListCase[];

  it.each(lists.map((known) => [known.id, known] as const))('match the closed days of %s', (_id, known) => {
    const { calendar, year } = known.input;
    const { holidays, holidays_on_weekdays: onWeekdays } = known.expected;
    const found = {
      ...(holidays === undefined ? {} : { holidays: listedHolidays(nameOf(calendar), year) }),
      ...(onWeekdays === undefined ? {} : { holidays_on_weekdays: closedWeekdays(nameOf(calendar), year) }),
    };
    expect(known.expected).toMatchObject(found);
    expect(Object.keys(found).length).toBeGreaterThan(0);
  });

  it('match the published dates of Western and Orthodox Easter', () => {
    const easters = cases.filter((known) => known.kind === 'easter') as unknown as readonly EasterCase[];
    expect(easters.length).toBeGreaterThan(5);
    for (const { input, expected } of easters) {
      expect(formatCalendarDate(westernEaster(input.year))).toBe(expected.western);
      expect(formatCalendarDate(orthodoxEaster(input.year))).toBe(expected.orthodox);
    }
  });

  it('match the published business days and holidays of Romania', () => {
    const days = cases.filter((known) => known.kind === 'is_business_day') as unknown as readonly DayCase[];
    expect(days.length).toBeGreaterThan(3);
    for (const { id, input, expected } of days) {
      expect([id, calendarNamed(input.calendar).isWorkingDay(date(input.date))]).toEqual([
        id,
        expected.business_day,
      ]);
    }
  });
});

/** Changes of law: a weekday that is a working day before or after the change, and a weekday that is not. */
const CHANGES = `
RO: 2023-01-06 2025-01-06, 2022-01-07 2025-01-07, 2014-01-24 2017-01-24, 2017-04-14 2018-04-06
RO: 2016-06-01 2017-06-01, 2008-06-16 2009-06-08, 2008-08-15 2011-08-15, 2011-11-30 2012-11-30
DE: 2016-10-31 2017-10-31, 2018-10-31 2017-10-31
IT: 2000-06-02 2003-06-02, 2024-10-04 2027-10-04, 2010-03-17 2011-03-17
NL: 2014-04-30 2013-04-30, 2012-04-27 2015-04-27, 2017-05-05 2015-05-05
PL: 2010-01-06 2011-01-06, 2024-12-24 2025-12-24, 2019-11-12 2018-11-12
HU: 2016-03-25 2017-04-14, 2017-12-27 2024-12-27, 2027-12-23 2027-12-24
CZ: 2015-04-03 2016-03-25
SK: 2000-11-17 2003-11-17, 2025-11-17 2023-11-17, 2025-09-01 2023-09-01, 2026-05-08 2025-05-08
SK: 2026-05-08 2028-05-08, 2026-09-15 2025-09-15, 2019-10-30 2018-10-30
BG: 2009-04-17 2010-04-02, 2014-05-26 2017-05-08, 2024-12-31 2025-12-31
HR: 2001-06-25 2002-06-25, 2020-06-25 2019-06-25, 2020-10-08 2019-10-08, 2019-11-18 2020-11-18
HR: 2019-05-30 2022-05-30, 2001-06-14 2002-05-30
GR: 2013-05-01 2013-05-07, 2024-05-01 2024-05-07, 2023-05-02 2022-05-02, 2016-05-04 2016-05-03
GR: 2022-05-04 2021-05-04
GB: 2020-05-04 2020-05-08, 2002-05-27 2002-06-04, 2012-05-28 2012-06-05, 2022-05-30 2022-06-03
GB: 2012-04-27 2011-04-29, 2023-09-19 2022-09-19, 2024-05-13 2023-05-08
US: 2020-06-19 2023-06-19
TARGET: 2002-12-31 2001-12-31
`
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [calendar = '', pairs = ''] = line.split(': ');
    return pairs.split(', ').map((pair) => [calendar, ...pair.split(' ')] as [string, string, string]);
  });

describe('changes of holiday law (H2)', () => {
  it.each(CHANGES)('%s has a business day on %s but not on %s', (name, worked, closed) => {
    const calendar = calendarNamed(name);
    expect(getWeekday(date(closed))).toBeLessThan(5);
    expect([calendar.isWorkingDay(date(worked)), calendar.isWorkingDay(date(closed))]).toEqual([true, false]);
  });

  it('have not changed the number of holidays in Austria, Belgium, France and Spain since 2000', () => {
    for (const name of ['AT', 'BE', 'FR', 'ES']) {
      const count = listedHolidays(name, 2000).length;
      expect([2005, 2025, 2060].map((year) => listedHolidays(name, year).length)).toEqual([
        count,
        count,
        count,
      ]);
    }
    expect(closedWeekdays('France', 2006)).toContain('2006-06-05');
  });
});

describe('substitute and exchanged days (H2)', () => {
  it('follow Christmas on the next free weekdays in England and Wales', () => {
    expect(closedWeekdays('GB', 2021).slice(-2)).toEqual(['2021-12-27', '2021-12-28']);
    expect(closedWeekdays('GB', 2022).slice(-2)).toEqual(['2022-12-26', '2022-12-27']);
    expect(closedWeekdays('GB', 2022)[0]).toBe('2022-01-03');
  });

  it('are the Friday or Monday in the United States, also across the turn of the year', () => {
    expect(closedWeekdays('US', 2021)).toEqual(
      expect.arrayContaining(['2021-06-18', '2021-07-05', '2021-12-24', '2021-12-31']),
    );
    expect(closedWeekdays('US', 2022)[0]).toBe('2022-01-17');
  });

  it('have existed in Bulgaria since 2017, except for Easter', () => {
    expect(closedWeekdays('BG', 2022).slice(-3)).toEqual(['2022-12-26', '2022-12-27', '2022-12-28']);
    expect(closedWeekdays('BG', 2016)).not.toContain('2016-12-27');
    expect(closedWeekdays('BG', 2021)).not.toContain('2021-05-05');
    expect(closedWeekdays('BG', 2021)).toContain('2021-05-04');
  });

  it('move the Dutch royal holiday from Sunday to Saturday', () => {
    expect(listedHolidays('NL', 2014)).toContain('2014-04-26');
    expect(listedHolidays('NL', 2006)).toContain('2006-04-29');
  });

  it('open on a Hungarian Saturday in exchange for a day off, and on a Bulgarian one until 2016', () => {
    const hungary = calendarNamed('HU');
    expect([hungary.isWorkingDay(date('2026-01-02')), hungary.isWorkingDay(date('2026-01-10'))]).toEqual([
      false,
      true,
    ]);
    expect(hungary.isWorkingDay(date('2026-01-17'))).toBe(false);
    // The decree for 2026 exchanged 12 December for 24 December, until the latter became a public holiday.
    const saturdays = ['2025-12-13', '2026-12-12'].map((day) => hungary.isWorkingDay(date(day)));
    expect(saturdays).toEqual([true, false]);
    expect(calendarNamed('BG').isWorkingDay(date('2016-03-12'))).toBe(true);
  });
});

describe('calendar data (H2)', () => {
  it('contain a source for every rule, and valid years', () => {
    expect(BUILT_IN_CALENDARS.length).toBe(18);
    for (const data of BUILT_IN_CALENDARS) {
      for (const record of data.holidays) {
        expect(record.source.length).toBeGreaterThan(10);
        expect(/^\d{4}-/.test(record.day) !== (record.from !== undefined)).toBe(true);
        expect(record.to === undefined || record.from === undefined || record.to >= record.from).toBe(true);
      }
      expect(data.version).toMatch(/^\d{4}\.\d+$/);
      expect(data.scope.length).toBeGreaterThan(10);
      expect(data.weekend.every((rule) => rule.source.length > 10)).toBe(true);
    }
  });

  it('use known substitution rules', () => {
    const names = BUILT_IN_CALENDARS.flatMap((data) => data.substitution ?? []).map((record) => record.rule);
    expect(names.map((name) => typeof findSubstitution(name))).toEqual(names.map(() => 'function'));
  });

  it('exchange a weekday for a rest day within twelve months', () => {
    const pairs = BUILT_IN_CALENDARS.flatMap((data) => data.exchangedDays?.days ?? []);
    expect(pairs.length).toBeGreaterThan(80);
    for (const { rest, worked } of pairs) {
      expect([rest, getWeekday(date(rest)) < 5, getWeekday(date(worked)) >= 5]).toEqual([rest, true, true]);
      expect(Math.abs(date(rest) - date(worked))).toBeLessThan(366);
    }
  });

  it('throw when they cannot be parsed', () => {
    expect(() => readHolidayDay('fifth monday in may')).toThrow('fifth monday in may');
    expect(() => readHolidayDay('first someday in may')).toThrow('someday');
    expect(() => findSubstitution('never')).toThrow('never');
    expect(() => readWeekendRules([{ days: ['Caturday'], from: '2000-01-01', source: 'none' }])).toThrow(
      'Caturday',
    );
    expect(() => readWeekendRules([{ days: ['Sunday'], from: '2000', source: 'none' }])).toThrow('2000');
  });

  it('substitute a Sunday but not a Saturday by the rule sunday-to-next-working-day', () => {
    const [saturday, sunday] = [date('2026-08-15'), date('2026-08-16')];
    const isFree = (day: number): boolean => day > sunday;
    const substitute = findSubstitution('sunday-to-next-working-day');
    expect(substitute(sunday, isFree)).toBe(date('2026-08-17'));
    expect(substitute(saturday, isFree)).toBeUndefined();
  });

  it('find the first and the last weekday of a month', () => {
    expect(formatCalendarDate(readHolidayDay('last sunday in december')(2028) ?? date('1970-01-01'))).toBe(
      '2028-12-31',
    );
    expect(formatCalendarDate(readHolidayDay('first thursday in january')(2026) ?? date('1970-01-01'))).toBe(
      '2026-01-01',
    );
  });

  it('apply the nearest rules outside the years 2000 to 2060', () => {
    const calendar = findCalendar('RO', {});
    expect(calendar?.isWorkingDay(date('1999-12-01'))).toBe(false);
    expect(calendar?.isWorkingDay(date('2999-01-07'))).toBe(false);
    expect(calendar?.isWorkingDay(date('1900-05-01'))).toBe(false);
    expect(calendar?.isWorkingDay(date('2998-03-06'))).toBe(true);
  });

  it('have the same days after the cache has been cleared', () => {
    const calendar = calendarNamed('US');
    const before = calendar.isWorkingDay(date('2027-12-31'));
    for (let year = 1000; year < 3000; year += 1) calendar.isWorkingDay(toCalendarDate(year, 7, 4));
    expect([before, calendar.isWorkingDay(date('2027-12-31'))]).toEqual([false, false]);
  });
});
