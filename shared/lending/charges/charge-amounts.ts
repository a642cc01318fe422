/** The charges that one row collects (F2, F4), calculated from the figures of that row. */

import { computeInterest } from '../interest/interest-rule.ts';
import { MAX_FIGURE_MINOR } from '../numbers/money.ts';
import type { ChargesApart } from '../request/repayment-schedule.ts';
import type { ScheduledCharge, ScheduledCharges, RowCharges, RowFigureName } from './schedule-charges.ts';

/** Figures of a row, as shown, in minor units. */
export interface ChargedFigures {
  readonly remaining: number;
  readonly interest: number;
  readonly principal: number;
}

/** Rounds each charge. If a sum exceeds the limit, both sums are zero, and a later refuseTooLargeCharges reports it. */
export function collectRowCharges(
  scheduled: ScheduledCharges,
  row: number,
  figures: ChargedFigures,
): RowCharges {
  let fee = 0;
  let insurance = 0;
  for (const charge of scheduled.charges) {
    const amount = calculateCharge(charge, row, figures);
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

/** Rounds each charge. One that exceeds the limit counts as zero, and a later refuseTooLargeCharges reports it. */
export function sumChargesApart(
  scheduled: ScheduledCharges,
  row: number,
  figures: ChargedFigures,
): ChargesApart {
  const sum = (charges: readonly ScheduledCharge[]): number => {
    let total = 0;
    for (const charge of charges) {
      const amount = collectCharge(charge, row, figures);
      if (isWithinLimit(amount) && isWithinLimit(total + amount)) total += amount;
      else scheduled.tooLarge ??= charge.item.path;
    }
    return total;
  };
  const onlyInRows = scheduled.charges.filter(({ item }) => item.countsIn === 'Rows');
  return { onlyInRows: sum(onlyInRows), onlyInRate: sum(scheduled.besides) };
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
