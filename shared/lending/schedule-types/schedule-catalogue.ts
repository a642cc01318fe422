/** The names known to a calculation: schedule types, periodicities, commissions (S1, D7, F1). */

import { COMPILED_BUILT_IN_SCHEDULE_TYPES } from './built-in-schedule-types.ts';
import type { CompiledScheduleType } from './compiled-schedule-type.ts';
import type { KnownCharges } from './known-charges.ts';
import { BUILT_IN_PERIODICITIES, type Periodicity } from '../dates/periodicity.ts';

/** The names that requests can use. */
export interface ScheduleCatalogue {
  /** Active schedule types, in the order in which messages list them. */
  readonly scheduleTypes: readonly CompiledScheduleType[];
  /** The Active schedule type with that name or code, ignoring case (S1). */
  findScheduleType(name: string): CompiledScheduleType | undefined;
  readonly periodicities: readonly Periodicity[];
  /** Commissions and insurances; undefined: every name is accepted, without defaults (F1, S6). */
  readonly knownCharges?: KnownCharges | undefined;
}

/** The built-in names (S4, D7). */
export const BUILT_IN_CATALOGUE: ScheduleCatalogue = createScheduleCatalogue(
  COMPILED_BUILT_IN_SCHEDULE_TYPES,
  BUILT_IN_PERIODICITIES,
);

/** A catalogue of these types, all of them Active, and these periodicities. */
export function createScheduleCatalogue(
  scheduleTypes: readonly CompiledScheduleType[],
  periodicities: readonly Periodicity[],
): ScheduleCatalogue {
  const byName = new Map<string, CompiledScheduleType>();
  for (const compiled of scheduleTypes) byName.set(compiled.type.code.toLowerCase(), compiled);
  for (const compiled of scheduleTypes) byName.set(compiled.type.name.toLowerCase(), compiled);
  return {
    scheduleTypes,
    findScheduleType: (name) => byName.get(name.trim().toLowerCase()),
    periodicities,
  };
}
