/** When the versions of a product are valid: the one in use, gaps, overlaps, and places on a time axis. Days are `yyyy-mm-dd`. */
import { scaleUtc } from 'd3-scale';
import { DAY_MS, dayMs, dayText } from '../format.ts';

/** The fields of a version that say when it is valid. */
interface DatedVersion {
  readonly version: number;
  readonly status: string | null;
  readonly validFrom: string | null;
  readonly validTo: string | null;
}

/** A day further from today than this means that there is no end, such as 9999-12-31. */
const FARTHEST_MS = 50 * 365.25 * DAY_MS;
/** Before the first and after the last day. */
const MARGIN = 0.08;
const LEAST_MARGIN_MS = 60 * DAY_MS;
const FIRST_DAY = '0000-01-01';
const LAST_DAY = '9999-12-31';

/** The version that is used on a day: the latest Approved one that is valid. */
export function versionOn<Version extends DatedVersion>(
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

/** Days between consecutive Approved versions on which none is valid, or the two `versions` are. */
interface Break {
  readonly from: string | null;
  readonly to: string | null;
  readonly versions: readonly number[];
}

export function findBreaks(versions: readonly DatedVersion[]): readonly Break[] {
  const approved = versions
    .filter(({ status }) => status === 'Approved')
    .toSorted((one, other) => (one.validFrom ?? FIRST_DAY).localeCompare(other.validFrom ?? FIRST_DAY));
  return approved.slice(1).flatMap((next, at): readonly Break[] => {
    const { version, validTo } = approved[at] ?? next;
    const ends = dayMs(validTo ?? LAST_DAY);
    const starts = dayMs(next.validFrom ?? FIRST_DAY);
    if (starts > ends + DAY_MS) {
      return [{ from: dayText(ends + DAY_MS), to: dayText(starts - DAY_MS), versions: [] }];
    }
    const to = [validTo ?? LAST_DAY, next.validTo ?? LAST_DAY].toSorted()[0] ?? LAST_DAY;
    const shared = { from: next.validFrom, to: to === LAST_DAY ? null : to };
    return starts > ends ? [] : [{ ...shared, versions: [version, next.version] }];
  });
}

/** Places days in percent of an axis with today and all days on which a version begins or ends; those beyond are at its ends. */
export function timeScale(versions: readonly DatedVersion[], today: string) {
  const now = dayMs(today);
  const days = versions
    .flatMap(({ validFrom, validTo }) => [validFrom ?? today, validTo ?? today])
    .map(dayMs)
    .filter((day) => Math.abs(day - now) < FARTHEST_MS);
  const [first, last] = [Math.min(now, ...days), Math.max(now, ...days)];
  const margin = Math.max(LEAST_MARGIN_MS, (last - first) * MARGIN);
  return scaleUtc([first - margin, last + margin], [0, 100]).clamp(true);
}
