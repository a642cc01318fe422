/** Relations between two schedules: ten times the amount, a loan split in two, a recalculation without changes. */

import type { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import {
  INSTALLMENT_TYPE_IDS,
  type RepaymentSchedule,
  type ScheduleRow,
} from '../../../shared/lending/request/repayment-schedule.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import { engineOf, requestText } from '../../support/reference/compare-with-reference.ts';
import { plainLoan } from '../../support/random/plain-loan.ts';

const RUNS = { numRuns: 1_000 };
const LEVEL = new Set(['EqualInstallments', 'Balloon', 'Leasing']);
const { Residual } = INSTALLMENT_TYPE_IDS;

type Request = RepaymentScheduleRequest;

function scheduleOf(request: Request): RepaymentSchedule {
  const outcome = engineOf(request);
  if (outcome.kind === 'refused')
    throw new Error(`${JSON.stringify(outcome.faults)} ${requestText(request)}`);
  return outcome;
}

function total({ rows }: RepaymentSchedule): number {
  return rows.reduce((sum, row) => sum + row.totalInstallment, 0);
}

/** The request with `change` applied to each monetary amount. */
function withMoney(request: Request, change: (money: Decimal) => Decimal): Request {
  const { Commission } = request;
  return {
    ...request,
    Amount: change(request.Amount),
    ...(request.ResidualValue === undefined ? {} : { ResidualValue: change(request.ResidualValue) }),
    ...(Commission === undefined
      ? {}
      : {
          Commission: Commission.map((item) =>
            item.SourceValue === undefined ? item : { ...item, SourceValue: change(item.SourceValue) },
          ),
        }),
  };
}

/**
 * The largest effect of rounding on the total of a schedule, in minor units: half a unit in the interest of each row, and
 * half a unit of each payment, which stays in the balance of all later rows and bears interest.
 */
function maxRoundingOf(request: Request): number {
  const rows = request.InstallmentsNo;
  const months = { Monthly: 1, Quarterly: 3, Semestrial: 6 }[request.PeriodicityType] ?? 12;
  const growth = 1 + ((request.InterestPercent?.toNumber() ?? 0) * (months + 2)) / 1200;
  return rows + rows * growth ** rows;
}

describe('a schedule of ten times the amount', () => {
  it('has ten times the total, except for rounding', () => {
    fc.assert(
      fc.property(plainLoan, (request) => {
        const one = total(scheduleOf(request));
        const ten = total(scheduleOf(withMoney(request, (money) => money.times(10))));
        expect(Math.abs(ten - 10 * one)).toBeLessThanOrEqual(11 * maxRoundingOf(request));
      }),
      RUNS,
    );
  });
});

describe('two loans with the same terms', () => {
  it('add up to one loan of both amounts, except for rounding', () => {
    fc.assert(
      fc.property(plainLoan, fc.integer({ min: 10, max: 90 }), (request, percent) => {
        const share = (money: Decimal) => money.times(percent).div(100).toDecimalPlaces(2);
        const first = total(scheduleOf(withMoney(request, share)));
        const second = total(scheduleOf(withMoney(request, (money) => money.minus(share(money)))));
        expect(Math.abs(first + second - total(scheduleOf(request)))).toBeLessThanOrEqual(
          3 * maxRoundingOf(request),
        );
      }),
      RUNS,
    );
  });
});

/** The payment of all rows after the grace period except the last; undefined if these payments differ. */
function usualPayment(request: Request, rows: readonly ScheduleRow[]): number | undefined {
  const name = LEVEL.has(request.ScheduleType) ? 'pmt' : 'principal';
  const grace = Math.max(request.GracePeriodPrincipal ?? 0, request.GracePeriodInterest ?? 0);
  const dueRows = rows.filter((row) => row.installmentTypeId !== Residual);
  const usual = dueRows.filter((row) => row.InstallmentNo > grace + 1).slice(0, -1);
  const payments = new Set(usual.map((row) => row[name]));
  return payments.size === 1 ? usual[0]?.[name] : undefined;
}

/** A request that recalculates the schedule of another request after the row `settled`. */
function recalculationOf(request: Request, old: RepaymentSchedule, settled: number): Request | undefined {
  if (settled >= request.InstallmentsNo) return undefined;
  const row = old.rows[settled - 1];
  const next = old.rows[settled];
  const isLockable = LEVEL.has(request.ScheduleType) || request.ScheduleType === 'EqualPrincipal';
  const payment = isLockable ? usualPayment(request, old.rows) : 0;
  if (row === undefined || next === undefined || payment === undefined) return undefined;
  const unit = request.Amount.constructor as typeof Decimal;
  const lock = new unit(payment).div(100);
  return {
    ...request,
    Amount: new unit(next.remainingValue).div(100),
    LastDueDate: row.dueDate,
    BlockInstallmentNo: settled,
    ...(LEVEL.has(request.ScheduleType) ? { installmentValue: lock } : {}),
    ...(request.ScheduleType === 'EqualPrincipal' ? { principalValue: lock } : {}),
  };
}

/** Compares rows, and shows the request if they differ. */
function expectRows(request: Request, rows: readonly ScheduleRow[], expected: readonly ScheduleRow[]): void {
  expect({ request: requestText(request), rows }).toEqual({ request: requestText(request), rows: expected });
}

describe('a recalculation without changes', () => {
  it('returns the remaining rows of the original schedule if the payment is fixed (X4)', () => {
    let compared = 0;
    fc.assert(
      fc.property(plainLoan, fc.integer({ min: 1, max: 39 }), (request, settledAtMost) => {
        const grace = Math.max(request.GracePeriodPrincipal ?? 0, request.GracePeriodInterest ?? 0);
        const isSpread = request.GraceType === 'Spread' && (request.GracePeriodInterest ?? 0) > 0;
        const settled = Math.max(grace + 1, Math.min(settledAtMost, request.InstallmentsNo - 1));
        const old = scheduleOf(request);
        const again = isSpread ? undefined : recalculationOf(request, old, settled);
        if (again === undefined) return;
        const { rows } = scheduleOf(again);
        // With a fixed payment the schedule ends at a balance of zero; with a solved payment it keeps all rows.
        const expected = old.rows.slice(settled).filter((row) => row.remainingValue > 0);
        expectRows(again, rows, expected);
        compared += 1;
      }),
      RUNS,
    );
    expect(compared).toBeGreaterThan(RUNS.numRuns / 3);
  });

  it('returns the same rows if FirstDueDate is the first due date of the contract (X1)', () => {
    let compared = 0;
    fc.assert(
      fc.property(plainLoan, (request) => {
        const plain = {
          ...request,
          HolidayShift: undefined,
          GracePeriodInterest: 0,
          GracePeriodPrincipal: 0,
        };
        const old = scheduleOf(plain);
        const again = recalculationOf(plain, old, 2);
        if (again === undefined) return;
        const FirstDueDate = old.rows[0]?.dueDate as CalendarDate;
        const expected = old.rows.slice(2).filter((row) => row.remainingValue > 0);
        expectRows(again, scheduleOf({ ...again, FirstDueDate }).rows, expected);
        compared += 1;
      }),
      RUNS,
    );
    expect(compared).toBeGreaterThan(RUNS.numRuns / 3);
  });
});

/** Prepayments around the due dates of a loan: days after the unshifted date of a row, and a share of the amount. */
const prepaymentsNearDueDates = fc.array(
  fc.record({
    row: fc.integer({ min: 0, max: 6 }),
    days: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: -5, max: 5 })),
    percent: fc.integer({ min: 1, max: 9 }),
    DecreaseInstallment: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);

