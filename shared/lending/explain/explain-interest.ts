/** How the interest of a row accrues, and how it is collected (C1, R2, G2). */

import {
  dayFields,
  equation,
  fractionText,
  moneyText,
  sumEquation,
  type FractionText,
  type Term,
} from './explanation-text.ts';
import type { ExplainedFigure, FigureExplanation } from '../request/repayment-schedule.ts';
import type {
  DeferredInterest,
  ExplanationContext,
  InterestSlice,
  RowTrace,
  UncollectedInterest,
} from '../amortisation/row-notes.ts';

const UNCOLLECTED: Readonly<Record<UncollectedInterest['as'], string>> = {
  deferred: 'deferred',
  spread: 'deferred to be spread',
  capitalised: 'capitalised',
  forgiven: 'forgiven',
};
const DEFERRED: Readonly<Record<DeferredInterest['as'], string>> = {
  deferred: 'deferred interest',
  spread: 'spread interest',
};

/**
 * The entries of a row's interest: the interest itself, preceded by the accrued interest if that differs, and followed
 * by capitalised interest if there is any.
 */
export function explainInterest(trace: RowTrace, context: ExplanationContext): FigureExplanation[] {
  const moves = listMoves(trace, context);
  if (moves.length === 0) return [explainAccrued('interest', trace, context)];
  const { accrued, interest, capitalised } = trace.row;
  const terms = [{ label: 'accrued interest', amount: accrued }, ...moves];
  const entries: FigureExplanation[] = [
    explainAccrued('accruedInterest', trace, context),
    { figure: 'interest', amount: interest, formula: sumEquation(terms, interest, context) },
  ];
  if (capitalised !== 0) {
    const formula = sumEquation([{ label: 'accrued interest', amount: capitalised }], capitalised, context);
    entries.push({ figure: 'capitalisedInterest', amount: capitalised, formula });
  }
  return entries;
}

/** The effect of the grace period, capitalisation and blocked amounts on the accrued interest. */
function listMoves({ uncollected, deferred, blocked }: RowTrace, context: ExplanationContext): Term[] {
  const moves: Term[] = [];
  if (uncollected !== undefined) {
    moves.push({ label: UNCOLLECTED[uncollected.as], amount: uncollected.amount, isTakenAway: true });
  }
  if (deferred !== undefined) moves.push(deferredTerm(deferred, context));
  if (blocked !== undefined && blocked.interest !== 0) {
    moves.push({ label: 'blocked interest', amount: blocked.interest });
  }
  return moves;
}

function deferredTerm(
  { as, amount, share, firstRow, lastRow }: DeferredInterest,
  context: ExplanationContext,
): Term {
  const after = firstRow === lastRow ? `of row ${firstRow}` : `of rows ${firstRow} to ${lastRow}`;
  const text =
    share === undefined ? {} : { text: `round(${moneyText(share.total, context)} / ${share.rows})` };
  return { label: DEFERRED[as], amount, after, ...text };
}

function explainAccrued(
  figure: ExplainedFigure,
  { row, interest }: RowTrace,
  context: ExplanationContext,
): FigureExplanation {
  const amount = row.accrued;
  if (interest === undefined) {
    return { figure, amount, formula: sumEquation([{ label: 'no interest', amount }], amount, context) };
  }
  switch (interest.method) {
    case 'formula':
      return {
        figure,
        amount,
        ...(interest.readsDays && dayFields(fractionText(row.count, context, row.to - row.from), context)),
        ...(interest.percent !== undefined && { rates: [interest.percent] }),
        formula: equation(interest.text, amount, context),
      };
    case 'simple':
    case 'effective': {
      const fraction = fractionText(row.count, context, row.to - row.from);
      const parts = interest.slices.map((slice) => {
        const base = moneyText(slice.base ?? row.remaining, context);
        return `${base} * ${growthText(interest.method, slice, fraction)}`;
      });
      return {
        figure,
        amount,
        ...dayFields(fraction, context),
        rates: interest.slices.map(({ percent }) => percent),
        base: sumBases(interest.slices, row.remaining),
        formula: equation(parts.join(' + '), amount, context),
      };
    }
    default:
      return interest satisfies never;
  }
}

function growthText(
  method: 'simple' | 'effective',
  { percent }: InterestSlice,
  { text }: FractionText,
): string {
  return method === 'simple' ? `${percent} % * ${text}` : `((1 + ${percent} %)^(${text}) - 1)`;
}

function sumBases(slices: readonly InterestSlice[], balance: number): number {
  return slices.reduce((sum, slice) => sum + (slice.base ?? balance), 0);
}
