/**
 * Request and answer of `PLAT_BP_CalculateRate` (A6): the rate of given cash flows, with all data needed to verify it.
 * Field names and casings of the request are those of the rule.
 *
 * Conventions: a field that was absent or null is undefined (M6); amounts are exact decimals without a currency (M1);
 * dates are calendar dates without a zone (D1); names are compared regardless of case.
 */

import type { Decimal } from 'decimal.js';
import type { CalendarDate } from '../dates/calendar-date.ts';
import type { RequestFault, RequestWarning } from './validation.ts';

/** The request of a rate. Values have not been validated yet. */
export interface RateRequest {
  /** `DAE` (A1), `XIRR` (A2) or `IRR` (A3). */
  readonly Rule: string;
  /** `Years`, `Months` (default), `Weeks` or `Days`, in which a DAE counts its intervals; ignored with other rules. */
  readonly Unit?: string | undefined;
  /** Dated flows in any order; mandatory for DAE and XIRR, excluded for IRR. */
  readonly CashFlows?: readonly CashFlow[] | undefined;
  /** Name of a periodicity (D7); mandatory for IRR, excluded otherwise. */
  readonly PeriodicityType?: string | undefined;
  /** Flows at equal periods, the first at time 0; mandatory for IRR, excluded otherwise. */
  readonly Amounts?: readonly Decimal[] | undefined;
}

/** A dated flow. Negative: paid out to the borrower; positive: paid back. */
export interface CashFlow {
  readonly Date: CalendarDate;
  readonly Amount: Decimal;
}

/** A line of the proof. All figures are plain decimal text, exact or rounded half up. */
export interface DiscountedFlow {
  /** As sent; null with the rule IRR, which has no dates. */
  readonly date: CalendarDate | null;
  /** As sent. */
  readonly amount: string;
  /**
   * Years from time 0 by the rule's intervals, with 20 decimals; below zero before it (DAE). For IRR: periods over
   * periods per year.
   */
  readonly years: string;
  /**
   * The amount at time 0. DAE and XIRR: amount / (1 + rate/100)^years. IRR: amount / (1 + rate/100/p)^(years * p) with
   * p periods per year. At the rate as shown, with ten decimals more than the amounts have. Null where that rate is
   * -100 percent per period or year, and at 1e300 or more.
   */
  readonly discountedAmount: string | null;
}

/** A rate with its proof. */
export interface ProvenRate {
  /**
   * Percent a year with ten decimals, all of them correct (rounded half up), of the rate nearest to zero; null if
   * there is none, it is above 1e262 percent, or it cannot be proven (A4).
   */
  readonly rate: string | null;
  /** One line for each flow, in the order of the request; empty when there is no rate. */
  readonly proof: readonly DiscountedFlow[];
  /**
   * Sum of the discounted amounts as shown, which is the error of the shown rate. Null if any of them is null or
   * there is no rate.
   */
  readonly residual: string | null;
  readonly warnings: readonly RequestWarning[];
}

/** The outcome of a calculation: a rate, or all faults of the request. */
export type RateOutcome =
  | ({ readonly kind: 'rate' } & ProvenRate)
  | { readonly kind: 'refused'; readonly faults: readonly RequestFault[] };
