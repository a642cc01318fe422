/** Explains how the commissions and insurances of a row are calculated (F2, F3, F5). */

import { calculateCharge, selectFigure, type ChargedFigures } from '../charges/charge-amounts.ts';
import type { ScheduledCharge } from '../charges/schedule-charges.ts';
import type { FigureExplanation } from '../request/repayment-schedule.ts';
import {
  dayFields,
  explainSum,
  fractionText,
  moneyText,
  type ExplanationContext,
  type Term,
} from './explanation-text.ts';

/** Returns undefined if the row collects nothing of the charge; `row` is an index from 0. */
export function explainCharge(
  charge: ScheduledCharge,
  row: number,
  figures: ChargedFigures,
  context: ExplanationContext,
): FigureExplanation | undefined {
  const { item, counts, price } = charge;
  const count = counts[row] ?? 0;
  const blocked = row === 0 ? item.blocked : 0;
  if (count === 0 && blocked === 0) return undefined;
  const amount = calculateCharge(charge, row, figures) + blocked;
  const each = describePrice(charge, row, figures, context);
  // Each charge is rounded separately (F2), so the formula rounds a percentage that is not the whole figure.
  const charges = price.kind === 'unusage' ? Math.min(count, 1) : count;
  const times = charges === 1 ? '' : `${charges} * `;
  const isWholeFigure = charges === 1 && blocked === 0;
  const terms: Term[] = [];
  if (item.price.kind === 'value' && charges === 1) {
    terms.push({ label: 'charge', amount: item.price.amount });
  } else if (charges > 0) {
    const isExact = item.price.kind === 'value' || isWholeFigure;
    terms.push({ label: '', amount, text: `${times}${isExact ? each.text : `round(${each.text})`}` });
  }
  if (blocked !== 0) terms.push({ label: 'blocked', amount: blocked });
  return {
    ...explainSum(item.kind === 'commission' ? 'managementFee' : 'insurance', terms, amount, context),
    name: item.name,
    ...(charges > 0 && each.fields),
  };
}

function describePrice(
  { item, counts, price }: ScheduledCharge,
  row: number,
  figures: ChargedFigures,
  context: ExplanationContext,
): { readonly text: string; readonly fields?: Partial<FigureExplanation> } {
  const sent = item.price;
  if (sent.kind === 'value') return { text: moneyText(sent.amount, context) };
  const percent = sent.percent.toFixed();
  const base = price.kind === 'share' ? selectFigure(price.of, figures) : price.base;
  const fields = { rates: [percent], base };
  if (sent.kind === 'unusage') {
    const fraction = fractionText(counts[row] ?? 0, context);
    const text = `UnusedAmount ${moneyText(base, context)} * ${percent} % * ${fraction.text}`;
    return { text, fields: { ...dayFields(fraction, context), ...fields } };
  }
  const part = sent.partOfYear === undefined ? '' : ` * ${sent.partOfYear.join('/')}`;
  return { text: `${sent.base} ${moneyText(base, context)} * ${percent} %${part}`, fields };
}

/** Selects the charges of a figure and appends their sum, even if there are none. */
export function selectWithSum(
  figure: 'managementFee' | 'insurance',
  all: readonly FigureExplanation[],
  context: ExplanationContext,
): readonly FigureExplanation[] {
  const charges = all.filter((charge) => charge.figure === figure);
  const amount = charges.reduce((sum, charge) => sum + charge.amount, 0);
  const kind = figure === 'managementFee' ? 'commission' : 'insurance';
  const terms: Term[] =
    charges.length > 1
      ? charges.map((charge) => ({ label: '', amount: charge.amount }))
      : [{ label: charges.length === 1 ? `one ${kind}` : `no ${kind}`, amount }];
  return [...charges, explainSum(figure, terms, amount, context)];
}
