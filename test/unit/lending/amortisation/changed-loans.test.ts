import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GRACE_TYPES } from '../../../../shared/lending/terms/repayment-terms.ts';
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
import { formatMinorUnits } from '../../../../shared/lending/numbers/money.ts';
import { calendarNamed } from '../../../support/builders/lending-calendar.ts';
import {
  accrualDays,
  dateFaults,
  datesFor,
  ON_WORKING_DAYS,
  texts,
  weekendCalendar,
} from '../../../support/reference/schedule-dates.ts';

type Changes = Partial<RepaymentScheduleRequest>;

const money = (minor: number) => decimal(formatMinorUnits(minor, 2));

function prepayment(day: string, amount: number, DecreaseInstallment?: boolean) {
  return { Date: date(day), Amount: decimal(amount), DecreaseInstallment };
}

function prepaid(...terms: Parameters<typeof prepayment>) {
  return { EarlyRepayments: [prepayment(...terms)] };
}

describe('prepayments (X3)', () => {
  it('are not shifted off holidays and are ordered by the accrual date of the instalment (H3)', () => {
    const shifted = { HolidayShift: true, HolidayCountry: 'X', ...prepaid('2025-02-02', 300) };
    const outcome = scheduleOf(shifted, { calendars: { find: () => weekendCalendar() } });
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
    ['is not capitalised after repayment', { ...NEGATIVE, ...prepaid('2025-01-16', 1000) }, ['1000.00 0.00']],
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
    ['ends with the first payment (B2)', { ...NO_GRACE, installmentValue: decimal(5000) }, ['990.00 -10.00']],
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

  it('leaves the rest of a prepayment above the balance as overpaid, and explains it (X3)', () => {
    const schedule = scheduleOf({ ...prepaid('2025-02-16', 760), Explain: true });
    expect(schedule.rows.map(({ overpaid }) => overpaid)).toEqual([undefined, 628]);
    const explained = schedule.rows[1]?.explanation?.map(({ figure, formula }) => `${figure} ${formula}`);
    expect(explained).toContain('principal owed, repaid early: 753.72');
    expect(explained).toContain('overpaid prepayment 760.00 - principal 753.72 = 6.28');
  });

  it('leaves the lowered balance to a prepayment that is not exactly the whole balance (X3)', () => {
    for (const terms of [NEGATIVE, NEGATIVE_DEPOSIT]) {
      for (const [amount, overpaid] of [
        [998, 300],
        [1001, 600],
      ] as const) {
        const { rows } = scheduleOf({ ...terms, ...prepaid('2025-01-16', amount) });
        expect(rows).toMatchObject([{ principal: 99_500, capitalisedInterest: -500, overpaid }]);
      }
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

const prepaidOn = (day: string) => ({ EarlyRepayments: [{ Date: date(day), Amount: decimal(1000) }] });

describe('recalculation of an unchanged loan (X4)', () => {
  const graces = fc.record({
    GraceType: fc.constantFrom(...GRACE_TYPES),
    GracePeriodInterest: fc.integer({ min: 0, max: 8 }),
    GracePeriodPrincipal: fc.integer({ min: 0, max: 8 }),
  });
  const dates = { ActivationDate: date('2024-11-30'), FirstDueDate: date('2024-12-31'), InstallmentDay: 31 };
  const [settledRows, minor] = [fc.integer({ min: 1, max: 29 }), fc.integer({ min: 1, max: 2_500 })];

  it('reproduces the rows after any row, in or after each type of grace, with the interest that it held', () => {
    const property = fc.property(graces, settledRows, minor, (grace, settled, figure) => {
      const { GraceType, GracePeriodInterest: interest, GracePeriodPrincipal: principal } = grace;
      const capitalises = GraceType === 'Capitalised' && settled < interest;
      // The payment of the planned principal is not the one to lock, so that cents may differ.
      fc.pre(!capitalises || settled <= principal);
      const amounts = { Amount: money(figure * 54_321), InterestPercent: money(figure) };
      const contract = { ...dates, ...amounts, ...grace, InstallmentsNo: 30, Explain: true };
      const { rows } = scheduleOf(contract);
      const accrued = (row: (typeof rows)[number]): number =>
        row.explanation?.find((one) => one.figure === 'accruedInterest')?.amount ?? row.interest;
      const held = rows.slice(0, settled).reduce((sum, row) => sum + accrued(row) - row.interest, 0);
      const isHeld = GraceType === 'Deferred' || GraceType === 'Spread' || capitalises;
      const [last, next] = [rows[settled - 1]!, rows[settled]!];
      const recalculated = scheduleOf({
        ...contract,
        Amount: money(next.remainingValue),
        LastDueDate: last.dueDate,
        BlockInstallmentNo: settled,
        ...(isHeld && held > 0 && { IsLocked: true, BlockInterestAmount: money(held) }),
        ...(settled >= principal &&
          !capitalises && { installmentValue: money(next.principal + accrued(next)) }),
      });
      const shown = (list: typeof rows) => list.map((row) => ({ ...row, explanation: undefined }));
      expect(shown(recalculated.rows)).toEqual(shown(rows.slice(settled)));
    });
    fc.assert(property, { numRuns: 1_000, seed: 7 });
  });
});

describe('recalculation after a prepayment between the due date and the day on which it is paid (X1, X3)', () => {
  const contract = {
    Amount: decimal(10_000),
    InstallmentDay: 28,
    ActivationDate: date('2025-05-28'),
    InterestCalculationMethod: 'Actual/365',
    HolidayShift: true,
    HolidayCountry: 'DE',
  };
  const context = { requestDay: REQUEST_DAY, calendars: { find: () => calendarNamed('DE') } };
  const rowsOf = (changes: Changes) => scheduleOf({ ...contract, ...changes }, context);
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
      const request = loan({ ...contract, ...settled, DeferDueDate, ...prepaidOn(day) });
      const outcome = calculateRepaymentSchedule(request, context);
      const faults = outcome.kind === 'refused' ? outcome.faults : [];
      expect(faults.map(({ message }) => message)).toEqual([
        expect.stringMatching(`must be after ${day} and not after 2025-09-2[89]`),
      ]);
    }
  });
});

/** Six months from 1 January 2025, due on the first of each month; two are settled. */
const RUNNING = {
  InstallmentsNo: 6,
  BlockInstallmentNo: 2,
  FirstDueDate: date('2025-02-01'),
  LastDueDate: date('2025-03-01'),
} as const;

describe('settled rows (X1)', () => {
  it('require LastDueDate and at least one remaining row', () => {
    expect(
      texts(datesFor({ ...RUNNING, BlockInstallmentNo: 5, LastDueDate: date('2025-06-01') }).dueDates),
    ).toEqual(['2025-07-01']);
    const range = 'out-of-range must be a whole number from 0 to 5';
    for (const BlockInstallmentNo of [6, -1, 1.5]) {
      expect(dateFaults({ ...RUNNING, BlockInstallmentNo })).toEqual([`BlockInstallmentNo ${range}`]);
    }
    expect(dateFaults({ ...RUNNING, LastDueDate: undefined })).toEqual([
      'BlockInstallmentNo not-allowed must be sent with LastDueDate, the due date of the last settled installment, or left out',
    ]);
    expect(datesFor({ BlockInstallmentNo: 0 }).settledRows).toBe(0);
  });

  it('must be due before the first remaining row', () => {
    expect(dateFaults({ ...RUNNING, LastDueDate: date('2025-04-01') })).toEqual([
      'LastDueDate date-order must be before 2025-04-01, the due date of installment 3, the first one after the settled ones (BlockInstallmentNo)',
    ]);
    expect(
      dateFaults({ ...RUNNING, BlockInstallmentNo: undefined, LastDueDate: RUNNING.FirstDueDate }),
    ).toHaveLength(1);
    expect(texts(datesFor({ ...RUNNING, LastDueDate: date('2025-03-31') }).dueDates)[0]).toBe('2025-04-01');
  });
});

describe('LastDueDate shifted off a holiday (X1, H3)', () => {
  const SHIFTED = { ...RUNNING, ...ON_WORKING_DAYS } as const;
  const MOVED = date('2025-03-03');

  it('is the start of the rates, while interest accrues from the unshifted date', () => {
    const dates = datesFor({ ...SHIFTED, LastDueDate: MOVED });
    expect(dates.startDate).toBe(MOVED);
    expect(texts([dates.accrualStart])).toEqual(['2025-03-01']);
    expect(accrualDays(dates)[0]).toBe(31);
    expect(dates.regularMonths).toEqual([1, 1, 1, 1]);
  });

  it('is recognised only if the shift of this request moves the last settled row to it', () => {
    expect(datesFor({ ...RUNNING, LastDueDate: MOVED }).accrualStart).toBe(MOVED);
    const fourth = date('2025-03-04');
    expect(datesFor({ ...SHIFTED, LastDueDate: fourth }).accrualStart).toBe(fourth);
    expect(dateFaults({ ...SHIFTED, LastDueDate: MOVED, BlockInstallmentNo: 1 })).toEqual([
      'LastDueDate date-order must be before 2025-03-01, the due date of installment 2, the first one after the settled ones (BlockInstallmentNo)',
    ]);
  });

  it('is recognised by InstallmentDay without the original FirstDueDate', () => {
    const noAnchor = { ...SHIFTED, LastDueDate: MOVED, FirstDueDate: undefined };
    expect(texts([datesFor(noAnchor).accrualStart])).toEqual(['2025-03-01']);
    const later = datesFor({ ...noAnchor, FirstDueDate: date('2025-04-01') });
    expect(texts([later.accrualStart])).toEqual(['2025-03-01']);
    expect(later.regularMonths).toEqual([1, 1, 1, 1]);
  });

  it('does not determine the next due dates if it lies in another month (D4)', () => {
    // Saturday 31 May 2025 is shifted to Monday 2 June, Saturday 1 February 2025 back to Friday 31 January.
    const into = { LastDueDate: date('2025-06-02'), InstallmentDay: 31, InstallmentsNo: 2 };
    const { accrualStart, dueDates: next } = datesFor({ ...ON_WORKING_DAYS, ...into });
    expect(texts([accrualStart, ...next])).toEqual(['2025-05-31', '2025-06-30', '2025-07-31']);
    const back = { ...ON_WORKING_DAYS, HolidayMethod: 'Backward', LastDueDate: date('2025-01-31') };
    for (const InstallmentMethod of ['ActualMonth', 'NextMonth', undefined]) {
      const dates = datesFor({ ...back, InstallmentsNo: 1, InstallmentMethod });
      expect(texts([dates.accrualStart, ...dates.dueDates])).toEqual(['2025-02-01', '2025-03-01']);
    }
  });

  it('is recognised if the first due date was shifted to a day before FirstDueDate', () => {
    const back = { ...SHIFTED, HolidayMethod: 'Backward', BlockInstallmentNo: 1 } as const;
    const dates = datesFor({ ...back, LastDueDate: date('2025-01-31') });
    expect(texts([dates.accrualStart, ...dates.dueDates.slice(0, 2)])).toEqual(
      '2025-02-01 2025-03-01 2025-04-01'.split(' '),
    );
  });

  it('is recognised if the start of the contract forced the first due date forward (H1)', () => {
    const daily = { ...ON_WORKING_DAYS, HolidayMethod: 'Backward', PeriodicityType: 'Daily' } as const;
    const running = { ...daily, FirstDueDate: date('2025-01-04'), LastDueDate: date('2025-01-06') };
    const dates = datesFor({ ...running, BlockInstallmentNo: 1 });
    expect(texts([dates.accrualStart, ...dates.dueDates])).toEqual(
      '2025-01-04 2025-01-05 2025-01-06 2025-01-07'.split(' '),
    );
    expect(texts(dates.shownDates)).toEqual(['2025-01-06', '2025-01-06', '2025-01-07']);
  });
});

describe('RealInstallmentNo (B6)', () => {
  it('limits the number of rows, but not the planned due dates', () => {
    const dates = datesFor({ ...RUNNING, RealInstallmentNo: 4 });
    expect(dates.rowCount).toBe(2);
    expect(dates.dueDates).toHaveLength(4);
    expect(datesFor({ ...RUNNING, RealInstallmentNo: 6 }).rowCount).toBe(4);
  });

  it('is rejected if it is not the number of a row that remains', () => {
    const faults = [2, 7, 0, 3.5].flatMap((RealInstallmentNo) =>
      dateFaults({ ...RUNNING, RealInstallmentNo }),
    );
    const range = 'RealInstallmentNo out-of-range must be a whole number from 3 to 6';
    expect(faults).toEqual([range, range, range, range]);
  });
});
