/** Everything that a document says about one offer, before it is put into words (T1). */

import type { DocumentLanguage } from '../api/actions/offer-document-fields.ts';
import type { CalendarDate } from '../lending/dates/calendar-date.ts';
import type { Periodicity } from '../lending/dates/periodicity.ts';
import type { InterestRateBand, InterestRateRange } from '../lending/request/repayment-schedule-request.ts';
import type { OfferedCharge } from '../product/simulation/simulation.ts';
import type { PaidRow } from './year-table.ts';

/** From the settings; the document leaves what is undefined to the lender. */
export interface Lender {
  readonly name: string | undefined;
  readonly address: string | undefined;
  readonly contact: string | undefined;
  /** A data URI of a PNG or JPEG image. */
  readonly logo: string | undefined;
}

/** Amounts are minor units, rates percent as plain decimal text. */
export interface OfferFacts {
  readonly date: CalendarDate;
  readonly product: {
    readonly code: string;
    readonly name: string;
    readonly version: number;
    readonly guarantees: readonly { readonly name: string; readonly percent: number | null }[];
  };
  readonly currency: string;
  readonly digits: number;
  readonly periodicity: Periodicity;
  readonly rates: {
    readonly isVariable: boolean;
    /** The rate of the first instalment, without a percent sign. */
    readonly first: string;
    readonly ranges: readonly InterestRateRange[];
    readonly bands: readonly InterestRateBand[];
  };
  readonly financed: number;
  readonly totalUpfront: number;
  readonly totalCost: number;
  readonly totalPayable: number;
  readonly aprc: string | null;
  readonly installmentAmount: number | null;
  /** Without the residual row, which `rows` may have. */
  readonly installmentsNo: number;
  readonly termEnd: CalendarDate;
  readonly rows: readonly PaidRow[];
  readonly commissions: readonly OfferedCharge[];
  readonly insurances: readonly OfferedCharge[];
  /** True if the cost leaves out a charge that the catalogue names (Q8). */
  readonly hasUncounted: boolean;
  /** Art. 17(5) of 2014/17/EU: the initial period with a fixed rate, and what is repaid at its end; null without one. */
  readonly initialPeriod?:
    | null
    | { readonly rows: number; readonly aprc: string | null; readonly repaid: number }
    | undefined;
  /** Art. 17(6): the highest rate, and the largest payment of the rows that have it. */
  readonly highestRate?:
    | {
        readonly percent: string;
        readonly fromRow: number;
        readonly aprc: string | null;
        readonly payment: number;
      }
    | undefined;
}

/** A text of the caller for a point of the form. */
export interface DocumentEntry {
  readonly Point: string;
  readonly Text: string;
}

export interface DocumentSettings {
  readonly language: DocumentLanguage;
  readonly lender: Lender;
  readonly entries: readonly DocumentEntry[];
}
