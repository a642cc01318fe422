/** Maximum wait: one day. */
const MAX_WAIT_MS = 86_400_000;
const SECOND_MS = 1_000;
/** Dates in HTTP (RFC 9110, 5.6.7), whose three forms have only the time zone in common. */
const HTTP_DATE = /^[A-Za-z]{3,9},? .{9,30} GMT$/;

/** The format of a header: seconds or a date, as in Retry-After, or seconds since 1970. */
export type WaitUnit = 'seconds' | 'epoch-seconds';

/** Parses a provider's Retry-After, in milliseconds; undefined if it is absent, malformed or in the past. */
export function parseRetryAfter(text: string | undefined, unit: WaitUnit, nowMs: number): number | undefined {
  const given = text?.trim() ?? '';
  const waitMs = parseWait(given, unit, nowMs);
  return waitMs !== undefined && waitMs > 0 ? Math.min(Math.ceil(waitMs), MAX_WAIT_MS) : undefined;
}

function parseWait(given: string, unit: WaitUnit, nowMs: number): number | undefined {
  if (/^\d{1,12}(?:\.\d{1,6})?$/.test(given)) {
    const ms = Number(given) * SECOND_MS;
    return unit === 'seconds' ? ms : ms - nowMs;
  }
  if (!HTTP_DATE.test(given)) return undefined;
  const at = Date.parse(given);
  return Number.isNaN(at) ? undefined : at - nowMs;
}
