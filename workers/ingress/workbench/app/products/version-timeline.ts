/** The versions of a product on a timeline: places in percent of its width, gaps and overlaps. Days are `yyyy-mm-dd`. */

import { DAY_MS, dayNumber, YEAR_DAYS, type Domain } from '../charts/time-axis.ts';

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
const FARTHEST_DAYS = 50 * YEAR_DAYS;
/** Before the first and after the last day. */
const MARGIN = 0.08;
const LEAST_MARGIN_DAYS = 60;
const FIRST_DAY = '0000-00-00';
const LAST_DAY = '9999-99-99';

function dayText(number: number): string {
  return new Date(number * DAY_MS).toISOString().slice(0, 10);
}

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
    if (coveredTo !== undefined && validFrom !== null && dayNumber(validFrom) > dayNumber(coveredTo) + 1) {
      gaps.push({ from: dayText(dayNumber(coveredTo) + 1), to: dayText(dayNumber(validFrom) - 1) });
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
      const from = latest(one.validFrom, other.validFrom);
      const to = earliest(one.validTo, other.validTo);
      return from !== null && to !== null && from > to
        ? []
        : [{ from, to, versions: [one.version, other.version] }];
    }),
  );
}

function approvedByStart(versions: readonly TimelineVersion[]): readonly TimelineVersion[] {
  return versions
    .filter(({ status }) => status === 'Approved')
    .toSorted((one, other) => (one.validFrom ?? FIRST_DAY).localeCompare(other.validFrom ?? FIRST_DAY));
}

function latest(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}

function earliest(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** The days that a timeline shows: today, and all days on which a version begins or ends. */
export function timelineDomain(versions: readonly TimelineVersion[], today: string): Domain {
  const now = dayNumber(today);
  const days = versions
    .flatMap(({ validFrom, validTo }) => [validFrom, validTo])
    .filter((day) => day !== null)
    .map(dayNumber)
    .filter((day) => Math.abs(day - now) < FARTHEST_DAYS);
  const first = Math.min(now, ...days);
  const last = Math.max(now, ...days);
  const margin = Math.max(LEAST_MARGIN_DAYS, (last - first) * MARGIN);
  return { first: Math.floor(first - margin), last: Math.ceil(last + margin) };
}

/** Where a range is; its last day is included. Undefined: outside the timeline. */
export function placeSpan({ from, to }: Span, domain: Domain): Placed | undefined {
  const { first, last } = domain;
  const starts = from === null ? first : Math.max(first, dayNumber(from));
  const ends = to === null ? last : Math.min(last, dayNumber(to) + 1);
  if (ends <= starts) return undefined;
  const scale = 100 / (last - first);
  return {
    left: (starts - first) * scale,
    width: (ends - starts) * scale,
    isCutLeft: from === null || dayNumber(from) < first,
    isCutRight: to === null || dayNumber(to) >= last,
  };
}
