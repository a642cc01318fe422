/** Easter Sunday, from which the moving feasts of the Christian calendars are counted. */

import { addDays, type CalendarDate, calendarDateOf } from '../dates/calendar-date.ts';

/**
 * Easter Sunday of the Western churches: the anonymous Gregorian computus in the form of Meeus, Astronomical
 * Algorithms, chapter 8. `golden` is the year's place in the lunar cycle of 19 years, `epact` the moon's age.
 */
export function westernEaster(year: number): CalendarDate {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const yearOfCentury = year % 100;
  const lunarShift = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * golden + century - Math.floor(century / 4) - lunarShift + 15) % 30;
  const toSunday =
    (32 + 2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - epact - (yearOfCentury % 4)) % 7;
  const late = Math.floor((golden + 11 * epact + 22 * toSunday) / 451);
  const days = epact + toSunday - 7 * late + 114;
  return calendarDateOf(year, Math.floor(days / 31), (days % 31) + 1);
}

/**
 * Easter Sunday of the Orthodox churches as a Gregorian date: the Julian computus (Meeus, chapter 8), moved by the
 * days between the two calendars, which are 13 from 1900 to 2099.
 */
export function orthodoxEaster(year: number): CalendarDate {
  const epact = (19 * (year % 19) + 15) % 30;
  const toSunday = (2 * (year % 4) + 4 * (year % 7) - epact + 34) % 7;
  const days = epact + toSunday + 114;
  const julianLag = Math.floor(year / 100) - Math.floor(year / 400) - 2;
  return addDays(calendarDateOf(year, Math.floor(days / 31), (days % 31) + 1), julianLag);
}
