/** The parts of explanations: amounts, sums and day-count fractions as text (S6, Explain). */

import { formatMinorUnits } from '../numbers/money.ts';
import type { ExplainedFigure, FigureExplanation } from '../request/repayment-schedule.ts';

/** Data shared by all rows of a schedule. */
export interface ExplanationContext {
  /** Decimals of the currency (M2). */
  readonly currencyDigits: number;
  /** Published name of the day count. */
  readonly dayCount: string;
  /** Denominator of the day-count fractions. */
  readonly dayCountDenominator: number;
}

/** A term of a sum with its label. */
export interface Term {
  readonly label: string;
  readonly amount: number;
  readonly isTakenAway?: boolean;
  /** The calculation of the amount, if the sum shows it instead. */
  readonly text?: string;
  /** Label after the number. */
  readonly after?: string;
}

/** A day-count fraction as text, with its days and year. */
interface FractionText {
  readonly text: string;
  readonly days: number;
  /** Absent if the days fall in years of different length. */
  readonly basis?: number;
}

const ORDINARY_YEAR = 365;
const LEAP_YEAR = 366;

/** An amount of minor units as text of a formula. */
export function moneyText(amount: number, context: ExplanationContext): string {
  return formatMinorUnits(amount, context.currencyDigits);
}

/** A formula with its value. */
export function equation(text: string, amount: number, context: ExplanationContext): string {
  return `${text} = ${moneyText(amount, context)}`;
}

/** The entry of a figure that is a sum; a single number is shown with its label only. */
export function explainSum(
  figure: ExplainedFigure,
  terms: readonly Term[],
  amount: number,
  context: ExplanationContext,
): FigureExplanation {
  const [only] = terms;
  if (terms.length === 1 && only !== undefined && only.text === undefined) {
    return { figure, amount, formula: `${only.label}: ${moneyText(amount, context)}` };
  }
  return { figure, amount, formula: equation(sumText(terms, context), amount, context) };
}

function sumText(terms: readonly Term[], context: ExplanationContext): string {
  return terms
    .map((term, index) => {
      const sign = term.isTakenAway === true ? '- ' : index === 0 ? '' : '+ ';
      const number = term.text ?? moneyText(term.amount, context);
      const label = term.label === '' ? '' : `${term.label} `;
      return `${sign}${label}${number}${term.after === undefined ? '' : ` ${term.after}`}`;
    })
    .join(' ');
}

/**
 * The fraction of a numerator over the day count's denominator. Actual/Actual uses a common denominator for years of
 * both lengths; the text gives the days of each. `days` are the calendar days of the period, if known.
 */
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

/** The fields of an explanation that give the days. */
export function dayFields(fraction: FractionText, context: ExplanationContext) {
  return {
    days: fraction.days,
    ...(fraction.basis === undefined ? {} : { basis: fraction.basis }),
    dayCount: context.dayCount,
  };
}
