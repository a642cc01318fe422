/** Built-in schedule types (S4). Their ids are fixed and published (S7). */

import { formatActivationFault } from './activation-checks.ts';
import { compileScheduleType } from './compile-schedule-type.ts';
import type { CompiledScheduleType } from './compiled-schedule-type.ts';
import type { ScheduleTypeRecord } from './schedule-type-record.ts';
import type { ScheduleType } from './schedule-type.ts';
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

/**
 * The records of all built-in types, in the order in which messages list them; a template for records of a catalogue.
 */
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

/** All built-in types, compiled. */
export const COMPILED_BUILT_IN_SCHEDULE_TYPES: readonly CompiledScheduleType[] =
  BUILT_IN_SCHEDULE_TYPE_RECORDS.map(compileBuiltIn);

/** All built-in types. */
export const BUILT_IN_SCHEDULE_TYPES: readonly ScheduleType[] = COMPILED_BUILT_IN_SCHEDULE_TYPES.map(
  ({ type }) => type,
);

/** Compiles a built-in record. Throws if the record has a fault, which is a bug of this project. */
function compileBuiltIn(record: ScheduleTypeRecord): CompiledScheduleType {
  const outcome = compileScheduleType(record);
  if (outcome.kind === 'schedule-type') return outcome.compiled;
  const faults = outcome.faults.map(formatActivationFault).join('; ');
  throw new Error(`built-in schedule type ${record.PaymentScheduleTypeName}: ${faults}`);
}
