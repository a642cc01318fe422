/**
 * How principal is repaid row by row: the balance moves by the rounded principal, the last row takes what is left
 * (M2, M3). Whole minor units throughout.
 */

import type { FactorSeries } from './factor-series.ts';
import { interestOfRow, type InterestAccrual } from './interest-accrual.ts';
import { discountSeries, levelPayment } from './level-payment.ts';
import { divideRoundedSafe } from './rounding.ts';

/** Interest and principal of every row (index from 0), in minor units. */
export interface Amortisation {
  readonly interest: readonly number[];
  readonly principal: readonly number[];
}

/**
 * Equal installments: each row pays the level payment. A row whose interest exceeds it pays its interest and no
 * principal, and the payment is solved again over the rest (S5).
 */
export function amortiseByEqualInstallments(amount: number, accrual: InterestAccrual): Amortisation {
  const lastRow = accrual.counts.length - 1;
  const interest: number[] = [];
  const principal: number[] = [];
  let balance = amount;
  let payment = levelPayment(accrual, { balance, residual: 0 }, 0);
  let discounts: readonly FactorSeries[] | undefined;
  for (let row = 0; row < lastRow; row += 1) {
    const interestDue = interestOfRow(accrual, balance, row);
    const repaid = Math.min(Math.max(payment - interestDue, 0), balance);
    interest.push(interestDue);
    principal.push(repaid);
    balance -= repaid;
    if (interestDue > payment) {
      discounts ??= discountSeries(accrual);
      payment = levelPayment(accrual, { balance, residual: 0 }, row + 1, discounts);
    }
  }
  interest.push(interestOfRow(accrual, balance, lastRow));
  principal.push(balance);
  return { interest, principal };
}

/** Equal principal: each row repays the same part of the amount, plus the interest on the balance (S2, Linear). */
export function amortiseByEqualPrincipal(amount: number, accrual: InterestAccrual): Amortisation {
  const lastRow = accrual.counts.length - 1;
  const part = divideRoundedSafe(amount, accrual.counts.length, accrual.rounding);
  const interest: number[] = [];
  const principal: number[] = [];
  let balance = amount;
  for (let row = 0; row <= lastRow; row += 1) {
    const repaid = row === lastRow ? balance : Math.min(part, balance);
    interest.push(interestOfRow(accrual, balance, row));
    principal.push(repaid);
    balance -= repaid;
  }
  return { interest, principal };
}
