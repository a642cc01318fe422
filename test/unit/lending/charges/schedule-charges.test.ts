import { describe, expect, it } from 'vitest';
import { addDays, type CalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import { traceRowCharges, collectRowCharges } from '../../../../shared/lending/charges/row-charges.ts';
import {
  refuseLateCharges,
  refuseTooLargeCharges,
  type ChargeSchedule,
} from '../../../../shared/lending/charges/schedule-charges.ts';
import { Validation } from '../../../../shared/lending/request/validation.ts';
import type { CommissionItem } from '../../../../shared/lending/request/repayment-schedule-request.ts';
import type { ChargeTrace } from '../../../../shared/lending/charges/row-charges.ts';
import {
  fee,
  feesOn,
  FIGURES,
  monthlyRows,
  scheduleOn,
  premium,
  premiumsOn,
  rowsOn,
  rowsWith,
} from '../../../support/builders/lending-charges.ts';
import { date, decimal, faultsOf, loan } from '../../../support/builders/lending-loan.ts';

const FOUR = monthlyRows('2025-01-01', 4);
const THREE_YEARS = monthlyRows('2025-01-01', 36);

const feesOf = (changes: Partial<CommissionItem>, schedule: ChargeSchedule = FOUR) =>
  feesOn(schedule, { Commission: [fee(changes)] });

/** Rows that collect a quarterly fee from a date on. */
function quarterlyFrom(FeeDate: string, IsUpfront: boolean): readonly number[] {
  return rowsWith(feesOf({ FeeDate: date(FeeDate), IsUpfront, FeePeriodicityType: 'Quarterly' }));
}

describe('percentage charge (F2)', () => {
  const onePercent = { SourcePercent: decimal(1) };
  const figures = { remaining: 80_000, interest: 800, principal: 24_028 };
  const firstOf = (changes: Partial<CommissionItem>) =>
    feesOn(FOUR, { Commission: [fee(changes)], UnusedAmount: decimal(400) }, figures)[0];

  it.each([
    ['FinancedAmount', 1000],
    ['RemainingValue', 800],
    ['Principal', 240],
    ['Interest', 8],
    ['Installment', 248],
    ['UnusedAmount', 400],
  ] as const)('is based on %s if PercentAppliedTo names it', (PercentAppliedTo, expected) => {
    expect(firstOf({ ...onePercent, PercentAppliedTo })).toBe(expected);
  });

  it('is based on FinancedAmount by default', () => {
    expect(firstOf(onePercent)).toBe(1000);
  });

  it('is a rate per charge, or with PerAnnum an annual rate for the months of its period', () => {
    const ofRemaining = { SourcePercent: decimal('0.5'), PercentAppliedTo: 'RemainingValue' };
    const feeOf = (changes: Partial<CommissionItem>) =>
      feesOn(FOUR, { Commission: [fee({ ...ofRemaining, ...changes })] }, { ...figures, remaining: 83_333 });
    expect(feeOf({ PerAnnum: true })[0]).toBe(35);
    expect(feeOf({ PerAnnum: false })[0]).toBe(417);
    expect(feeOf({ PerAnnum: true, FeePeriodicityType: 'Quarterly' })).toEqual([0, 0, 104, 0]);
    expect(feesOf({ ...onePercent, PerAnnum: true, FeePeriodicityType: 'Annual' }, THREE_YEARS)[11]).toBe(
      1000,
    );
  });

  it('with PerAnnum counts the days of its period over 365 in day and week units', () => {
    const perAnnum = { SourcePercent: decimal('36.5'), PerAnnum: true };
    expect(firstOf({ ...perAnnum, FeePeriodicityType: 'Daily' })).toBe(31 * 100);
    expect(firstOf({ ...perAnnum, FeePeriodicityType: 'Biweekly' })).toBe(2 * 1400);
  });

  it('is rounded separately for each of several charges in a row', () => {
    const weekly = { SourcePercent: decimal('0.0005'), FeePeriodicityType: 'Weekly' };
    expect(feesOf(weekly)).toEqual([4, 4, 4, 5]);
    expect(feesOf({ ...weekly, SourcePercent: decimal('0.00049') })).toEqual([0, 0, 0, 0]);
    expect(feesOn({ ...FOUR, rounding: 'HALF_EVEN' }, { Commission: [fee(weekly)] })).toEqual([0, 0, 0, 0]);
  });

  it('is exact beyond the precision of floating point', () => {
    const percent = { SourcePercent: decimal('33.333333333333333333333333333333') };
    const schedule = { ...FOUR, amount: 999_999_999_999_999 };
    expect(feesOf(percent, schedule)[0]).toBe(333_333_333_333_333);
    expect(
      feesOf({ SourcePercent: decimal('12.345678901') }, { ...FOUR, amount: 987_654_321_098_765 })[0],
    ).toBe(121_932_631_134_705);
  });

  it('is negative if its base is negative', () => {
    const Commission = [fee({ ...onePercent, PercentAppliedTo: 'Interest' })];
    expect(feesOn(FOUR, { Commission }, { ...figures, interest: -800 })[0]).toBe(-8);
    expect(feesOn(FOUR, { Commission }, { ...figures, interest: 0 })).toEqual([0, 0, 0, 0]);
  });
});

describe('dates of charges (F3)', () => {
  it('collect an annual premium over 36 months in rows 1, 13, 25 upfront and 12, 24, 36 in arrears', () => {
    expect(rowsWith(premiumsOn(THREE_YEARS, { Insurance: [premium({ IsUpfront: true })] }))).toEqual([
      1, 13, 25,
    ]);
    expect(rowsWith(premiumsOn(THREE_YEARS, { Insurance: [premium({ IsUpfront: false })] }))).toEqual([
      12, 24, 36,
    ]);
  });

  it.each([true, false])(
    'collect a monthly fee over 36 months once in every row (IsUpfront %s)',
    (IsUpfront) => {
      expect(feesOf({ IsUpfront }, THREE_YEARS)).toEqual(Array.from({ length: 36 }, () => 500));
    },
  );

  it('collect a charge on a due date in arrears, and with the next row upfront', () => {
    expect(quarterlyFrom('2025-01-01', false)).toEqual([3]);
    expect(quarterlyFrom('2025-01-02', false)).toEqual([4]);
    expect(quarterlyFrom('2025-02-01', false)).toEqual([4]);
    expect(quarterlyFrom('2025-02-02', false)).toEqual([]);
    expect(quarterlyFrom('2025-02-01', true)).toEqual([2]);
    expect(quarterlyFrom('2025-01-31', true)).toEqual([1, 4]);
    expect(quarterlyFrom('2025-02-28', true)).toEqual([2]);
  });

  it('drop charges before the start and keep later ones in full', () => {
    expect(feesOf({ FeeDate: date('2020-06-15') })).toEqual([500, 500, 500, 500]);
    const quarterly = { FeeDate: date('2024-11-15'), FeePeriodicityType: 'Quarterly' };
    expect(rowsWith(feesOf({ ...quarterly, IsUpfront: true }))).toEqual([2]);
    expect(rowsWith(feesOf({ ...quarterly, IsUpfront: false }))).toEqual([2]);
    const annual = { FeeDate: date('2024-12-31'), FeePeriodicityType: 'Annual', IsUpfront: true };
    expect(feesOf(annual)).toEqual([0, 0, 0, 0]);
  });

  it('collect charges on the start date with the first row', () => {
    const FeeDate = date('2024-12-01');
    expect(feesOf({ FeeDate, IsUpfront: true })).toEqual([500, 500, 500, 500]);
    expect(feesOf({ FeeDate, IsUpfront: false })).toEqual([1000, 500, 500, 500]);
  });

  it('assign charges in arrears on the start date of a recalculation to the settled row', () => {
    const FeeDate = date('2024-12-01');
    const recalculated = { ...FOUR, isRecalculation: true };
    expect(feesOf({ FeeDate, IsUpfront: true }, recalculated)).toEqual([500, 500, 500, 500]);
    expect(feesOf({ FeeDate, IsUpfront: false }, recalculated)).toEqual([500, 500, 500, 500]);
  });

  it('count from the day of the first charge after a shorter month', () => {
    const rows = rowsOn(
      date('2024-01-30'),
      ['2024-02-28', '2024-02-29', '2024-03-30', '2024-03-31', '2024-04-29', '2024-04-30'].map(date),
    );
    const FeeDate = date('2024-01-31');
    expect(rowsWith(feesOf({ FeeDate, IsUpfront: false }, rows))).toEqual([2, 4, 6]);
    expect(rowsWith(feesOf({ FeeDate, IsUpfront: true }, rows))).toEqual([1, 3, 5]);
  });

  it('fall on 28 February for a charge that started on 29 February', () => {
    const rows = rowsOn(
      date('2024-02-29'),
      ['2025-02-27', '2025-02-28', '2028-02-28', '2028-02-29'].map(date),
    );
    const yearly = { FeeDate: date('2024-02-29'), FeePeriodicityType: 'Yearly' };
    expect(feesOf(yearly, rows)).toEqual([0, 500, 1000, 500]);
  });

  it('collect every daily and weekly charge of a period, however long', () => {
    expect(feesOf({ FeePeriodicityType: 'Daily' })).toEqual([31, 28, 31, 30].map((days) => days * 500));
    expect(feesOf({ FeePeriodicityType: 'Weekly' })).toEqual([2000, 2000, 2000, 2500]);
    const century = rowsOn(date('1900-01-01'), [date('2999-12-31')]);
    const cent = { SourceValue: decimal('0.01'), FeePeriodicityType: 'Daily', FeeDate: date('1900-01-01') };
    expect(feesOf(cent, century)).toEqual([date('2999-12-31') - date('1900-01-01')]);
  });

  it('compare charges with unshifted due dates', () => {
    const moved = FOUR.dates.dueDates.map((dueDate) => addDays(dueDate, 2));
    const shifted = {
      ...FOUR,
      dates: { ...FOUR.dates, accrualStart: date('2025-01-03'), accrualDates: moved },
    };
    const FeeDate = date('2025-01-02');
    expect(feesOf({ FeeDate, IsUpfront: false }, shifted)).toEqual([0, 500, 500, 500]);
    expect(feesOf({ FeeDate, IsUpfront: true }, shifted)).toEqual([500, 500, 500, 500]);
  });

  it('end with the last row shown (B6)', () => {
    const paid = { ...FOUR, dates: { ...FOUR.dates, rowCount: 2 } };
    expect(feesOf({}, paid)).toEqual([500, 500]);
    const late = { RealInstallmentNo: 2, Commission: [fee({ FeeDate: date('2025-03-02') })] };
    expect(faultsOf(late).map(({ path, code, message }) => [path, code, message])).toEqual([
      ['Commission[0].FeeDate', 'date-order', 'must be on or before the last due date, 2025-03-01'],
    ]);
  });

  it('reject a charge that starts after the last due date of a schedule that ends early', () => {
    const request = loan({
      Commission: [fee(), fee({ FeeDate: date('2025-03-02') })],
      Insurance: [premium()],
    });
    const validation = new Validation();
    refuseLateCharges(request, date('2025-03-01'), validation);
    expect(validation.faults.map(({ path, code }) => `${path} ${code}`)).toEqual([
      'Commission[1].FeeDate date-order',
    ]);
  });

  it('waive charges within the grace period, counted by original row numbers', () => {
    expect(feesOf({ GracePeriodFee: 2 })).toEqual([0, 0, 500, 500]);
    expect(feesOf({ GracePeriodFee: 9 })).toEqual([0, 0, 0, 0]);
    const settled = { ...FOUR, dates: { ...FOUR.dates, settledRows: 3 } };
    expect(feesOf({ GracePeriodFee: 4 }, settled)).toEqual([0, 500, 500, 500]);
    expect(feesOf({ GracePeriodFee: 3 }, settled)).toEqual([500, 500, 500, 500]);
    const Insurance = [premium({ InsurancePeriodicityType: 'Monthly', GracePeriodInsurance: 1 })];
    expect(premiumsOn(FOUR, { Insurance })).toEqual([0, 6000, 6000, 6000]);
  });

  it('collect the same charges in the remaining rows of a recalculation (X1)', () => {
    const charges = [
      fee({ FeeDate: date('2024-10-31') }),
      fee({ FeeDate: date('2025-01-01'), IsUpfront: true, FeePeriodicityType: 'Biweekly' }),
      fee({ FeeDate: date('2025-01-01'), FeePeriodicityType: 'Quarterly', GracePeriodFee: 7 }),
    ];
    const whole = feesOn(THREE_YEARS, { Commission: charges });
    for (const settledRows of [1, 2, 6, 35]) {
      const start = THREE_YEARS.dates.dueDates[settledRows - 1] as CalendarDate;
      const left = rowsOn(start, THREE_YEARS.dates.dueDates.slice(settledRows), { isRecalculation: true });
      const schedule = { ...left, dates: { ...left.dates, settledRows } };
      expect(feesOn(schedule, { Commission: charges })).toEqual(whole.slice(settledRows));
    }
  });
});

describe('charge totals of a row (F4)', () => {
  it('add up commissions and insurances separately', () => {
    const Commission = [fee(), fee({ SourcePercent: decimal(1), PercentAppliedTo: 'Interest' })];
    const Insurance = [
      premium({ InsurancePeriodicityType: 'Quarterly' }),
      premium({ SourceValue: decimal(1) }),
    ];
    expect(feesOn(FOUR, { Commission, Insurance })).toEqual([510, 510, 510, 510]);
    expect(premiumsOn(FOUR, { Commission, Insurance })).toEqual([0, 0, 6000, 0]);
  });

  it('include insurances only if the request contains some', () => {
    expect(scheduleOn(FOUR, { Commission: [fee()] }).scheduled?.hasInsurances).toBe(false);
    expect(scheduleOn(FOUR, { Insurance: [] }).scheduled?.hasInsurances).toBe(false);
    expect(scheduleOn(FOUR, { Insurance: [premium()] }).scheduled?.hasInsurances).toBe(true);
    expect(feesOn(FOUR, {})).toEqual([0, 0, 0, 0]);
  });

  it('include blocked amounts in the first row, also without a charge in it (X2)', () => {
    const blocked = {
      IsLocked: true,
      Commission: [
        fee({ BlockFeeAmount: decimal(3), GracePeriodFee: 2 }),
        fee({ SourcePercent: decimal(1), PercentAppliedTo: 'Interest', BlockFeeAmount: decimal('0.5') }),
      ],
      Insurance: [premium({ BlockInsuranceAmount: decimal(7) })],
    };
    expect(feesOn(FOUR, blocked)).toEqual([360, 10, 510, 510]);
    expect(premiumsOn(FOUR, blocked)).toEqual([700, 0, 0, 0]);
    expect(feesOn(FOUR, { ...blocked, IsLocked: false })).toEqual([10, 10, 510, 510]);
  });
});

describe('commission for unusage (F5)', () => {
  const unusage = fee({ SourcePercent: decimal(1), IsForUnusage: true, FeePeriodicityType: 'Annual' });
  const request = { Commission: [unusage], UnusedAmount: decimal(400) };
  const actual: ChargeSchedule = { ...FOUR, dayCount: 'Actual/365' };

  it('costs 0.18 on 400 at 1 % from 16 January to 1 February by Actual/365', () => {
    const StartDateForUnusage = date('2025-01-16');
    expect(feesOn(actual, { ...request, StartDateForUnusage })).toEqual([18, 31, 34, 33]);
  });

  it('is charged from the start to the last due date by default', () => {
    expect(feesOn(actual, request)).toEqual([34, 31, 34, 33]);
    expect(feesOn(FOUR, request)).toEqual([33, 33, 33, 33]);
  });

  it('ends with ExpiryDateForOD', () => {
    expect(feesOn(actual, { ...request, ExpiryDateForOD: date('2025-02-15') })).toEqual([34, 15, 0, 0]);
    expect(feesOn(actual, { ...request, ExpiryDateForOD: date('2025-01-01') })).toEqual([0, 0, 0, 0]);
  });

  it('starts and ends within one row', () => {
    const dates = { StartDateForUnusage: date('2025-02-10'), ExpiryDateForOD: date('2025-02-20') };
    expect(feesOn(actual, { ...request, ...dates })).toEqual([0, 11, 0, 0]);
  });

  it('counts a full regular month as 30 days, and part of it by the convention (C2)', () => {
    const february = rowsOn(date('2025-01-31'), [date('2025-02-28')]);
    expect(feesOn(february, { ...request, UnusedAmount: decimal(3600) })).toEqual([300]);
    const StartDateForUnusage = date('2025-02-01');
    expect(feesOn(february, { ...request, UnusedAmount: decimal(3600), StartDateForUnusage })).toEqual([270]);
  });

  it('is waived in the grace period, and is a plain fee when it has a value', () => {
    const graced = { ...request, Commission: [{ ...unusage, GracePeriodFee: 1 }] };
    expect(feesOn(actual, graced)).toEqual([0, 31, 34, 33]);
    expect(feesOn(actual, { Commission: [fee({ IsForUnusage: true })] })).toEqual([500, 500, 500, 500]);
  });

  it('follows the accrual dates', () => {
    const accrualDates = FOUR.dates.dueDates.map((dueDate) => addDays(dueDate, 2));
    const deferred = { ...actual, dates: { ...actual.dates, accrualDates } };
    expect(feesOn(deferred, request)).toEqual([36, 31, 34, 33]);
  });
});

function tracesOf(row: number): readonly ChargeTrace[] {
  const { scheduled } = scheduleOn(FOUR, {
    IsLocked: true,
    UnusedAmount: decimal(400),
    Commission: [
      fee({ FeePeriodicityType: 'Weekly' }),
      fee({
        SourcePercent: decimal('0.5'),
        PercentAppliedTo: 'Installment',
        PerAnnum: true,
        FeeName: 'Share',
      }),
      fee({ SourcePercent: decimal(1), IsForUnusage: true, FeeName: 'Unused' }),
      fee({ SourcePercent: decimal(1), FeePeriodicityType: 'Annual', BlockFeeAmount: decimal(2) }),
      fee({ SourcePercent: decimal('0.1'), GracePeriodFee: 3, FeeName: 'Late' }),
    ],
    Insurance: [premium({ InsurancePeriodicityType: 'Quarterly' })],
  });
  return scheduled === undefined ? [] : traceRowCharges(scheduled, row, FIGURES);
}

describe('trace of the charges of a row (S6, Explain)', () => {
  it('describes each item that the row collects', () => {
    expect(tracesOf(0)).toEqual([
      {
        kind: 'commission',
        name: 'Account fee',
        amount: 2000,
        charges: 4,
        each: { rule: 'value', value: 500 },
      },
      {
        kind: 'commission',
        name: 'Share',
        amount: 11,
        charges: 1,
        each: {
          rule: 'percent',
          percent: '0.5',
          base: 25_628,
          appliedTo: 'Installment',
          partOfYear: [1, 12],
        },
      },
      {
        kind: 'commission',
        name: 'Unused',
        amount: 33,
        charges: 1,
        each: { rule: 'unused', percent: '1', base: 40_000, count: 30 },
      },
      {
        kind: 'commission',
        name: 'Account fee',
        amount: 200,
        charges: 0,
        each: { rule: 'percent', percent: '1', base: 100_000, appliedTo: 'FinancedAmount' },
        blocked: 200,
      },
    ]);
    expect(tracesOf(2).map(({ name }) => name)).toEqual(['Account fee', 'Share', 'Unused', 'Life']);
    expect(tracesOf(3).map(({ name }) => name)).toEqual(['Account fee', 'Share', 'Unused', 'Late']);
  });

  it('adds up to the totals of the row', () => {
    for (const row of [0, 1, 2, 3]) {
      const sum = tracesOf(row).reduce((total, { amount }) => total + amount, 0);
      expect(sum).toBe([2244, 2044, 8044, 2644][row]);
    }
  });
});

function faultOf(items: readonly CommissionItem[], interest = 0): string {
  const { scheduled, validation } = scheduleOn(FOUR, { Commission: items });
  if (scheduled === undefined) return 'not scheduled';
  const sums = collectRowCharges(scheduled, 0, { ...FIGURES, interest });
  expect(Number.isSafeInteger(sums.managementFee)).toBe(true);
  refuseTooLargeCharges(scheduled, validation);
  return validation.faults.map(({ path, code }) => `${path} ${code}`).join();
}

describe('charges above the limit', () => {
  const huge = fee({ SourceValue: decimal('9999999999999') });

  it('reports the item that makes a sum of fixed amounts too large', () => {
    expect(faultOf([fee(), { ...huge, FeePeriodicityType: 'Daily' }])).toBe('Commission[1] amount-too-large');
    expect(faultOf(Array.from({ length: 10 }, () => huge))).toBe('Commission[9] amount-too-large');
  });

  it('reports the item whose percentage is too large', () => {
    const percent = fee({ SourcePercent: decimal(100_000), PercentAppliedTo: 'Interest' });
    expect(faultOf([percent], 8_900_000_000_000)).toBe('');
    expect(faultOf([percent], 9_100_000_000_000)).toBe('Commission[0] amount-too-large');
  });

  it('reports the list whose sum makes the instalment too large', () => {
    expect(faultOf([huge], 8_000_000_000_000_000)).toBe('');
    expect(faultOf([huge], 8_100_000_000_000_000)).toBe('Commission amount-too-large');
  });
});
