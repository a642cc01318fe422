/** Compares the engine with the reference implementation. */

import { calculateRepaymentSchedule } from '../../../shared/lending/calculate-repayment-schedule.ts';
import { formatCalendarDate, type CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import {
  INSTALLMENT_TYPE_IDS,
  type ScheduleOutcome,
  type ScheduleRow,
} from '../../../shared/lending/request/repayment-schedule.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import { REQUEST_DAY } from '../builders/lending-loan.ts';
import { FAKE_CALENDARS } from '../fakes/calendars.ts';
import { REFERENCE_CONTEXT } from '../random/terms.ts';
import {
  referenceDae,
  referenceEir,
  referenceSchedule,
  ROW_FIGURES,
  type ReferenceKind,
  type ReferenceOutcome,
  type ReferenceRow,
} from './schedule.ts';

const ENGINE_CONTEXT = { requestDay: REQUEST_DAY, calendars: FAKE_CALENDARS };
export function engineOf(request: RepaymentScheduleRequest): ScheduleOutcome {
  return calculateRepaymentSchedule(request, ENGINE_CONTEXT);
}

function kindOf(id: string): ReferenceKind | undefined {
  const names = Object.keys(INSTALLMENT_TYPE_IDS) as ReferenceKind[];
  return names.find((name) => INSTALLMENT_TYPE_IDS[name] === id);
}

/** The first figure of a row that differs from the reference. */
function figureDifference(row: ScheduleRow, expected: ReferenceRow): string | undefined {
  const kind = kindOf(row.installmentTypeId);
  if (kind !== expected.kind) return `kind ${kind}; the reference has ${expected.kind}`;
  const name = ROW_FIGURES.find((one) => !Object.is(row[one] ?? 0, expected[one]));
  return name && `${name} ${row[name]}; the reference has ${expected[name]}`;
}

/** A request as JSON with readable dates, which can be sent again. */
export function requestText(request: RepaymentScheduleRequest): string {
  return JSON.stringify(request, (name, value: unknown) => {
    if (name === 'DueDates') return (value as CalendarDate[]).map(formatCalendarDate);
    const isDate = /Date|ExpiryDateForOD/.test(name) && typeof value === 'number';
    return isDate ? formatCalendarDate(value as CalendarDate) : value;
  });
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
  const slow = referenceSchedule(request, REFERENCE_CONTEXT);
  if (engine.kind === 'refused' || slow.kind === 'refused') {
    if (engine.kind === slow.kind) return undefined;
    return engine.kind === 'refused'
      ? `engine refuses ${engine.faults.map((fault) => `${fault.path} ${fault.code}`).join(', ')}`
      : `reference refuses: ${slow.kind === 'refused' ? slow.reason : ''}`;
  }
  const { rows } = engine;
  if (rows.length !== slow.rows.length) return `${rows.length} rows; the reference has ${slow.rows.length}`;
  for (const [index, expected] of slow.rows.entries()) {
    const wrong = figureDifference(rows[index]!, expected);
    if (wrong !== undefined) return `row ${index + 1} ${wrong}`;
  }
  return withRates ? rateDifference(engine, slow) : undefined;
}
