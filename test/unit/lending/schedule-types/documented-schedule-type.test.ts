import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { calculateRepaymentSchedule } from '../../../../shared/lending/calculate-repayment-schedule.ts';
import { createLendingCatalogue } from '../../../../shared/lending/schedule-types/lending-catalogue.ts';
import type { RepaymentSchedule } from '../../../../shared/lending/request/repayment-schedule.ts';
import type { ScheduleTypeRecord } from '../../../../shared/lending/schedule-types/schedule-type-record.ts';
import { column, date, decimal, loan, REQUEST_DAY } from '../../../support/builders/lending-loan.ts';

/** The record that docs/schedule-types.md explains. */
const FILE = 'shared/product/example-catalogue/schedule-types/level-total-with-vat.json';
const DOCUMENTED = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../../..', FILE), 'utf8'),
) as ScheduleTypeRecord;
const FEE = {
  SourceValue: decimal(10),
  FeePeriodicityType: 'Monthly',
  FeeDate: date('2025-01-01'),
  FeeName: 'Monthly fee',
} as const;

function calculated(installmentValue: number): RepaymentSchedule {
  const made = createLendingCatalogue({ scheduleTypes: [{ source: 'own', record: DOCUMENTED }] });
  if (made.kind === 'refused') throw new Error(JSON.stringify(made.faults));
  const ScheduleType = DOCUMENTED.PaymentScheduleTypeName;
  const request = loan({ ScheduleType, Commission: [FEE], installmentValue: decimal(installmentValue) });
  const outcome = calculateRepaymentSchedule(request, { requestDay: REQUEST_DAY, catalogue: made.catalogue });
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  return outcome;
}

describe('schedule type of the documentation (S1, S2, F4)', () => {
  it('is the one that the documentation names', () => {
    const page = readFileSync(
      path.resolve(import.meta.dirname, '../../../../docs/schedule-types.md'),
      'utf8',
    );
    expect(page).toContain(FILE);
  });

  it('keeps the total constant, with the tax on fees in a separate column', () => {
    const schedule = calculated(270);
    expect(column(schedule, 'totalInstallment')).toEqual(['270.00', '270.00', '270.00', '262.61']);
    expect(column(schedule, 'managementFee')).toEqual(['11.90', '11.90', '11.90', '11.90']);
    expect(schedule.extraColumns).toEqual(['VatOnFees']);
    expect(schedule.rows.map((row) => row.columns)).toEqual([[190], [190], [190], [190]]);
    for (const row of schedule.rows) {
      expect(row.totalInstallment).toBe(row.interest + row.principal + row.managementFee);
    }
  });

  it('ends when the balance is zero, without empty rows', () => {
    const schedule = calculated(600);
    expect(schedule.rows.map((row) => row.remainingValue - row.principal)).toEqual([42_190, 0]);
  });
});
