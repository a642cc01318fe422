/** Dates of the reference: whole days since 1970-01-01 by the UTC calendar of the host; no code of the engine. */

const DAY_MS = 86_400_000;
const MONTHS_PER_YEAR = 12;

export type IsWorkingDay = (day: number) => boolean;

/** Year, month from January = 0, day of month. */
type Parts = readonly [year: number, month: number, day: number];

const knownParts = new Map<number, Parts>();

export function partsOf(date: number): Parts {
  const known = knownParts.get(date);
  if (known !== undefined) return known;
  const utc = new Date(date * DAY_MS);
  const parts: Parts = [utc.getUTCFullYear(), utc.getUTCMonth(), utc.getUTCDate()];
  knownParts.set(date, parts);
  return parts;
}

export function dateOf(year: number, month: number, day: number): number {
  return Date.UTC(year, month, day) / DAY_MS;
}

export function dayOf(text: string): number {
  return Date.parse(`${text}T00:00:00Z`) / DAY_MS;
}

export function dayText(date: number): string {
  return new Date(date * DAY_MS).toISOString().slice(0, 10);
}

/** The day of a month, or the month's last day; `month` may overflow (D4). */
export function clampedDay(year: number, month: number, dayOfMonth: number): number {
  const [, , lastDay] = partsOf(dateOf(year, month + 1, 0));
  return dateOf(year, month, Math.min(dayOfMonth, lastDay));
}

export function monthsLater(date: number, months: number): number {
  const [year, month, dayOfMonth] = partsOf(date);
  return clampedDay(year, month + months, dayOfMonth);
}

export function endsMonth(date: number): boolean {
  return partsOf(date)[1] !== partsOf(date + 1)[1];
}

/**
 * The date of the half month that is `steps` after that of a date, in a series that has the given day of the month: of each
 * month one date up to day 15, and one after it (D10).
 */
export function halvesLater(date: number, steps: number, dayOfMonth: number): number {
  const [year, month, day] = partsOf(date);
  const pair = dayOfMonth > 15 ? [Math.min(dayOfMonth - 15, 15), dayOfMonth] : [dayOfMonth, dayOfMonth + 15];
  const halves = (day > 15 ? 1 : 0) + steps;
  const whole = Math.floor(halves / 2);
  return clampedDay(year, month + whole, pair[halves - 2 * whole]!);
}

/** A period of months or days, with the interval unit of the effective annual rate (A1). */
export interface Period {
  readonly months: number;
  readonly days: number;
  readonly rateUnit: 'Years' | 'Months' | 'Weeks';
}

const MONTHS: Readonly<Record<string, number>> = {
  once: 0,
  semimonthly: 0.5,
  monthly: 1,
  bimonthly: 2,
  quarterly: 3,
  trimestrial: 3,
  semiannual: 6,
  semestrial: 6,
  annual: 12,
  yearly: 12,
};
const DAYS: Readonly<Record<string, number>> = { daily: 1, weekly: 7, biweekly: 14 };

/** The period of the periodicity with this name (D7), or undefined. */
export function periodOf(name: string): Period | undefined {
  const key = name.trim().toLowerCase();
  const [months, days] = [MONTHS[key] ?? 0, DAYS[key] ?? 0];
  if (months + days === 0 && key !== 'once') return undefined;
  if (days > 1) return { months, days, rateUnit: 'Weeks' };
  return { months, days, rateUnit: days === 1 || months === MONTHS_PER_YEAR ? 'Years' : 'Months' };
}

/** The date `steps` periods after a date, by month arithmetic from its own day. */
export function periodsLater(date: number, period: Period, steps: number): number {
  if (period.months === 0.5) return halvesLater(date, steps, partsOf(date)[2]);
  return period.months > 0 ? monthsLater(date, period.months * steps) : date + period.days * steps;
}

const MAX_DAYS_TO_BUSINESS_DAY = 400;

function towards(date: number, step: 1 | -1, isWorkingDay: IsWorkingDay): number {
  let found = date;
  while (!isWorkingDay(found)) {
    found += step;
    if (Math.abs(found - date) > MAX_DAYS_TO_BUSINESS_DAY)
      throw new Error('the calendar has no business days');
  }
  return found;
}

/** A date shifted to a business day by the given method, but never to the start or an earlier day (H1). */
export function shifted(date: number, method: string, isWorkingDay: IsWorkingDay, start: number): number {
  const later = towards(date, 1, isWorkingDay);
  const earlier = towards(date, -1, isWorkingDay);
  const sameMonth = (other: number) => partsOf(other)[1] === partsOf(date)[1];
  const byMethod: Readonly<Record<string, () => number>> = {
    none: () => date,
    forward: () => later,
    backward: () => earlier,
    modifiedforward: () => (sameMonth(later) ? later : earlier),
    modifiedbackward: () => (sameMonth(earlier) ? earlier : later),
    nearest: () => (later - date <= date - earlier ? later : earlier),
  };
  const moved = byMethod[method.trim().toLowerCase()]?.();
  if (moved === undefined) throw new Error(`unknown holiday method ${method}`);
  return moved !== date && moved <= start ? later : moved;
}
