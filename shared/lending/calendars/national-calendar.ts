/** National calendars: holiday rules with the years in which they apply, and their sources. */

import {
  type CalendarDate,
  addDays,
  toCalendarDate,
  toDateParts,
  parseCalendarDate,
} from '../dates/calendar-date.ts';
import { WEEKDAYS, type Weekday, findWeekday, getWeekday } from '../dates/weekday.ts';
import type { BusinessCalendar } from './business-calendar.ts';
import { createCachedCalendar } from './cached-calendar.ts';

interface HolidayRecord {
  readonly day: string;
  readonly name: string;
  /** First year; 2000 stands for 2000 or earlier. Absent for a one-time holiday. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Years in which the day was a working day, or the holiday was moved. */
  readonly except?: readonly number[] | undefined;
  /** The day is a holiday only in years divisible by this number. */
  readonly everyYears?: number | undefined;
  /** True if the year's substitution rule may give the holiday a substitute day when it falls on a rest day. */
  readonly moves?: boolean | undefined;
  readonly source: string;
}

interface SubstitutionRecord {
  readonly rule: string;
  readonly from: number;
  readonly source: string;
}

/** A calendar in the format of its data file. */
export interface NationalCalendarData {
  readonly name: string;
  /** ISO 3166 alpha-2 and alpha-3 code of the country; `TARGET` for TARGET. */
  readonly codes: readonly string[];
  readonly englishNames: readonly string[];
  readonly version: string;
  readonly scope: string;
  readonly weekend: readonly WeekendRule[];
  readonly substitution?: readonly SubstitutionRecord[];
  readonly holidays: readonly HolidayRecord[];
  /** Pairs of a day off and the rest day worked in exchange. */
  readonly exchangedDays?: {
    readonly source: string;
    readonly days: readonly { readonly rest: string; readonly worked: string }[];
  };
}

/** A rule with this first year also applies to all earlier years, which the data do not cover. */
const FIRST_YEAR_OF_DATA = 2000;

interface HolidayRule {
  readonly record: HolidayRecord;
  readonly day: HolidayDay;
}

/** Throws for an invalid holiday or weekend. Rules of 2000 also apply to earlier years, those of 2060 to later ones. */
export function createNationalCalendar(data: NationalCalendarData): BusinessCalendar {
  const exchanged = data.exchangedDays?.days ?? [];
  return createCachedCalendar({
    name: data.name,
    version: data.version,
    isWeekend: readWeekendRules(data.weekend),
    listHolidays: listHolidays(data),
    workedDays: new Set(exchanged.flatMap(({ worked }) => parseCalendarDate(worked) ?? [])),
  });
}

/** Returns a function that lists a year's holidays, exchanged days off, and substitute days, some in adjacent years. */
export function listHolidays(data: NationalCalendarData): (year: number) => ReadonlySet<CalendarDate> {
  const rules = data.holidays.map((record) => ({ record, day: readHolidayDay(record.day) }));
  const exchanged = (data.exchangedDays?.days ?? []).flatMap(({ rest }) => parseCalendarDate(rest) ?? []);
  const restsByYear = Map.groupBy(exchanged, (date) => toDateParts(date).year);
  const isWeekend = readWeekendRules(data.weekend);
  // A request may need a thousand years, so no lists are allocated unless holidays are substituted.
  return (year) => {
    const days = new Set(restsByYear.get(year));
    for (const { record, day } of rules) {
      const date = isInForce(record, year) ? day(year) : undefined;
      if (date !== undefined) days.add(date);
    }
    const substitution = findSubstitutionOfYear(data, year);
    if (substitution === undefined) return days;
    const isFree = (date: CalendarDate): boolean => !isWeekend(date) && !days.has(date);
    for (const holiday of listMovingHolidays(rules, year)) {
      // `isFree` is false on every holiday, so `isWeekend` decides whether this one needs a substitute day.
      const lieu = isWeekend(holiday) ? substitution(holiday, isFree) : undefined;
      if (lieu !== undefined) days.add(lieu);
    }
    return days;
  };
}

