/**
 * Which part of a row's interest is collected with it (G2, B4, X2): grace defers it, joins it to the balance,
 * spreads or forgives it; deposits may add it to the balance.
 */

import type { LoanState } from './loan-state.ts';
import type { RepaymentPlan } from './repayment-plan.ts';
import { divideRoundedSafe } from '../numbers/rounding.ts';

/** What decides how the interest of a row is collected. */
interface CollectingRow {
  /** Original row number of the due row, or of the one that a prepayment lies before. */
  readonly no: number;
  readonly accrued: number;
  /** True: nothing of the loan is left after it, so that all deferred interest is due. */
  readonly ends: boolean;
  /** True: it repays the whole balance before its interest, which is then collected and joins nothing. */
  readonly repaysAll: boolean;
  /** Due rows left, this one included; 0 for a prepayment, which collects no deferred interest unless it ends the loan. */
  readonly rowsLeft: number;
}

/** Interest of a row in minor units. */
interface CollectedInterest {
  readonly interest: number;
  readonly capitalised: number;
}

/** Collects the interest of a row: what accrued as far as it is due, what earlier rows deferred, and what was blocked. */
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

/** What of a row's accrued interest joins the balance, unless the row repays all of it (G2, B4). */
export function joiningInterest({ terms }: RepaymentPlan, no: number, accrued: number): number {
  const joins = no <= terms.graceInterest ? terms.graceType === 'Capitalised' : terms.capitalisesInterest;
  return joins ? accrued : 0;
}

function collectInGrace(
  { terms, notes }: RepaymentPlan,
  state: LoanState,
  row: CollectingRow,
  blocked: number,
): CollectedInterest {
  switch (terms.graceType) {
    case 'Deferred':
    case 'Spread': {
      if (row.ends) {
        const deferred = state.deferred;
        if (deferred !== 0) notes?.collectDeferred(terms.graceType, deferred, [state.deferredFrom, row.no]);
        state.deferred = 0;
        return { interest: row.accrued + blocked + deferred, capitalised: 0 };
      }
      if (state.deferredFrom === 0) state.deferredFrom = row.no;
      state.deferred += row.accrued;
      notes?.uncollected(terms.graceType === 'Deferred' ? 'deferred' : 'spread', row.accrued);
      return { interest: blocked, capitalised: 0 };
    }
    case 'Capitalised':
      // A balance that is repaid within the grace leaves nothing that its interest could join.
      if (row.repaysAll) return { interest: row.accrued + blocked, capitalised: 0 };
      notes?.uncollected('capitalised', row.accrued);
      return { interest: blocked, capitalised: row.accrued };
    case 'Forgiven':
      notes?.uncollected('forgiven', row.accrued);
      return { interest: blocked, capitalised: 0 };
    default:
      return terms.graceType satisfies never;
  }
}

/** What a row collects of the deferred interest: all, or an equal part, the remainder with the last row (G2). */
function collectDeferred(
  { terms, notes, compiled }: RepaymentPlan,
  state: LoanState,
  row: CollectingRow,
): number {
  if (state.deferred === 0 || (row.rowsLeft === 0 && !row.ends)) return 0;
  let taken = state.deferred;
  if (terms.graceType === 'Spread' && !row.ends) {
    const { deferred: total } = state;
    const rows = row.rowsLeft;
    state.spread ??= { part: divideRoundedSafe(total, rows, compiled.type.rounding), total, rows };
    taken = Math.abs(state.spread.part) < Math.abs(state.deferred) ? state.spread.part : state.deferred;
  }
  const share = taken === state.spread?.part && !row.ends ? state.spread : undefined;
  if (taken !== 0)
    notes?.collectDeferred(terms.graceType, taken, [state.deferredFrom, terms.graceInterest], share);
  state.deferred -= taken;
  return taken;
}
