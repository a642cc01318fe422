import { describe, expect, it } from 'vitest';
import type { RepaymentScheduleRequest } from '../../../../shared/lending/request/repayment-schedule-request.ts';
import { fee, premium } from '../../../support/builders/lending-charges.ts';
import { calculated, column, date, decimal } from '../../../support/builders/lending-loan.ts';
import { columnsOf, outcomeWith, recordOf } from '../../../support/builders/schedule-type-records.ts';

const after = (columns: string) => columnsOf(`RemainingValue RemainingValue; ${columns}`);
const LEVEL = 'Interest Linear; PMT PMT; Principal Balance; ManagementFee Fee; Insurance Insurance';

/** The schedule of a type with these columns after the balance. */
const scheduleOf = (columns: string, changes: Partial<RepaymentScheduleRequest> = {}) =>
  calculated(outcomeWith(recordOf(after(columns)), changes));

function faultOf(columns: string) {
  const outcome = outcomeWith(recordOf(after(columns)));
  return outcome.kind === 'refused' ? outcome.faults[0]?.message : undefined;
}

/** The rows of a type with this principal formula. */
const withPrincipal = (formula: string) =>
  scheduleOf(`Interest Linear; Principal = ${formula}; ManagementFee Fee`);

describe('formulas of rows (S2)', () => {
  it.each([
    ['Amount / 8', ['125.00', '125.00', '125.00', '625.00']],
    ['RemainingValue / 2', ['500.00', '250.00', '125.00', '125.00']],
    ['0 - Amount', ['0.00', '0.00', '0.00', '1000.00']],
    ['InstallmentNo * 100', ['100.00', '200.00', '300.00', '400.00']],
    ['NoDays', ['31.00', '28.00', '31.00', '910.00']],
    ['DayCountFraction * 1200', ['100.00', '100.00', '100.00', '700.00']],
    ['InterestPercent + PeriodsPerYear', ['24.00', '24.00', '24.00', '928.00']],
    ['Interest * 10', ['100.00', '90.00', '81.00', '729.00']],
    ['Amount / InstallmentsNo', ['250.00', '250.00', '250.00', '250.00']],
  ])('calculate the principal by %s', (formula, expected) => {
    expect(column(withPrincipal(formula), 'principal')).toEqual(expected);
  });

  it('end the schedule when the principal exceeds the balance', () => {
    expect(column(withPrincipal('600'), 'principal')).toEqual(['600.00', '400.00']);
  });

  it('calculate interest and payment', () => {
    const schedule = scheduleOf(
      'Interest = RemainingValue * InterestPercent / 1000; PMT = Interest + 200; Principal Balance',
    );
    expect(column(schedule, 'interest')).toEqual(['12.00', '9.60', '7.20', '4.80']);
    expect(column(schedule, 'pmt')).toEqual(['212.00', '209.60', '207.20', '404.80']);
  });

  it('read the columns before them, and the interest that grace leaves', () => {
    const columns = `${LEVEL}; First = InstallmentNo; Second = First * 2; Third = Second + First; Fourth = Interest`;
    const schedule = scheduleOf(columns, { GracePeriodInterest: 1, GraceType: 'Forgiven' });
    expect(schedule.rows[0]?.columns).toEqual([100, 200, 300, 0]);
  });

  it('add charges of formula columns to their totals and omit hidden columns', () => {
    const extras =
      'Vat = ManagementFee / 5 {"Fee":"VAT"}; Cover = RemainingValue / 1000 {"InsuranceClass":"Cover","Display":false}; ' +
      'Half = PMT / 2; Service Fee {"Fee":"Account fee"}';
    const schedule = scheduleOf(`${LEVEL}; ${extras}`, { Commission: [fee()], InstallmentsNo: 2 });
    expect(schedule.extraColumns).toEqual(['Vat', 'Half', 'Service']);
    expect(schedule.rows.map(({ columns }) => columns)).toEqual([
      [100, 25_376, 500],
      [100, 25_376, 500],
    ]);
    expect(column(schedule, 'managementFee')).toEqual(['6.00', '6.00']);
    expect(column(schedule, 'insurance')).toEqual(['1.00', '0.50']);
  });

  it('read the charges of the row when a column precedes the interest', () => {
    const columns =
      'Insurance Insurance; Before = Insurance + RemainingValue; Interest Linear; Principal = 300 - Insurance';
    const Insurance = [premium({ InsurancePeriodicityType: 'Monthly', SourceValue: decimal(2) })];
    const schedule = scheduleOf(columns, { Insurance });
    expect(schedule.rows.map((row) => row.columns?.[0])).toEqual([100_200, 70_400, 40_600, 10_800]);
  });

  it('read a charge on the interest of the row (F2)', () => {
    const charge = { SourceValue: undefined, SourcePercent: decimal(50), PercentAppliedTo: 'Interest' };
    const columns = 'Interest Linear; ManagementFee Fee; Principal = 300 - ManagementFee';
    const schedule = scheduleOf(columns, { Commission: [fee(charge)] });
    expect(column(schedule, 'principal')).toEqual(['295.00', '296.47', '297.95', '110.58']);
  });

  it('collect formula charges with the due instalment after a prepayment (X3)', () => {
    const EarlyRepayments = [{ Date: date('2025-01-16'), Amount: decimal(100) }];
    const columns =
      'Interest = RemainingValue * DayCountFraction; Principal Linear; ManagementFee Fee; Vat = 2 {"Fee":"VAT"}';
    const schedule = scheduleOf(columns, { EarlyRepayments, InstallmentsNo: 2 });
    expect(column(schedule, 'interest')).toEqual(['41.67', '37.50', '37.50']);
    expect(column(schedule, 'managementFee')).toEqual(['0.00', '2.00', '2.00']);
  });

  it('deduct the charges of a month from the interest once, at its due date and not at a prepayment (X3)', () => {
    const columns =
      'ManagementFee Fee; Tax = 0.1 {"Fee":"Tax"}; ' +
      'Interest = RemainingValue * InterestPercent / 100 * DayCountFraction - ManagementFee; Principal Linear';
    const EarlyRepayments = [{ Date: date('2025-02-16'), Amount: decimal(300) }];
    const Commission = [fee({ SourceValue: decimal('0.5') })];
    const schedule = scheduleOf(columns, { Commission, EarlyRepayments });
    expect(column(schedule, 'interest')).toEqual(['9.40', '3.75', '1.65', '2.40', '0.90']);
    expect(column(schedule, 'managementFee')).toEqual(['0.60', '0.00', '0.60', '0.60', '0.60']);
  });

  it('read fields that are not reported as ignored then (E5)', () => {
    const columns = 'Interest Linear; Principal Linear';
    const reading = `${columns}; Costs = UnusedAmount + UpFrontValue`;
    const running = { LastDueDate: date('2025-01-01'), ActivationDate: undefined };
    const sent = { ...running, UnusedAmount: decimal(400), UpFrontValue: decimal(20) };
    expect(scheduleOf(reading, sent).warnings).toEqual([]);
    expect(scheduleOf(columns, sent).warnings.map((one) => one.path)).toEqual([
      'UnusedAmount',
      'UpFrontValue',
    ]);
  });

  it('read the periods of the contract, which are those of InstallmentsNo unless there is only one (D8)', () => {
    const columns = 'Interest Linear; Principal Linear; Share = Amount / ContractPeriod';
    expect(scheduleOf(columns).rows[0]?.columns).toEqual([25_000]);
    const once = { PeriodicityType: 'Once', InstallmentsNo: 1, FirstDueDate: date('2025-07-01') };
    const schedule = scheduleOf(columns, { ...once, ContractPeriod: 8 });
    expect([schedule.rows[0]?.columns, schedule.warnings]).toEqual([[12_500], []]);
  });

  it('take 0 as no fixed instalment', () => {
    const columns = after('Interest Linear; ManagementFee Fee; PMT = LockedInstallment; Principal Balance');
    const outcome = outcomeWith(recordOf(columns, { InstallmentValueCustom: true }), {
      installmentValue: decimal(0),
    });
    expect(calculated(outcome).rows.map(({ principal }) => principal)).toEqual([0, 0, 0, 100_000]);
  });

  it('may give negative interest only at a negative rate (R3)', () => {
    const columns = 'Interest = 0 - 1; Principal Linear';
    expect(faultOf(columns)).toBe(
      'must give column Interest a value in row 1: its formula gives interest below zero',
    );
    const without = outcomeWith(recordOf(after(columns)), { InterestPercent: decimal(0) });
    expect(without.kind).toBe('refused');
    const negative = scheduleOf(columns, { InterestPercent: decimal(-12) });
    expect(column(negative, 'interest')).toEqual(['-1.00', '-1.00', '-1.00', '-1.00']);
  });

  it.each([
    ['1 / (InstallmentNo - 2)', 'in row 2: its formula'],
    ['Interest - 8 {"Fee":"VAT"}', 'in row 2: its formula gives a charge below zero'],
    ['PMT * 0 - 1 {"InsuranceClass":"Cover"}', 'in row 1: its formula gives a charge below zero'],
  ])('report the row in which %s has no valid value', (formula, message) => {
    expect(faultOf(`${LEVEL}; Own = ${formula}`)).toContain(`must give column Own a value ${message}`);
  });
});
