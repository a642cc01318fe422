/** Schedule types, periodicities and calendars of a catalogue that changes while it is used. */

import type { OtherCalendars } from '../lending/calendars/business-calendar.ts';
import type { CatalogueFault } from '../lending/schedule-types/catalogue-entry.ts';
import {
  createLendingCatalogue,
  type LendingCatalogue,
} from '../lending/schedule-types/lending-catalogue.ts';
import type { CatalogueRecord } from '../product/catalogue/catalogue-records.ts';
import { entriesOfKind } from '../product/catalogue/records-of-kind.ts';

/** What was compiled, and what was left out of it. */
export interface CompiledNames {
  readonly lending: LendingCatalogue;
  /** Faults of the records that were left out; empty when all are in. */
  readonly faults: readonly CatalogueFault[];
}

/**
 * Compiles the names of these records with the built-in ones. A record with a fault is left out, and with it those that
 * need it, so that one mistake on the log takes only its own name away. `source` has to tell the records apart.
 */
export function compileNames(
  records: readonly CatalogueRecord[],
  otherCalendars?: OtherCalendars,
): CompiledNames {
  const faults: CatalogueFault[] = [];
  let left = records;
  for (;;) {
    const outcome = createLendingCatalogue(
      {
        scheduleTypes: entriesOfKind(left, 'schedule-type'),
        periodicities: entriesOfKind(left, 'periodicity'),
        calendars: entriesOfKind(left, 'calendar'),
      },
      otherCalendars,
    );
    if (outcome.kind === 'catalogue') return { lending: outcome.catalogue, faults };
    faults.push(...outcome.faults);
    const wrong = new Set(outcome.faults.map(({ source }) => source));
    const right = left.filter(({ source }) => !wrong.has(source));
    left = right.length < left.length ? right : [];
  }
}
