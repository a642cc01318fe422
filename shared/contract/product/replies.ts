/** The answers of the other product look-ups (interface section 2.3) and the payloads of all look-ups. */

import { z } from 'zod';
import { countOrNull, flagOrNull, plainText, textOrNull } from '../../platform/reply-kinds.ts';

/** The answer of `plat_bp_getbankingproductdetails`. */
export const productDetailsReply = z.strictObject({
  Name: plainText('Name of the product.'),
  ProductImage: textOrNull('JSON text of a list of objects with Name and RealName.'),
  Benefits: textOrNull('Its benefits.'),
  DisplayConditions: textOrNull('Its conditions.'),
  NoOfDebtor: countOrNull('Number of debtors.'),
});

/** The answer of `PLAT_BP_GetProductInsuranceList`. */
export const insuranceListReply = z.strictObject({
  Insurances: z
    .array(
      z
        .strictObject({
          ItemName: plainText('Name of the insurance item.'),
          ItemCode: plainText('Its code.'),
          InsuranceListId: plainText('GUID of its list.'),
          InsuranceListName: plainText('Name of its list.'),
        })
        .meta({ id: 'ProductInsurance' }),
    )
    .describe('Items whose filters pass, in the order of the catalogue.'),
});

/** The answer of `plat_bp_getproductdocuments`. */
export const productDocumentsReply = z
  .array(
    z
      .strictObject({
        Doc: z
          .strictObject({
            ReportId: plainText('GUID of the report.'),
            IsMandatory: flagOrNull('The document is mandatory.'),
            IsAccord: flagOrNull('The document is an agreement.'),
          })
          .meta({ id: 'DocumentUse' }),
        Report: z
          .strictObject({ DisplayName: plainText('Name of the report.') })
          .meta({ id: 'DocumentReport' }),
      })
      .meta({ id: 'ProductDocument' }),
  )
  .describe('In the order of the catalogue.');

/** A product is sent as the JSON text of its answer, because its sections depend on the request. */
export type ProductByCodePayload = Readonly<Record<'json', string>>;
/** A message cannot be a list. */
export type ProductDocumentsPayload = Readonly<Record<'documents', z.output<typeof productDocumentsReply>>>;
