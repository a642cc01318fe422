import { describe, expect, it } from 'vitest';
import { column, scheduleOf } from '../../../support/builders/lending-loan.ts';

describe('grace periods (G1, G2)', () => {
  it('are explained by the rows in which deferred interest accrued (S6)', () => {
    const { rows } = scheduleOf({ GracePeriodInterest: 2, Explain: true });
    expect(JSON.stringify(rows[2]?.explanation)).toContain('of rows 1 to 2');
  });

  it('collect deferred interest of a deposit and keep capitalising (B4)', () => {
    const deposit = { ScheduleType: 'Deposit', InterestCapitalization: 1 } as const;
    const terms = { ...deposit, InterestCalculationMethod: '30/360', GracePeriodInterest: 2 } as const;
    const schedule = scheduleOf(terms);
    expect(column(schedule, 'interest')).toEqual(['0.00', '0.00', '20.00', '10.10']);
    const capitalised = schedule.rows.map((row) => row.capitalisedInterest);
    expect(capitalised).toEqual([undefined, undefined, 1000, undefined]);
  });
});
