/**
 * Which part of a row's interest is collected with it (G2, B4, X2): grace keeps it back, joins it to the balance,
 * spreads or forgives it; deposits may add it to the balance.
 */

import { assertNever } from '../numbers/assert-never.ts';
import type { LoanState, RepaymentPlan, SpreadInterest } from './repayment-plan.ts';
import { divideRoundedSafe, type RoundingMode } from '../numbers/rounding.ts';

/** A row as its interest sees it. */
export interface CollectingRow {
  /** Original row number of the due row, or of the one that an early repayment lies before. */
  readonly no: number;
  readonly accrued: number;
  /** True: nothing of the loan is left after it, so that everything kept back is due. */
  readonly ends: boolean;
  /** True: it repays the whole balance before its interest, which is then collected and joins nothing. */
  readonly repaysAll: boolean;
  /** Due rows left, this one included; 0 for an early repayment, which takes nothing kept back unless it ends the loan. */
  readonly rowsLeft: number;
}

/** Interest of a row in minor units. */
export interface CollectedInterest {
  readonly interest: number;
  readonly capitalised: number;
}

/** Parts the accrued interest of a row, and takes what earlier rows kept back and what was blocked. */
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
    notes?.keepBack('capitalised', row.accrued);
    return { interest: blocked + takeLate(plan, state, row), capitalised: row.accrued };
  }
  return { interest: row.accrued + blocked + takeLate(plan, state, row), capitalised: 0 };
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
        const late = state.pool;
        if (late !== 0) notes?.takeLate(terms.graceType, late, [state.poolFrom, row.no]);
        state.pool = 0;
        return { interest: row.accrued + blocked + late, capitalised: 0 };
      }
      if (state.poolFrom === 0) state.poolFrom = row.no;
      state.pool += row.accrued;
      notes?.keepBack(terms.graceType === 'Deferred' ? 'deferred' : 'spread', row.accrued);
      return { interest: blocked, capitalised: 0 };
    }
    case 'Capitalised':
      // A balance that is repaid within the grace leaves nothing that its interest could join.
      if (row.repaysAll) return { interest: row.accrued + blocked, capitalised: 0 };
      notes?.keepBack('capitalised', row.accrued);
      return { interest: blocked, capitalised: row.accrued };
    case 'Forgiven':
      notes?.keepBack('forgiven', row.accrued);
      return { interest: blocked, capitalised: 0 };
    default:
      return assertNever(terms.graceType);
  }
}

/** What of the interest kept back this row takes: all of it, or an equal part, the remainder with the last row (G2). */
function takeLate({ terms, notes, compiled }: RepaymentPlan, state: LoanState, row: CollectingRow): number {
  if (state.pool === 0 || (row.rowsLeft === 0 && !row.ends)) return 0;
  let taken = state.pool;
  if (terms.graceType === 'Spread' && !row.ends) {
    state.spread ??= spreadOf(state.pool, row.rowsLeft, compiled.type.rounding);
    taken = Math.abs(state.spread.part) < Math.abs(state.pool) ? state.spread.part : state.pool;
  }
  const share = taken === state.spread?.part && !row.ends ? state.spread : undefined;
  if (taken !== 0) notes?.takeLate(terms.graceType, taken, [state.poolFrom, terms.graceInterest], share);
  state.pool -= taken;
  return taken;
}

function spreadOf(total: number, rows: number, rounding: RoundingMode): SpreadInterest {
  return { part: divideRoundedSafe(total, rows, rounding), total, rows };
}
