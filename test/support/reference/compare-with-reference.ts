/** Compares the engine with the reference implementation, and describes differences for manual review. */

import { calculateRepaymentSchedule } from '../../../shared/lending/calculate-repayment-schedule.ts';
import { formatCalendarDate, type CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import {
  INSTALLMENT_TYPE_IDS,
  type ScheduleOutcome,
  type ScheduleRow,
} from '../../../shared/lending/request/repayment-schedule.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import { FAKE_CALENDARS } from '../fakes/calendars.ts';
import { REFERENCE_CONTEXT } from '../random/terms.ts';
import { REFERENCE_DAY } from './loan.ts';
import {
  referenceDae,
  referenceEir,
  referenceSchedule,
  type ReferenceKind,
  type ReferenceOutcome,
  type ReferenceRow,
} from './schedule.ts';

const ENGINE_CONTEXT = { requestDay: REFERENCE_DAY as CalendarDate, calendars: FAKE_CALENDARS };
export function engineOf(request: RepaymentScheduleRequest): ScheduleOutcome {
  return calculateRepaymentSchedule(request, ENGINE_CONTEXT);
}

function referenceOf(request: RepaymentScheduleRequest): ReferenceOutcome {
  return referenceSchedule(request, REFERENCE_CONTEXT);
}

function kindOf(id: string): ReferenceKind | undefined {
  const names = Object.keys(INSTALLMENT_TYPE_IDS) as ReferenceKind[];
  return names.find((name) => INSTALLMENT_TYPE_IDS[name] === id);
}

function plainRow(row: ScheduleRow): Readonly<Record<keyof ReferenceRow, unknown>> {
  return {
    InstallmentNo: row.InstallmentNo,
    dueDate: row.dueDate,
    noDays: row.noDays,
    kind: kindOf(row.installmentTypeId),
    remainingValue: row.remainingValue,
    pmt: row.pmt,
    interest: row.interest,
    principal: row.principal,
    managementFee: row.managementFee,
    insurance: row.insurance ?? 0,
    totalInstallment: row.totalInstallment,
    capitalisedInterest: row.capitalisedInterest ?? 0,
  };
}

function table(rows: readonly Readonly<Record<keyof ReferenceRow, unknown>>[]): string {
  return rows
    .map((row) =>
      Object.entries(row)
        .map(([name, value]) =>
          name === 'dueDate' ? formatCalendarDate(value as CalendarDate) : String(value),
        )
        .join('\t'),
    )
    .join('\n');
}

/** A request as JSON with readable dates, which can be sent again. */
export function requestText(request: RepaymentScheduleRequest): string {
  return JSON.stringify(request, formatDates);
}

function formatDates(name: string, value: unknown): unknown {
  return /Date|ExpiryDateForOD/.test(name) && typeof value === 'number'
    ? formatCalendarDate(value as CalendarDate)
    : value;
}

function rateDifference(
  engine: ScheduleOutcome & { kind: 'schedule' },
  slow: ReferenceOutcome,
): string | undefined {
  if (slow.kind === 'refused') return undefined;
  const pairs = [
    ['dae', engine.dae, () => referenceDae(slow)],
    ['eir', engine.eir, () => referenceEir(slow)],
  ] as const;
  for (const [name, rate, expected] of pairs) {
    const wanted = rate === undefined ? undefined : expected();
    if (wanted !== undefined && wanted !== rate) return `${name} ${rate}; the reference has ${wanted}`;
  }
  return undefined;
}

/** How the two schedules differ; undefined if they are equal. Rates are compared only if `withRates` is true. */
export function difference(
  request: RepaymentScheduleRequest,
  withRates = false,
  engine: ScheduleOutcome = engineOf(request),
): string | undefined {
  const slow = referenceOf(request);
  if (engine.kind === 'refused' || slow.kind === 'refused') {
    if (engine.kind === slow.kind) return undefined;
    return engine.kind === 'refused'
      ? `engine refuses ${engine.faults.map((fault) => `${fault.path} ${fault.code}`).join(', ')}`
      : `reference refuses: ${slow.kind === 'refused' ? slow.reason : ''}`;
  }
  const rows = engine.rows.map(plainRow);
  if (rows.length !== slow.rows.length) return `${rows.length} rows; the reference has ${slow.rows.length}`;
  for (const [index, row] of rows.entries()) {
    const expected = slow.rows[index];
    const names = Object.keys(row) as (keyof ReferenceRow)[];
    const name = names.find((one) => !Object.is(row[one], expected?.[one]));
    if (name !== undefined)
      return `row ${index + 1} ${name} ${String(row[name])}; the reference has ${expected?.[name]}`;
  }
  return withRates ? rateDifference(engine, slow) : undefined;
}

/** A report for manual review: the difference, the request, and both tables. */
export function differenceReport(request: RepaymentScheduleRequest, withRates = false): string {
  const engine = engineOf(request);
  const slow = referenceOf(request);
  return [
    difference(request, withRates),
    requestText(request),
    `engine ${engine.kind}`,
    engine.kind === 'schedule' ? table(engine.rows.map(plainRow)) : JSON.stringify(engine.faults),
    `reference ${slow.kind}`,
    slow.kind === 'schedule' ? table(slow.rows) : slow.reason,
  ].join('\n');
}
