/** How a figure of a row came about, told so that it can be worked out by hand (S6, Explain). */

/** What is explained: a member of the row, or a step on the way to one. */
export type ExplainedFigure =
  | 'remainingValue'
  /** The payment, or equal part of the principal, that holds for the row; not there in types without one. */
  | 'payment'
  /** Interest that the balance earned; told apart from `interest` only where grace, blocks or capitalising part them. */
  | 'accruedInterest'
  | 'interest'
  | 'capitalisedInterest'
  | 'principal'
  | 'pmt'
  /** With `name`: one commission; without: their sum. */
  | 'managementFee'
  /** With `name`: one insurance; without: their sum. */
  | 'insurance'
  /** An additional column, by its `name`. */
  | 'column'
  | 'totalInstallment';

/**
 * One figure of a row. The figure is the value of its formula, rounded to the currency's digits (M2); in a formula
 * `round()` is that same rounding, `%` is a hundredth and words only name the number after them.
 */
export interface FigureExplanation {
  readonly figure: ExplainedFigure;
  /** Name of the commission, insurance or additional column. */
  readonly name?: string;
  /** In minor units. */
  readonly amount: number;
  /** Days that the day count counts. */
  readonly days?: number;
  /**
   * Days of the year by the day count: the denominator under `days`. Absent where Actual/Actual splits the days over
   * years of different length; the formula shows the split.
   */
  readonly basis?: number;
  readonly dayCount?: string;
  /** Annual rates in percent as plain decimal text, in the order of the formula: one, or one for each slice (R2). */
  readonly rates?: readonly string[];
  /** Amount that the rates are applied to, in minor units. */
  readonly base?: number;
  /** Readable formula with the numbers put in, such as `1000.00 * 12 % * 30/360 = 10.00`. ASCII but for names. */
  readonly formula: string;
}
