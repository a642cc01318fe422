/** The checked terms of the charges that a schedule collects: commissions, insurances and the unused amount (F1-F5). */

import type { Decimal } from 'decimal.js';
import type { CalendarDate } from '../dates/calendar-date.ts';
import type { ExactRatio } from '../numbers/exact-ratio.ts';
import type { Periodicity } from '../dates/periodicity.ts';

/** Which of the two lists of a request a charge stands in; they end in different members of a row (F4). */
export type ChargeKind = 'commission' | 'insurance';

/** What a percentage may be of (F2), as PercentAppliedTo spells it. */
export const CHARGE_BASES = [
  'FinancedAmount',
  'RemainingValue',
  'Principal',
  'Interest',
  'Installment',
  'UnusedAmount',
] as const;

/** See {@link CHARGE_BASES}. */
export type ChargeBase = (typeof CHARGE_BASES)[number];

/** What one charge costs. */
export type ChargePrice =
  /** Minor units per charge. */
  | { readonly kind: 'value'; readonly amount: number }
  | {
      readonly kind: 'percent';
      readonly percent: Decimal;
      /** The percentage as an exact fraction. */
      readonly rate: ExactRatio;
      /** Part of a year that an annual percentage is taken for; absent: a rate per charge (F2). */
      readonly partOfYear: readonly [numerator: number, denominator: number] | undefined;
      readonly base: ChargeBase;
    }
  /** Percent a year of the unused amount, by day count (F5). */
  | { readonly kind: 'unusage'; readonly percent: Decimal; readonly rate: ExactRatio };

/** A commission or insurance whose members hold. */
export interface ChargeItem {
  readonly kind: ChargeKind;
  /** Where it stands in the request, for example `Commission[0]`. */
  readonly path: string;
  /** Member that holds its first date, for example `Commission[0].FeeDate`. */
  readonly datePath: string;
  /** What the request calls it. */
  readonly name: string;
  /** Names of the columns that show it by itself (F4). */
  readonly columns: readonly string[];
  readonly price: ChargePrice;
  readonly periodicity: Periodicity;
  /** Start of its first period (F3). */
  readonly firstDate: CalendarDate;
  /** True: charged at the start of each period; false: at its end (F3). */
  readonly isUpfront: boolean;
  /** Charges in rows up to this original number are waived (F3). */
  readonly graceRows: number;
  /** Minor units that join the first new row of a recalculation; zero unless that is locked (X2). */
  readonly blocked: number;
}

/** The unused part of a credit line and when it costs (F5). */
export interface UnusedAmount {
  /** Minor units. */
  readonly amount: number;
  /** Absent: from the start of the schedule. */
  readonly from: CalendarDate | undefined;
  /** Absent: to the last due date. */
  readonly to: CalendarDate | undefined;
}

/** All charges of a request: commissions, then insurances, each in the order of the request. */
export interface ChargeTerms {
  readonly items: readonly ChargeItem[];
  /** True when the request sent insurances, so that rows show their sum (F4). */
  readonly hasInsurances: boolean;
  /** True when a commission is charged for unusage (F5), so that its two dates have an effect. */
  readonly hasUnusageFee: boolean;
  readonly unused: UnusedAmount;
}
