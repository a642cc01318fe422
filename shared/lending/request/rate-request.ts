/**
 * Request and answer of `PLAT_BP_CalculateRate` (A6): the rate of given cash flows, with all data needed to verify it.
 * Field names and casings of the request are those of rule A6.
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
  /**
   * The unit in which a DAE counts its intervals: `Years`, `Months` (default), `Weeks` or `Days`; ignored with other
   * rules.
   */
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
   * Years from time 0 as the rule counts intervals, with 20 decimals; negative for a flow before time 0 (DAE). For IRR:
   * the number of periods divided by the periods per year.
   */
  readonly years: string;
  /**
   * The amount at time 0. DAE and XIRR: amount / (1 + rate/100)^years. IRR: amount / (1 + rate/100/p)^(years * p) with
   * p periods per year. Calculated at the published rate, with ten decimals more than the amounts have. Null if that
   * rate is -100 percent per period or year, or if the result is 1e300 or more.
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
   * Sum of the published discounted amounts; it differs from zero because the rate is rounded. Null if any of them is
   * null, or if there is no rate.
   */
  readonly residual: string | null;
  readonly warnings: readonly RequestWarning[];
}

/** The outcome of a calculation: a rate, or all faults of the request. */
export type RateOutcome =
  | ({ readonly kind: 'rate' } & ProvenRate)
  | { readonly kind: 'refused'; readonly faults: readonly RequestFault[] };
