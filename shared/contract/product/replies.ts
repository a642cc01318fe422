/** The answers of the product look-ups on the wire (interface sections 2.2 and 2.3). */

import { z } from 'zod';
import type { InsuranceListItem } from '../../product/look-up/insurance-list.ts';
import type { ProductDetails } from '../../product/look-up/product-details.ts';
import type { ProductDocument } from '../../product/look-up/product-documents.ts';
import { detailsShape } from './product-details-section-shapes.ts';
import { dimensionsShape } from './product-by-code-fields.ts';
import { dayObject, figureOrNull, flagOrNull, text, textOrNull } from './product-reply-parts.ts';

const availabilityShape = z
  .object({
    Currency: text('ISO 4217 code.').optional(),
    PeriodType: text('Unit of the periods.').optional(),
    MaxPeriodForDisbursement: figureOrNull('Longest period of disbursement.').optional(),
    MinimumPeriod: figureOrNull('Shortest term.').optional(),
    MaximumPeriod: figureOrNull('Longest term.').optional(),
    MinimumEarlyRepaymentValue: figureOrNull('Smallest early repayment.').optional(),
    MinimumAmount: figureOrNull('Smallest amount.').optional(),
    MaximumAmount: figureOrNull('Largest amount.').optional(),
    UnusageStartPeriod: figureOrNull('Period from which unused amounts cost.').optional(),
    MinimumAdvance: figureOrNull('Smallest advance, in percent of the amount.').optional(),
    MaximumAdvance: figureOrNull('Largest advance, in percent of the amount.').optional(),
    AvailabilityItemFilters: z
      .array(
        z
          .object({
            Filter: text('Name of the filter.'),
            FilterScope: textOrNull('Its scope.'),
            FilterType: textOrNull('Its type.'),
            Description: textOrNull('What it is for.'),
          })
          .strict(),
      )
      .optional(),
    ProductCovenants: z
      .array(
        z
          .object({
            Name: text('Name of the covenant.'),
            Type: textOrNull('Its type.'),
            Value: figureOrNull('Its value.'),
            ValidFrom: dayObject('First day.'),
            ValidTo: dayObject('Last day.'),
            ReviewFrequencyMonths: figureOrNull('Months between two reviews.'),
          })
          .strict(),
      )
      .optional(),
    MandatoryRoles: z
      .array(z.object({ Name: text('Name of the role.'), SearchLimit: z.boolean() }).strict())
      .describe('With displayMandatoryRoles.')
      .optional(),
  })
  .strict()
  .describe('All but MandatoryRoles with displayBPAvailability.');

/** The answer of `plat_bp_getbankingproductbycode`. */
export const productByCodeReply = z
  .object({
    BankingProduct: z
      .object({
        BankingProductCode: text('Code of the product as the catalogue spells it.'),
        Name: text('Its name.'),
        StartDate: textOrNull('First day, as 2024-01-31T00:00:00; null without one.'),
        EndDate: textOrNull('Last day; null without one.'),
        BankingProductType: text('Product type.'),
      })
      .strict(),
    Details: detailsShape.optional(),
    Availability: availabilityShape.optional(),
    Dimensions: dimensionsShape.optional(),
  })
  .strict()
  .describe('A section appears only when its flag is true; without data it is an empty list.');

/** The answer of `plat_bp_getbankingproductdetails`. */
export const productDetailsReply = z
  .object({
    Name: text('Name of the product.'),
    ProductImage: textOrNull('JSON text of a list of objects with Name and RealName.'),
    Benefits: textOrNull('What it offers.'),
    DisplayConditions: textOrNull('Its conditions.'),
    NoOfDebtor: figureOrNull('Number of debtors.'),
  })
  .strict();

/** The answer of `PLAT_BP_GetProductInsuranceList`. */
export const insuranceListReply = z
  .object({
    Insurances: z
      .array(
        z
          .object({
            ItemName: text('Name of the insurance item.'),
            ItemCode: text('Its code.'),
            InsuranceListId: text('GUID of its list.'),
            InsuranceListName: text('Name of its list.'),
          })
          .strict(),
      )
      .describe('Items whose filters pass, in the order of the catalogue.'),
  })
  .strict();

/** The answer of `plat_bp_getproductdocuments`. */
export const productDocumentsReply = z
  .array(
    z
      .object({
        Doc: z
          .object({
            ReportId: text('GUID of the report.'),
            IsMandatory: flagOrNull('It has to be there.'),
            IsAccord: flagOrNull('It is an agreement.'),
          })
          .strict(),
        Report: z.object({ DisplayName: text('Name of the report.') }).strict(),
      })
      .strict(),
  )
  .describe('In the order of the catalogue.');

/** A product travels as the JSON text of its answer, since which sections it has is up to the request. */
export interface ProductByCodePayload {
  readonly json: string;
}

/** The payload of an insurance list's reply. */
export interface InsuranceListPayload {
  readonly Insurances: readonly InsuranceListItem[];
}

/** The payload of a reply with a product's documents. */
export interface ProductDocumentsPayload {
  readonly documents: readonly ProductDocument[];
}

/** The product as JSON text. */
export function renderProductByCode({ json }: ProductByCodePayload): string {
  return json;
}

/** The display data as JSON text; what is null may, as Avro brings it, be absent. */
export function renderProductDetails(details: ProductDetails): string {
  const { Name, ProductImage, Benefits, DisplayConditions, NoOfDebtor } = details;
  return JSON.stringify({
    Name,
    ProductImage: ProductImage ?? null,
    Benefits: Benefits ?? null,
    DisplayConditions: DisplayConditions ?? null,
    NoOfDebtor: NoOfDebtor ?? null,
  });
}

/** The insurance items as JSON text. */
export function renderInsuranceList({ Insurances }: InsuranceListPayload): string {
  return JSON.stringify({
    Insurances: Insurances.map(({ ItemName, ItemCode, InsuranceListId, InsuranceListName }) => ({
      ItemName,
      ItemCode,
      InsuranceListId,
      InsuranceListName,
    })),
  });
}

/** The documents as JSON text; what is null may, as Avro brings it, be absent. */
export function renderProductDocuments({ documents }: ProductDocumentsPayload): string {
  return JSON.stringify(
    documents.map(({ Doc: { ReportId, IsMandatory, IsAccord }, Report: { DisplayName } }) => ({
      Doc: { ReportId, IsMandatory: IsMandatory ?? null, IsAccord: IsAccord ?? null },
      Report: { DisplayName },
    })),
  );
}
