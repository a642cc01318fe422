import { describe, expect, it } from 'vitest';
import { calculateRepaymentSchedule } from '../../../../shared/lending/calculate-repayment-schedule.ts';
import {
  column,
  date,
  decimal,
  dueDates,
  faultCodes,
  loan,
  REQUEST_DAY,
  scheduleOf,
} from '../../../support/builders/lending-loan.ts';

function prepayment(day: string, amount: number, DecreaseInstallment?: boolean) {
  return { Date: date(day), Amount: decimal(amount), DecreaseInstallment };
}

function prepaid(...terms: Parameters<typeof prepayment>) {
  return { EarlyRepayments: [prepayment(...terms)] };
}

describe('prepayments (X3)', () => {
  it('add a row that carries the number of the previous instalment', () => {
    const { rows } = scheduleOf(prepaid('2025-02-16', 300));
    expect(rows.map((row) => row.InstallmentNo)).toEqual([1, 1, 2, 3, 4]);
    expect(rows.map((row) => row.isEarlyRepayment)).toEqual([false, true, false, false, false]);
  });

  it('reduce a residual that exceeds the balance', () => {
    const schedule = scheduleOf({ ResidualValue: decimal(900), ...prepaid('2025-02-01', 500) });
    const left = column(schedule, 'remainingValue')[2];
    expect(column(schedule, 'principal').slice(2)).toEqual(['0.00', '0.00', '0.00', left]);
  });

  it('are not shifted off holidays and are ordered by the accrual date of the instalment (H3)', () => {
    const weekends = {
      name: 'X',
      version: '1',
      isWorkingDay: (day: number) => (day + 4) % 7 !== 0 && (day + 4) % 7 !== 6,
    };
    const shifted = { HolidayShift: true, HolidayCountry: 'X', ...prepaid('2025-02-02', 300) };
    const outcome = calculateRepaymentSchedule(loan(shifted), {
      requestDay: REQUEST_DAY,
      calendars: { find: () => weekends },
    });
    if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
    expect(dueDates(outcome).slice(0, 3)).toEqual(['2025-02-03', '2025-02-02', '2025-03-03']);
    expect(outcome.rows.map((row) => row.noDays).slice(0, 3)).toEqual([31, 1, 27]);
  });

  it.each([
    ['EarlyRepayments[0].Amount out-of-range', '2025-02-16', 753.73],
    ['EarlyRepayments[0].Amount out-of-range', '2025-02-16', 0],
    ['EarlyRepayments[0].Amount too-many-decimals', '2025-02-16', 0.001],
    ['EarlyRepayments[0].Date date-order', '2025-01-01', 300],
    ['EarlyRepayments[0].Date date-order', '2024-12-31', 300],
    ['EarlyRepayments[0].Date date-order', '2025-05-02', 300],
  ])('are rejected with %s on %s for %d', (code, day, amount) => {
    expect(faultCodes(prepaid(day, amount))).toEqual([code]);
  });

  it('are rejected after a fixed payment has repaid the loan', () => {
    const fixed = { installmentValue: decimal(600) } as const;
    expect(faultCodes({ ...fixed, ...prepaid('2025-04-15', 1) })).toEqual([
      'EarlyRepayments[0].Date date-order',
    ]);
  });
});

describe('a prepayment that keeps the payment in capitalising grace (X3, G2)', () => {
  const terms = { InstallmentsNo: 6, GracePeriodInterest: 2, GraceType: 'Capitalised' } as const;

  function paymentsAfterGrace(...EarlyRepayments: readonly ReturnType<typeof prepayment>[]) {
    const { rows } = scheduleOf({ ...terms, EarlyRepayments });
    return rows.filter((row) => row.InstallmentNo > 2 && !row.isEarlyRepayment).map(({ pmt }) => pmt);
  }

  it('keeps the payment of the loan without the prepayment and shortens the term', () => {
    const without = paymentsAfterGrace();
    const kept = paymentsAfterGrace(prepayment('2025-01-16', 300, false));
    expect(kept[0]).toBe(without[0]);
    expect(kept.length).toBeLessThan(without.length);
    expect(paymentsAfterGrace(prepayment('2025-01-16', 300, true))[0]).toBeLessThan(without[0] ?? 0);
  });

  it.each(['2025-04-01', '2025-04-16'])(
    'keeps the payment until another prepayment lowers it on %s',
    (day) => {
      const [kept] = paymentsAfterGrace(prepayment('2025-01-16', 300, false));
      const [first, second = 0] = paymentsAfterGrace(
        prepayment('2025-01-16', 300, false),
        prepayment(day, 50, true),
      );
      expect(first).toBe(kept);
      expect(second).toBeLessThan(kept ?? 0);
    },
  );
});
