/** Writes the parts of explanations as text: amounts, sums and day-count fractions (S6, Explain). */

import { formatMinorUnits } from '../numbers/money.ts';

export interface CurrencyContext {
  readonly currencyDigits: number;
}

export interface ExplanationContext extends CurrencyContext {
  readonly dayCount: string;
  readonly dayCountDenominator: number;
}

/** A term of a sum, shown as `label amount after`, or with `text` in place of the amount. Amounts are minor units. */
export interface Term {
  readonly label: string;
  readonly amount: number;
  readonly isTakenAway?: boolean;
  readonly text?: string;
  readonly after?: string;
}

interface FractionText {
  readonly text: string;
  readonly days: number;
  /** Absent if the days fall in years of different length. */
  readonly basis?: number;
}

const ORDINARY_YEAR = 365;
const LEAP_YEAR = 366;

export function moneyText(amount: number, context: CurrencyContext): string {
  return formatMinorUnits(amount, context.currencyDigits);
}

/** For example `text = 10.00` for 1000 minor units of a currency with two decimals. */
export function equation(text: string, amount: number, context: CurrencyContext): string {
  return `${text} = ${moneyText(amount, context)}`;
}

/** For example `balance 100.00 - principal 10.00 = 90.00`, or `no interest: 0.00` for one term without a text. */
export function explainSum<Figure extends string>(
  figure: Figure,
  terms: readonly Term[],
  amount: number,
  context: CurrencyContext,
) {
  const [only] = terms;
  if (terms.length === 1 && only !== undefined && only.text === undefined) {
    return { figure, amount, formula: `${only.label}: ${moneyText(amount, context)}` };
  }
  return { figure, amount, formula: equation(sumText(terms, context), amount, context) };
}

function sumText(terms: readonly Term[], context: CurrencyContext): string {
  return terms
    .map((term, index) => {
      const sign = term.isTakenAway === true ? '- ' : index === 0 ? '' : '+ ';
      const number = term.text ?? moneyText(term.amount, context);
      const label = term.label === '' ? '' : `${term.label} `;
      return `${sign}${label}${number}${term.after === undefined ? '' : ` ${term.after}`}`;
    })
    .join(' ');
}

/** For example `30/360`, or `(10/365 + 20/366)` by Actual/Actual; `days` are the calendar days, if known. */
export function fractionText(count: number, context: ExplanationContext, days?: number): FractionText {
  if (context.dayCountDenominator !== ORDINARY_YEAR * LEAP_YEAR) {
    const basis = context.dayCountDenominator;
    return { text: `${count}/${basis}`, days: count, basis };
  }
  const allDays = days ?? Math.ceil(count / LEAP_YEAR);
  const leapDays = allDays * LEAP_YEAR - count;
  const otherDays = allDays - leapDays;
  if (leapDays === 0) return { text: `${allDays}/${ORDINARY_YEAR}`, days: allDays, basis: ORDINARY_YEAR };
  if (otherDays === 0) return { text: `${allDays}/${LEAP_YEAR}`, days: allDays, basis: LEAP_YEAR };
  return { text: `(${otherDays}/${ORDINARY_YEAR} + ${leapDays}/${LEAP_YEAR})`, days: allDays };
}

export function dayFields(fraction: FractionText, context: ExplanationContext) {
  return {
    days: fraction.days,
    ...(fraction.basis === undefined ? {} : { basis: fraction.basis }),
    dayCount: context.dayCount,
  };
}