/** Dates to which the interest of each due row accrues (H3). */
function accrualDatesOf(request: Request): readonly CalendarDate[] {
  const accruing = request.DeferDueDate === true ? request : { ...request, HolidayShift: undefined };
  return scheduleOf({ ...accruing, EarlyRepayments: undefined }).rows.map((row) => row.dueDate);
}

describe('a recalculation of a prepaid loan', () => {
  it('returns the remaining rows if it repeats the prepayments after the last settled row (X1, X3, X4)', () => {
    let compared = 0;
    let between = 0;
    fc.assert(
      fc.property(plainLoan, prepaymentsNearDueDates, (loan, near) => {
        const type = loan.ScheduleType === 'CreditCard' ? 'EqualInstallments' : loan.ScheduleType;
        const bare = { ...loan, ScheduleType: type, GracePeriodInterest: 0, GracePeriodPrincipal: 0 };
        const plain = { ...bare, ResidualValue: type === 'Balloon' ? bare.ResidualValue : undefined };
        const accrualDates = accrualDatesOf(plain);
        const last = Math.min(plain.InstallmentsNo, accrualDates.length) - 1;
        const EarlyRepayments = near
          .map(({ row, days, percent, DecreaseInstallment }) => ({
            Date: ((accrualDates[Math.min(row, last - 1)] ?? 0) + days) as CalendarDate,
            Amount: plain.Amount.times(percent).div(100).toDecimalPlaces(2),
            DecreaseInstallment,
          }))
          .filter((item) => item.Date > (plain.ActivationDate ?? 0));
        const prepaid = { ...plain, EarlyRepayments };
        const outcome = engineOf(prepaid);
        if (outcome.kind === 'refused') return;
        const BlockInstallmentNo = Math.min((near[0]?.row ?? 0) + 1, last);
        const settledTo = accrualDates[BlockInstallmentNo - 1] ?? 0;
        const isLeft = (row: ScheduleRow) =>
          row.isEarlyRepayment ? row.dueDate > settledTo : row.InstallmentNo > BlockInstallmentNo;
        const expected = outcome.rows.filter((row) => isLeft(row) && row.remainingValue > 0);
        const settledRow = outcome.rows.find(
          (row) => row.InstallmentNo === BlockInstallmentNo && !row.isEarlyRepayment,
        );
        const [first] = expected;
        if (settledRow === undefined || first === undefined) return;
        // A payment that is solved again after the settled row is not known from that row (S5, X3).
        const isReleased = EarlyRepayments.some(
          (item) => item.DecreaseInstallment && item.Date === settledTo,
        );
        const hasInterestRow = LEVEL.has(type) && outcome.rows.some((row) => row.principal === 0);
        if (isReleased || hasInterestRow) return;
        const Unit = plain.Amount.constructor as typeof Decimal;
        const later = EarlyRepayments.filter((item) => item.Date > settledTo);
        const payment = new Unit(LEVEL.has(type) ? settledRow.pmt : settledRow.principal).div(100);
        const again = {
          ...prepaid,
          FirstDueDate: scheduleOf({ ...plain, HolidayShift: undefined }).rows[0]?.dueDate,
          Amount: new Unit(first.remainingValue).div(100),
          LastDueDate: settledRow.dueDate,
          BlockInstallmentNo,
          EarlyRepayments: later,
          ...(LEVEL.has(type) ? { installmentValue: payment } : {}),
          ...(type === 'EqualPrincipal' ? { principalValue: payment } : {}),
        };
        const rows = scheduleOf(again).rows.filter((row) => row.remainingValue > 0);
        expectRows(again, rows, expected);
        compared += 1;
        if (later.some((item) => item.Date <= settledRow.dueDate)) between += 1;
      }),
      RUNS,
    );
    expect(compared).toBeGreaterThan(RUNS.numRuns / 3);
    expect(between).toBeGreaterThan(RUNS.numRuns / 100);
  });
});
