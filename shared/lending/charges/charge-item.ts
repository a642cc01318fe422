/** Checks one commission or insurance and gives its terms (F1-F3, X2). */

import { chargeNameOf } from './charge-names.ts';
import { chargePriceOf } from './charge-price.ts';
import { basesOf, columnsOfCharge, isUpfrontByType, type ChargeRules } from './charge-rules.ts';
import type { SettledCharge } from './charge-settings.ts';
import type { ChargeItem } from './charge-terms.ts';
import { checkAmount, checkWhole } from '../request/member-checks.ts';
import { daysPerPeriod, findPeriodicity, monthsPerPeriod, type Periodicity } from '../dates/periodicity.ts';
import type { Findings } from '../request/refusal.ts';
import type { SentCharge } from './charge-input.ts';

/** No count of rows can be larger than the largest number of rows (M6). */
const GRACE_ROWS = { least: 0, greatest: 1200 };

/** What the terms of a charge depend on besides the item itself. */
export interface ChargeItemContext {
  /** Decimal digits of the currency (M2). */
  readonly digits: number;
  /** Periodicities that are known (D7). */
  readonly periodicities: readonly Periodicity[];
  /** The schedule type; undefined when it is not known. */
  readonly rules: ChargeRules | undefined;
  /** True when the request is locked, so that blocked amounts count (X2). */
  readonly isLocked: boolean;
}

/** The terms of an item; undefined, with all its faults noted, when they do not hold. */
export function chargeItemOf(
  charge: SettledCharge,
  context: ChargeItemContext,
  findings: Findings,
): ChargeItem | undefined {
  const { sent } = charge;
  const faultsBefore = findings.faults.length;
  const { rules } = context;
  const name = chargeNameOf(sent, charge.match, findings);
  const periodicity = periodicityOf(sent, context.periodicities, findings);
  const bases = basesOf(rules);
  const price = chargePriceOf(charge, periodicity, { digits: context.digits, bases }, findings);
  const graceRows = checkWhole(findings, sent.gracePath, sent.graceRows, GRACE_ROWS) ?? 0;
  const blocked = blockedOf(sent, context, findings);
  if (name === undefined || periodicity === undefined || price === undefined) return undefined;
  if (findings.faults.length > faultsBefore) return undefined;
  return {
    kind: sent.kind,
    path: sent.path,
    datePath: sent.datePath,
    name,
    columns: rules === undefined ? [] : columnsOfCharge(charge, rules.extras),
    price,
    periodicity,
    firstDate: sent.firstDate,
    isUpfront: sent.isUpfront ?? (rules !== undefined && isUpfrontByType(charge, rules)),
    graceRows,
    blocked,
  };
}

/** A periodicity with a period: what is paid once is no charge of a schedule (F1). */
function periodicityOf(
  sent: SentCharge,
  known: readonly Periodicity[],
  findings: Findings,
): Periodicity | undefined {
  const found = findPeriodicity(sent.periodicityType, known);
  if (found === undefined) {
    const repeating = known.filter(isRepeating);
    const names = repeating.map(({ name }) => name).join(', ');
    findings.refuse(sent.periodicityPath, 'unknown-periodicity', `must be one of ${names}`);
    return undefined;
  }
  if (isRepeating(found)) return found;
  findings.refuse(
    sent.periodicityPath,
    'not-allowed',
    'must be a periodicity that repeats; what is paid once at the start goes to UpFrontValue',
  );
  return undefined;
}

function isRepeating(periodicity: Periodicity): boolean {
  return monthsPerPeriod(periodicity) > 0 || daysPerPeriod(periodicity) > 0;
}

function blockedOf(sent: SentCharge, context: ChargeItemContext, findings: Findings): number {
  const blocked = checkAmount(findings, sent.blockedPath, sent.blocked, context.digits) ?? 0;
  if (blocked === 0 || context.isLocked) return blocked;
  findings.warn(sent.blockedPath);
  return 0;
}
