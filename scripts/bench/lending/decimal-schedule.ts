/**
 * The loan of the benchmark calculated with plain decimal.js and 34 digits, in a loop over dated rows. It has no
 * validation, other features or rates, and is the fairest comparison with the rows of the engine.
 */

import { Decimal } from 'decimal.js';

const Money = Decimal.clone({ precision: 34, rounding: Decimal.ROUND_HALF_UP });
const MONTHS_PER_YEAR = 12;

interface DecimalRow {
  readonly no: number;
  readonly dueDate: Date;
  readonly days: number;
  readonly remaining: Decimal;
  readonly interest: Decimal;
  readonly principal: Decimal;
  readonly fee: Decimal;
  readonly insurance: Decimal;
  readonly total: Decimal;
}

const DAY_MS = 86_400_000;

/** Level payments of 250,000 at 7.25 % from 15 January 2024, with the charges of the benchmark's loan. */
export function decimalSchedule(rows: number): readonly DecimalRow[] {
  const rate = new Money('7.25').div(100 * MONTHS_PER_YEAR);
  const amount = new Money(250_000);
  const payment = amount
    .times(rate)
    .div(new Money(1).minus(rate.plus(1).pow(-rows)))
    .toDecimalPlaces(2);
  const fixedFee = new Money(5);
  const feeRate = new Money('0.5').div(100 * MONTHS_PER_YEAR);
  const premium = amount.times('0.2').div(100).toDecimalPlaces(2);
  const none = new Money(0);
  const answer: DecimalRow[] = [];
  let remaining = amount;
  let before = Date.UTC(2024, 0, 15);
  for (let no = 1; no <= rows; no += 1) {
    const due = Date.UTC(2024, no, 15);
    const interest = remaining.times(rate).toDecimalPlaces(2);
    const principal = no === rows ? remaining : payment.minus(interest);
    const fee = fixedFee.plus(remaining.times(feeRate).toDecimalPlaces(2));
    const insurance = no % MONTHS_PER_YEAR === 1 ? premium : none;
    const total = interest.plus(principal).plus(fee).plus(insurance);
    const days = (due - before) / DAY_MS;
    answer.push({ no, dueDate: new Date(due), days, remaining, interest, principal, fee, insurance, total });
    remaining = remaining.minus(principal);
    before = due;
  }
  return answer;
}

/** The sum of all payments, to check that two calculations did the same work. */
export function sumOfPayments(rows: readonly DecimalRow[]): string {
  return rows.reduce((sum, { total }) => sum.plus(total), new Money(0)).toFixed(2);
}
