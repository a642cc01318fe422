/** What an institution adds: schedule types (S1), periodicities (D7), calendars (H2). Any fault refuses them all. */

import type { OtherCalendars } from '../calendars/business-calendar.ts';
import { readCatalogueCalendars, type CalendarRecord } from '../calendars/catalogue-calendars.ts';
import { BUILT_IN_PERIODICITIES, findPeriodicity, type Periodicity } from '../dates/periodicity.ts';
import { checkIdentity, formatActivationFault } from './activation-checks.ts';
import {
  BUILT_IN_SCHEDULE_TYPE_RECORDS,
  COMPILED_BUILT_IN_SCHEDULE_TYPES,
  createScheduleCatalogue,
  type ScheduleCatalogue,
} from './schedule-catalogue.ts';
import { compileScheduleType } from './compile-schedule-type.ts';
import {
  SCHEDULE_TYPE_STATUSES,
  type CompiledScheduleType,
  type ScheduleTypeStatus,
} from './schedule-type.ts';
import { findName } from '../request/field-checks.ts';
import type { ActivationFault, ScheduleTypeRecord } from './schedule-type-record.ts';

export interface CatalogueRecords {
  readonly scheduleTypes?: readonly CatalogueEntry<ScheduleTypeRecord>[];
  readonly periodicities?: readonly CatalogueEntry<PeriodicityRecord>[];
  readonly calendars?: readonly CatalogueEntry<CalendarRecord>[];
}

export interface LendingCatalogue extends ScheduleCatalogue {
  /** All schedule type records, including inactive ones; a replaced built-in type is left out. */
  readonly scheduleTypeRecords: readonly ScheduleTypeRecord[];
  /** The records of the catalogue: plain data, from which another thread creates the same catalogue. */
  readonly records: CatalogueRecords;
  /** Only the catalogue's own calendars; `findCalendar` knows the built-in ones. */
  readonly calendars: OtherCalendars;
}

type CatalogueOutcome =
  | { readonly kind: 'catalogue'; readonly catalogue: LendingCatalogue }
  | { readonly kind: 'refused'; readonly faults: readonly CatalogueFault[] };

/** Reports faulty records and never throws for them. Records may extend countries that `otherCalendars` finds. */
export function createLendingCatalogue(
  records: CatalogueRecords,
  otherCalendars?: OtherCalendars,
): CatalogueOutcome {
  const faults: CatalogueFault[] = [];
  const { scheduleTypes, scheduleTypeRecords } = readScheduleTypes(records.scheduleTypes ?? [], faults);
  const periodicities = readPeriodicities(records.periodicities ?? [], faults);
  const calendars = readCalendars(records.calendars ?? [], otherCalendars, faults);
  if (faults.length > 0) return { kind: 'refused', faults };
  const names = createScheduleCatalogue(scheduleTypes, periodicities);
  return { kind: 'catalogue', catalogue: { ...names, records, scheduleTypeRecords, calendars } };
}

function readCalendars(
  entries: readonly CatalogueEntry<CalendarRecord>[],
  otherCalendars: OtherCalendars | undefined,
  faults: CatalogueFault[],
): OtherCalendars {
  const calendars = readCatalogueCalendars(
    entries.map(({ record }) => record),
    otherCalendars,
  );
  for (const { path, message } of calendars.faults) {
    const [, place = '0', field = ''] = /^\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
    const entry = entries[Number(place)];
    if (entry === undefined) continue;
    const text = field === '' ? message : `${field} ${message}`;
    faults.push({ source: entry.source, record: entry.record.name, message: text });
  }
  return calendars;
}

// Schedule types of a catalogue in addition to the built-in ones (S1, S4). Active records are compiled; a Draft or
// VersionDraft may still be faulty and has no effect. An Active record with the name or the id of a built-in type
// replaces it; a Closed one disables it.

function readScheduleTypes(entries: readonly CatalogueEntry<ScheduleTypeRecord>[], faults: CatalogueFault[]) {
  const acting = entries.filter(({ record }) => ['Active', 'Closed'].includes(readStatus(record) ?? ''));
  const isReplaced = (builtIn: ScheduleTypeRecord): boolean =>
    acting.some(({ record }) => replaces(record, builtIn));
  const builtIn = BUILT_IN_SCHEDULE_TYPE_RECORDS.filter((record) => !isReplaced(record));
  const names = new TakenNames(builtIn);
  const compiled: CompiledScheduleType[] = [];
  for (const entry of entries) {
    const { source, record } = entry;
    const found = checkRecord(record, compiled);
    if (readStatus(record) === 'Active') found.push(...names.take(record));
    if (BUILT_IN_SCHEDULE_TYPE_RECORDS.filter((known) => replaces(record, known)).length > 1) {
      const message = 'PaymentScheduleTypeId and PaymentScheduleTypeName belong to two built-in types';
      found.push({ message });
    }
    const recordName = record.PaymentScheduleTypeName;
    const messages = found.map(formatActivationFault);
    faults.push(...messages.map((message) => ({ source, record: recordName, message })));
  }
  const kept = new Set(builtIn.map(({ PaymentScheduleTypeId }) => PaymentScheduleTypeId));
  return {
    scheduleTypes: [...COMPILED_BUILT_IN_SCHEDULE_TYPES.filter(({ type }) => kept.has(type.id)), ...compiled],
    scheduleTypeRecords: [...builtIn, ...entries.map(({ record }) => record)],
  };
}

