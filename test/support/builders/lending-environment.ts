import { findCalendar } from '../../../shared/lending/calendars/find-calendar.ts';
import { BUILT_IN_CATALOGUE } from '../../../shared/lending/schedule-types/schedule-catalogue.ts';
import type { LendingEnvironment } from '../../../shared/product/storage/lending-environment.ts';

/** The built-in schedule types, periodicities and calendars; no default calendar. */
export const BUILT_IN_ENVIRONMENT: LendingEnvironment = {
  catalogue: BUILT_IN_CATALOGUE,
  calendars: { find: (name) => findCalendar(name, {}) },
};
