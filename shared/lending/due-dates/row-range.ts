/** Which rows of a contract an answer holds: those after the settled ones, up to the last that is paid (X1, B6). */

import { MAX_INSTALLMENTS } from '../request/limits.ts';
import { checkWhole } from '../request/field-checks.ts';
import type { Findings } from '../request/refusal.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';

/** Rows by their numbers in the contract. */
export interface RowRange {
  /** Number of the last settled row, 0 when none is (X1). */
  readonly settledRows: number;
  /** Number of the row that the schedule ends with (B6); Infinity when all rows are paid. */
  readonly lastRow: number;
}

/** Reads the rows that a request asks for, and notes what is wrong with them. */
export function rowRangeOf(request: RepaymentScheduleRequest, findings: Findings): RowRange {
  const { InstallmentsNo, BlockInstallmentNo, RealInstallmentNo } = request;
  const isCount = Number.isInteger(InstallmentsNo) && InstallmentsNo >= 1;
  const rows = isCount ? Math.min(InstallmentsNo, MAX_INSTALLMENTS) : MAX_INSTALLMENTS;
  const settleable = { least: 0, greatest: rows - 1 };
  const settledRows = checkWhole(findings, 'BlockInstallmentNo', BlockInstallmentNo, settleable) ?? 0;
  if (settledRows > 0 && request.LastDueDate === undefined) {
    findings.refuse(
      'BlockInstallmentNo',
      'not-allowed',
      'must be sent with LastDueDate, the due date of the last settled installment, or left out',
    );
  }
  const payable = { least: settledRows + 1, greatest: rows };
  const lastRow = checkWhole(findings, 'RealInstallmentNo', RealInstallmentNo, payable);
  return { settledRows, lastRow: lastRow ?? Infinity };
}
