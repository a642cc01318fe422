/** Looks up a product with the requested sections (interface sections 2.2 and 4.2, L1, L2). */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import {
  availability,
  countryCalendars,
  discounts,
  insurances,
  interestsAndCommissions,
  paymentScheduleTypes,
} from './product-sections.ts';
import type { CatalogueView } from '../catalogue/catalogue-view.ts';
import {
  resolveDay,
  isProduct,
  type LookUp,
  type LookUpContext,
  selectProduct,
} from './product-selection.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';

/** The flags of a request, each for one section, in the order of the interface. */
export const SECTION_FLAGS = [
  'displayBPAvailability',
  'displayBPDetails',
  'displayBPDimensions',
  'displayInterestsAndCommissions',
  'displayInsurance',
  'displayDiscounts',
  'displayQuestions',
  'displayCountryCalendars',
  'displayPaymentScheduleTypes',
  'displayProductGuarantees',
  'displayProductDestinationTypes',
  'displayDisbursementMatrix',
  'displayAssociatedProducts',
  'displayMandatoryRoles',
] as const;
type SectionFlag = (typeof SECTION_FLAGS)[number];

/** The requested sections; an absent flag counts as false. */
export type SectionFlags = { readonly [Flag in SectionFlag]?: boolean | undefined };

export interface ProductByCodeRequest extends SectionFlags {
  readonly BankingProductCode: string;
  /** Extension: the day for which product and values are returned; absent: the day of the request. */
  readonly Date?: CalendarDate | undefined;
}

/** Looks up a product with the requested sections, in the fields and order of the interface. */
export function lookUpProduct(request: ProductByCodeRequest, context: LookUpContext) {
  const { catalogue } = context;
  const day = resolveDay(request, context);
  const selector = { code: { field: 'BankingProductCode', value: request.BankingProductCode } };
  const product = selectProduct(selector, catalogue, day);
  if (!isProduct(product)) return product;
  const answer = {
    BankingProduct: bankingProduct(product),
    ...selectDetails(product, request, catalogue),
    ...selectAvailability(product, request),
    ...selectDimensions(product, request, { catalogue, day }),
  };
  return { kind: 'found', answer, warnings: [] } as const satisfies LookUp<object>;
}

function bankingProduct(product: ProductRecord) {
  return {
    BankingProductCode: product.Code,
    Name: product.Name,
    StartDate: dateTimeText(product.StartDate),
    EndDate: dateTimeText(product.EndDate),
    BankingProductType: product.BankingProductType,
  };
}

function selectDetails(product: ProductRecord, flags: SectionFlags, catalogue: CatalogueView) {
  const sections = {
    ...(flags.displayBPDetails === true && { GeneralData: product.GeneralData }),
    ...(flags.displayCountryCalendars === true && { CountryCalendars: countryCalendars(product) }),
    ...(flags.displayPaymentScheduleTypes === true && {
      AssociatedPaymentScheduleTypes: paymentScheduleTypes(product, catalogue),
    }),
    ...(flags.displayProductGuarantees === true && { ProductGuarantees: product.Guarantees }),
    ...(flags.displayProductDestinationTypes === true && {
      ProductDestinationTypes: product.DestinationTypes,
    }),
    ...(flags.displayDisbursementMatrix === true && { DisbursementMatrix: product.DisbursementMatrix }),
    ...(flags.displayAssociatedProducts === true && { AssociatedProducts: product.AssociatedProducts }),
  };
  return isEmpty(sections) ? {} : { Details: sections };
}

function selectAvailability(product: ProductRecord, flags: SectionFlags) {
  const sections = {
    ...(flags.displayBPAvailability === true && availability(product)),
    ...(flags.displayMandatoryRoles === true && { MandatoryRoles: product.Availability.MandatoryRoles }),
  };
  return isEmpty(sections) ? {} : { Availability: sections };
}

/** Dimensions has no fields besides its sections: displayBPDimensions alone returns an empty object (L2). */
function selectDimensions(
  product: ProductRecord,
  flags: SectionFlags,
  { catalogue, day }: { readonly catalogue: CatalogueView; readonly day: CalendarDate },
) {
  const sections = {
    ...(flags.displayInterestsAndCommissions === true && {
      InterestsAndCommissions: interestsAndCommissions(product, catalogue, day),
    }),
    ...(flags.displayInsurance === true && { Insurance: insurances(product, catalogue) }),
    ...(flags.displayDiscounts === true && { Discounts: discounts(product, catalogue) }),
    ...(flags.displayQuestions === true && { Questions: product.Questions }),
  };
  return flags.displayBPDimensions !== true && isEmpty(sections) ? {} : { Dimensions: sections };
}

/** A day `yyyy-mm-dd` as a text date-time without a zone; null for an open end. */
function dateTimeText(day: string | null): string | null {
  return day === null ? null : `${day}T00:00:00`;
}

function isEmpty(sections: object): boolean {
  return Object.keys(sections).length === 0;
}
