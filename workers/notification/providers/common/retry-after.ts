/** A provider that asks for more patience than a day is asked again all the same. */
const MAX_WAIT_MS = 86_400_000;
const SECOND_MS = 1_000;
/** The form of dates in HTTP (RFC 9110, 5.6.7), of which only the zone is always the same. */
const HTTP_DATE = /^[A-Za-z]{3,9},? .{9,30} GMT$/;

/** How a header tells the time: as Retry-After does, in seconds or as a date, or a moment in seconds since 1970. */
export type WaitUnit = 'seconds' | 'epoch-seconds';

/** How long a provider asks to wait, in milliseconds; undefined when it does not say, or nonsense, or it is over. */
export function askedWaitMs(text: string | undefined, unit: WaitUnit, nowMs: number): number | undefined {
  const given = text?.trim() ?? '';
  const waitMs = waitOf(given, unit, nowMs);
  return waitMs !== undefined && waitMs > 0 ? Math.min(Math.ceil(waitMs), MAX_WAIT_MS) : undefined;
}

function waitOf(given: string, unit: WaitUnit, nowMs: number): number | undefined {
  if (/^\d{1,12}(?:\.\d{1,6})?$/.test(given)) {
    const ms = Number(given) * SECOND_MS;
    return unit === 'seconds' ? ms : ms - nowMs;
  }
  if (!HTTP_DATE.test(given)) return undefined;
  const at = Date.parse(given);
  return Number.isNaN(at) ? undefined : at - nowMs;
}
