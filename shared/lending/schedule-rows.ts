/** Rows of a schedule from its dates and its amortisation. */

import type { Amortisation } from './amortisation.ts';
import type { DueDates } from './due-dates.ts';
import { INSTALLMENT_TYPE_IDS } from './installment-types.ts';
import type { ScheduleRow } from './repayment-schedule.ts';

/**
 * The rows, one per due date. The balance moves by the principal, the payment is interest plus principal (M3);
 * NoDays counts calendar days (D6). `amount` is in minor units.
 */
export function scheduleRowsOf(amount: number, dates: DueDates, amortisation: Amortisation): ScheduleRow[] {
  const rows: ScheduleRow[] = [];
  let balance = amount;
  let periodStart = dates.startDate;
  for (const [index, dueDate] of dates.dueDates.entries()) {
    const interest = amortisation.interest[index] ?? 0;
    const principal = amortisation.principal[index] ?? 0;
    const payment = interest + principal;
    rows.push({
      InstallmentNo: index + 1,
      dueDate,
      noDays: dueDate - periodStart,
      installmentTypeId: INSTALLMENT_TYPE_IDS.Regular,
      remainingValue: balance,
      pmt: payment,
      interest,
      principal,
      managementFee: 0,
      totalInstallment: payment,
      isEarlyRepayment: false,
    });
    balance -= principal;
    periodStart = dueDate;
  }
  return rows;
}
