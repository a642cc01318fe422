/** How much of its interest a row collects (G2, B4, X2): grace periods and capitalisation may hold interest back. */

import type { LoanState } from './loan-state.ts';
import type { RepaymentPlan } from './repayment-plan.ts';
import { divideRounded } from '../numbers/rounding.ts';

/** Returns the interest that a row collects and the interest to capitalise; updates deferred and blocked interest. */
export function collectInterest(
  plan: RepaymentPlan,
  state: LoanState,
  row: CollectingRow,
): CollectedInterest {
  const { terms, explanations } = plan;
  const blocked = row.rowsLeft > 0 ? state.blockInterest : 0;
  if (blocked !== 0) {
    state.blockInterest = 0;
    explanations?.block({ interest: blocked });
  }
  if (row.no <= terms.graceInterest) return collectInGrace(plan, state, row, blocked);
  if (terms.capitalisesInterest && !row.repaysAll) {
    explanations?.uncollected('Capitalised', row.accrued);
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

interface CollectingRow {
  /** For a prepayment, the number of the due row in whose period or on whose due date it is made. */
  readonly no: number;
  readonly accrued: number;
  /** True if the loan ends with the row, so that all deferred interest is due. */
  readonly ends: boolean;
  /** True for the last due row shown and a prepayment of the whole balance, which capitalise no interest. */
  readonly repaysAll: boolean;
  /** Due rows left from this one on; 0 for a prepayment, which collects deferred interest only if it ends the loan. */
  readonly rowsLeft: number;
}

interface CollectedInterest {
  readonly interest: number;
  readonly capitalised: number;
}

function collectInGrace(
  { terms, explanations }: RepaymentPlan,
  state: LoanState,
  row: CollectingRow,
  blocked: number,
): CollectedInterest {
  switch (terms.graceType) {
    case 'Deferred':
    case 'Spread': {
      if (row.ends) {
        const deferred = state.deferred;
        if (deferred !== 0)
          explanations?.collectDeferred(terms.graceType, deferred, [state.deferredFrom, row.no]);
        state.deferred = 0;
        return { interest: row.accrued + blocked + deferred, capitalised: 0 };
      }
      if (state.deferredFrom === 0) state.deferredFrom = row.no;
      state.deferred += row.accrued;
      explanations?.uncollected(terms.graceType, row.accrued);
      return { interest: blocked, capitalised: 0 };
    }
    case 'Capitalised':
      // The row repays the balance, except a residual, so its interest is collected.
      if (row.repaysAll) return { interest: row.accrued + blocked, capitalised: 0 };
      explanations?.uncollected('Capitalised', row.accrued);
      return { interest: blocked, capitalised: row.accrued };
    case 'Forgiven':
      explanations?.uncollected('Forgiven', row.accrued);
      return { interest: blocked, capitalised: 0 };
    default:
      return terms.graceType satisfies never;
  }
}

/** The deferred interest that a row collects: all, or with Spread what is left over the rows left (G2). */
function collectDeferred(
  { terms, explanations, compiled }: RepaymentPlan,
  state: LoanState,
  row: CollectingRow,
): number {
  if (state.deferred === 0 || (row.rowsLeft === 0 && !row.ends)) return 0;
  const isPart = terms.graceType === 'Spread' && !row.ends;
  const share = isPart ? { total: state.deferred, rows: row.rowsLeft } : undefined;
  const taken =
    share === undefined
      ? state.deferred
      : Number(divideRounded(BigInt(share.total), BigInt(share.rows), compiled.type.rounding));
  if (taken !== 0)
    explanations?.collectDeferred(terms.graceType, taken, [state.deferredFrom, terms.graceInterest], share);
  state.deferred -= taken;
  return taken;
}
