import { describe, expect, it } from 'vitest';
import type { RepaymentScheduleRequest } from '../../../../shared/lending/request/repayment-schedule-request.ts';
import { formatMinorUnits } from '../../../../shared/lending/numbers/money.ts';
import { calculateRepaymentSchedule } from '../../../../shared/lending/calculate-repayment-schedule.ts';
import { calendarNamed } from '../../../support/builders/lending-calendar.ts';
import {
  column,
  date,
  decimal,
  loan,
  REQUEST_DAY,
  scheduleOf,
} from '../../../support/builders/lending-loan.ts';

const prepaidOn = (day: string) => ({ EarlyRepayments: [{ Date: date(day), Amount: decimal(1000) }] });

describe('recalculation of an unchanged loan (X4)', () => {
  const contract: Partial<RepaymentScheduleRequest> = {
    Amount: decimal('12345.67'),
    InterestPercent: decimal('7.35'),
    InstallmentsNo: 24,
    InstallmentDay: 31,
    ActivationDate: date('2024-11-30'),
    FirstDueDate: date('2024-12-31'),
  };

  it.each([1, 2, 7, 15, 22])('reproduces the rows after row %i if the payment is fixed', (settled) => {
    const { rows } = scheduleOf(contract);
    const [first, last, next] = [rows[0], rows[settled - 1], rows[settled]];
    if (first === undefined || last === undefined || next === undefined) throw new Error('no such row');
    const recalculated = scheduleOf({
      ...contract,
      Amount: decimal(formatMinorUnits(next.remainingValue, 2)),
      LastDueDate: last.dueDate,
      BlockInstallmentNo: settled,
      installmentValue: decimal(formatMinorUnits(first.pmt, 2)),
    });
    expect(recalculated.rows).toEqual(rows.slice(settled));
  });
});

describe('recalculation after a prepayment between the due date and the day on which it is paid (X1, X3)', () => {
  const german = calendarNamed('DE');
  const outcomeOf = (changes: Partial<RepaymentScheduleRequest>) =>
    calculateRepaymentSchedule(
      loan({
        Amount: decimal(10_000),
        InstallmentDay: 28,
        ActivationDate: date('2025-05-28'),
        InterestCalculationMethod: 'Actual/365',
        HolidayShift: true,
        HolidayCountry: 'DE',
        ...changes,
      }),
      { requestDay: REQUEST_DAY, calendars: { find: () => german } },
    );
  const rowsOf = (changes: Partial<RepaymentScheduleRequest>) => {
    const outcome = outcomeOf(changes);
    if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
    return outcome;
  };
  /** Row 1, due on Saturday 28 June, is paid on Monday. */
  const settled = {
    ActivationDate: undefined,
    LastDueDate: date('2025-06-30'),
    BlockInstallmentNo: 1,
    Amount: decimal('7538.52'),
  };

  it.each(['2025-06-29', '2025-06-30', '2025-07-01'])(
    'returns the remaining rows with the prepayment on %s',
    (day) => {
      const again = rowsOf({ ...settled, ...prepaidOn(day) });
      expect(again.rows).toEqual(rowsOf(prepaidOn(day)).rows.slice(1));
    },
  );

  it('measures its rates from the day on which interest begins if the prepayment precedes LastDueDate (A4)', () => {
    const again = rowsOf({ ...settled, ...prepaidOn('2025-06-29') });
    const unshifted = { ...settled, LastDueDate: date('2025-06-28') };
    expect(again.eir).toBe(rowsOf({ ...unshifted, ...prepaidOn('2025-06-29') }).eir);
    expect(again.startDate).toBe(settled.LastDueDate);
  });

  it('begins interest on LastDueDate if that is the date of a prepayment which Amount leaves out', () => {
    const left = { ...settled, Amount: decimal('6538.52') };
    const after = rowsOf({ ...left, LastDueDate: date('2025-06-29') });
    expect(after.rows).toEqual(rowsOf(prepaidOn('2025-06-29')).rows.slice(2));
    expect(column(after, 'interest')[0]).toBe('62.34');
    expect(column(rowsOf(left), 'interest')[0]).toBe('64.49');
  });

  it('rejects a prepayment on or before the day on which interest begins', () => {
    for (const [day, DeferDueDate] of [
      ['2025-06-28', false],
      ['2025-06-30', true],
    ] as const) {
      const outcome = outcomeOf({ ...settled, DeferDueDate, ...prepaidOn(day) });
      const faults = outcome.kind === 'refused' ? outcome.faults : [];
      expect(faults.map(({ message }) => message)).toEqual([
        expect.stringMatching(`must be after ${day} and not after 2025-09-2[89]`),
      ]);
    }
  });
});
