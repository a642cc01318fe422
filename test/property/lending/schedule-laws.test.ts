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
