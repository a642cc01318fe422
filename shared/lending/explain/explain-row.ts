/** The explanation of a row: one entry for each of its figures, in the order in which they are calculated (S6). */

import { explainCharges, sumOfCharges } from './explain-charge.ts';
import { explainInterest } from './explain-interest.ts';
import { explainPayment } from './explain-payment.ts';
import { equation, moneyText, sumEquation, type Term } from './explanation-text.ts';
import type { FigureExplanation } from '../request/repayment-schedule.ts';
import type { ExplanationContext, PrincipalTrace, RowTrace } from '../amortisation/row-notes.ts';

type RestTrace = Extract<PrincipalTrace, { rule: 'rest' }>;

const NO_PRINCIPAL: Readonly<Record<Extract<PrincipalTrace, { rule: 'none' }>['why'], string>> = {
  grace: 'no principal in the grace period',
  'before-maturity': 'no principal before the end',
  'interest-exceeds-payment': 'no principal as the interest exceeds the payment',
};

/**
 * Explains a row from its trace. Every formula can be recalculated by hand and gives its figure, if the trace is
 * correct. Words in formulas are English and contain no digits.
 */
export function explainRow(trace: RowTrace, context: ExplanationContext): readonly FigureExplanation[] {
  const { interest, principal } = trace.row;
  const payment = interest + principal;
  const fees = sumOfCharges(trace, 'commission');
  const insurances = sumOfCharges(trace, 'insurance');
  const total = payment + fees + insurances;
  const paymentTerms = [
    { label: 'interest', amount: interest },
    { label: 'principal', amount: principal },
  ];
  const totalTerms = [
    { label: 'PMT', amount: payment },
    { label: 'commissions', amount: fees },
    ...(trace.showsInsurance ? [{ label: 'insurances', amount: insurances }] : []),
  ];
  return [
    explainRemaining(trace, context),
    ...(trace.payment === undefined ? [] : [explainPayment(trace.payment, context)]),
    ...explainInterest(trace, context),
    explainPrincipal(trace, context),
    { figure: 'pmt', amount: payment, formula: sumEquation(paymentTerms, payment, context) },
    ...explainCharges(trace, context),
    ...(trace.columns ?? []).map(({ name, amount, text }): FigureExplanation => ({
      figure: 'column',
      name,
      amount,
      formula: equation(text, amount, context),
    })),
    { figure: 'totalInstallment', amount: total, formula: sumEquation(totalTerms, total, context) },
  ];
}

function explainRemaining({ row, previous }: RowTrace, context: ExplanationContext): FigureExplanation {
  const amount = row.remaining;
  const terms: Term[] =
    previous === undefined
      ? [{ label: 'balance at the start', amount }]
      : [
          { label: 'balance', amount: previous.remaining },
          { label: 'principal', amount: previous.principal, isTakenAway: true },
        ];
  if (previous !== undefined && previous.capitalised !== 0) {
    terms.push({ label: 'capitalised interest', amount: previous.capitalised });
  }
  return { figure: 'remainingValue', amount, formula: sumEquation(terms, amount, context) };
}

function explainPrincipal(trace: RowTrace, context: ExplanationContext): FigureExplanation {
  const { principal: rule, row, blocked } = trace;
  const terms = principalTerms(trace, context);
  if (blocked !== undefined && blocked.principal !== 0) {
    terms.push({ label: 'blocked', amount: blocked.principal });
  }
  return {
    figure: 'principal',
    amount: row.principal,
    ...(rule.rule === 'percent' ? { rates: [rule.percent], base: rule.base } : {}),
    formula: sumEquation(terms, row.principal, context),
  };
}

/** Label of the planned balance, which applies if it differs from the actual one (G2, X2). */
const PLAN_BALANCE = 'balance of the plan';

function restTerms({ balance, residual, capitalised = 0 }: RestTrace, remaining: number): Term[] {
  const terms: Term[] = [{ label: balance === remaining ? 'balance' : PLAN_BALANCE, amount: balance }];
  if (capitalised !== 0) terms.push({ label: 'capitalised interest', amount: capitalised });
  if (residual !== 0) terms.push({ label: 'residual', amount: residual, isTakenAway: true });
  return terms;
}

function principalTerms({ principal: rule, row, payment }: RowTrace, context: ExplanationContext): Term[] {
  const amount = row.principal;
  switch (rule.rule) {
    case 'payment': {
      const isPlanned = rule.planInterest !== undefined;
      const interest = rule.planInterest ?? row.accrued;
      const label = isPlanned ? 'interest of the plan' : 'interest';
      return [
        { label: 'payment', amount: payment?.amount ?? amount + interest },
        { label, amount: interest, isTakenAway: true },
      ];
    }
    case 'part':
      return [{ label: 'equal part', amount: payment?.amount ?? amount }];
    case 'percent': {
      const label = rule.base === row.remaining ? '' : `${PLAN_BALANCE} `;
      const text = `${rule.percent} % * ${label}${moneyText(rule.base, context)}`;
      return [{ label: '', amount, text }];
    }
    case 'rest':
      return restTerms(rule, row.remaining);
    case 'none':
      return [{ label: NO_PRINCIPAL[rule.why], amount: 0 }];
    case 'prepayment':
      return [{ label: 'repaid early as requested', amount }];
    case 'residual':
      return [{ label: 'residual', amount }];
    case 'formula':
      return [{ label: '', amount, text: rule.text }];
    default:
      return rule satisfies never;
  }
}
