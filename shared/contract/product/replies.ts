/** The answers of the other product look-ups on the wire (interface section 2.3), and how all of them are written. */

import { z } from 'zod';
import type { InsuranceListItem } from '../../product/look-up/insurance-list.ts';
import type { ProductDetails } from '../../product/look-up/product-details.ts';
import type { ProductDocument } from '../../product/look-up/product-documents.ts';
import { figureOrNull, flagOrNull, plainText, textOrNull } from './reply-parts.ts';

/** The answer of `plat_bp_getbankingproductdetails`. */
export const productDetailsReply = z.strictObject({
  Name: plainText('Name of the product.'),
  ProductImage: textOrNull('JSON text of a list of objects with Name and RealName.'),
  Benefits: textOrNull('What it offers.'),
  DisplayConditions: textOrNull('Its conditions.'),
  NoOfDebtor: figureOrNull('Number of debtors.'),
});

/** The answer of `PLAT_BP_GetProductInsuranceList`. */
export const insuranceListReply = z.strictObject({
  Insurances: z
    .array(
      z.strictObject({
        ItemName: plainText('Name of the insurance item.'),
        ItemCode: plainText('Its code.'),
        InsuranceListId: plainText('GUID of its list.'),
        InsuranceListName: plainText('Name of its list.'),
      }),
    )
    .describe('Items whose filters pass, in the order of the catalogue.'),
});

/** The answer of `plat_bp_getproductdocuments`. */
export const productDocumentsReply = z
  .array(
    z.strictObject({
      Doc: z.strictObject({
        ReportId: plainText('GUID of the report.'),
        IsMandatory: flagOrNull('It has to be there.'),
        IsAccord: flagOrNull('It is an agreement.'),
      }),
      Report: z.strictObject({ DisplayName: plainText('Name of the report.') }),
    }),
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
