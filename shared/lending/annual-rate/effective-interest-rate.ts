/** The effective interest rate, EIR (A2): as XIRR, days over 365, with interest, principal and fees of each row. */

import { percentOfFlows } from './solve-rate.ts';
import { flowsByDays, rowsByDate, type ScheduledLoan } from './rate-flows.ts';

/** Percent with four decimals, rounded half up; null when there is no such rate (A4). */
export function effectiveInterestRate(loan: ScheduledLoan): string | null {
  const payments: number[] = [];
  const days: number[] = [];
  for (const row of rowsByDate(loan.rows)) {
    payments.push(row.interest + row.principal + row.managementFee);
    days.push(row.dueDate - loan.startDate);
  }
  return percentOfFlows(flowsByDays(loan.drawn, payments, days));
}
