import { readCatalogueFolder } from '../../shared/contract/read-lending-catalogue.ts';
import { findBuiltInCalendar } from '../../shared/lending/calendars/built-in-calendars.ts';
import type { OtherCalendars } from '../../shared/lending/calendars/business-calendar.ts';
import { findCalendar, type CalendarSources } from '../../shared/lending/calendars/find-calendar.ts';
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
 * Reads the institution's catalogue, works out the holidays of the configured countries and finds the default
 * calendar. Takes up to a second for a few countries. Rejects with ConfigError naming the setting and what is not known.
 */
export async function createLendingEnvironment(settings: Config['lending']): Promise<LendingEnvironment> {
  const others = await libraryCalendars(settings.holidayCountries);
  const { catalogue, sources } = withCatalogue(settings.catalogueFolder, others);
  const { defaultHolidayCalendar: defaultName } = settings;
  if (defaultName !== undefined && findCalendar(defaultName, sources) === undefined) {
    throw new ConfigError(
      `DEFAULT_HOLIDAY_CALENDAR: there is no calendar ${JSON.stringify(defaultName)}; ` +
        'give a country by ISO 3166 code or English name, TARGET, a union such as RO+TARGET, or a calendar of the catalogue',
    );
  }
  return { catalogue, calendars: { find: (name) => findCalendar(name, sources), defaultName } };
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

/** The countries that are not built in; the library behind them is loaded by the workers that need it only. */
async function libraryCalendars(countries: readonly string[]): Promise<OtherCalendars> {
  const { createLibraryCalendars } = await import('../../shared/calendars/library-calendars.ts');
  const library = createLibraryCalendars();
  const preload = countries.filter((name) => findBuiltInCalendar(name) === undefined);
  const unknown = preload.filter((name) => library.find(name) === undefined);
  if (unknown.length > 0) {
    const names = unknown.map((name) => JSON.stringify(name)).join(', ');
    throw new ConfigError(
      `HOLIDAY_COUNTRIES: there is no calendar ${names}; give countries by ISO 3166 code or English name`,
    );
  }
  return preload.length === 0 ? library : createLibraryCalendars({ preload });
}
