/** The charges that one row collects (F2, F4), calculated from the figures of that row. */

import { computeInterest } from '../interest/interest-rule.ts';
import { MAX_FIGURE_MINOR } from '../numbers/money.ts';
import type { ScheduledCharge, ScheduledCharges, RowCharges, RowFigureName } from './schedule-charges.ts';

export const NO_CHARGES: RowCharges = { managementFee: 0, insurance: 0, onlyInRows: 0, onlyInRate: 0 };

/** Figures of a row, as shown, in minor units. */
export interface ChargedFigures {
  readonly remaining: number;
  readonly interest: number;
  readonly principal: number;
}

/** Rounds each charge. If a sum exceeds the limit, all sums are zero, and a later refuseTooLargeCharges reports it. */
export function collectRowCharges(
  scheduled: ScheduledCharges,
  row: number,
  figures: ChargedFigures,
): RowCharges {
  let fee = 0;
  let insurance = 0;
  let onlyInRows = 0;
  let onlyInRate = 0;
  for (const charge of scheduled.charges) {
    const amount = calculateCharge(charge, row, figures);
    if (!isWithinLimit(amount)) scheduled.tooLarge ??= charge.item.path;
    const collected = amount + (row === 0 ? charge.item.blocked : 0);
    const { kind, countsIn } = charge.item;
    if (countsIn === 'Rate') onlyInRate += collected;
    else if (kind === 'commission') fee += collected;
    else insurance += collected;
    if (countsIn === 'Rows') onlyInRows += collected;
  }
  const isSmall = isWithinLimit(fee) && isWithinLimit(insurance);
  if (isSmall && isWithinLimit(figures.interest + figures.principal + fee + insurance)) {
    return { managementFee: fee, insurance, onlyInRows, onlyInRate };
  }
  scheduled.tooLarge ??= fee >= insurance ? 'Commission' : 'Insurance';
  return NO_CHARGES;
}

/** The sum of an additional column's charges in a row (index from 0); zero if it exceeds the limit. */
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

function isWithinLimit(amount: number): boolean {
  return amount <= MAX_FIGURE_MINOR && amount >= -MAX_FIGURE_MINOR;
}

function collectCharge(charge: ScheduledCharge, row: number, figures: ChargedFigures): number {
  return calculateCharge(charge, row, figures) + (row === 0 ? charge.item.blocked : 0);
}

/** In minor units, without the blocked amount; `row` is an index from 0. */
export function calculateCharge(
  { counts, price }: ScheduledCharge,
  row: number,
  figures: ChargedFigures,
): number {
  const count = counts[row] as number;
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

export function selectFigure(name: RowFigureName, figures: ChargedFigures): number {
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
