/**
 * Members that are known but change nothing in this request: they are checked and reported, so that nobody relies on
 * them (E5, X2).
 */

import { checkAmount, checkName, checkWhole } from './member-checks.ts';
import { monthsPerPeriod, type Periodicity } from './periodicity.ts';
import type { Findings } from './refusal.ts';
import type { RepaymentScheduleRequest } from './repayment-schedule-request.ts';

/** Business-day conventions (H1). */
const HOLIDAY_METHODS = [
  'Forward',
  'Backward',
  'ModifiedForward',
  'ModifiedBackward',
  'Nearest',
  'None',
] as const;
/** What may become of interest that grace leaves uncollected (G2). */
const GRACE_TYPES = ['Deferred', 'Capitalised', 'Spread', 'Forgiven'] as const;
/** Largest share of a balance in percent (B3). */
const WHOLE_BALANCE_PERCENT = 100;
/** A contract of more periods is a mistake: a hundred years of days. */
const LONGEST_CONTRACT_PERIODS = 36_525;

/** Checks and reports the members that have no effect. `digits` are those of the currency. */
export function reportMembersWithoutEffect(
  request: RepaymentScheduleRequest,
  periodicity: Periodicity | undefined,
  digits: number,
  findings: Findings,
): void {
  checkValues(request, digits, findings);
  const isRecalculation = request.LastDueDate !== undefined;
  const isOnce = periodicity?.unit === 'Once';
  const findsFirstMonth =
    request.FirstDueDate === undefined && periodicity !== undefined && monthsPerPeriod(periodicity) > 0;
  const withoutEffect: readonly (readonly [path: string, sent: boolean])[] = [
    ['ActivationDate', request.ActivationDate !== undefined && isRecalculation],
    ['AdvanceAmount', request.AdvanceAmount !== undefined],
    ['ContractPeriod', request.ContractPeriod !== undefined],
    ['UpFrontValue', request.UpFrontValue !== undefined && isRecalculation],
    ['InterestCapitalization', request.InterestCapitalization !== undefined],
    ['CapitalPercent', request.CapitalPercent !== undefined],
    ['ExpiryDateForOD', request.ExpiryDateForOD !== undefined],
    ['StartDateForUnusage', request.StartDateForUnusage !== undefined],
    ['UnusedAmount', request.UnusedAmount !== undefined],
    ['HolidayMethod', request.HolidayMethod !== undefined],
    ['HolidayCountry', request.HolidayCountry !== undefined],
    ['DeferDueDate', request.DeferDueDate === true],
    ['InstallmentMethod', request.InstallmentMethod !== undefined && !findsFirstMonth],
    ['FirstDueDate', isOnce && request.FirstDueDate !== undefined && request.MaturityDate !== undefined],
    ['BlockAmount', request.BlockAmount !== undefined],
    ['BlockInterestAmount', request.BlockInterestAmount !== undefined],
    ['ResidualInInstallment', request.ResidualInInstallment === true],
    ['GraceType', request.GraceType !== undefined],
    ['BandMethod', request.BandMethod !== undefined],
    ['AllowNegativeAmortisation', request.AllowNegativeAmortisation === true],
  ];
  for (const [path, sent] of withoutEffect) {
    if (sent) findings.warn(path);
  }
}

function checkValues(request: RepaymentScheduleRequest, digits: number, findings: Findings): void {
  checkAmount(findings, 'AdvanceAmount', request.AdvanceAmount, digits);
  checkAmount(findings, 'UnusedAmount', request.UnusedAmount, digits);
  checkAmount(findings, 'BlockAmount', request.BlockAmount, digits);
  checkAmount(findings, 'BlockInterestAmount', request.BlockInterestAmount, digits);
  checkWhole(findings, 'ContractPeriod', request.ContractPeriod, {
    least: 0,
    greatest: LONGEST_CONTRACT_PERIODS,
  });
  checkWhole(findings, 'InterestCapitalization', request.InterestCapitalization, { least: 0, greatest: 1 });
  checkName(findings, 'HolidayMethod', request.HolidayMethod, HOLIDAY_METHODS);
  checkName(findings, 'GraceType', request.GraceType, GRACE_TYPES);
  const capital = request.CapitalPercent;
  if (capital !== undefined && !(capital.gte(0) && capital.lte(WHOLE_BALANCE_PERCENT))) {
    findings.refuse('CapitalPercent', 'out-of-range', `must be from 0 to ${WHOLE_BALANCE_PERCENT}`);
  }
}