function isInForce(record: HolidayRecord, year: number): boolean {
  const isSince = record.from === undefined || record.from <= FIRST_YEAR_OF_DATA || year >= record.from;
  const isUntil = record.to === undefined || year <= record.to;
  const isTurn = record.everyYears === undefined || year % record.everyYears === 0;
  return isSince && isUntil && isTurn && record.except?.includes(year) !== true;
}

function findSubstitutionOfYear(data: NationalCalendarData, year: number): Substitution | undefined {
  const rule = data.substitution?.findLast(
    (record) => record.from <= FIRST_YEAR_OF_DATA || record.from <= year,
  );
  return rule === undefined ? undefined : findSubstitution(rule.rule);
}

/** The holidays of a year that may get a substitute day, earliest first. */
function listMovingHolidays(rules: readonly HolidayRule[], year: number): readonly CalendarDate[] {
  return rules
    .filter(({ record }) => record.moves === true && isInForce(record, year))
    .flatMap(({ day }) => day(year) ?? [])
    .toSorted((left, right) => left - right);
}

type HolidayDay = (year: number) => CalendarDate | undefined;

const FIXED = /^(\d{2})-(\d{2})$/;
const ONCE = /^\d{4}-\d{2}-\d{2}$/;
const EASTER = /^(orthodox-)?easter([+-]\d{1,2})?$/;
const NTH_WEEKDAY = /^(first|second|third|fourth|last) ([a-z]+) in ([a-z]+)$/;
const ORDINALS = ['first', 'second', 'third', 'fourth'];
const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);

/** Reads `12-25`, `2018-11-12` (once), `easter-2`, `orthodox-easter+50` or `last monday in may`; throws otherwise. */
export function readHolidayDay(text: string): HolidayDay {
  const day = readFixedDay(text) ?? readSingleDay(text) ?? readEasterDay(text) ?? readNthWeekday(text);
  if (day === undefined) throw new Error(`Calendar data contain an invalid holiday date: ${text}`);
  return day;
}

function readFixedDay(text: string): HolidayDay | undefined {
  const match = FIXED.exec(text);
  if (match === null) return undefined;
  const month = Number(match[1]);
  const day = Number(match[2]);
  return (year) => toCalendarDate(year, month, day);
}

function readSingleDay(text: string): HolidayDay | undefined {
  const date = ONCE.test(text) ? parseCalendarDate(text) : undefined;
  if (date === undefined) return undefined;
  const { year: only } = toDateParts(date);
  return (year) => (year === only ? date : undefined);
}

function readEasterDay(text: string): HolidayDay | undefined {
  const match = EASTER.exec(text);
  if (match === null) return undefined;
  const easter = match[1] === undefined ? westernEaster : orthodoxEaster;
  const offset = Number(match[2] ?? 0);
  return (year) => addDays(easter(year), offset);
}

function readNthWeekday(text: string): HolidayDay | undefined {
  const [, ordinal = '', dayName = '', monthName = ''] = NTH_WEEKDAY.exec(text) ?? [];
  const weekday = findWeekday(dayName);
  const month = MONTHS.indexOf(monthName) + 1;
  if (weekday === undefined || month === 0) return undefined;
  const nth = ORDINALS.indexOf(ordinal);
  return (year) => {
    if (nth < 0) {
      const end = addDays(toCalendarDate(month === 12 ? year + 1 : year, (month % 12) + 1, 1), -1);
      return addDays(end, -((getWeekday(end) - weekday + 7) % 7));
    }
    const first = toCalendarDate(year, month, 1);
    return addDays(first, ((weekday - getWeekday(first) + 7) % 7) + 7 * nth);
  };
}

/** Western Easter (Meeus, Astronomical Algorithms, chapter 8); `fullMoon` counts days from 21 March. */
export function westernEaster(year: number): CalendarDate {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const yearOfCentury = year % 100;
  const lunarShift = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const fullMoon = (19 * golden + century - Math.floor(century / 4) - lunarShift + 15) % 30;
  const toSunday =
    (32 + 2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - fullMoon - (yearOfCentury % 4)) % 7;
  const late = Math.floor((golden + 11 * fullMoon + 22 * toSunday) / 451);
  const days = fullMoon + toSunday - 7 * late + 114;
  return toCalendarDate(year, Math.floor(days / 31), (days % 31) + 1);
}

