/**
 * Members that are known but change nothing in this request: they are checked and reported, so that nobody relies on
 * them (E5). Those of dates, rates, repayment and charges are reported where these are read.
 */

import type { DraftTerms } from './loan-terms.ts';
import { checkAmount, checkWhole } from './member-checks.ts';
import type { Findings } from './refusal.ts';
import type { RepaymentScheduleRequest } from './repayment-schedule-request.ts';

/** A contract of more periods is a mistake: a hundred years of days. */
const LONGEST_CONTRACT_PERIODS = 36_525;

/** Checks and reports the members that have no effect. `digits` are those of the currency. */
export function reportMembersWithoutEffect(
  request: RepaymentScheduleRequest,
  { compiled, charges }: DraftTerms,
  digits: number,
  findings: Findings,
): void {
  checkAmount(findings, 'AdvanceAmount', request.AdvanceAmount, digits);
  const periods = { least: 0, greatest: LONGEST_CONTRACT_PERIODS };
  checkWhole(findings, 'ContractPeriod', request.ContractPeriod, periods);
  const isExpiryRead = compiled?.type.useExpiryDate === true || charges?.hasUnusageFee === true;
  const isAdvanceRead = compiled?.namesRead.has('AdvanceAmount') === true;
  const { AdvanceAmount, ContractPeriod, UpFrontValue } = request;
  const withoutEffect: readonly (readonly [path: string, sent: boolean])[] = [
    ['AdvanceAmount', AdvanceAmount?.isZero() === false && !isAdvanceRead],
    ['ContractPeriod', ContractPeriod !== undefined && ContractPeriod !== 0],
    ['UpFrontValue', UpFrontValue?.isZero() === false && request.LastDueDate !== undefined],
    ['ExpiryDateForOD', request.ExpiryDateForOD !== undefined && !isExpiryRead],
  ];
  for (const [path, sent] of withoutEffect) {
    if (sent) findings.warn(path);
  }
}
