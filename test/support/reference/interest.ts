/** Interest and level payments of the reference implementation (S2, S5, R1-R3). */

import { Exact, NONE, rounded, Refused, refuseIf } from './decimal.ts';
import type { Terms } from './terms.ts';
import { bondDays, countsWholeMonths, wholeMonthBasis, yearPart, type YearPart } from './day-count.ts';

const DAYS_PER_MONTH = 30;

/** The part of a year from `from` to the end of row `row`, of which prepayments have used some days (X3). */
export function restOfRow(terms: Terms, row: number, from: number, used: number): YearPart {
  const { dates, dayCount, period, lastRow, isInAdvance } = terms;
  if (countsWholeMonths(dayCount) && dates.isRegular(row)) {
    return { days: DAYS_PER_MONTH * period.months - used, basis: wholeMonthBasis(dayCount) };
  }
  return yearPart(dayCount, {
    from,
    to: dates.accrual[row]!,
    endsSchedule: row === lastRow + (isInAdvance ? 1 : 0),
  });
}

/** The part of a year between two dates within row `row`, for a prepayment (X3). */
export function partOfRow(
  terms: Terms,
  row: number,
  span: Parameters<typeof yearPart>[1],
  used: number,
): YearPart {
  const { dates, dayCount, period } = terms;
  if (!countsWholeMonths(dayCount) || !dates.isRegular(row)) return yearPart(dayCount, span);
  const days = Math.min(bondDays(span), DAYS_PER_MONTH * period.months - used);
  return { days, basis: wholeMonthBasis(dayCount) };
}

const knownPowers = new Map<string, Exact>();

function power(rate: Exact, { days, basis }: YearPart): Exact {
  const key = `${rate.toString()} ${days}/${basis}`;
  const known = knownPowers.get(key);
  if (known !== undefined) return known;
  const result = rate.div(100).plus(1).pow(new Exact(days).div(basis));
  knownPowers.set(key, result);
  return result;
}

function simpleInterest(terms: Terms, balance: Exact, rate: Exact, part: YearPart): Exact {
  if (terms.compounds) return balance.times(power(rate, part).minus(1));
  return balance
    .times(rate)
    .times(part.days)
    .div(100 * part.basis);
}

/** Interest of a balance at the rate of row `row` or by bands, not rounded; a negative balance has the rate of the first band. */
export function exactInterest(terms: Terms, row: number, balance: Exact, part: YearPart): Exact {
  const { bands, isWhole, ofRow } = terms.rates;
  if (bands === undefined) return simpleInterest(terms, balance, ofRow(row), part);
  const first = bands[0]!;
  if (balance.lte(0)) return simpleInterest(terms, balance, first.rate, part);
  if (isWhole) {
    const band = bands.findLast((one) => balance.gte(one.from)) ?? first;
    return simpleInterest(terms, balance, band.rate, part);
  }
  let sum = NONE;
  for (const band of bands) {
    const upTo = band.to === undefined || balance.lt(band.to) ? balance : band.to;
    if (upTo.gt(band.from)) sum = sum.plus(simpleInterest(terms, upTo.minus(band.from), band.rate, part));
  }
  return sum;
}

/** Interest of a row or prepayment, rounded once (M2); refused when the balance is outside all bands. */
export function interestOf(terms: Terms, row: number, balance: Exact, part: YearPart): Exact {
  const last = terms.rates.bands?.at(-1)?.to;
  refuseIf(last !== undefined && balance.gt(last), 'a balance outside all bands');
  return rounded(exactInterest(terms, row, balance, part));
}

