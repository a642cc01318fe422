/** When versions of a product are valid: the one used on a day, gaps, overlaps, a time axis. Days are `yyyy-mm-dd`. */
import { scaleUtc } from 'd3-scale';
import type { ListedVersion } from '../../../../../shared/api/operations/product-lists.ts';
import { DAY_MS, dayMs, dayText } from '../utc-days.ts';

type DatedVersion = Pick<ListedVersion, 'version' | 'status' | 'validFrom' | 'validTo'>;

/** A day further from today than this, such as 9999-12-31, means an open end and does not stretch the axis. */
const FARTHEST_MS = 50 * 365.25 * DAY_MS;
const MARGIN = 0.08;
const LEAST_MARGIN_MS = 60 * DAY_MS;
const FIRST_DAY = '0000-01-01';
const LAST_DAY = '9999-12-31';

const startOf = ({ validFrom }: DatedVersion): string => validFrom ?? FIRST_DAY;
const endOf = ({ validTo }: DatedVersion): string => validTo ?? LAST_DAY;

/** The version that look-ups use on a day: of the Approved versions valid then, the one with the highest number. */
export function versionOn<Version extends DatedVersion>(
  versions: readonly Version[],
  day: string,
): Version | undefined {
  return versions
    .filter((one) => one.status === 'Approved' && startOf(one) <= day && day <= endOf(one))
    .toSorted((one, other) => other.version - one.version)[0];
}

/** Gaps between Approved versions (`versions` is empty), and overlaps of two. `to` is the last day; null is open. */
export function findBreaks(versions: readonly DatedVersion[]) {
  const approved = versions
    .filter(({ status }) => status === 'Approved')
    .toSorted((one, other) => startOf(one).localeCompare(startOf(other)));
  return approved.slice(1).flatMap((next, at) => {
    const earlier = approved.slice(0, at + 1);
    const ends = Math.max(...earlier.map((one) => dayMs(endOf(one))));
    const starts = dayMs(startOf(next));
    if (starts > ends + DAY_MS) {
      return [{ from: dayText(ends + DAY_MS), to: dayText(starts - DAY_MS), versions: [] }];
    }
    return earlier
      .filter((one) => endOf(one) >= startOf(next))
      .map((one) => ({
        from: next.validFrom,
        to: endOf(one) < endOf(next) ? one.validTo : next.validTo,
        versions: [one.version, next.version],
      }));
  });
}

/** A scale from epoch milliseconds to percent of an axis that covers `today` and the versions, clamped to its ends. */
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
