/**
 * Members that are known but change nothing in this request: they are checked and reported, so that nobody relies on
 * them (E5). Those of dates, rates, repayment and charges are reported where these are read.
 */

import { explainsRows } from '../request/answer-shape.ts';
import type { InputName } from '../formula/formula-scope.ts';
import type { DraftTerms } from './loan-terms.ts';
import { checkAmount, checkWhole } from '../request/member-checks.ts';
import type { Findings } from '../request/refusal.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';

/** A contract of more periods is a mistake: a hundred years of days. */
const LONGEST_CONTRACT_PERIODS = 36_525;

/** The CalculateDAE with which an answer shows no rate that costs at the start could lower (A5). */
const SHOWS_NO_RATE = 0;

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
  const isRead = (input: InputName): boolean => compiled?.namesRead.has(input) === true;
  const { AdvanceAmount, CalculateDAE, ContractPeriod, UpFrontValue } = request;
  const showsRate = CalculateDAE !== SHOWS_NO_RATE && request.LastDueDate === undefined;
  const isUpFrontUsed = showsRate || isRead('UpFrontValue');
  const withoutEffect: readonly (readonly [path: string, sent: boolean])[] = [
    ['AdvanceAmount', AdvanceAmount?.isZero() === false && !isRead('AdvanceAmount')],
    ['ContractPeriod', ContractPeriod !== undefined && ContractPeriod !== 0],
    ['UpFrontValue', UpFrontValue?.isZero() === false && !isUpFrontUsed],
    ['Currency', request.Currency !== undefined && request.Precision !== undefined],
    ['ExpiryDateForOD', request.ExpiryDateForOD !== undefined && !isExpiryRead],
    ['Explain', request.Explain === true && !explainsRows(request)],
  ];
  for (const [path, sent] of withoutEffect) {
    if (sent) findings.warn(path);
  }
}
