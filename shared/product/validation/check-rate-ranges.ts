/** Whether instalment ranges leave none without a rate (R1). */

import { statesBetween } from '../catalogue/days-of-change.ts';
import type { CollectionInterest } from '../catalogue/list-records.ts';
import type { Report } from './record-report.ts';
import { isWithin } from '../catalogue/valid-values.ts';

/**
 * Reports ranges that do not follow the one before: on each day on which any holds, those of the day begin with
 * instalment 1 and follow one another. Where the last one ends is a matter of the product.
 */
export function checkCover(ranges: readonly CollectionInterest[], report: Report): void {
  const told = new Set<number>();
  const days = ranges.map((range) => ({
    ValidFrom: range.InterestStartDate,
    ValidTo: range.InterestEndDate,
  }));
  for (const { day } of statesBetween(days)) {
    const held = ranges
      .map(({ InterestStartPeriod, ...range }, place) => ({
        ...range,
        place,
        first: InterestStartPeriod ?? 1,
      }))
      .filter(({ InterestStartDate, InterestEndDate }) => isWithin(day, InterestStartDate, InterestEndDate))
      .toSorted((one, other) => one.first - other.first);
    let covered = 0;
    for (const { InterestEndPeriod, place, first } of held) {
      if (first > covered + 1 && !told.has(place)) {
        told.add(place);
        const message = `must be ${covered + 1}: no instalment may be without a rate`;
        report(`CollectionInterests[${place}].InterestStartPeriod`, message);
      }
      covered = Math.max(covered, InterestEndPeriod ?? Number.POSITIVE_INFINITY);
    }
  }
}
