/** Days on a time axis: their places in percent of its width, and its ticks. Days are `yyyy-mm-dd`. */

/** The first and the last day that a timeline shows, as days since 1970. */
export interface Domain {
  readonly first: number;
  readonly last: number;
}

export interface Tick {
  readonly day: string;
  readonly left: number;
  readonly isYear: boolean;
}

export const DAY_MS = 86_400_000;
export const YEAR_DAYS = 365.25;
const MOST_TICKS = 7;
const TICK_MONTHS = [1, 3, 6, 12, 24, 60, 120, 240];

/** Days since 1970. */
export function dayNumber(day: string): number {
  return Math.round(Date.parse(`${day}T00:00:00Z`) / DAY_MS);
}

/** Where a day is, in percent of the width. */
export function placeDay(day: string, { first, last }: Domain): number {
  return ((dayNumber(day) - first) / (last - first)) * 100;
}

/** The first days of months or years, about seven, or as many as have room. */
export function timelineTicks(domain: Domain, most = MOST_TICKS): readonly Tick[] {
  const months = ((domain.last - domain.first) / YEAR_DAYS) * 12;
  const step = TICK_MONTHS.find((size) => months / size <= most) ?? Math.ceil(months / most / 12) * 12;
  const start = new Date(domain.first * DAY_MS);
  const firstMonth = start.getUTCFullYear() * 12 + start.getUTCMonth() + 1;
  const ticks: Tick[] = [];
  for (let month = Math.ceil(firstMonth / step) * step; ; month += step) {
    const day = new Date(Date.UTC(Math.floor(month / 12), month % 12, 1)).toISOString().slice(0, 10);
    const left = placeDay(day, domain);
    if (left > 100) return ticks;
    ticks.push({ day, left, isYear: step >= 12 });
  }
}
