/**
 * Reads what an institution's catalogue folder adds to calculations: schedule-types/, periodicities/ and calendars/,
 * each optional.
 */

import type { CatalogueFault } from '../lending/catalogue-entry.ts';
import type { OtherCalendars } from '../lending/calendars/business-calendar.ts';
import { createLendingCatalogue, type LendingCatalogue } from '../lending/lending-catalogue.ts';
import { ConfigError } from '../platform/errors.ts';
import { lineOf, readRecords, reportStrangers, requireFolder } from './catalogue-files.ts';
import { CALENDAR_STAND_INS, PERIODICITY_STAND_INS, SCHEDULE_TYPE_STAND_INS } from './catalogue-stand-ins.ts';
import { CALENDAR_SHAPE, PERIODICITY_SHAPE, SCHEDULE_TYPE_SHAPE } from './lending-catalogue-shapes.ts';

/** Folders of the kinds of records, as they are read. */
const FOLDERS = ['schedule-types', 'periodicities', 'calendars'] as const;
const [SCHEDULE_TYPES, PERIODICITIES, CALENDARS] = FOLDERS;

const SCHEDULE_TYPE = { shape: SCHEDULE_TYPE_SHAPE, standIns: SCHEDULE_TYPE_STAND_INS };
const PERIODICITY = { shape: PERIODICITY_SHAPE, standIns: PERIODICITY_STAND_INS };
const CALENDAR = { shape: CALENDAR_SHAPE, standIns: CALENDAR_STAND_INS };

/**
 * The catalogue of a folder, built-in records included. `otherCalendars` finds countries that are not built in.
 * Throws ConfigError that names, for everything that is wrong at once, file, record, column and what to do.
 */
export function readCatalogueFolder(folder: string, otherCalendars?: OtherCalendars): LendingCatalogue {
  requireFolder(folder);
  const faults: CatalogueFault[] = [];
  reportStrangers(folder, FOLDERS, faults);
  const records = {
    scheduleTypes: readRecords(folder, SCHEDULE_TYPES, SCHEDULE_TYPE, faults),
    periodicities: readRecords(folder, PERIODICITIES, PERIODICITY, faults),
    calendars: readRecords(folder, CALENDARS, CALENDAR, faults),
  };
  const outcome = createLendingCatalogue(records, otherCalendars);
  if (outcome.kind === 'refused') faults.push(...outcome.faults);
  if (outcome.kind === 'catalogue' && faults.length === 0) return outcome.catalogue;
  throw new ConfigError(`the catalogue ${folder} is wrong:\n  ${faults.map(lineOf).join('\n  ')}`);
}
