import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calculateRepaymentSchedule } from '../../../../shared/lending/calculate-repayment-schedule.ts';
import { DAY_COUNT_NAMES } from '../../../../shared/lending/dates/day-count.ts';
import { createLendingCatalogue } from '../../../../shared/lending/schedule-types/lending-catalogue.ts';
import { decimal, loan, REQUEST_DAY } from '../../../support/builders/lending-loan.ts';
import { columnOf, formulaColumn, recordOf } from '../../../support/builders/schedule-type-records.ts';

const WITH_FORMULA = recordOf([
  columnOf('RemainingValue', 'RemainingValue'),
  formulaColumn('Interest', 'RemainingValue * InterestPercent / 100 * DayCountFraction'),
  columnOf('Principal', 'Linear'),
]);

/** The figures of every row of an equal-principal schedule, of the built-in type or of the type with a formula. */
function rowsOf(ScheduleType: string, changes: Parameters<typeof loan>[0]): readonly (readonly number[])[] {
  const made = createLendingCatalogue({ scheduleTypes: [{ source: 'own', record: WITH_FORMULA }] });
  if (made.kind === 'refused') throw new Error(JSON.stringify(made.faults));
  const request = loan({ ...changes, ScheduleType });
  const outcome = calculateRepaymentSchedule(request, { requestDay: REQUEST_DAY, catalogue: made.catalogue });
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  return outcome.rows.map((row) => [
    row.remainingValue,
    row.interest,
    row.principal,
    row.pmt,
    row.totalInstallment,
  ]);
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
        const changes = {
          ...rest,
          Amount: decimal(minor).div(100),
          InterestPercent: decimal(basisPoints).div(100),
        };
        expect(rowsOf('OWN', changes)).toEqual(rowsOf('EqualPrincipal', changes));
      }),
    );
  });
});
