/**
 * Which part of a row's interest is collected with it (G2, B4, X2): a grace period defers, capitalises, spreads or
 * forgives it; deposits may capitalise it.
 */

import {
  collectDeferred,
  collectInGrace,
  type CollectedInterest,
  type CollectingRow,
} from './grace-interest.ts';
import type { LoanState } from './loan-state.ts';
import type { RepaymentPlan } from './repayment-plan.ts';

/** Collects the interest of a row: the due part of the accrued interest, deferred interest, and blocked interest. */
export function collectInterest(
  plan: RepaymentPlan,
  state: LoanState,
  row: CollectingRow,
): CollectedInterest {
  const { terms, notes } = plan;
  const blocked = row.rowsLeft > 0 ? state.blockInterest : 0;
  if (blocked !== 0) {
    state.blockInterest = 0;
    notes?.block({ interest: blocked });
  }
  if (row.no <= terms.graceInterest) return collectInGrace(plan, state, row, blocked);
  if (terms.capitalisesInterest && !row.repaysAll) {
    notes?.uncollected('capitalised', row.accrued);
    return { interest: blocked + collectDeferred(plan, state, row), capitalised: row.accrued };
  }
  return { interest: row.accrued + blocked + collectDeferred(plan, state, row), capitalised: 0 };
}

/** The part of a row's accrued interest that is capitalised, unless the row repays the whole balance (G2, B4). */
export function findCapitalisedInterest({ terms }: RepaymentPlan, no: number, accrued: number): number {
  const isCapitalised =
    no <= terms.graceInterest ? terms.graceType === 'Capitalised' : terms.capitalisesInterest;
  return isCapitalised ? accrued : 0;
}
