/** The charges that one row collects (F2, F4), calculated from the figures of that row. */

import { computeInterest } from '../interest/interest-rule.ts';
import { MAX_FIGURE_MINOR } from '../numbers/money.ts';
import type { ChargeKind } from './charge-input.ts';
import type { ScheduledCharge, ScheduledCharges, RowCharges, RowFigureName } from './schedule-charges.ts';

/** Figures of a row, as shown, in minor units. */
export interface ChargedFigures {
  /** Balance at the start of the row. */
  readonly remaining: number;
  readonly interest: number;
  readonly principal: number;
}

/** A commission or insurance collected with a row (F2, F3, F5). */
export interface ChargeTrace {
  readonly kind: ChargeKind;
  readonly name: string;
  /** The total that the row collects: charges and blocked amounts (X2). */
  readonly amount: number;
  /** Number of charges that the row collects; 0 if it collects only a blocked amount. */
  readonly charges: number;
  readonly each: ChargeRule;
  readonly blocked?: number;
}

/** The price of one charge. */
export type ChargeRule =
  | { readonly rule: 'value'; readonly value: number }
  /** A formula column that counts as a charge; `text` is the formula with its numbers substituted. */
  | { readonly rule: 'formula'; readonly text: string }
  | {
      readonly rule: 'percent';
      readonly percent: string;
      readonly base: number;
      /** The base, in the spelling of PercentAppliedTo. */
      readonly appliedTo: string;
      /** Fraction of a year to which the percentage applies, such as [1, 12] or [7, 365]; absent: a rate per charge. */
      readonly partOfYear?: readonly [numerator: number, denominator: number];
    }
  /**
   * An annual percentage of the unused amount for part of the row (F5); `count` is the day-count numerator of the
   * overlap.
   */
  | { readonly rule: 'unused'; readonly percent: string; readonly base: number; readonly count: number };

/**
 * Sums of the commissions and of the insurances that a row collects; index from 0, due rows only. Each charge is rounded
 * separately. Sums that exceed the limit are returned as zero and recorded; call refuseTooLargeCharges after the last
 * row.
 */
export function collectRowCharges(
  scheduled: ScheduledCharges,
  row: number,
  figures: ChargedFigures,
): RowCharges {
  let fee = 0;
  let insurance = 0;
  for (const charge of scheduled.charges) {
    const amount = calculateAmount(charge, row, figures);
    if (!isWithinLimit(amount)) scheduled.tooLarge ??= charge.item.path;
    const collected = amount + (row === 0 ? charge.item.blocked : 0);
    if (charge.item.kind === 'commission') fee += collected;
    else insurance += collected;
  }
  const isSmall = isWithinLimit(fee) && isWithinLimit(insurance);
  if (isSmall && isWithinLimit(figures.interest + figures.principal + fee + insurance)) {
    return { managementFee: fee, insurance };
  }
  scheduled.tooLarge ??= fee >= insurance ? 'Commission' : 'Insurance';
  return { managementFee: 0, insurance: 0 };
}

/** The amount of a Fee or InsuranceClass column in a row: the charges of its items only, zero without any (F4). */
export function sumColumnCharges(
  scheduled: ScheduledCharges,
  column: string,
  row: number,
  figures: ChargedFigures,
): number {
  let sum = 0;
  for (const charge of scheduled.byColumn.get(column) ?? []) sum += collectCharge(charge, row, figures);
  return isWithinLimit(sum) ? sum : 0;
}

/** How each charge that a row collects is calculated, in the order of the request (S6). */
export function traceRowCharges(
  scheduled: ScheduledCharges,
  row: number,
  figures: ChargedFigures,
): readonly ChargeTrace[] {
  return scheduled.charges.flatMap((charge) => {
    const { item, price } = charge;
    const count = charge.counts[row] ?? 0;
    const blocked = row === 0 ? item.blocked : 0;
    if (count === 0 && blocked === 0) return [];
    return {
      kind: item.kind,
      name: item.name,
      amount: collectCharge(charge, row, figures),
      charges: price.kind === 'unusage' ? Math.min(count, 1) : count,
      each: describeRule(charge, row, figures),
      ...(blocked > 0 && { blocked }),
    };
  });
}

function isWithinLimit(amount: number): boolean {
  return amount <= MAX_FIGURE_MINOR && amount >= -MAX_FIGURE_MINOR;
}

/** Charges of the row and its blocked amounts (X2). */
function collectCharge(charge: ScheduledCharge, row: number, figures: ChargedFigures): number {
  return calculateAmount(charge, row, figures) + (row === 0 ? charge.item.blocked : 0);
}

function calculateAmount({ counts, price }: ScheduledCharge, row: number, figures: ChargedFigures): number {
  const count = counts[row] ?? 0;
  if (count === 0) return 0;
  switch (price.kind) {
    case 'fixed':
      return count * price.amount;
    case 'share':
      return count * computeInterest(price.share, selectFigure(price.of, figures), price.periods);
    case 'unusage':
      return computeInterest(price.share, price.base, count);
    default:
      return price satisfies never;
  }
}

function selectFigure(name: RowFigureName, figures: ChargedFigures): number {
  switch (name) {
    case 'RemainingValue':
      return figures.remaining;
    case 'Principal':
      return figures.principal;
    case 'Interest':
      return figures.interest;
    case 'Installment':
      return figures.interest + figures.principal;
    default:
      return name satisfies never;
  }
}

function describeRule(
  { item, counts, price }: ScheduledCharge,
  row: number,
  figures: ChargedFigures,
): ChargeRule {
  const sent = item.price;
  if (sent.kind === 'value') return { rule: 'value', value: sent.amount };
  const percent = sent.percent.toFixed();
  const base = price.kind === 'share' ? selectFigure(price.of, figures) : price.base;
  if (sent.kind === 'unusage') return { rule: 'unused', percent, base, count: counts[row] ?? 0 };
  const rule = { rule: 'percent', percent, base, appliedTo: sent.base } as const;
  return sent.partOfYear === undefined ? rule : { ...rule, partOfYear: sent.partOfYear };
}
