/**
 * Schedule types with formula columns returned wrong figures with status 200: no interest with rate bands; the charges of
 * a month deducted from the interest twice, for a prepayment and for the instalment of the month; negative interest at a
 * positive rate; and a loan repaid entirely at its end when its fixed instalment was missing. Fields that a formula reads
 * were reported as ignored.
 */

import { describe, expect, it } from 'vitest';
import type { RepaymentScheduleRequest } from '../../shared/lending/request/repayment-schedule-request.ts';
import type { ScheduleTypeRecord } from '../../shared/lending/schedule-types/schedule-type-record.ts';
import { column, date, decimal } from '../support/builders/lending-loan.ts';
import { columnOf, formulaColumn, outcomeWith, recordOf } from '../support/builders/schedule-type-records.ts';

const BALANCE = columnOf('RemainingValue', 'RemainingValue');
const LINEAR = columnOf('Interest', 'Linear');
const PARTS = columnOf('Principal', 'Linear');
const FEES = columnOf('ManagementFee', 'Fee');
const SIMPLE = 'RemainingValue * InterestPercent / 100 * DayCountFraction';
const BANDS = {
  InterestPercent: undefined,
  BandedInterestRates: [
    { MinUtilizedAmount: decimal(0), Value: decimal(10) },
    { MinUtilizedAmount: decimal(500), Value: decimal(8) },
  ],
};
const FEE = { FeePeriodicityType: 'Monthly', FeeDate: date('2025-01-01'), FeeName: 'Service' } as const;

function scheduleWith(record: ScheduleTypeRecord, changes: Partial<RepaymentScheduleRequest> = {}) {
  const outcome = outcomeWith(record, changes);
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  return outcome;
}

function faultsWith(record: ScheduleTypeRecord, changes: Partial<RepaymentScheduleRequest> = {}) {
  const outcome = outcomeWith(record, changes);
  if (outcome.kind !== 'refused') throw new Error('the loan was calculated');
  return outcome.faults.map(({ path, code, message, status }) => `${status} ${path} ${code}: ${message}`);
}

describe('rates by bands (R2, S2)', () => {
  it.each([
    ['interest by a formula', recordOf([BALANCE, formulaColumn('Interest', SIMPLE), PARTS])],
    [
      'a formula that reads the rate',
      recordOf([BALANCE, LINEAR, PARTS, formulaColumn('Rate', 'InterestPercent')]),
    ],
  ])('are refused with %s', (_what, record) => {
    expect(faultsWith(record, BANDS)).toEqual([
      '422 BandedInterestRates not-allowed: must be left out: the formulas of Own type take one rate, from ' +
        'InterestPercent or MultipleInterestRates',
    ]);
  });

  it('are accepted with formulas that do not read the rate', () => {
    const record = recordOf([BALANCE, LINEAR, PARTS, formulaColumn('Tax', 'Interest * 0.1')]);
    expect(column(scheduleWith(record, BANDS), 'interest')).toEqual(['7.50', '5.83', '4.17', '2.08']);
  });
});

describe('interest by a formula (S2)', () => {
  const lessFees = recordOf([
    BALANCE,
    FEES,
    formulaColumn('Tax', '0.1', { Fee: 'Tax' }),
    formulaColumn('Interest', `${SIMPLE} - ManagementFee`),
    PARTS,
  ]);

  it('deducts the charges of a month once, at its due date and not at a prepayment (X3)', () => {
    const EarlyRepayments = [{ Date: date('2025-02-16'), Amount: decimal(300) }];
    const changes = { Commission: [{ ...FEE, SourceValue: decimal('0.5') }], EarlyRepayments };
    const { rows } = scheduleWith(lessFees, changes);
    const shown = rows.map(({ interest, managementFee }) => [interest, managementFee]);
    expect(shown).toEqual([
      [940, 60],
      [375, 0],
      [165, 60],
      [240, 60],
      [90, 60],
    ]);
  });

  it('is refused if it is below zero at a positive rate', () => {
    const record = recordOf([BALANCE, formulaColumn('Interest', `${SIMPLE} - 6`), PARTS]);
    expect(faultsWith(record)).toEqual([
      '422 ScheduleType formula-failed: must give column Interest a value in row 3: its formula gives interest below zero',
    ]);
    const simple = recordOf([BALANCE, formulaColumn('Interest', SIMPLE), PARTS]);
    const negative = scheduleWith(simple, { InterestPercent: decimal(-12) });
    expect(column(negative, 'interest')).toEqual(['-10.00', '-7.50', '-5.00', '-2.50']);
  });
});

describe('fields that formulas read (S2, E5)', () => {
  const locked = recordOf(
    [
      BALANCE,
      LINEAR,
      FEES,
      formulaColumn('PMT', 'LockedInstallment - ManagementFee'),
      columnOf('Principal', 'Balance'),
    ],
    { IsWithEqualInstallments: true, InstallmentValueCustom: true },
  );

  it('are mandatory for a fixed instalment; 0 means none', () => {
    expect(faultsWith(locked)).toEqual([
      '400 installmentValue missing: is missing; must be sent with Own type',
    ]);
    const none = scheduleWith(locked, { installmentValue: decimal(0) });
    expect(column(none, 'principal')).toEqual(['0.00', '0.00', '0.00', '1000.00']);
    const either = recordOf(
      [BALANCE, LINEAR, formulaColumn('Principal', 'max(LockedPrincipal, LockedInstallment)')],
      {
        InstallmentValueCustom: true,
      },
    );
    expect(faultsWith(either)).toEqual([
      '400 installmentValue missing: is missing; it or principalValue must be sent with Own type',
    ]);
    expect(scheduleWith(either, { principalValue: decimal(400) }).rows).toHaveLength(3);
  });

  it('are not reported as ignored', () => {
    const columns = [BALANCE, LINEAR, PARTS, formulaColumn('Costs', 'UnusedAmount + UpFrontValue')];
    const sent = { UnusedAmount: decimal(400), UpFrontValue: decimal(20), LastDueDate: date('2025-01-01') };
    const changes = { ...sent, ActivationDate: undefined };
    expect(scheduleWith(recordOf(columns), changes).warnings).toEqual([]);
    const unread = scheduleWith(recordOf([BALANCE, LINEAR, PARTS]), changes).warnings;
    expect(unread.map(({ path }) => path).toSorted()).toEqual(['UnusedAmount', 'UpFrontValue']);
  });
});
