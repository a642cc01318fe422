/**
 * Schedule types of a catalogue beside the built-in ones (S1, S4). Active records are compiled; a Draft or VersionDraft
 * may still be faulty and has no effect. An Active record with the name or the id of a built-in type takes its place, a
 * Closed one switches it off.
 */

import { activationMessage } from './activation-checks.ts';
import { checkIdentity } from './activation-settings.ts';
import {
  BUILT_IN_SCHEDULE_TYPE_RECORDS,
  COMPILED_BUILT_IN_SCHEDULE_TYPES,
} from './built-in-schedule-types.ts';
import { type CatalogueEntry, type CatalogueFault, isTold } from './catalogue-entry.ts';
import { compileScheduleType } from './compile-schedule-type.ts';
import type { CompiledScheduleType } from './compiled-schedule-type.ts';
import type { ActivationFault, ScheduleTypeRecord } from './schedule-type-record.ts';
import { SCHEDULE_TYPE_STATUSES, type ScheduleTypeStatus } from './schedule-type.ts';

/** The schedule types of a catalogue. */
export interface CatalogueScheduleTypes {
  /** Types that calculate, built-in ones first. */
  readonly scheduleTypes: readonly CompiledScheduleType[];
  /** All records, those that do not calculate included; a built-in type that was replaced is left out. */
  readonly scheduleTypeRecords: readonly ScheduleTypeRecord[];
}

/** The schedule types of a catalogue; reports every record that is wrong or in the way of another. */
export function catalogueScheduleTypes(
  entries: readonly CatalogueEntry<ScheduleTypeRecord>[],
  faults: CatalogueFault[],
): CatalogueScheduleTypes {
  const acting = entries.filter(({ record }) => ['Active', 'Closed'].includes(statusOf(record) ?? ''));
  const isReplaced = (builtIn: ScheduleTypeRecord): boolean =>
    acting.some(({ record }) => replaces(record, builtIn));
  const builtIn = BUILT_IN_SCHEDULE_TYPE_RECORDS.filter((record) => !isReplaced(record));
  const names = new TakenNames(builtIn);
  const compiled: CompiledScheduleType[] = [];
  for (const entry of entries) {
    const { source, record } = entry;
    const found = faultsAlone(record, compiled);
    if (statusOf(record) === 'Active') found.push(...names.take(record));
    if (BUILT_IN_SCHEDULE_TYPE_RECORDS.filter((known) => replaces(record, known)).length > 1) {
      found.push({
        message: 'PaymentScheduleTypeId and PaymentScheduleTypeName belong to two built-in types',
      });
    }
    const recordName = record.PaymentScheduleTypeName;
    const messages = found.map(activationMessage).filter((message) => isTold(entry, message));
    faults.push(...messages.map((message) => ({ source, record: recordName, message })));
  }
  const kept = new Set(builtIn.map(({ PaymentScheduleTypeId }) => PaymentScheduleTypeId));
  return {
    scheduleTypes: [...COMPILED_BUILT_IN_SCHEDULE_TYPES.filter(({ type }) => kept.has(type.id)), ...compiled],
    scheduleTypeRecords: [...builtIn, ...entries.map(({ record }) => record)],
  };
}

/** Checks a record by itself and compiles it when it is Active. */
function faultsAlone(record: ScheduleTypeRecord, compiled: CompiledScheduleType[]): ActivationFault[] {
  const status = statusOf(record);
  if (status === 'Active') {
    const outcome = compileScheduleType(record);
    if (outcome.kind === 'refused') return [...outcome.faults];
    compiled.push(outcome.compiled);
    return [];
  }
  const faults: ActivationFault[] = [];
  checkIdentity(record, faults);
  if (status === undefined) {
    faults.push({ message: `Status must be one of ${SCHEDULE_TYPE_STATUSES.join(', ')}` });
  }
  return faults;
}

function statusOf(record: ScheduleTypeRecord): ScheduleTypeStatus | undefined {
  const wanted = record.Status.trim().toLowerCase();
  return SCHEDULE_TYPE_STATUSES.find((known) => known.toLowerCase() === wanted);
}

function replaces(record: ScheduleTypeRecord, builtIn: ScheduleTypeRecord): boolean {
  return (
    keyOf(record.PaymentScheduleTypeName) === keyOf(builtIn.PaymentScheduleTypeName) ||
    keyOf(record.PaymentScheduleTypeId) === keyOf(builtIn.PaymentScheduleTypeId)
  );
}

function keyOf(text: string): string {
  return text.trim().toLowerCase();
}

/** Names, codes and ids of the types that calculate: a request must mean one of them. */
class TakenNames {
  readonly #ownerByKey = new Map<string, string>();

  constructor(records: readonly ScheduleTypeRecord[]) {
    for (const record of records) this.take(record);
  }

  /** Takes the names of a record, and answers which of them belong to another. */
  take(record: ScheduleTypeRecord): ActivationFault[] {
    const faults: ActivationFault[] = [];
    const own = new Set<string>();
    for (const member of [
      'PaymentScheduleTypeId',
      'PaymentScheduleCode',
      'PaymentScheduleTypeName',
    ] as const) {
      const key = keyOf(record[member]);
      const owner = this.#ownerByKey.get(key);
      if (owner !== undefined && !own.has(key)) {
        faults.push({ message: `${member} must differ: ${record[member].trim()} belongs to ${owner}` });
      }
      own.add(key);
      if (owner === undefined) this.#ownerByKey.set(key, record.PaymentScheduleTypeName.trim());
    }
    return faults;
  }
}
