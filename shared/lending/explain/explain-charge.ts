/** How the commissions and insurances of a row are calculated (F2, F3, F5). */

import { dayFields, fractionText, moneyText, sumEquation, type Term } from './explanation-text.ts';
import type { FigureExplanation } from '../request/repayment-schedule.ts';
import type { ExplanationContext, RowTrace } from '../amortisation/row-notes.ts';
import type { ChargeRule, ChargeTrace } from '../charges/charge-amounts.ts';

/** The entries of each commission and their sum, then those of insurances if the row shows them. */
export function explainCharges(trace: RowTrace, context: ExplanationContext): FigureExplanation[] {
  const commissions = trace.charges.filter(({ kind }) => kind === 'commission');
  const insurances = trace.charges.filter(({ kind }) => kind === 'insurance');
  const entries = [
    ...commissions.map((charge) => explainCharge(charge, context)),
    explainSum('managementFee', commissions, context),
  ];
  if (!trace.showsInsurance) return entries;
  return [
    ...entries,
    ...insurances.map((charge) => explainCharge(charge, context)),
    explainSum('insurance', insurances, context),
  ];
}

/** The sum of the charges of one kind. */
export function sumOfCharges({ charges }: RowTrace, kind: ChargeTrace['kind']): number {
  return charges.reduce((sum, charge) => (charge.kind === kind ? sum + charge.amount : sum), 0);
}

function explainSum(
  figure: 'managementFee' | 'insurance',
  charges: readonly ChargeTrace[],
  context: ExplanationContext,
): FigureExplanation {
  const amount = charges.reduce((sum, charge) => sum + charge.amount, 0);
  const kind = figure === 'managementFee' ? 'commission' : 'insurance';
  const terms: Term[] =
    charges.length > 1
      ? charges.map((charge) => ({ label: '', amount: charge.amount }))
      : [{ label: charges.length === 1 ? `one ${kind}` : `no ${kind}`, amount }];
  return { figure, amount, formula: sumEquation(terms, amount, context) };
}

function explainCharge(charge: ChargeTrace, context: ExplanationContext): FigureExplanation {
  const { kind, name, amount, charges, blocked } = charge;
  const terms: Term[] = [];
  if (charges > 0) terms.push(chargesTerm(charge, context));
  if (blocked !== undefined && blocked !== 0) terms.push({ label: 'blocked', amount: blocked });
  if (terms.length === 0) terms.push({ label: 'no charge', amount });
  return {
    figure: kind === 'commission' ? 'managementFee' : 'insurance',
    name,
    amount,
    ...(charges > 0 ? ruleFields(charge.each, context) : {}),
    formula: sumEquation(terms, amount, context),
  };
}

/** Each charge is rounded separately (F2), so a figure of several charges shows the rounding. */
function chargesTerm({ charges, each, amount, blocked }: ChargeTrace, context: ExplanationContext): Term {
  if (each.rule === 'formula') return { label: '', amount, text: each.text };
  const times = charges === 1 ? '' : `${charges} * `;
  if (each.rule === 'value') {
    const text = `${times}${moneyText(each.value, context)}`;
    return { label: 'charge', amount, ...(charges === 1 ? { amount: each.value } : { label: '', text }) };
  }
  const single = ruleText(each, context);
  const isWholeFigure = charges === 1 && (blocked ?? 0) === 0;
  return { label: '', amount, text: isWholeFigure ? single : `${times}round(${single})` };
}

function ruleText(
  each: Exclude<ChargeRule, { rule: 'value' | 'formula' }>,
  context: ExplanationContext,
): string {
  const base = moneyText(each.base, context);
  switch (each.rule) {
    case 'percent': {
      const part = each.partOfYear === undefined ? '' : ` * ${each.partOfYear.join('/')}`;
      return `${each.appliedTo} ${base} * ${each.percent} %${part}`;
    }
    case 'unused':
      return `UnusedAmount ${base} * ${each.percent} % * ${fractionText(each.count, context).text}`;
    default:
      return each satisfies never;
  }
}

function ruleFields(each: ChargeRule, context: ExplanationContext): Partial<FigureExplanation> {
  switch (each.rule) {
    case 'value':
    case 'formula':
      return {};
    case 'percent':
      return { rates: [each.percent], base: each.base };
    case 'unused':
      return {
        ...dayFields(fractionText(each.count, context), context),
        rates: [each.percent],
        base: each.base,
      };
    default:
      return each satisfies never;
  }
}
