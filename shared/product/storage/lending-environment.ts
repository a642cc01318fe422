import { createLibraryCalendars } from '../../lending/calendars/library/library-calendars.ts';
import type { OtherCalendars } from '../../lending/calendars/business-calendar.ts';
import { describeCalendarFault, findCalendar } from '../../lending/calendars/find-calendar.ts';
import { ChargeDirectory, type ChargeLists } from '../../lending/schedule-types/known-charges.ts';
import {
  createLendingCatalogue,
  type CatalogueRecords,
} from '../../lending/schedule-types/lending-catalogue.ts';
import type { KnownCalendars } from '../../lending/due-dates/shift-due-date.ts';
import type { ScheduleCatalogue } from '../../lending/schedule-types/schedule-catalogue.ts';
import type { Config } from '../../platform/load-config.ts';
import { ConfigError } from '../../platform/errors.ts';
import type { CatalogueView } from '../catalogue/catalogue-view.ts';
import {
  openCatalogue,
  type CatalogueContext,
  type OpenCatalogue,
  type WorkerCatalogue,
} from './catalogue-table.ts';

/** What calculations read of the catalogue. It follows the catalogue: read its properties again for each request. */
export interface LendingEnvironment {
  /** Current schedule types and periodicities (S1, D7), and the commissions and insurances of lists (F1, S6). */
  readonly catalogue: ScheduleCatalogue;
  readonly calendars: KnownCalendars;
  /** Returns the environment as data for other threads: the same object until its content changes. */
  readonly snapshot?: () => LendingSnapshot;
}

export interface LendingSnapshot {
  readonly records: CatalogueRecords;
  readonly charges: ChargeLists | undefined;
  readonly defaultHolidayCalendar: string | undefined;
}

/** Rejects as `open` does, or with ConfigError on an unknown default calendar, and then leaves nothing running. */
export async function openLendingCatalogue(
  context: CatalogueContext,
  worker: string,
  open: OpenCatalogue = openCatalogue,
): Promise<WorkerCatalogue & { readonly environment: LendingEnvironment }> {
  const { lending } = context.config;
  const others = createLibraryCalendars();
  const opened = await open(context, worker, others);
  try {
    const environment = createEnvironment(opened.view, others, lending);
    const { calendars } = environment;
    const { defaultName } = calendars;
    if (defaultName !== undefined && calendars.find(defaultName) === undefined) {
      const fault = describeCalendarFault(defaultName, (name) => calendars.find(name));
      const name = JSON.stringify(defaultName);
      throw new ConfigError(`DEFAULT_HOLIDAY_CALENDAR: there is no calendar ${name}; it ${fault}`);
    }
    // This reads the lists of charges now, so that the first request does not wait for them.
    const hasCharges = environment.catalogue.knownCharges !== undefined;
    context.log.debug({ worker, hasCharges }, 'the catalogue has been read');
    return { ...opened, environment };
  } catch (error) {
    await opened.stop(0);
    throw error;
  }
}

/** Restores the environment from a snapshot in another thread. Throws Error on an invalid snapshot, which is a bug. */
export function restoreEnvironment(snapshot: LendingSnapshot): LendingEnvironment {
  const others = createLibraryCalendars();
  const outcome = createLendingCatalogue(snapshot.records, others);
  if (outcome.kind === 'refused') throw new Error('the catalogue of a snapshot has faults');
  const charges = snapshot.charges === undefined ? undefined : new ChargeDirectory();
  for (const [list, known] of snapshot.charges ?? []) charges?.replace(list, known);
  const lending = { ...outcome.catalogue, knownCharges: charges };
  return createEnvironment({ lending }, others, snapshot);
}

/** The default calendar may be unknown: its record may have been deleted since the start. */
function createEnvironment(
  view: Pick<CatalogueView, 'lending'>,
  others: OtherCalendars,
  { defaultHolidayCalendar: defaultName }: Pick<Config['lending'], 'defaultHolidayCalendar'>,
): LendingEnvironment {
  const find: KnownCalendars['find'] = (name) =>
    findCalendar(name, { catalogue: view.lending.calendars, others });
  let snapshot: LendingSnapshot | undefined;
  return {
    get catalogue() {
      return view.lending;
    },
    calendars: { find, defaultName },
    snapshot: () => {
      const { records, knownCharges } = view.lending;
      const charges = knownCharges?.lists();
      if (snapshot === undefined || snapshot.records !== records || snapshot.charges !== charges)
        snapshot = { records, charges, defaultHolidayCalendar: defaultName };
      return snapshot;
    },
  };
}
