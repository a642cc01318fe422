/** What the record of an offer says besides its rows (Q8). Documents of an offer build on these figures alone. */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import type { LimitedFigure } from '../catalogue/limit-list.ts';
import type { UsedCalendar } from '../../lending/request/repayment-schedule.ts';

/** Amounts are minor units. */
export interface OfferFigures {
  /** All charges that are paid once at the start, without the down payment. */
  readonly totalUpfront: number;
  /** What the consumer pays beyond the financed amount, as far as it is in the APRC. */
  readonly totalCostOfCredit: number;
  /** The financed amount and its total cost. */
  readonly totalAmountPayable: number;
  /** Annual percentage rate of charge with four decimals, half up, such as `11.5878`; null if there is none (A1, A4). */
  readonly aprc: string | null;
  /** Interest plus principal that most regular rows have; null if no two of several have the same. */
  readonly installmentAmount: number | null;
  /** Interest plus principal of the first row, if it differs from `installmentAmount`. */
  readonly firstInstallmentAmount?: number;
  /** Interest plus principal of the last row, if it differs from `installmentAmount`. */
  readonly lastInstallmentAmount?: number;
  readonly productVersion: number;
  readonly calendar: UsedCalendar | undefined;
  /** The day from which the loan counts. */
  readonly startDate: CalendarDate;
  /** Present only if the product names a list of limits. */
  readonly limits?: readonly AppliedLimit[];
  /** Present only if the request asks for it. */
  readonly explanation?: readonly OfferExplanation[];
}

export const LIMIT_RESULTS = ['Within', 'Above', 'Unknown'] as const;

/** How a figure of the offer compares with a limit of its country (Q9), as answers have it. */
export interface AppliedLimit {
  readonly Name: string;
  readonly Figure: LimitedFigure;
  /** Decimal text, in percent, as is `Value`. */
  readonly Largest: string;
  /** The figure of the offer, rounded half up to four decimals; null or absent if the offer has none. */
  readonly Value: string | null | undefined;
  /** Without a value Unknown, or Above if costs at the start prevent an APRC. A figure that equals the limit is within it. */
  readonly Result: (typeof LIMIT_RESULTS)[number];
}

export const EXPLAINED_OFFER_FIGURES = [
  'TotalUpfront',
  'TotalCostOfCredit',
  'TotalAmountPayable',
  'APRC',
  'InstallmentAmount',
  'FirstInstallmentAmount',
  'LastInstallmentAmount',
] as const;
export type ExplainedOfferFigure = (typeof EXPLAINED_OFFER_FIGURES)[number];

/** The figure is the rounded value of its formula; that of the APRC is the equation which the rate solves. */
export interface OfferExplanation {
  readonly Figure: ExplainedOfferFigure;
  /** Of one charge at the start; absent for a figure as a whole. */
  readonly Name?: string | null | undefined;
  /** Decimal text in major units, or in percent; null or absent if there is no rate. */
  readonly Amount: string | null | undefined;
  readonly Formula: string;
}