/** Refuses rates that reduce a balance to zero or less (R3). */
export function checkRates(terms: Terms): void {
  const { bands, ofRow } = terms.rates;
  const rows = Array.from({ length: terms.rows - terms.settled }, (_, index) => terms.settled + 1 + index);
  if (terms.hasResidualPeriod) rows.push(terms.lastRow + 1);
  for (const row of rows) {
    const part = restOfRow(terms, row, terms.dates.accrual[row - 1]!, 0);
    for (const rate of bands?.map((band) => band.rate) ?? [ofRow(Math.min(row, terms.rows))]) {
      const growth = terms.compounds
        ? rate.div(100).plus(1)
        : rate
            .times(part.days)
            .div(100 * part.basis)
            .plus(1);
      if (!growth.gt(0)) throw new Refused('the rate is too low');
    }
  }
}

/** The residual row of payments in advance bears interest by the rate of the row before it (B7). */
export function interestOfResidual(terms: Terms, balance: Exact): Exact {
  const { dates, lastRow } = terms;
  return interestOf(terms, lastRow, balance, restOfRow(terms, lastRow + 1, dates.accrual[lastRow]!, 0));
}

/** The smallest whole balance that reaches ResidualValue with its interest, at most what can be left (B7). */
export function balanceForResidual(terms: Terms): Exact {
  const { residual, amount, block } = terms;
  const most = amount.minus(block?.amount ?? NONE);
  const reaches = (balance: Exact) => balance.plus(interestOfResidual(terms, balance)).gte(residual);
  let guess = residual;
  for (let turn = 0; turn < MAX_HALVINGS; turn += 1) {
    const missing = residual.minus(guess).minus(interestOfResidual(terms, guess)).div(2).trunc();
    if (missing.isZero()) break;
    guess = guess.plus(missing);
    if (guess.gt(most)) guess = most;
  }
  while (guess.gt(0) && reaches(guess.minus(1))) guess = guess.minus(1);
  while (guess.lt(most) && !reaches(guess)) guess = guess.plus(1);
  return guess;
}

/** The input of a level payment: row, balance, residual, and the remainder of that row's period. */
export interface PaymentCase {
  readonly row: number;
  readonly balance: Exact;
  readonly residual: Exact;
  readonly part: YearPart;
}

export function levelPayment(terms: Terms, payment: PaymentCase): Exact {
  const { row, part } = payment;
  const whole = { ...terms, lastRow: terms.rows };
  const parts = [part];
  for (let next = row + 1; next <= terms.rows; next += 1) {
    parts.push(restOfRow(whole, next, terms.dates.accrual[next - 1]!, 0));
  }
  const bands = terms.rates.bands;
  if (bands !== undefined && bands.length > 1) return bandedPayment(terms, payment, parts);
  return annuity(terms, payment, parts);
}

/** Solves: sum of PMT * DF = balance - residual * DF of the last row. */
function annuity(terms: Terms, { row, balance, residual }: PaymentCase, parts: readonly YearPart[]): Exact {
  const one = new Exact(1);
  const growths = new Map<string, Exact>();
  let factor = one;
  let sum = NONE;
  for (const part of parts) {
    const key = `${part.days}/${part.basis}`;
    const growth = growths.get(key) ?? one.plus(exactInterest(terms, row, one, part));
    growths.set(key, growth);
    factor = factor.div(growth);
    sum = sum.plus(factor);
  }
  return rounded(balance.minus(residual.times(factor)).div(sum));
}

const MAX_HALVINGS = 220;

/** Bisects the payment that leaves the residual at the end, until its rounding is certain (R2). */
function bandedPayment(terms: Terms, { row, balance, residual }: PaymentCase, parts: readonly YearPart[]) {
  const isTooLow = (payment: Exact) => {
    let left = balance;
    for (const part of parts) left = left.plus(exactInterest(terms, row, left, part)).minus(payment);
    return left.gt(residual);
  };
  let low = NONE;
  let high = balance.plus(1);
  while (isTooLow(high)) high = high.times(2);
  while (!isTooLow(low)) low = low.isZero() ? high.negated() : low.times(2);
  for (let halving = 0; halving < MAX_HALVINGS && !rounded(low).eq(rounded(high)); halving += 1) {
    const middle = low.plus(high).div(2);
    if (isTooLow(middle)) low = middle;
    else high = middle;
  }
  return rounded(high);
}
