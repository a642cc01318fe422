/**
 * The request of `PLAT_BP_CalculateRate`, not yet validated, and its answer (A6). Absent and null fields are undefined
 * (M6), amounts are exact decimals without a currency (M1), dates have no zone (D1), and case in names is ignored.
 */

import type { Decimal } from 'decimal.js';
import type { CalendarDate } from '../dates/calendar-date.ts';
import type { RequestFault, RequestWarning } from './validation.ts';

export interface RateRequest {
  /** `DAE` (A1), `XIRR` (A2) or `IRR` (A3). */
  readonly Rule: string;
  /** `Years`, `Months` (default), `Weeks` or `Days`, in which a DAE counts intervals; no effect with other rules. */
  readonly Unit?: string | undefined;
  /** Dated flows in any order; mandatory for DAE and XIRR, refused with IRR. */
  readonly CashFlows?: readonly CashFlow[] | undefined;
  /** Name of a periodicity (D7); mandatory for IRR, refused otherwise. */
  readonly PeriodicityType?: string | undefined;
  /** Flows at equal periods; time 0 is the first other than zero. Mandatory for IRR, refused otherwise. */
  readonly Amounts?: readonly Decimal[] | undefined;
}

/** A dated flow; a negative amount is paid out to the borrower, a positive one is paid back. */
export interface CashFlow {
  readonly Date: CalendarDate;
  readonly Amount: Decimal;
}

/** A line of the proof. All figures are plain decimal text, exact or rounded half up. */
export interface DiscountedFlow {
  /** As sent; null with the rule IRR, which has no dates. */
  readonly date: CalendarDate | null;
  readonly amount: string;
  /** Years from time 0 with 20 decimals, negative before it; for IRR, periods divided by periods per year. */
  readonly years: string;
  /**
   * DAE and XIRR: amount / (1 + rate/100)^years. IRR: amount / (1 + rate/100/p)^(years * p) with p periods per year.
   * The rate is the published one; the result has ten decimals more than the amounts. Null at -100 percent per period
   * or year, except at time 0, and null from 1e300.
   */
  readonly discountedAmount: string | null;
}

export interface ProvenRate {
  /** Percent a year with ten decimals, the one nearest to zero. Null if none, above 1e262 % or unproven (A4). */
  readonly rate: string | null;
  /** One line for each flow, in the order of the request; empty when there is no rate. */
  readonly proof: readonly DiscountedFlow[];
  /** Sum of the discounted amounts, rarely zero with a rounded rate; null if there is no rate or an amount is null. */
  readonly residual: string | null;
  readonly warnings: readonly RequestWarning[];
}

export type RateOutcome =
  | ({ readonly kind: 'rate' } & ProvenRate)
  | { readonly kind: 'refused'; readonly faults: readonly RequestFault[] };
