/** Compares the engine with the slow reference and records where they differ, for manual review. */

import { calculateRepaymentSchedule } from '../../../shared/lending/calculate-repayment-schedule.ts';
import { formatCalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
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
import type { CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';

/** What the engine knows besides the request. */
const ENGINE_CONTEXT = { requestDay: REFERENCE_DAY as CalendarDate, calendars: FAKE_CALENDARS };
/** The engine's answer. */
export function engineOf(request: RepaymentScheduleRequest): ScheduleOutcome {
  return calculateRepaymentSchedule(request, ENGINE_CONTEXT);
}

/** The reference's answer. */
function slowlyOf(request: RepaymentScheduleRequest): ReferenceOutcome {
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

/** A request as text that a person can read and send again; dates are written out. */
export function requestText(request: RepaymentScheduleRequest): string {
  return JSON.stringify(request, datesWrittenOut);
}

function datesWrittenOut(name: string, value: unknown): unknown {
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
    if (wanted !== undefined && wanted !== rate) return `${name} ${rate}, by the reference ${wanted}`;
  }
  return undefined;
}

/** How the two answers differ, in a few words; undefined when they agree. Rates are compared only when asked. */
export function difference(
  request: RepaymentScheduleRequest,
  withRates = false,
  engine: ScheduleOutcome = engineOf(request),
): string | undefined {
  const slow = slowlyOf(request);
  if (engine.kind === 'refused' || slow.kind === 'refused') {
    if (engine.kind === slow.kind) return undefined;
    return engine.kind === 'refused'
      ? `engine refuses ${engine.faults.map((fault) => `${fault.path} ${fault.code}`).join(', ')}`
      : `reference refuses: ${slow.kind === 'refused' ? slow.reason : ''}`;
  }
  const rows = engine.rows.map(plainRow);
  if (rows.length !== slow.rows.length) return `${rows.length} rows, by the reference ${slow.rows.length}`;
  for (const [index, row] of rows.entries()) {
    const expected = slow.rows[index];
    const names = Object.keys(row) as (keyof ReferenceRow)[];
    const name = names.find((one) => !Object.is(row[one], expected?.[one]));
    if (name !== undefined)
      return `row ${index + 1} ${name} ${String(row[name])}, by the reference ${expected?.[name]}`;
  }
  return withRates ? rateDifference(engine, slow) : undefined;
}

/** The request without the members and items that a difference does not need. */
function smallestDifferent(
  request: RepaymentScheduleRequest,
  differs: (request: RepaymentScheduleRequest) => boolean,
): RepaymentScheduleRequest {
  let smallest = request;
  for (const name of Object.keys(request) as (keyof RepaymentScheduleRequest)[]) {
    const without = { ...smallest, [name]: undefined };
    if (canBeLeftOut(name) && smallest[name] !== undefined && differs(without)) smallest = without;
  }
  for (const list of ['Commission', 'Insurance', 'EarlyRepayments'] as const) {
    for (let index = (smallest[list]?.length ?? 0) - 1; index >= 0; index -= 1) {
      const without = { ...smallest, [list]: smallest[list]?.filter((_, at) => at !== index) };
      if (differs(without)) smallest = without;
    }
  }
  return smallest;
}

function canBeLeftOut(name: keyof RepaymentScheduleRequest): boolean {
  const needed = [
    'ScheduleType',
    'Amount',
    'InstallmentsNo',
    'PeriodicityType',
    'InstallmentDay',
    'InterestPercent',
  ];
  return !needed.includes(name);
}

/** A difference without its figures. */
function kindOfDifference(text: string | undefined): string | undefined {
  return text?.replaceAll(/-?\d+(?:\.\d+)?/g, '#');
}

/** Everything that a person needs to judge a difference: the smallest request with it, and both tables. */
export function differenceReport(request: RepaymentScheduleRequest, withRates = false): string {
  const kind = kindOfDifference(difference(request, withRates));
  const hasKind = (smaller: RepaymentScheduleRequest) =>
    kindOfDifference(difference(smaller, withRates)) === kind;
  const smallest = kind === undefined ? request : smallestDifferent(request, hasKind);
  const engine = engineOf(smallest);
  const slow = slowlyOf(smallest);
  return [
    difference(smallest, withRates),
    requestText(smallest),
    `engine ${engine.kind}`,
    engine.kind === 'schedule' ? table(engine.rows.map(plainRow)) : JSON.stringify(engine.faults),
    `reference ${slow.kind}`,
    slow.kind === 'schedule' ? table(slow.rows) : slow.reason,
  ].join('\n');
}
