/** The interest of each row in the reference implementation, after an interest grace period (G2) and blocked interest (X2). */

import { type Exact, NONE, rounded } from './decimal.ts';
import { RowLoop, type Plan, type PlanRow, type RowLoopMode } from './rows.ts';
import type { Terms } from './terms.ts';

export interface CollectedRow extends PlanRow {
  readonly interest: Exact;
}

function planOf(terms: Terms): Plan {
  const { graceInterest, settled, leniency } = terms;
  if (leniency !== 'capitalised' || graceInterest <= settled) return new RowLoop(terms).run();
  const row = Math.max(graceInterest, terms.gracePrincipal) + 1;
  const others = withoutKeeping(terms, row);
  if (others === undefined) return capitalisedPlan(terms);
  return capitalisedPlan(terms, { kept: { row, payment: capitalisedPlan(others, { until: row }).payment } });
}

function capitalisedPlan(terms: Terms, mode: Omit<RowLoopMode, 'planned'> = {}): Plan {
  const until = terms.graceInterest;
  const plan = new RowLoop(
    { ...terms, amount: terms.amount.minus(heldInterest(terms)), graceInterest: 0 },
    { until },
  ).run();
  const byRow = new Map(plan.rows.filter((row) => !row.isEarly).map((row) => [row.no, row.principal]));
  return new RowLoop(terms, { ...mode, planned: (row) => byRow.get(row) ?? NONE }).run();
}

function withoutKeeping(terms: Terms, row: number): Terms | undefined {
  const due = terms.dates.accrual[row] ?? Infinity;
  const before = (terms.request.EarlyRepayments ?? [])
    .filter((item) => item.Date < due)
    .toSorted((one, other) => one.Date - other.Date);
  const others = before.slice(0, before.findLastIndex((item) => item.DecreaseInstallment !== false) + 1);
  const isLocked = terms.lock !== undefined && others.length === 0;
  if (isLocked || others.length === before.length) return undefined;
  return { ...terms, request: { ...terms.request, EarlyRepayments: others } };
}

/** A prepayment belongs to the next due row. */
function isUncollected(terms: Terms, row: PlanRow, isOnDueDate: boolean): boolean {
  if (terms.leniency === 'capitalised') return false;
  const dueRow = row.isEarly && !isOnDueDate ? row.no + 1 : row.no;
  return dueRow <= terms.graceInterest;
}

/** By index: all of it in the first row after the grace period, or an equal part of the rest in each that follows. */
function collections(terms: Terms, rows: readonly PlanRow[], total: Exact): Exact[] {
  const { leniency, graceInterest, lastRow } = terms;
  if (leniency === 'forgiven' || leniency === 'capitalised') return rows.map(() => NONE);
  const lastDue = rows.findIndex((row) => !row.isEarly && row.no === lastRow);
  const ending = lastDue === -1 ? rows.length - 1 : lastDue;
  let left = total;
  return rows.map((row, index) => {
    const collects = !row.isEarly && row.no > graceInterest;
    const share = leniency === 'spread' ? rounded(left.div(lastRow - row.no + 1)) : left;
    const taken = index === ending ? left : collects ? share : NONE;
    left = left.minus(taken);
    return taken;
  });
}

/** Blocked interest that a grace period has held back; otherwise the first due row collects it (X2). */
function heldInterest({ leniency, graceInterest, settled, block }: Terms): Exact {
  const isHeld = settled < graceInterest || (leniency === 'spread' && graceInterest > 0);
  return isHeld ? (block?.interest ?? NONE) : NONE;
}

export function collectedPlan(terms: Terms) {
  const { rows, residual } = planOf(terms);
  const waits = rows.map((row, index) => {
    const isOnDueDate =
      row.isEarly && rows.slice(0, index).some((other) => !other.isEarly && other.date === row.date);
    return isUncollected(terms, row, isOnDueDate);
  });
  const held = heldInterest(terms);
  let total = held;
  for (const [index, row] of rows.entries()) if (waits[index] === true) total = total.plus(row.accrued);
  const extra = collections(terms, rows, total);
  const firstDue = rows.findIndex((row) => !row.isEarly);
  return {
    residual,
    rows: rows.map((row, index) => {
      const collected = waits[index] === true ? NONE : row.accrued.minus(row.capitalised);
      const blocked = index === firstDue ? (terms.block?.interest ?? NONE).minus(held) : NONE;
      return { ...row, interest: collected.plus(extra[index]!).plus(blocked) };
    }),
  };
}
