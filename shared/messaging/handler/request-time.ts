import type { Fault } from '../../platform/problem.ts';
import { HEADER } from '../header-names.ts';
import { headerNumber, headerValue } from '../headers.ts';
import type { LogMessage } from '../message.ts';

/** An earlier time is that of a record without one, or in another unit, such as seconds. */
const EARLIEST_MS = Date.UTC(2000, 0, 1);
/** Tolerates a clock in another time zone; a later time is in another unit, such as microseconds. */
const MAX_AHEAD_MS = 86_400_000;
const ALLOWED =
  'must be epoch milliseconds from 2000-01-01 to one day ahead of now, because the answer depends on the day of the request';

/** True for a time in epoch milliseconds at which a request may have been sent. */
export function isPlausibleTime(timeMs: number, nowMs: number): boolean {
  return timeMs >= EARLIEST_MS && timeMs <= nowMs + MAX_AHEAD_MS;
}

/**
 * The fault of the time of a request, which is its header, or without the header the timestamp of its record. It
 * matters only where the answer depends on the day of the request (D2).
 */
export function findTimeFault({ headers, timestampMs }: LogMessage, nowMs: number): Fault | undefined {
  if (headerValue(headers, HEADER.originTimestamp) === undefined) {
    if (isPlausibleTime(timestampMs, nowMs)) return undefined;
    const message = `of the record ${ALLOWED}; or send the header ${HEADER.originTimestamp}`;
    return { path: 'timestamp', code: 'out-of-range', message };
  }
  const sentMs = headerNumber(headers, HEADER.originTimestamp) ?? Number.NaN;
  if (isPlausibleTime(sentMs, nowMs)) return undefined;
  return { path: HEADER.originTimestamp, code: 'out-of-range', message: ALLOWED };
}