function checkRecord(record: ScheduleTypeRecord, compiled: CompiledScheduleType[]): ActivationFault[] {
  const status = readStatus(record);
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

function readStatus(record: ScheduleTypeRecord): ScheduleTypeStatus | undefined {
  return findName(SCHEDULE_TYPE_STATUSES, record.Status);
}

function replaces(record: ScheduleTypeRecord, builtIn: ScheduleTypeRecord): boolean {
  return (
    normalizeName(record.PaymentScheduleTypeName) === normalizeName(builtIn.PaymentScheduleTypeName) ||
    normalizeName(record.PaymentScheduleTypeId) === normalizeName(builtIn.PaymentScheduleTypeId)
  );
}

function normalizeName(text: string): string {
  return text.trim().toLowerCase();
}

const NAME_FIELDS = ['PaymentScheduleTypeId', 'PaymentScheduleCode', 'PaymentScheduleTypeName'] as const;

class TakenNames {
  readonly #ownerByKey = new Map<string, string>();

  constructor(records: readonly ScheduleTypeRecord[]) {
    for (const record of records) this.take(record);
  }

  /** Reserves the id, code and name of a record, and returns a fault for each that belongs to another record. */
  take(record: ScheduleTypeRecord): ActivationFault[] {
    const faults: ActivationFault[] = [];
    const own = new Set<string>();
    for (const field of NAME_FIELDS) {
      const key = normalizeName(record[field]);
      const owner = this.#ownerByKey.get(key);
      if (owner !== undefined && !own.has(key)) {
        faults.push({ message: `${field} must differ: ${record[field].trim()} belongs to ${owner}` });
      }
      own.add(key);
      if (owner === undefined) this.#ownerByKey.set(key, record.PaymentScheduleTypeName.trim());
    }
    return faults;
  }
}

export interface PeriodicityRecord {
  readonly name: string;
  /** Units from one due date to the next, 1 to 1200; absent, null or 0 with Once. */
  readonly count?: number | null | undefined;
  readonly unit: string;
}

const UNITS: readonly Periodicity['unit'][] = ['Days', 'Weeks', 'Months', 'Years', 'Once'];
const MAX_PERIOD_COUNT = 1200;
const MAX_NAME_LENGTH = 200;

function readPeriodicities(
  entries: readonly CatalogueEntry<PeriodicityRecord>[],
  faults: CatalogueFault[],
): readonly Periodicity[] {
  const known = [...BUILT_IN_PERIODICITIES];
  for (const entry of entries) {
    const { source, record } = entry;
    const report = (message: string): void => {
      faults.push({ source, record: record.name, message });
    };
    const periodicity = readPeriodicity(record, report);
    const isTaken = findPeriodicity(record.name, known) !== undefined;
    if (isTaken) report('must have another name: this one is built in or used by another record');
    if (periodicity !== undefined && !isTaken) known.push(periodicity);
  }
  return known;
}

function readPeriodicity(
  record: PeriodicityRecord,
  report: (message: string) => void,
): Periodicity | undefined {
  const name = record.name.trim();
  const isNamed = name.length > 0 && name.length <= MAX_NAME_LENGTH;
  if (!isNamed) report(`name must have from 1 to ${MAX_NAME_LENGTH} characters`);
  const unit = findName(UNITS, record.unit);
  if (unit === undefined) report(`unit must be one of ${UNITS.join(', ')}`);
  const count = record.count ?? 0;
  const isOnce = unit === 'Once';
  const isCounted = isOnce ? count === 0 : Number.isInteger(count) && count >= 1 && count <= MAX_PERIOD_COUNT;
  if (!isCounted) {
    report(
      isOnce
        ? 'count must be left out with Once'
        : `count must be a whole number from 1 to ${MAX_PERIOD_COUNT}`,
    );
  }
  return isNamed && unit !== undefined && isCounted ? { name, count, unit } : undefined;
}

/** A record and its file or other source. */
export interface CatalogueEntry<RecordKind> {
  readonly source: string;
  readonly record: RecordKind;
}

export interface CatalogueFault {
  readonly source: string;
  /** Name of the record as spelled in the source. */
  readonly record: string;
  readonly message: string;
}
