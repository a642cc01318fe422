/** Everything that a document says about one offer, before it is put into words (T1). */

import type { DocumentLanguage } from '../api/actions/offer-document-fields.ts';
import type { CalendarDate } from '../lending/dates/calendar-date.ts';
import type { CompleteRange } from '../lending/annual-rate/second-rate-terms.ts';
import type { Periodicity } from '../lending/dates/periodicity.ts';
import type { ProductRecord } from '../product/catalogue/product-record.ts';
import type { OfferFigures } from '../product/simulation/offer-figures.ts';
import type { SimulationRecord, SimulationRow } from '../product/simulation/simulation.ts';

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
  /** The day as of which the product is simulated. */
  readonly date: CalendarDate;
  readonly producedOn: CalendarDate;
  readonly product: ProductRecord;
  readonly record: SimulationRecord;
  readonly offer: OfferFigures;
  readonly periodicity: Periodicity;
  /** The first instalment whose rate may change otherwise than by the ranges; undefined if none may. */
  readonly variableFrom: number | undefined;
  /** False if the rate may be fixed in instalments from then on. */
  readonly variesToEnd: boolean;
  /** Those that the loan reaches: a fixed payment may end it early (B2). */
  readonly ranges: readonly CompleteRange[];
  /** The rate of the first instalment, without a percent sign. */
  readonly firstRate: string;
  readonly financed: number;
  /** Without row 0, but with the residual row. */
  readonly rows: readonly SimulationRow[];
  /** Without either. */
  readonly instalments: readonly SimulationRow[];
  readonly termEnd: CalendarDate;
  /** True if the cost leaves out a charge that the catalogue names (Q8). */
  readonly hasUncounted: boolean;
  /** True if the request has rates by range, of which the catalogue does not say whether they vary (Q7). */
  readonly hasSentRates: boolean;
  /** True if charges come from formulas of the schedule type, which have no price. */
  readonly hasChargeFormulas: boolean;
  /** Art. 17(5) of 2014/17/EU: the initial period with a fixed rate, and what is repaid at its end; null without one. */
  readonly initialPeriod?:
    | null
    | { readonly rows: number; readonly aprc: string | null; readonly repaid: number }
    | undefined;
  /** Art. 17(6): the highest rate, and the payment to which those of today can rise; undefined if none rises. */
  readonly highestRate?:
    | {
        readonly percent: string;
        readonly fromRow: number;
        readonly aprc: string | null;
        readonly payment: { readonly amount: number; readonly isLast: boolean } | undefined;
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
