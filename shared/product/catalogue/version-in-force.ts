/** Validity of records on a day (L1, L2). Ranges include both ends; null leaves an end open. */

import { type CalendarDate, formatCalendarDate } from '../../lending/dates/calendar-date.ts';
import type { ProductStatus } from './product-record.ts';
import type { ItemStatus, ValidDays } from './record-kinds.ts';

/** A list, an item or a value. Only the values of interests call their status ValueStatus. */
export type WithStatus = { readonly Status: ItemStatus } | { readonly ValueStatus: ItemStatus };

type DatedValue = ValidDays & WithStatus;

/** True if the day is within `from` and `to`, which are written `yyyy-mm-dd`. */
export function isWithin(day: CalendarDate, from: string | null, to: string | null): boolean {
  if (from === null && to === null) return true;
  const text = formatDay(day);
  return (from === null || from <= text) && (to === null || text <= to);
}

/** Kept because a request compares many records with the same day. */
let lastFormatted: { readonly day: CalendarDate; readonly text: string } | undefined;

function formatDay(day: CalendarDate): string {
  if (lastFormatted?.day !== day) lastFormatted = { day, text: formatCalendarDate(day) };
  return lastFormatted.text;
}

export function daysOverlap(one: ValidDays, other: ValidDays): boolean {
  return startsBy(one.ValidFrom, other.ValidTo) && startsBy(other.ValidFrom, one.ValidTo);
}

/** False if a range ends before it starts. */
export function startsBy(from: string | null, to: string | null): boolean {
  return from === null || to === null || from <= to;
}

/** The Active values that are valid on the day, in catalogue order (L2). */
export function valuesOn<Value extends DatedValue>(values: readonly Value[], day: CalendarDate) {
  return values.filter((value) => isActive(value) && isWithin(day, value.ValidFrom, value.ValidTo));
}

/** The Active value that is valid on the day; a valid catalogue has at most one. */
export function valueOn<Value extends DatedValue>(values: readonly Value[], day: CalendarDate) {
  return valuesOn(values, day)[0];
}

/** Look-ups and simulations leave out what is not Active (L2). */
export function isActive(value: WithStatus): boolean {
  return ('ValueStatus' in value ? value.ValueStatus : value.Status) === 'Active';
}

interface ProductVersion {
  readonly Version: number;
  readonly Status: ProductStatus;
  readonly StartDate: string | null;
  readonly EndDate: string | null;
}

export interface ListVersion {
  readonly Version: number;
  readonly Status?: ItemStatus | undefined;
}

export function isValidOn(version: ProductVersion, day: CalendarDate): boolean {
  return version.Status === 'Approved' && isWithin(day, version.StartDate, version.EndDate);
}

/** Selects the Approved version valid on the day (L1). Publishing may briefly leave two: the higher number counts. */
export function selectProductVersion<Version extends ProductVersion>(
  versions: readonly Version[],
  day: CalendarDate,
): Version | undefined {
  return selectLatest(versions.filter((version) => isValidOn(version, day)));
}

/** Selects the Active version with the highest number (L2). Versions of custom lists have no status and are Active. */
export function selectListVersion<Version extends ListVersion>(versions: readonly Version[]) {
  return selectLatest(versions.filter(({ Status }) => Status === undefined || Status === 'Active'));
}

/** Finds the pairs of Approved versions of one product that share a day, in the order of the list. */
export function findOverlaps<Version extends ProductVersion>(versions: readonly Version[]) {
  const approved = versions.filter(({ Status }) => Status === 'Approved');
  return approved.flatMap((one, place) =>
    approved
      .slice(place + 1)
      .filter((other) => startsBy(one.StartDate, other.EndDate) && startsBy(other.StartDate, one.EndDate))
      .map((other) => [one, other] as const),
  );
}

function selectLatest<Version extends { readonly Version: number }>(versions: readonly Version[]) {
  return versions.toSorted((one, other) => other.Version - one.Version)[0];
}
