import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_COUNT_NAMES } from '../../../../shared/lending/dates/day-count.ts';
import type { RepaymentSchedule } from '../../../../shared/lending/request/repayment-schedule.ts';
import { decimal, scheduleOf } from '../../../support/builders/lending-loan.ts';
import { columnsOf, outcomeWith, recordOf } from '../../../support/builders/schedule-type-records.ts';

const WITH_FORMULA = recordOf(
  columnsOf(
    'RemainingValue RemainingValue; Interest = RemainingValue * InterestPercent / 100 * DayCountFraction; Principal Linear',
  ),
);

/** The figures of every row of an equal-principal schedule. */
function rowsOf({ rows }: RepaymentSchedule): readonly (readonly number[])[] {
  return rows.map((row) => [row.remainingValue, row.interest, row.principal, row.pmt, row.totalInstallment]);
}

describe('calculateRepaymentSchedule with interest by a formula (S2, M1)', () => {
  it('equals simple interest by day count to the cent, including ties', () => {
    const terms = fc.record({
      minor: fc.integer({ min: 1200, max: 1_000_000_000 }),
      basisPoints: fc.integer({ min: 0, max: 4000 }),
      InstallmentsNo: fc.integer({ min: 1, max: 24 }),
      InstallmentDay: fc.integer({ min: 1, max: 31 }),
      InterestCalculationMethod: fc.constantFrom(...DAY_COUNT_NAMES),
    });
    fc.assert(
      fc.property(terms, ({ minor, basisPoints, ...rest }) => {
        const [Amount, InterestPercent] = [decimal(minor).div(100), decimal(basisPoints).div(100)];
        const changes = { ...rest, Amount, InterestPercent };
        const builtIn = scheduleOf({ ...changes, ScheduleType: 'EqualPrincipal' });
        const own = outcomeWith(WITH_FORMULA, changes);
        expect(own.kind === 'schedule' && rowsOf(own)).toEqual(rowsOf(builtIn));
      }),
    );
  });
});
