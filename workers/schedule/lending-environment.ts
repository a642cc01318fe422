import { createLibraryCalendars } from '../../shared/calendars/library-calendars.ts';
import { readCatalogueFolder } from '../../shared/contract/read-lending-catalogue.ts';
import { findBuiltInCalendar } from '../../shared/lending/calendars/built-in-calendars.ts';
import type { OtherCalendars } from '../../shared/lending/calendars/business-calendar.ts';
import {
  calendarFault,
  findCalendar,
  type CalendarSources,
} from '../../shared/lending/calendars/find-calendar.ts';
import type { KnownCalendars } from '../../shared/lending/holiday-shift.ts';
import {
  BUILT_IN_CATALOGUE,
  scheduleCatalogueOf,
  type ScheduleCatalogue,
} from '../../shared/lending/schedule-catalogue.ts';
import type { Config } from '../../shared/platform/config.ts';
import { ConfigError } from '../../shared/platform/errors.ts';

/** What calculations know beside their request: made once at start, the same for every request until the next. */
export interface LendingEnvironment {
  /** Schedule types and periodicities, built-in ones and the institution's own (S1, D7). */
  readonly catalogue: ScheduleCatalogue;
  /** Holiday calendars by name (H2). */
  readonly calendars: KnownCalendars;
}

/**
 * Reads the institution's catalogue and the holidays of the configured countries, and finds the default calendar. Throws
 * ConfigError naming the setting and what is not known.
 */
export function createLendingEnvironment(settings: Config['lending']): LendingEnvironment {
  const others = otherCountries(settings.holidayCountries);
  const { catalogue, sources } = withCatalogue(settings.catalogueFolder, others);
  const { defaultHolidayCalendar: defaultName } = settings;
  const find: KnownCalendars['find'] = (name) => findCalendar(name, sources);
  if (defaultName !== undefined && find(defaultName) === undefined) {
    const fault = calendarFault(defaultName, find);
    throw new ConfigError(
      `DEFAULT_HOLIDAY_CALENDAR: there is no calendar ${JSON.stringify(defaultName)}; it ${fault}`,
    );
  }
  return { catalogue, calendars: { find, defaultName } };
}

function withCatalogue(
  folder: string | undefined,
  others: OtherCalendars,
): { readonly catalogue: ScheduleCatalogue; readonly sources: CalendarSources } {
  if (folder === undefined) return { catalogue: BUILT_IN_CATALOGUE, sources: { others } };
  const { scheduleTypes, periodicities, calendars } = readCatalogueFolder(folder, others);
  return {
    catalogue: scheduleCatalogueOf(scheduleTypes, periodicities),
    sources: { catalogue: calendars, others },
  };
}

/** The countries that are not built in; those that are named are read at once, so that no request waits for a file. */
function otherCountries(names: readonly string[]): OtherCalendars {
  const others = createLibraryCalendars();
  const unknown = names.filter((name) => (findBuiltInCalendar(name) ?? others.find(name)) === undefined);
  if (unknown.length > 0) {
    const quoted = unknown.map((name) => JSON.stringify(name)).join(', ');
    throw new ConfigError(
      `HOLIDAY_COUNTRIES: there is no calendar ${quoted}; give countries by ISO 3166 code or English name`,
    );
  }
  return others;
}
