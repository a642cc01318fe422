import { describe, expect, it } from 'vitest';
import type { RepaymentScheduleRequest } from '../../../../shared/lending/request/repayment-schedule-request.ts';
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
import { brokenInvariant } from '../../../support/reference/schedule-invariants.ts';

type Changes = Partial<RepaymentScheduleRequest>;

function prepayment(day: string, amount: number, DecreaseInstallment?: boolean) {
  return { Date: date(day), Amount: decimal(amount), DecreaseInstallment };
}

function prepaid(...terms: Parameters<typeof prepayment>) {
  return { EarlyRepayments: [prepayment(...terms)] };
}

describe('prepayments (X3)', () => {
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
});

/** The payment after two instalments of capitalising grace is 211.19, and 206.04 without capitalised interest. */
const GRACE = {
  InstallmentsNo: 6,
  GraceType: 'Capitalised',
  GracePeriodInterest: 2,
  GracePeriodPrincipal: 1,
} as const;

/** The figure of the fourth instalment, which is after the grace period in all of these loans. */
function figureAfterGrace(changes: Changes, name: 'pmt' | 'principal' = 'pmt') {
  const schedule = scheduleOf({ ...GRACE, ...changes });
  const row = schedule.rows.findIndex(({ InstallmentNo }) => InstallmentNo === 4);
  return column(schedule, name)[row];
}

describe('a prepayment that keeps the payment in capitalising grace (X3, G2)', () => {
  const days = ['2025-01-16', '2025-02-16', '2025-03-01', '2025-03-16', '2025-04-01', '2025-04-16'];

  it.each<[string, Changes, 'pmt' | 'principal', string]>([
    ['level payments', {}, 'pmt', '211.19'],
    ['a longer grace of principal', { GracePeriodPrincipal: 2 }, 'pmt', '261.43'],
    ['equal principal', { ScheduleType: 'EqualPrincipal' }, 'principal', '205.03'],
    ['a fixed payment (B2)', { installmentValue: decimal(220) }, 'pmt', '220.00'],
  ])('keeps the figure of the loan without the prepayment: %s', (_what, changes, name, figure) => {
    expect(figureAfterGrace(changes, name)).toBe(figure);
    expect(days.map((day) => figureAfterGrace({ ...changes, ...prepaid(day, 300, false) }, name))).toEqual(
      days.map(() => figure),
    );
  });

  it('keeps the payment that an earlier prepayment has lowered, until a later one lowers it', () => {
    const lowered = prepayment('2025-01-16', 300, true);
    const payment = figureAfterGrace({ EarlyRepayments: [lowered] });
    expect(Number(payment)).toBeLessThan(200);
    const kept = [lowered, prepayment('2025-02-16', 100, false)];
    expect(figureAfterGrace({ EarlyRepayments: kept })).toBe(payment);
    const again = figureAfterGrace({ EarlyRepayments: [...kept, prepayment('2025-03-16', 50, true)] });
    expect(Number(again)).toBeLessThan(Number(payment));
  });

  it('may repay the loan together with a fixed payment that is too low without it (B2)', () => {
    const longer = { GracePeriodPrincipal: 2, installmentValue: decimal(9) };
    expect(faultCodes({ ...GRACE, ...longer })).toEqual(['installmentValue payment-below-interest']);
    expect(figureAfterGrace({ ...longer, ...prepaid('2025-01-16', 300, false) })).toBe('9.00');
  });
});

const NEGATIVE = {
  InterestPercent: decimal(-12),
  GraceType: 'Capitalised',
  GracePeriodInterest: 2,
  GracePeriodPrincipal: 2,
} as const;
const NEGATIVE_DEPOSIT = {
  ScheduleType: 'Deposit',
  InterestPercent: decimal(-12),
  InstallmentsNo: 2,
  InterestCalculationMethod: '30/360',
  InterestCapitalization: 1,
} as const;
const NO_GRACE = { ...NEGATIVE, GracePeriodPrincipal: 0 };
const FROM_JANUARY = { ActivationDate: undefined, LastDueDate: date('2025-01-01'), IsLocked: true } as const;

describe('capitalised negative interest (R3)', () => {
  it.each<[string, Changes, readonly string[]]>([
    [
      'lowers a blocked amount (X2)',
      { ...NEGATIVE_DEPOSIT, ...FROM_JANUARY, BlockAmount: decimal(995) },
      ['990.00 -10.00', '0.00 0.00'],
    ],
    ['lowers a prepayment', { ...NEGATIVE, ...prepaid('2025-01-16', 995) }, ['995.00 -5.00']],
    [
      'is not capitalised on a repaid balance',
      { ...NEGATIVE, ...prepaid('2025-01-16', 1000) },
      ['1000.00 0.00'],
    ],
    [
      'lowers a prepayment of a deposit (B4)',
      { ...NEGATIVE_DEPOSIT, ...prepaid('2025-01-16', 995) },
      ['995.00 -5.00'],
    ],
    [
      'ends with a fixed payment (B2)',
      { ...NO_GRACE, installmentValue: decimal(600) },
      ['610.00 -10.00', '376.20 -3.80'],
    ],
    [
      'ends with the first fixed payment (B2)',
      { ...NO_GRACE, installmentValue: decimal(5000) },
      ['990.00 -10.00'],
    ],
    [
      'ends with a kept payment',
      { ...NO_GRACE, ...prepaid('2025-01-16', 700, false) },
      ['700.00 -5.00', '245.28 -1.48', '47.76 -0.48'],
    ],
  ])('%s', (_what, changes, expected) => {
    const schedule = scheduleOf(changes);
    const capitalised = schedule.rows.map((row) => ((row.capitalisedInterest ?? 0) / 100).toFixed(2));
    expect(column(schedule, 'principal').map((part, row) => `${part} ${capitalised[row]}`)).toEqual(expected);
    expect(brokenInvariant(loan(changes), schedule)).toBeUndefined();
  });

  it('limits a prepayment to the lowered balance or the whole balance (X3)', () => {
    for (const terms of [NEGATIVE, NEGATIVE_DEPOSIT]) {
      expect(faultCodes({ ...terms, ...prepaid('2025-01-16', 998) })).toEqual([
        'EarlyRepayments[0].Amount out-of-range',
      ]);
    }
  });
});

describe('deferred interest of a deposit (G1, B4)', () => {
  it('is collected after the grace period, when the deposit capitalises again', () => {
    const deposit = { ScheduleType: 'Deposit', InterestCapitalization: 1 } as const;
    const terms = { ...deposit, InterestCalculationMethod: '30/360', GracePeriodInterest: 2 } as const;
    const schedule = scheduleOf(terms);
    expect(column(schedule, 'interest')).toEqual(['0.00', '0.00', '20.00', '10.10']);
    const capitalised = schedule.rows.map((row) => row.capitalisedInterest);
    expect(capitalised).toEqual([undefined, undefined, 1000, undefined]);
  });
});
