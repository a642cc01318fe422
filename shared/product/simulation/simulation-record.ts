/** The figures of an offer from its schedule (Q1, Q4). */

import { internalRateOfReturn } from '../../lending/annual-rate/internal-rate-of-return.ts';
import type { RepaymentSchedule, ScheduleRow } from '../../lending/request/repayment-schedule.ts';
import type { SimulatedLoan } from './simulate-loan.ts';
import type { SimulationRecord, SimulationRow } from './simulation.ts';

/** The members of a record that come from the rows. */
export type ScheduleFigures = Pick<
  SimulationRecord,
  | 'currencyDigits'
  | 'irr'
  | 'firstInstallment'
  | 'firstInsurance'
  | 'totalInsurance'
  | 'firstFee'
  | 'totalFee'
  | 'total'
  | 'rows'
>;

/** First figures are those of row 1, totals column sums, `total` with the down payment of row 0 (Q4). */
export function scheduleFigures(schedule: RepaymentSchedule, loan: SimulatedLoan): ScheduleFigures {
  const down = downPaymentRow(loan);
  const rows: SimulationRow[] = [down];
  const flows: number[] = [];
  const sums = { insurance: 0, fee: 0, total: down.totalInstallment };
  for (const row of schedule.rows) {
    rows.push(row);
    flows.push(flowOf(row));
    sums.insurance += row.insurance ?? 0;
    sums.fee += row.managementFee;
    sums.total += row.totalInstallment;
  }
  const [first] = schedule.rows;
  return {
    currencyDigits: schedule.currencyDigits,
    irr: internalRateOfReturn(loan.financed, flows, loan.periodicity),
    firstInstallment: first?.totalInstallment ?? 0,
    firstInsurance: first?.insurance ?? 0,
    totalInsurance: sums.insurance,
    firstFee: first?.managementFee ?? 0,
    totalFee: sums.fee,
    total: sums.total,
    rows,
  };
}

/** What the lender gets of an instalment: insurances go to an insurer (A3). */
function flowOf({ interest, principal, managementFee }: ScheduleRow): number {
  return interest + principal + managementFee;
}

/** Row 0: the whole amount is there, the down payment leaves it (Q1). */
function downPaymentRow({ amount, downPayment }: SimulatedLoan): SimulationRow {
  return {
    InstallmentNo: 0,
    remainingValue: amount,
    pmt: 0,
    interest: 0,
    principal: downPayment,
    managementFee: 0,
    totalInstallment: downPayment,
  };
}
