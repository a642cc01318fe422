import { describe, expect, it } from 'vitest';
import { collectRowCharges } from '../../../../shared/lending/charges/charge-amounts.ts';
import {
  refuseLateCharges,
  refuseTooLargeCharges,
  type ChargeSchedule,
} from '../../../../shared/lending/charges/schedule-charges.ts';
import { Validation } from '../../../../shared/lending/request/validation.ts';
import type { CommissionItem } from '../../../../shared/lending/request/repayment-schedule-request.ts';
import {
  FIGURES,
  fee,
  feesOn,
  monthlyRows,
  premium,
  premiumsOn,
  rowsOn,
  rowsWith,
  scheduleOn,
} from '../../../support/builders/lending-charges.ts';
import {
  date,
  decimal,
  faultCodes,
  faultsOf,
  loan,
  scheduleOf,
} from '../../../support/builders/lending-loan.ts';

const FOUR = monthlyRows('2025-01-01', 4);

const feesOf = (changes: Partial<CommissionItem>, schedule: ChargeSchedule = FOUR) =>
  feesOn(schedule, { Commission: [fee(changes)] });

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

  it('is exact beyond the precision of floating point', () => {
    const percent = { SourcePercent: decimal('33.333333333333333333333333333333') };
    const schedule = { ...FOUR, amount: 999_999_999_999_999 };
    expect(feesOf(percent, schedule)[0]).toBe(333_333_333_333_333);
    expect(
      feesOf({ SourcePercent: decimal('12.345678901') }, { ...FOUR, amount: 987_654_321_098_765 })[0],
    ).toBe(121_932_631_134_705);
  });
});

describe('dates of charges (F3)', () => {
  it('drop charges before the start and keep later ones in full', () => {
    expect(feesOf({ FeeDate: date('2020-06-15') })).toEqual([500, 500, 500, 500]);
    const quarterly = { FeeDate: date('2024-11-15'), FeePeriodicityType: 'Quarterly' };
    expect(rowsWith(feesOf({ ...quarterly, IsUpfront: true }))).toEqual([2]);
    expect(rowsWith(feesOf({ ...quarterly, IsUpfront: false }))).toEqual([2]);
    const annual = { FeeDate: date('2024-12-31'), FeePeriodicityType: 'Annual', IsUpfront: true };
    expect(feesOf(annual)).toEqual([0, 0, 0, 0]);
  });

  it('assign charges in arrears on the start date of a recalculation to the settled row', () => {
    const FeeDate = date('2024-12-01');
    const recalculated = { ...FOUR, isRecalculation: true };
    expect(feesOf({ FeeDate, IsUpfront: true }, recalculated)).toEqual([500, 500, 500, 500]);
    expect(feesOf({ FeeDate, IsUpfront: false }, recalculated)).toEqual([500, 500, 500, 500]);
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
});

describe('charge totals of a row (F4)', () => {
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
});

describe('explanation of the charges of a row (S6, Explain)', () => {
  const { rows } = scheduleOf({
    LastDueDate: date('2025-01-01'),
    ActivationDate: undefined,
    IsLocked: true,
    Explain: true,
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
  const explained = rows.map(({ explanation = [] }) => explanation.filter(({ name }) => name !== undefined));

  it('describes each item that the row collects', () => {
    expect(explained[0]?.map(({ name, formula }) => `${name}: ${formula}`)).toEqual([
      'Account fee: 4 * 5.00 = 20.00',
      'Share: Installment 256.28 * 0.5 % * 1/12 = 0.11',
      'Unused: UnusedAmount 400.00 * 1 % * 30/360 = 0.33',
      'Account fee: blocked: 2.00',
    ]);
    expect(explained[0]?.[2]).toMatchObject({ days: 30, basis: 360, rates: ['1'], base: 40_000 });
    expect(explained[3]?.map(({ name }) => name)).toEqual(['Account fee', 'Share', 'Unused', 'Late']);
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

  it('reports fixed amounts that are too large in a later row before the sum of the first', () => {
    const daily = { ...huge, FeePeriodicityType: 'Daily' };
    const fees = [{ ...daily, FeeDate: date('2025-03-15') }, daily];
    expect(faultCodes({ Commission: fees })).toEqual(['Commission[0] amount-too-large']);
  });

  it('reports fixed amounts in rows that an early end drops', () => {
    const daily = { ...huge, FeePeriodicityType: 'Daily', FeeDate: date('2025-02-25') };
    const early = { installmentValue: decimal(600), Commission: [daily] };
    expect(faultCodes(early)).toEqual(['Commission[0] amount-too-large']);
  });

  it('reports the list whose percentages make the sum too large, not a small fixed amount after them', () => {
    const shares = [900, 500].map((percent) =>
      fee({ SourcePercent: decimal(percent), PercentAppliedTo: 'RemainingValue' }),
    );
    const Amount = decimal('9e12');
    const small = { Insurance: [premium({ InsurancePeriodicityType: 'Monthly' })] };
    expect(faultCodes({ Amount, Commission: shares, ...small })).toEqual(['Commission amount-too-large']);
    expect(faultCodes({ Amount, Commission: [...shares, fee()] })).toEqual(['Commission amount-too-large']);
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
