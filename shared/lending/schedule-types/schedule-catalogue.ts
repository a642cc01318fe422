/** The names known to a calculation: schedule types, periodicities, charges (S1, D7, F1). */

import balloon from './built-in/balloon.json' with { type: 'json' };
import creditCard from './built-in/credit-card.json' with { type: 'json' };
import deposit from './built-in/deposit.json' with { type: 'json' };
import effectiveRate from './built-in/effective-rate.json' with { type: 'json' };
import equalInstallments from './built-in/equal-installments.json' with { type: 'json' };
import equalPrincipal from './built-in/equal-principal.json' with { type: 'json' };
import interestOnly from './built-in/interest-only.json' with { type: 'json' };
import leasing from './built-in/leasing.json' with { type: 'json' };
import once from './built-in/once.json' with { type: 'json' };
import overdraft from './built-in/overdraft.json' with { type: 'json' };
import type { CompiledScheduleType, ScheduleType } from './schedule-type.ts';
import type { KnownCharges } from './known-charges.ts';
import { BUILT_IN_PERIODICITIES, type Periodicity } from '../dates/periodicity.ts';
import { formatActivationFault } from './activation-checks.ts';
import { compileScheduleType } from './compile-schedule-type.ts';
import type { ScheduleTypeRecord } from './schedule-type-record.ts';

export interface ScheduleCatalogue {
  /** Active schedule types, in the order in which messages list them. */
  readonly scheduleTypes: readonly CompiledScheduleType[];
  /** The Active schedule type with that name or code, ignoring case (S1). */
  findScheduleType(name: string): CompiledScheduleType | undefined;
  readonly periodicities: readonly Periodicity[];
  /** Commissions and insurances. If undefined, every name is accepted and has no defaults (F1, S6). */
  readonly knownCharges?: KnownCharges | undefined;
}

/** In the order in which messages list the types (S4). */
export const BUILT_IN_SCHEDULE_TYPE_RECORDS: readonly ScheduleTypeRecord[] = [
  equalInstallments,
  equalPrincipal,
  interestOnly,
  balloon,
  effectiveRate,
  once,
  overdraft,
  deposit,
  creditCard,
  leasing,
];

export const COMPILED_BUILT_IN_SCHEDULE_TYPES: readonly CompiledScheduleType[] =
  BUILT_IN_SCHEDULE_TYPE_RECORDS.map(compileBuiltIn);

export const BUILT_IN_SCHEDULE_TYPES: readonly ScheduleType[] = COMPILED_BUILT_IN_SCHEDULE_TYPES.map(
  ({ type }) => type,
);

/** Throws if the record has a fault, which is a bug of this project. */
function compileBuiltIn(record: ScheduleTypeRecord): CompiledScheduleType {
  const outcome = compileScheduleType(record);
  if (outcome.kind === 'schedule-type') return outcome.compiled;
  const faults = outcome.faults.map(formatActivationFault).join('; ');
  throw new Error(`built-in schedule type ${record.PaymentScheduleTypeName}: ${faults}`);
}

export const BUILT_IN_CATALOGUE: ScheduleCatalogue = createScheduleCatalogue(
  COMPILED_BUILT_IN_SCHEDULE_TYPES,
  BUILT_IN_PERIODICITIES,
);

/** `scheduleTypes` must be Active. A name takes precedence over an equal code. */
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
