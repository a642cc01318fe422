/** What look-ups and simulations see of a catalogue: records by their code on a day, wherever they are kept. */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import type { LendingCatalogue } from '../../lending/schedule-types/lending-catalogue.ts';
import type {
  CommissionListRecord,
  CustomListRecord,
  DiscountListRecord,
  InsuranceListRecord,
  InterestListRecord,
} from './list-records.ts';
import type { ProductRecord } from './product-record.ts';

/** A catalogue as it is at the moment. Codes and ids are found in any case (L1); undefined: there is none. */
export interface CatalogueView {
  /** The Approved version of a product that is valid on the day (L1). */
  product(code: string, day: CalendarDate): ProductRecord | undefined;
  /** The product version of that id, when it is Approved and valid on the day (L1). */
  productById(id: string, day: CalendarDate): ProductRecord | undefined;
  /** Of a list's Active versions the one with the highest number (L2). */
  interestList(code: string): InterestListRecord | undefined;
  commissionList(code: string): CommissionListRecord | undefined;
  insuranceList(code: string): InsuranceListRecord | undefined;
  discountList(code: string): DiscountListRecord | undefined;
  /** The version with the highest number. */
  customList(code: string): CustomListRecord | undefined;
  /** Schedule types, periodicities and calendars, built-in ones included. */
  readonly lending: LendingCatalogue;
}
