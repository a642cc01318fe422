/** The effective interest rate, EIR (A2): as XIRR, days over 365, with interest, principal and fees of each row. */

import { percentOfFlows } from './effective-rate.ts';
import type { ScheduledLoan } from './rate-flows.ts';

const DAYS_PER_YEAR = 365;

/** Percent with four decimals, rounded half up; null when there is no such rate (A4). */
export function effectiveInterestRate(loan: ScheduledLoan): string | null {
  return percentOfFlows({
    drawn: loan.drawn,
    payments: loan.rows.map((row) => row.interest + row.principal + row.managementFee),
    wholeUnits: loan.rows.map((row) => row.dueDate - loan.startDate),
    unitsPerYear: DAYS_PER_YEAR,
    extraDays: loan.rows.map(() => 0),
    yearDays: loan.rows.map(() => DAYS_PER_YEAR),
  });
}
