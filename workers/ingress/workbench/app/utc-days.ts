/** Converts between days (`yyyy-mm-dd`) and the epoch milliseconds of their start in UTC, the time zone of look-ups. */
export const DAY_MS = 86_400_000;
export const dayMs = (day: string): number => Date.parse(`${day.slice(0, 10)}T00:00:00Z`);
export const dayText = (ms: number | Date): string => new Date(ms).toISOString().slice(0, 10);
