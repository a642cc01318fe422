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

function repaid(day: string, amount: number, more: object = {}) {
  return { EarlyRepayments: [{ Date: date(day), Amount: decimal(amount), ...more }] };
}

const KEEP = { DecreaseInstallment: false } as const;

describe('prepayments (X3)', () => {
  it('adds a row with the interest since the last due date and lowers the payment', () => {
    const schedule = scheduleOf(repaid('2025-02-16', 300));
    expect(column(schedule, 'interest')).toEqual(['10.00', '3.77', '2.27', '3.02', '1.52']);
    expect(column(schedule, 'pmt')).toEqual(['256.28', '303.77', '153.51', '153.51', '153.51']);
    expect(column(schedule, 'remainingValue')[2]).toBe('453.72');
    expect(schedule.rows.map((row) => row.InstallmentNo)).toEqual([1, 1, 2, 3, 4]);
    expect(schedule.rows.map((row) => row.noDays)).toEqual([31, 15, 13, 31, 30]);
    expect(schedule.rows.map((row) => row.isEarlyRepayment)).toEqual([false, true, false, false, false]);
  });

  it('keeps the payment and shortens the term when DecreaseInstallment is false', () => {
    const schedule = scheduleOf(repaid('2025-02-16', 300, KEEP));
    expect(column(schedule, 'pmt')).toEqual(['256.28', '303.77', '256.28', '201.71']);
  });

  it('adds a row without interest for a prepayment on a due date', () => {
    const schedule = scheduleOf(repaid('2025-02-01', 300));
    expect(schedule.rows[1]).toMatchObject({ InstallmentNo: 1, noDays: 0, interest: 0, principal: 30_000 });
    expect(schedule.rows[2]).toMatchObject({ InstallmentNo: 2, noDays: 28, remainingValue: 45_372 });
  });

  it('numbers a prepayment before the first instalment 0 and divides the 30 days of a period among several', () => {
    const schedule = scheduleOf({
      EarlyRepayments: [
        { Date: date('2025-01-21'), Amount: decimal(100) },
        { Date: date('2025-01-11'), Amount: decimal(100) },
      ],
    });
    expect(schedule.rows.map((row) => row.InstallmentNo)).toEqual([0, 0, 1, 2, 3, 4]);
    expect(column(schedule, 'interest').slice(0, 3)).toEqual(['3.33', '3.00', '2.67']);
  });

  it('ends the schedule when it repays the full balance', () => {
    const schedule = scheduleOf(repaid('2025-02-16', 753.72));
    expect(column(schedule, 'pmt')).toEqual(['256.28', '757.49']);
  });

  it('recalculates a fixed payment, or keeps it when DecreaseInstallment is false', () => {
    const lock = { installmentValue: decimal(200) } as const;
    expect(column(scheduleOf({ ...lock, ...repaid('2025-02-01', 300) }), 'pmt')).toEqual([
      '200.00',
      '300.00',
      '173.41',
      '173.41',
      '173.42',
    ]);
    expect(column(scheduleOf({ ...lock, ...repaid('2025-02-01', 300, KEEP) }), 'pmt')).toEqual([
      '200.00',
      '300.00',
      '200.00',
      '200.00',
      '119.43',
    ]);
  });

  it('keeps the payment of the loan without prepayments when it falls in the grace period', () => {
    const grace = { GracePeriodPrincipal: 2 } as const;
    const schedule = scheduleOf({ ...grace, ...repaid('2025-02-01', 300, KEEP) });
    expect(column(schedule, 'pmt')).toEqual(['10.00', '300.00', '7.00', '507.51', '201.48']);
  });

  it('keeps the payment of the loan without prepayments before the first payment', () => {
    expect(column(scheduleOf(repaid('2025-01-16', 300, KEEP)), 'pmt')).toEqual([
      '305.00',
      '256.28',
      '256.28',
      '197.36',
    ]);
    expect(column(scheduleOf(repaid('2025-01-31', 0.01, KEEP)), 'pmt').slice(1, 4)).toEqual([
      '256.28',
      '256.28',
      '256.28',
    ]);
    const grace = { GracePeriodPrincipal: 2 } as const;
    const inFirstPaying = scheduleOf({ ...grace, ...repaid('2025-03-16', 300, KEEP) });
    expect(column(inFirstPaying, 'pmt')).toEqual(['10.00', '10.00', '305.00', '507.51', '197.95']);
  });

  it('keeps the payment of the contract in a recalculation (X1)', () => {
    const running = {
      LastDueDate: date('2025-02-01'),
      BlockInstallmentNo: 1,
      Amount: decimal('753.72'),
      ActivationDate: undefined,
    } as const;
    expect(column(scheduleOf({ ...running, ...repaid('2025-02-16', 300, KEEP) }), 'pmt')).toEqual([
      '303.77',
      '256.28',
      '201.71',
    ]);
  });

  it('reduces the residual row on the last due date', () => {
    const residual = { ResidualValue: decimal(200) } as const;
    expect(column(scheduleOf({ ...residual, ...repaid('2025-05-01', 100) }), 'pmt').slice(3)).toEqual([
      '207.04',
      '100.00',
      '100.00',
    ]);
    expect(scheduleOf({ ...residual, ...repaid('2025-05-01', 200) }).rows).toHaveLength(5);
  });

  it('reduces a residual that exceeds the balance', () => {
    const schedule = scheduleOf({ ResidualValue: decimal(900), ...repaid('2025-02-01', 500) });
    const left = Number(column(schedule, 'remainingValue')[2]);
    expect(Number(column(schedule, 'principal').at(-1))).toBe(left);
    expect(column(schedule, 'principal').slice(2, 6)).toEqual(['0.00', '0.00', '0.00', left.toFixed(2)]);
  });

  it('lowers equal parts of principal, or keeps them when DecreaseInstallment is false', () => {
    const parts = { ScheduleType: 'EqualPrincipal' } as const;
    expect(column(scheduleOf({ ...parts, ...repaid('2025-02-01', 300) }), 'principal')).toEqual([
      '250.00',
      '300.00',
      '150.00',
      '150.00',
      '150.00',
    ]);
    expect(column(scheduleOf({ ...parts, ...repaid('2025-02-01', 300, KEEP) }), 'principal')).toEqual([
      '250.00',
      '300.00',
      '250.00',
      '200.00',
    ]);
  });

  it('is not shifted off holidays and precedes the date to which interest accrues (H3)', () => {
    const weekends = {
      name: 'X',
      version: '1',
      isWorkingDay: (day: number) => (day + 4) % 7 !== 0 && (day + 4) % 7 !== 6,
    };
    const shifted = { HolidayShift: true, HolidayCountry: 'X', ...repaid('2025-02-02', 300) };
    const outcome = calculateRepaymentSchedule(loan(shifted), {
      requestDay: REQUEST_DAY,
      calendars: { find: () => weekends },
    });
    if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
    expect(dueDates(outcome).slice(0, 3)).toEqual(['2025-02-03', '2025-02-02', '2025-03-03']);
    expect(outcome.rows.map((row) => row.noDays).slice(0, 3)).toEqual([31, 1, 27]);
  });

  const refused = [
    ['EarlyRepayments[0].Amount out-of-range', '2025-02-16', 753.73],
    ['EarlyRepayments[0].Amount out-of-range', '2025-02-16', 0],
    ['EarlyRepayments[0].Amount too-many-decimals', '2025-02-16', 0.001],
    ['EarlyRepayments[0].Date date-order', '2025-01-01', 300],
    ['EarlyRepayments[0].Date date-order', '2024-12-31', 300],
    ['EarlyRepayments[0].Date date-order', '2025-05-02', 300],
  ] as const;
  it.each(refused)('is rejected with %s on %s for %d', (code, day, amount) => {
    expect(faultCodes(repaid(day, amount))).toEqual([code]);
  });

  it('is rejected after a fixed payment has repaid the loan', () => {
    const lock = { installmentValue: decimal(600) } as const;
    expect(faultCodes({ ...lock, ...repaid('2025-04-15', 1) })).toEqual([
      'EarlyRepayments[0].Date date-order',
    ]);
  });
});

it('keeps the payment after capitalising grace that the loan has without the prepayment (X3, G2)', () => {
  const terms = { InstallmentsNo: 6, GracePeriodInterest: 2, GraceType: 'Capitalised' } as const;
  const item = { Date: date('2025-01-16'), Amount: decimal(300), DecreaseInstallment: false };
  const without = scheduleOf(terms).rows.filter((row) => row.InstallmentNo > 2);
  const paid = scheduleOf({ ...terms, EarlyRepayments: [item] }).rows.filter((row) => row.InstallmentNo > 2);
  expect(paid[0]?.pmt).toBe(without[0]?.pmt);
  expect(paid.length).toBeLessThan(without.length);
  const lowered = scheduleOf({ ...terms, EarlyRepayments: [{ ...item, DecreaseInstallment: true }] });
  expect(lowered.rows.find((row) => row.InstallmentNo === 3)?.pmt).toBeLessThan(paid[0]?.pmt ?? 0);
});
