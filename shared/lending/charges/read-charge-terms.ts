/** Reads the commissions, the insurances and the unused amount of a request, before any date is known (F1-F5). */

import { formatCalendarDate } from '../dates/calendar-date.ts';
import { chargeItemOf, type ChargeItemContext } from './charge-item.ts';
import { settledCharge, type SettledCharge } from './charge-settings.ts';
import type { ChargeItem, ChargeTerms } from './charge-terms.ts';
import type { KnownCharges } from './known-charges.ts';
import { checkAmount } from '../request/member-checks.ts';
import type { Findings } from '../request/refusal.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';
import { sentChargesOf } from './charge-input.ts';

/** Most commissions, and most insurances, of one request; bounds the work of a row. */
export const MOST_ITEMS = 200;

/** What the charges of a request depend on besides the request itself. */
export interface ChargeContext extends Omit<ChargeItemContext, 'isLocked'> {
  /** What the catalogue knows; undefined: every name counts as known. */
  readonly knownCharges?: KnownCharges | undefined;
}

/**
 * The charges of a request. Undefined, with all faults noted, when one of them does not hold. Members of the items that
 * change nothing are reported, and so are UnusedAmount and StartDateForUnusage where no charge and no formula needs them (E5, X2).
 */
export function chargeTermsOf(
  request: RepaymentScheduleRequest,
  context: ChargeContext,
  findings: Findings,
): ChargeTerms | undefined {
  const faultsBefore = findings.faults.length;
  const unusedAmount = checkAmount(findings, 'UnusedAmount', request.UnusedAmount, context.digits);
  const isTaken = checkList('Commission', request.Commission, context, findings);
  const isInsuranceTaken = checkList('Insurance', request.Insurance, context, findings);
  if (!isTaken || !isInsuranceTaken) return undefined;
  const charges = sentChargesOf(request).map((sent) => settledCharge(sent, context.knownCharges));
  const items = itemsOf(charges, { ...context, isLocked: request.IsLocked === true }, findings);
  checkUnused(request, charges, context.rules, findings);
  if (findings.faults.length > faultsBefore) return undefined;
  return {
    items,
    hasInsurances: (request.Insurance?.length ?? 0) > 0,
    hasUnusageFee: charges.some(isUnusageFee),
    unused: {
      amount: unusedAmount ?? 0,
      from: request.StartDateForUnusage,
      to: request.ExpiryDateForOD,
    },
  };
}

function checkList(
  path: 'Commission' | 'Insurance',
  items: readonly unknown[] | undefined,
  context: ChargeContext,
  findings: Findings,
): boolean {
  const count = items?.length ?? 0;
  if (count > 0 && context.rules?.type.acceptsCharges === false) {
    findings.refuse(path, 'not-allowed', 'must be left out or empty with this schedule type');
    return false;
  }
  if (count > MOST_ITEMS) {
    findings.refuse(path, 'out-of-range', `must have at most ${MOST_ITEMS} items`);
    return false;
  }
  return true;
}

function itemsOf(
  charges: readonly SettledCharge[],
  context: ChargeItemContext,
  findings: Findings,
): readonly ChargeItem[] {
  return charges.flatMap((charge) => chargeItemOf(charge, context, findings) ?? []);
}

/** The unused amount is needed by the charges on it, its first day by those for unusage only (F2, F5). */
function checkUnused(
  request: RepaymentScheduleRequest,
  charges: readonly SettledCharge[],
  rules: ChargeContext['rules'],
  findings: Findings,
): void {
  const { UnusedAmount, StartDateForUnusage: from, ExpiryDateForOD: to } = request;
  const hasUnusageFee = charges.some(isUnusageFee);
  const isAmountNeeded = hasUnusageFee || charges.some(isOnUnusedAmount);
  if (isAmountNeeded && UnusedAmount === undefined) {
    findings.missing('UnusedAmount', 'is missing; must be a number where a charge is on the unused amount');
  }
  const isAmountRead = isAmountNeeded || rules?.namesRead.has('UnusedAmount') === true;
  if (!isAmountRead && UnusedAmount?.isZero() === false) findings.warn('UnusedAmount');
  if (!hasUnusageFee && from !== undefined) findings.warn('StartDateForUnusage');
  if (hasUnusageFee && from !== undefined && to !== undefined && to < from) {
    const earliest = formatCalendarDate(from);
    findings.refuse('ExpiryDateForOD', 'date-order', `must be on or after StartDateForUnusage, ${earliest}`);
  }
}

function isUnusageFee({ sent, settings }: SettledCharge): boolean {
  return settings.isForUnusage && sent.percent !== undefined;
}

function isOnUnusedAmount({ sent, settings }: SettledCharge): boolean {
  return sent.percent !== undefined && settings.appliedTo?.trim().toLowerCase() === 'unusedamount';
}
