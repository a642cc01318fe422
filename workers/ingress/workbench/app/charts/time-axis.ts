/** Days on a time axis, in percent of its width, and its ticks. Days are `yyyy-mm-dd`. */
import { scaleUtc, type ScaleTime } from 'd3-scale';

export type TimeScale = ScaleTime<number, number>;

export interface Tick {
  readonly day: string;
  readonly left: number;
  readonly isYear: boolean;
}

export const DAY_MS = 86_400_000;
export const YEAR_MS = 365.25 * DAY_MS;
const MOST_TICKS = 7;

/** A day in epoch milliseconds, and back. */
export const dayMs = (day: string): number => Date.parse(`${day.slice(0, 10)}T00:00:00Z`);
export const dayText = (ms: number | Date): string => new Date(ms).toISOString().slice(0, 10);

/** Places moments between two others, in percent; those beyond are at the ends. */
export function timeScale(first: number, last: number): TimeScale {
  return scaleUtc([first, last], [0, 100]).clamp(true);
}

/** The first days of months or years, about seven, or as many as have room. */
export function timelineTicks(scale: TimeScale, most = MOST_TICKS): readonly Tick[] {
  const days = scale.ticks(Math.max(1, Math.ceil(most * 0.7)));
  const isYear = days.every((day) => day.getUTCMonth() === 0);
  return days.map((day) => ({ day: dayText(day), left: scale(day), isYear }));
}