/** Orthodox Easter: the Julian computus (Meeus, chapter 8) plus the days by which the Julian calendar lags. */
export function orthodoxEaster(year: number): CalendarDate {
  const fullMoon = (19 * (year % 19) + 15) % 30;
  const toSunday = (2 * (year % 4) + 4 * (year % 7) - fullMoon + 34) % 7;
  const days = fullMoon + toSunday + 114;
  const julianLag = Math.floor(year / 100) - Math.floor(year / 400) - 2;
  return addDays(toCalendarDate(year, Math.floor(days / 31), (days % 31) + 1), julianLag);
}

const SATURDAY: Weekday = 5;
const SUNDAY: Weekday = 6;

/** Gives a holiday on a rest day its substitute day, if any. `isFree` is false on holidays and rest days. */
type Substitution = (
  holiday: CalendarDate,
  isFree: (date: CalendarDate) => boolean,
) => CalendarDate | undefined;

const SUBSTITUTIONS: ReadonlyMap<string, Substitution> = new Map<string, Substitution>([
  ['next-working-day', findNextFreeDay],
  [
    'sunday-to-next-working-day',
    (holiday, isFree) => (getWeekday(holiday) === SUNDAY ? findNextFreeDay(holiday, isFree) : undefined),
  ],
  ['sunday-to-saturday', (holiday) => (getWeekday(holiday) === SUNDAY ? addDays(holiday, -1) : undefined)],
  ['nearest-weekday', findNearestWeekday],
]);

/** Throws for an unknown name. */
export function findSubstitution(name: string): Substitution {
  const substitution = SUBSTITUTIONS.get(name);
  if (substitution === undefined)
    throw new Error(`Calendar data contain an unknown substitution rule: ${name}`);
  return substitution;
}

function findNearestWeekday(holiday: CalendarDate): CalendarDate | undefined {
  const weekday = getWeekday(holiday);
  if (weekday === SATURDAY) return addDays(holiday, -1);
  return weekday === SUNDAY ? addDays(holiday, 1) : undefined;
}

function findNextFreeDay(holiday: CalendarDate, isFree: (date: CalendarDate) => boolean): CalendarDate {
  let day = addDays(holiday, 1);
  while (!isFree(day)) day = addDays(day, 1);
  return day;
}

export interface WeekendRule {
  readonly days: readonly string[];
  /** First day of the rule, `yyyy-mm-dd`; the earliest rule also applies before its first day. */
  readonly from: string;
  readonly source: string;
}

/** Returns a test for rest days. Throws at once for an invalid name or date, because the rules are built in. */
export function readWeekendRules(rules: readonly WeekendRule[]): (date: CalendarDate) => boolean {
  const read = rules
    .map((rule) => ({ from: readDate(rule.from), rests: readRestDays(rule.days) }))
    .toSorted((left, right) => left.from - right.from);
  const [first, ...changes] = read;
  // The test may run for every day of several centuries, so a country's only rule is found without a search.
  return (date) => {
    const rule = changes.findLast((candidate) => candidate.from <= date) ?? first;
    return rule !== undefined && rule.rests[getWeekday(date)] === true;
  };
}

function readRestDays(days: readonly string[]): readonly boolean[] {
  const rests = WEEKDAYS.map(() => false);
  for (const day of days) rests[readWeekday(day)] = true;
  return rests;
}

function readDate(text: string): CalendarDate {
  const date = parseCalendarDate(text);
  if (date === undefined) throw new Error(`Calendar data contain an invalid date: ${text}`);
  return date;
}

function readWeekday(name: string): number {
  const weekday = findWeekday(name);
  if (weekday === undefined) throw new Error(`Calendar data contain an unknown weekday: ${name}`);
  return weekday;
}
