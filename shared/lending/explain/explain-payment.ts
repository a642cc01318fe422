/** How the payment in force in a row is calculated (S5, B2, X3). */

import { dayFields, equation, fractionText, moneyText, sumEquation } from './explanation-text.ts';
import type { FigureExplanation } from '../request/repayment-schedule.ts';
import type { ExplanationContext, PaymentTrace } from '../amortisation/row-notes.ts';

type LevelTrace = Extract<PaymentTrace, { kind: 'level' }>;
type PartTrace = Extract<PaymentTrace, { kind: 'equal-part' }>;
type ClosedForm = NonNullable<LevelTrace['closed']>;

const ZERO_PERCENT = /^-?0(\.0+)?$/;

/** The entry of the payment in force. */
export function explainPayment(payment: PaymentTrace, context: ExplanationContext): FigureExplanation {
  const { amount } = payment;
  const entry = { figure: 'payment', amount } as const;
  switch (payment.kind) {
    case 'level':
      return { ...entry, ...levelFields(payment, context) };
    case 'fixed':
      return {
        ...entry,
        formula: sumEquation([{ label: 'locked by the request', amount }], amount, context),
      };
    case 'kept': {
      const label = 'kept through an early repayment';
      return { ...entry, formula: sumEquation([{ label, amount }], amount, context) };
    }
    case 'equal-part':
      return { ...entry, base: payment.balance, formula: partFormula(payment, context) };
    case 'formula':
      return { ...entry, formula: equation(payment.text, amount, context) };
    default:
      return payment satisfies never;
  }
}

function partFormula(part: PartTrace, context: ExplanationContext): string {
  return equation(`${repaidText(part, context)} / ${part.rows}`, part.amount, context);
}

/** The repaid part of the balance: all except the residual. */
function repaidText(
  { balance, residual }: Pick<PartTrace, 'balance' | 'residual'>,
  context: ExplanationContext,
) {
  return residual === 0
    ? moneyText(balance, context)
    : `(${moneyText(balance, context)} - ${moneyText(residual, context)})`;
}

function levelFields(level: LevelTrace, context: ExplanationContext) {
  const { closed, at, balance, amount } = level;
  if (closed === undefined) {
    const rates = at.map(({ percent }) => percent);
    return { rates, base: balance, formula: openFormula(level, context) };
  }
  const fraction = fractionText(closed.count, context);
  return {
    ...dayFields(fraction, context),
    rates: [closed.percent],
    base: balance,
    formula: equation(closedText(level, closed, context), amount, context),
  };
}

/**
 * There is no closed formula for uneven periods or bands: the text states what the payment repays, and the rates used
 * to calculate it, regardless of later changes.
 */
function openFormula(level: LevelTrace, context: ExplanationContext): string {
  const { balance, residual, firstRow, lastRow, amount } = level;
  const rows = firstRow === lastRow ? `row ${firstRow}` : `rows ${firstRow} to ${lastRow}`;
  const from = moneyText(balance, context);
  const to = moneyText(residual, context);
  const rates = ratesText(level, context);
  return `level payment that brings balance ${from} to ${to} over ${rows} at ${rates}: ${moneyText(amount, context)}`;
}

/** `12 %`, `10 % above 0.00 and 8 % above 500.00` by slices, `... on a whole balance from ...` otherwise (R2). */
function ratesText({ at, isWhole }: LevelTrace, context: ExplanationContext): string {
  const [only] = at;
  if (at.length === 1 && only !== undefined) return `${only.percent} %`;
  const where = isWhole === true ? 'on a whole balance from' : 'above';
  return at.map(({ percent, from = 0 }) => `${percent} % ${where} ${moneyText(from, context)}`).join(' and ');
}

/** (balance - residual v^n) i / (1 - v^n), with v^n as the growth to the power of -n. */
function closedText(level: LevelTrace, closed: ClosedForm, context: ExplanationContext): string {
  const rows = level.lastRow - level.firstRow + 1;
  if (ZERO_PERCENT.test(closed.percent)) return `${repaidText(level, context)} / ${rows}`;
  const fraction = fractionText(closed.count, context).text;
  const { interest, discount } = closedParts(closed, fraction, rows);
  const balance = moneyText(level.balance, context);
  const owed =
    level.residual === 0 ? balance : `(${balance} - ${moneyText(level.residual, context)} * ${discount})`;
  return `${owed} * ${interest} / (1 - ${discount})`;
}

function closedParts({ method, percent }: ClosedForm, fraction: string, rows: number) {
  switch (method) {
    case 'simple':
      return {
        interest: `${percent} % * ${fraction}`,
        discount: `(1 + ${percent} % * ${fraction})^-${rows}`,
      };
    case 'effective':
      return {
        interest: `((1 + ${percent} %)^(${fraction}) - 1)`,
        discount: `(1 + ${percent} %)^(-${rows} * ${fraction})`,
      };
    default:
      return method satisfies never;
  }
}
