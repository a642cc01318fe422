/** Which of the versions of a product or a list answers (L1). Works on index entries as well as on whole records. */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import type { ProductStatus } from './product-record.ts';
import type { ItemStatus } from './record-parts.ts';
import { daysOverlap, isWithin } from './valid-values.ts';

/** What decides whether a version of a product answers. */
export interface ProductVersion {
  readonly Version: number;
  readonly Status: ProductStatus;
  readonly StartDate: string | null;
  readonly EndDate: string | null;
}

/** What decides whether a version of a list counts; custom lists have no status. */
export interface ListVersion {
  readonly Version: number;
  readonly Status?: ItemStatus | undefined;
}

/** True for an Approved version whose validity covers the day, both ends inclusive (L1). */
export function answersOn(version: ProductVersion, day: CalendarDate): boolean {
  return version.Status === 'Approved' && isWithin(day, version.StartDate, version.EndDate);
}

/**
 * The version of a product that answers on the day; undefined when none does. A checked catalogue has one at most;
 * while versions come in one by one there may be two, and then the later one answers.
 */
export function answeringVersion<Version extends ProductVersion>(
  versions: readonly Version[],
  day: CalendarDate,
): Version | undefined {
  return highest(versions.filter((version) => answersOn(version, day)));
}

/** The version of a list that counts: of the Active ones that with the highest number (L2). */
export function listInForce<Version extends ListVersion>(versions: readonly Version[]): Version | undefined {
  return highest(versions.filter(({ Status }) => Status === undefined || Status === 'Active'));
}

/** Pairs of Approved versions of one product that share a day, each in the order of the list. */
export function overlappingVersions<Version extends ProductVersion>(
  versions: readonly Version[],
): readonly (readonly [Version, Version])[] {
  const approved = versions.filter(({ Status }) => Status === 'Approved');
  return approved.flatMap((one, place) =>
    approved
      .slice(place + 1)
      .filter((other) => daysOverlap(daysOf(one), daysOf(other)))
      .map((other) => [one, other] as const),
  );
}

function daysOf({ StartDate, EndDate }: ProductVersion) {
  return { ValidFrom: StartDate, ValidTo: EndDate };
}

function highest<Version extends { readonly Version: number }>(
  versions: readonly Version[],
): Version | undefined {
  return versions.reduce<Version | undefined>(
    (best, version) => (best === undefined || version.Version > best.Version ? version : best),
    undefined,
  );
}
