import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { toCalendarDate, type CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import { formatCalendar } from '../../../shared/messaging/header-text.ts';
import { createCalculations } from '../../../workers/schedule/schedule-calculations.ts';
import { BUILT_IN_ENVIRONMENT } from '../../support/builders/lending-environment.ts';
import { loan } from '../../support/builders/lending-loan.ts';

const DAY_MS = 86_400_000;
const SCHEDULE = createCalculations(BUILT_IN_ENVIRONMENT)['CalculateRepaymentScheduleRequest']!;
const answer = (changes: Partial<RepaymentScheduleRequest>, originTimestampMs = 0) =>
  SCHEDULE.answer(loan(changes), originTimestampMs);

describe('outcome of a schedule request', () => {
  it('contains the holiday calendar that was applied (H2)', () => {
    const shifted = { HolidayShift: true, HolidayCountry: 'Romania', HolidayMethod: 'Forward' } as const;
    expect(answer(shifted)).toMatchObject({
      kind: 'done',
      reply: {
        type: 'CalculateRepaymentScheduleReply',
        holidayCalendar: expect.stringMatching(/^RO;version=/) as string,
      },
    });
    expect(answer({})).toMatchObject({ kind: 'done' });
    expect(JSON.stringify(answer({}))).not.toContain('holidayCalendar');
  });

  it('contains the day from which the schedule counts, whatever the day of the request (D2, E7)', () => {
    const start = toCalendarDate(2026, 5, 15);
    for (const requestMs of [0, 20_000 * DAY_MS]) {
      expect(answer({ ActivationDate: start }, requestMs)).toMatchObject({
        reply: { sources: { day: '2026-05-15' } },
      });
    }
    expect(answer({ ActivationDate: undefined, FirstDueDate: undefined }, 20_000 * DAY_MS)).toMatchObject({
      reply: { sources: { day: '2024-10-04' } },
    });
  });

  it('reports ignored fields in the payload and the warnings header, by their path in the body (E3)', () => {
    const outcome = answer({ HolidayMethod: 'Forward' });
    expect(outcome).toMatchObject({
      kind: 'done',
      reply: { warnings: expect.stringMatching(/;jsonParam\.HolidayMethod$/) as string },
    });
    expect(outcome).toMatchObject({
      reply: { payload: { warnings: [{ path: 'jsonParam.HolidayMethod' }] } },
    });
  });

  it('is a refusal with all faults (E1)', () => {
    expect(answer({ ScheduleType: 'None such' })).toMatchObject({
      kind: 'refused',
      problem: { errors: [{ path: 'jsonParam.ScheduleType' }] },
    });
  });

  it('lists a hundred faults at most', () => {
    const Date = 0 as CalendarDate;
    const EarlyRepayments = Array.from({ length: 1_200 }, () => ({ Date, Amount: new Decimal(1) }));
    const outcome = answer({ EarlyRepayments });
    if (outcome.kind !== 'refused') throw new Error(outcome.kind);
    expect(outcome.problem.errors).toHaveLength(100);
    expect(outcome.problem.errors?.at(-1)).toMatchObject({ code: 'more-faults' });
  });

  it('starts the schedule on the UTC day of the message when the request has no dates (D2)', () => {
    const { ActivationDate: _, ...undated } = loan();
    const outcome = SCHEDULE.answer(undated, 20_000 * DAY_MS + DAY_MS - 1);
    expect(outcome).toEqual(SCHEDULE.answer(undated, 20_000 * DAY_MS));
    expect(outcome).not.toEqual(SCHEDULE.answer(undated, 20_001 * DAY_MS));
  });
});

it('counts a number of instalments that is refused like the largest that is not', () => {
  const most = SCHEDULE.units(loan({ InstallmentsNo: 1_200 }));
  expect(SCHEDULE.units(loan({ InstallmentsNo: 2_000_000_000 }))).toBe(most);
  expect(answer({ InstallmentsNo: 2_000_000_000 })).toMatchObject({
    problem: { errors: [{ path: 'jsonParam.InstallmentsNo', code: 'out-of-range' }] },
  });
});

it('counts no work for a payment, and that of a schedule by its instalments', () => {
  const { CalculatePMTRequest: payment } = createCalculations(BUILT_IN_ENVIRONMENT);
  expect(payment?.units({})).toBe(0);
  expect(SCHEDULE.units(loan({ InstallmentsNo: 24 }))).toBe(2 * SCHEDULE.units(loan({ InstallmentsNo: 12 })));
});

it.each([
  ['RO', '2026.1', 'RO;version=2026.1'],
  ['RO+TARGET', '2026.1+2026.1', 'RO+TARGET;version=2026.1+2026.1'],
  ['Bank; version=0, North', '1', 'Bank%3B%20version%3D0%2C%20North;version=1'],
  ['😀\ud800', '1', '%F0%9F%98%80%EF%BF%BD;version=1'],
  ['Zürich (old)', 'a\nb', 'Z%C3%BCrich%20%28old%29;version=a%0Ab'],
])('formats calendar %j of version %j as %s (H2)', (name, version, header) => {
  expect(formatCalendar({ name, version })).toBe(header);
});
