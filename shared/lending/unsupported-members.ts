/**
 * Members whose effect this version of the engine does not calculate. A request that depends on one is refused by
 * name: a schedule that silently left it out would be wrong. Values that mean "none" are accepted.
 */

import type { Decimal } from 'decimal.js';
import { checkWhole } from './member-checks.ts';
import type { Findings } from './refusal.ts';
import type { RepaymentScheduleRequest } from './repayment-schedule-request.ts';

/** No count of rows can be larger than the largest number of rows (M6). */
const LARGEST_ROW_COUNT = 1200;

/** Notes each member that asks for something that is not calculated, or that is out of its range anyway. */
export function refuseUnsupportedMembers(request: RepaymentScheduleRequest, findings: Findings): void {
  const { InstallmentsNo, RealInstallmentNo } = request;
  refuseCount(findings, 'GracePeriodInterest', request.GracePeriodInterest);
  refuseCount(findings, 'GracePeriodPrincipal', request.GracePeriodPrincipal);
  refuseCount(findings, 'BlockInstallmentNo', request.BlockInstallmentNo);
  refuseAmount(findings, 'installmentValue', request.installmentValue);
  refuseAmount(findings, 'principalValue', request.principalValue);
  refuseAmount(findings, 'ResidualValue', request.ResidualValue);
  refuseList(findings, 'Commission', request.Commission);
  refuseList(findings, 'Insurance', request.Insurance);
  refuseList(findings, 'MultipleInterestRates', request.MultipleInterestRates);
  refuseList(findings, 'BandedInterestRates', request.BandedInterestRates);
  refuseList(findings, 'EarlyRepayments', request.EarlyRepayments);
  if (request.IsLocked === true) notSupported(findings, 'IsLocked');
  if (request.HolidayShift === true) notSupported(findings, 'HolidayShift');
  if (request.Explain === true) notSupported(findings, 'Explain');
  const range = { least: 1, greatest: Math.min(LARGEST_ROW_COUNT, Math.max(1, InstallmentsNo)) };
  const rows = checkWhole(findings, 'RealInstallmentNo', RealInstallmentNo, range);
  if (rows !== undefined && rows < InstallmentsNo) notSupported(findings, 'RealInstallmentNo');
}

function notSupported(findings: Findings, path: string): void {
  findings.refuse(path, 'not-supported', 'must be left out; it is not supported yet');
}

function refuseCount(findings: Findings, path: string, value: number | undefined): void {
  const count = checkWhole(findings, path, value, { least: 0, greatest: LARGEST_ROW_COUNT });
  if (count !== undefined && count > 0) notSupported(findings, path);
}

function refuseAmount(findings: Findings, path: string, value: Decimal | undefined): void {
  if (value === undefined || value.isZero()) return;
  if (value.isNaN() || value.isNegative()) {
    findings.refuse(path, 'out-of-range', 'must be zero or more');
  } else {
    notSupported(findings, path);
  }
}

function refuseList(findings: Findings, path: string, items: readonly unknown[] | undefined): void {
  if (items !== undefined && items.length > 0) notSupported(findings, path);
}
