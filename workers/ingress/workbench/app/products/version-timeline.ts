/** The versions of a product on a timeline: places in percent of its width, gaps and overlaps. Days are `yyyy-mm-dd`. */
import { DAY_MS, dayMs, dayText, timeScale, YEAR_MS, type TimeScale } from '../charts/time-axis.ts';

/** A range of days, both included; null: open. */
export interface Span {
  readonly from: string | null;
  readonly to: string | null;
}

/** The fields of a version that place it. */
export interface TimelineVersion {
  readonly version: number;
  readonly status: string | null;
  readonly validFrom: string | null;
  readonly validTo: string | null;
}

export interface Overlap extends Span {
  readonly versions: readonly [number, number];
}

/** Where a range is, in percent of the width. */
export interface Placed {
  readonly left: number;
  readonly width: number;
  /** It continues beyond the timeline. */
  readonly isCutLeft: boolean;
  readonly isCutRight: boolean;
}

/** A day further from today than this means that there is no end, such as 9999-12-31. */
const FARTHEST_MS = 50 * YEAR_MS;
/** Before the first and after the last day. */
const MARGIN = 0.08;
const LEAST_MARGIN_MS = 60 * DAY_MS;
const FIRST_DAY = '0000-00-00';
const LAST_DAY = '9999-99-99';

/** The version that is used on a day: the latest Approved one that is valid. */
export function versionOn<Version extends TimelineVersion>(
  versions: readonly Version[],
  day: string,
): Version | undefined {
  return versions
    .filter(({ status, validFrom, validTo }) => status === 'Approved' && isWithin(day, validFrom, validTo))
    .toSorted((one, other) => other.version - one.version)[0];
}

function isWithin(day: string, from: string | null, to: string | null): boolean {
  return (from ?? FIRST_DAY) <= day && day <= (to ?? LAST_DAY);
}

/** The days between Approved versions on which none is valid. */
export function findGaps(versions: readonly TimelineVersion[]): readonly Span[] {
  const gaps: Span[] = [];
  // The last day that is covered so far; undefined: none is, null: all further ones are.
  let coveredTo: string | null | undefined;
  for (const { validFrom, validTo } of approvedByStart(versions)) {
    if (coveredTo === null) break;
    if (coveredTo !== undefined && validFrom !== null && dayMs(validFrom) > dayMs(coveredTo) + DAY_MS) {
      gaps.push({ from: dayText(dayMs(coveredTo) + DAY_MS), to: dayText(dayMs(validFrom) - DAY_MS) });
    }
    if (coveredTo === undefined || validTo === null || validTo > coveredTo) coveredTo = validTo;
  }
  return gaps;
}

/** The days on which two Approved versions are valid, for each such pair. */
export function findOverlaps(versions: readonly TimelineVersion[]): readonly Overlap[] {
  const approved = approvedByStart(versions);
  return approved.flatMap((one, place) =>
    approved.slice(place + 1).flatMap((other): Overlap[] => {
      // The other one does not begin before this one.
      const ends = [one, other].map(({ validTo }) => validTo ?? LAST_DAY).toSorted();
      const [from, to = LAST_DAY] = [other.validFrom, ...ends];
      const overlap = { from, to: to === LAST_DAY ? null : to };
      return (from ?? FIRST_DAY) > to ? [] : [{ ...overlap, versions: [one.version, other.version] }];
    }),
  );
}

function approvedByStart(versions: readonly TimelineVersion[]): readonly TimelineVersion[] {
  return versions
    .filter(({ status }) => status === 'Approved')
    .toSorted((one, other) => (one.validFrom ?? FIRST_DAY).localeCompare(other.validFrom ?? FIRST_DAY));
}

/** The days that a timeline shows: today, and all days on which a version begins or ends. */
export function timelineDomain(versions: readonly TimelineVersion[], today: string): TimeScale {
  const now = dayMs(today);
  const days = versions
    .flatMap(({ validFrom, validTo }) => [validFrom ?? today, validTo ?? today])
    .map(dayMs)
    .filter((day) => Math.abs(day - now) < FARTHEST_MS);
  const [first, last] = [Math.min(now, ...days), Math.max(now, ...days)];
  const margin = Math.max(LEAST_MARGIN_MS, (last - first) * MARGIN);
  return timeScale(first - margin, last + margin);
}

/** Where a range is; its last day is included. Undefined: outside the timeline. */
export function placeSpan({ from, to }: Span, scale: TimeScale): Placed | undefined {
  const starts = from === null ? -Infinity : dayMs(from);
  const ends = to === null ? Infinity : dayMs(to) + DAY_MS;
  const [left, right] = [scale(starts), scale(ends)];
  const [first = 0, last = 0] = scale.domain().map(Number);
  return left === right
    ? undefined
    : { left, width: right - left, isCutLeft: starts < first, isCutRight: ends > last };
}
