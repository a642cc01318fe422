/**
 * What an institution may add to the engine as data: schedule types (S1), periodicities (D7) and holiday calendars
 * (H2). Checked and compiled once, at start; a catalogue with any fault is refused as a whole, with all of its faults.
 */

import { catalogueCalendars, type CalendarRecord } from '../calendars/catalogue-calendars.ts';
import type { OtherCalendars } from '../calendars/business-calendar.ts';
import { type CatalogueEntry, type CatalogueFault, isTold } from './catalogue-entry.ts';
import { cataloguePeriodicities, type PeriodicityRecord } from './catalogue-periodicities.ts';
import { catalogueScheduleTypes } from './catalogue-schedule-types.ts';
import { scheduleCatalogueOf, type ScheduleCatalogue } from './schedule-catalogue.ts';
import type { ScheduleTypeRecord } from './schedule-type-record.ts';

/** The records of a catalogue; what is absent adds nothing to the built-in ones. */
export interface CatalogueRecords {
  readonly scheduleTypes?: readonly CatalogueEntry<ScheduleTypeRecord>[];
  readonly periodicities?: readonly CatalogueEntry<PeriodicityRecord>[];
  readonly calendars?: readonly CatalogueEntry<CalendarRecord>[];
}

/** What calculations look names up in, built-in ones included. */
export interface LendingCatalogue extends ScheduleCatalogue {
  /** All schedule type records, those that do not calculate included; a built-in type that was replaced is left out. */
  readonly scheduleTypeRecords: readonly ScheduleTypeRecord[];
  /** What it was made of: plain data, from which another thread makes the same catalogue. */
  readonly records: CatalogueRecords;
  /** The catalogue's own calendars; the built-in ones are found by their country. */
  readonly calendars: OtherCalendars;
}

/** A catalogue, or everything that is wrong with it. */
export type CatalogueOutcome =
  | { readonly kind: 'catalogue'; readonly catalogue: LendingCatalogue }
  | { readonly kind: 'refused'; readonly faults: readonly CatalogueFault[] };

/**
 * The catalogue of these records and the built-in ones. `otherCalendars` finds countries that are not built in, as
 * bases of calendars. Never throws.
 */
export function createLendingCatalogue(
  records: CatalogueRecords,
  otherCalendars?: OtherCalendars,
): CatalogueOutcome {
  const faults: CatalogueFault[] = [];
  const { scheduleTypes, scheduleTypeRecords } = catalogueScheduleTypes(records.scheduleTypes ?? [], faults);
  const periodicities = cataloguePeriodicities(records.periodicities ?? [], faults);
  const calendars = calendarsOf(records.calendars ?? [], otherCalendars, faults);
  if (faults.length > 0) return { kind: 'refused', faults };
  const names = scheduleCatalogueOf(scheduleTypes, periodicities);
  return { kind: 'catalogue', catalogue: { ...names, records, scheduleTypeRecords, calendars } };
}

function calendarsOf(
  entries: readonly CatalogueEntry<CalendarRecord>[],
  otherCalendars: OtherCalendars | undefined,
  faults: CatalogueFault[],
): OtherCalendars {
  const calendars = catalogueCalendars(
    entries.map(({ record }) => record),
    otherCalendars,
  );
  for (const { path, message } of calendars.faults) {
    const [, place = '0', member = ''] = /^\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
    const entry = entries[Number(place)];
    if (entry === undefined) continue;
    const text = member === '' ? message : `${member} ${message}`;
    if (isTold(entry, text)) faults.push({ source: entry.source, record: entry.record.name, message: text });
  }
  return calendars;
}
