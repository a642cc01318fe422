/**
 * The inputs of a row's figures, recorded only when the request asks for an explanation (S6, Explain). Amounts are in
 * minor units, percentages are decimal text, and row numbers are the original ones.
 */

import type { AmortisedRow } from './amortised-row.ts';
import type { ChargeTrace } from '../charges/row-charges.ts';

/**
 * How the interest of a row accrues, before a grace period, blocked amounts or capitalisation change what is collected;
 * absent in rows without interest.
 */
export type InterestTrace =
  | {
      /** simple: base * rate * fraction; effective: base * ((1 + rate)^fraction - 1). */
      readonly method: 'simple' | 'effective';
      /** One rate for the whole balance, or the slices with their own rates (R2). */
      readonly slices: readonly InterestSlice[];
    }
  /** The schedule type's formula with its numbers substituted. */
  | {
      readonly method: 'formula';
      readonly text: string;
      /** True if the formula reads the day-count fraction. */
      readonly readsDays: boolean;
      /** The annual rate, if the formula contains it. */
      readonly percent?: string;
    };

/** A part of the balance with its annual rate. */
export interface InterestSlice {
  readonly percent: string;
  /** The part's amount; absent: the whole balance at the start of the row. */
  readonly base?: number;
}

/** An annual rate used to calculate a level payment. */
export interface LevelRate {
  readonly percent: string;
  /** Lower limit of a band. */
  readonly from?: number;
}

/** How the payment in force was calculated. It stays the same from row to row, so rows may share one object. */
export type PaymentTrace =
  | {
      readonly kind: 'level';
      readonly amount: number;
      /** First and last of the rows for which it was calculated (S5). */
      readonly firstRow: number;
      readonly lastRow: number;
      readonly balance: number;
      readonly residual: number;
      /** The rates used: the rate in force at that time, or all bands with their lower limits. */
      readonly at: readonly LevelRate[];
      /** True if a band's rate applies to the whole balance, not only to its slice (R2). */
      readonly isWhole?: boolean;
      /**
       * Set if there is one rate and all these rows have the same day-count numerator: the closed annuity formula
       * then applies and is shown.
       */
      readonly closed?: {
        readonly method: 'simple' | 'effective';
        readonly percent: string;
        readonly count: number;
      };
    }
  /** Fixed by the request (B2). */
  | { readonly kind: 'fixed'; readonly amount: number }
  /** Kept after a prepayment (X3, DecreaseInstallment false). */
  | { readonly kind: 'kept'; readonly amount: number }
  | {
      readonly kind: 'equal-part';
      readonly amount: number;
      readonly balance: number;
      readonly residual: number;
      /** Rows that share the principal. */
      readonly rows: number;
    }
  /** `text` is the formula with its numbers substituted. */
  | { readonly kind: 'formula'; readonly amount: number; readonly text: string };

/** How the principal of the row was calculated, before blocked principal is added. */
export type PrincipalTrace =
  /**
   * The payment less interest: the accrued interest, or `planInterest` if the planned balance applies (G2, X2).
   */
  | { readonly rule: 'payment'; readonly planInterest?: number }
  /** The equal part in force. */
  | { readonly rule: 'part' }
  /** A percentage of the balance, or of the planned balance (B3, G2, X2). */
  | { readonly rule: 'percent'; readonly percent: string; readonly base: number }
  /**
   * The whole balance above the residual: in the last row, or if the calculated principal exceeds it. `balance` is the
   * planned balance if that applies; `capitalised` is negative interest that reduces it.
   */
  | {
      readonly rule: 'rest';
      readonly balance: number;
      readonly residual: number;
      readonly capitalised?: number;
    }
  | { readonly rule: 'none'; readonly why: 'grace' | 'before-maturity' | 'interest-exceeds-payment' }
  /** A prepayment of the request (X3). */
  | { readonly rule: 'prepayment' }
  /** The row of the residual (B1). */
  | { readonly rule: 'residual' }
  | { readonly rule: 'formula'; readonly text: string };

/** Accrued interest that is not collected with its row (G2, B4). */
export interface UncollectedInterest {
  readonly as: 'deferred' | 'spread' | 'capitalised' | 'forgiven';
  readonly amount: number;
}

/** Interest of earlier rows that is collected with this row (G2). */
export interface DeferredInterest {
  readonly as: 'deferred' | 'spread';
  readonly amount: number;
  /**
   * Set if the amount is an equal part of a total that is spread over this number of rows; the last row collects the
   * remainder.
   */
  readonly share?: { readonly total: number; readonly rows: number };
  /** The rows in which it accrued, inclusive. */
  readonly firstRow: number;
  readonly lastRow: number;
}

/** A figure of an additional column; `text` is its formula with the numbers substituted. */
export interface ColumnTrace {
  readonly name: string;
  readonly amount: number;
  readonly text: string;
}

/** The notes taken while a row is calculated. */
export interface RowNote {
  readonly row: AmortisedRow;
  /** The previous row, from which the balance follows; absent for the first row. */
  readonly previous?: AmortisedRow;
  readonly interest?: InterestTrace;
  readonly uncollected?: UncollectedInterest;
  readonly deferred?: DeferredInterest;
  readonly payment?: PaymentTrace;
  readonly principal: PrincipalTrace;
  /** BlockAmount and BlockInterestAmount if this row collects them (X2). */
  readonly blocked?: { readonly principal: number; readonly interest: number };
}

/** A row with the inputs of its figures. */
export interface RowTrace extends RowNote {
  /** Commissions, then insurances, each in the order of the request. */
  readonly charges: readonly ChargeTrace[];
  /** True if the request contains insurances, so that the row shows their sum (F4). */
  readonly showsInsurance: boolean;
  readonly columns?: readonly ColumnTrace[];
}

/** Data shared by all rows of a schedule. */
export interface ExplanationContext {
  /** Decimals of the currency (M2). */
  readonly currencyDigits: number;
  /** Published name of the day count. */
  readonly dayCount: string;
  /** Denominator of the day-count fractions. */
  readonly dayCountDenominator: number;
}
