/** The look-ups of the product catalogue (interface 2.3, 4.2, 4.3, 4.5 and 4.6): requests and answers. */

import { z } from 'zod';
import { countOrNull, flagOrNull, plainText, textOrNull } from '../../platform/json-kinds.ts';
import { lazy } from '../../platform/lazy.ts';
import type { Fault } from '../../platform/problem.ts';
import type { SelectorRequest } from '../../product/look-up/product-look-ups.ts';
import type { ProductByCodeRequest } from '../../product/look-up/product-by-code.ts';
import { type Action, defineAction } from '../json/action-definition.ts';
import { isAbsent, shapeFault } from '../json/faults.ts';
import {
  strictNamed,
  date,
  emptyTextOr,
  flag,
  guid,
  namedFigures,
  optional,
  text,
  requestOf,
} from '../json/field-kinds.ts';
import { toJsonSchema } from '../json/json-schema.ts';
import { createJsonWriter } from '../json/json-writer.ts';
import { createRequestReader, type Fields } from '../json/request-reader.ts';
import examples from './look-up-examples.json' with { type: 'json' };
import { productByCodeReply } from './product-by-code-reply.ts';

export const productDetailsReply = z.strictObject({
  Name: plainText('Name of the product.'),
  ProductImage: textOrNull('JSON text of a list of objects with Name and RealName.'),
  Benefits: textOrNull('Its benefits.'),
  DisplayConditions: textOrNull('Its conditions.'),
  NoOfDebtor: countOrNull('Number of debtors.'),
});

const insuranceListReply = z.strictObject({
  Insurances: z
    .array(
      strictNamed('ProductInsurance', {
        ItemName: plainText('Name of the insurance item.'),
        ItemCode: plainText('Its code.'),
        InsuranceListId: plainText('GUID of its list.'),
        InsuranceListName: plainText('Name of its list.'),
      }),
    )
    .describe('Items whose filters pass, in the order of the catalogue.'),
});

export const productDocumentsReply = z
  .array(
    strictNamed('ProductDocument', {
      Doc: strictNamed('DocumentUse', {
        ReportId: plainText('GUID of the report.'),
        IsMandatory: flagOrNull('The document is mandatory.'),
        IsAccord: flagOrNull('The document is an agreement.'),
      }),
      Report: strictNamed('DocumentReport', { DisplayName: plainText('Name of the report.') }),
    }),
  )
  .describe('In the order of the catalogue.');

/** The reply message has the answer as JSON text, because the sections of the product depend on the request. */
type ProductByCodePayload = Readonly<Record<'json', string>>;
/** The reply message has the list in a field, because an Avro message is a record. */
type ProductDocumentsPayload = Readonly<Record<'documents', z.output<typeof productDocumentsReply>>>;

const productCode = () =>
  optional(text()).describe('Code of the product, case-insensitive. Mandatory unless its id is sent.');
const productId = () =>
  optional(guid()).describe(
    'Id of an approved version of the product. Mandatory unless productCode is sent; together they must name the same product.',
  );
/** The day of a look-up. */
export const day = () =>
  optional(date()).describe(
    'Extension. The day as of which products and their values are valid. Absent: the UTC day of the request (L1).',
  );
const section = (name: string) => optional(flag()).describe(`True: returns ${name}.`);

export const productByCodeFields = requestOf({
  BankingProductCode: text().describe(
    'Code of the product, case-insensitive. Its approved version is returned (L1).',
  ),
  displayBPAvailability: section('Availability, with filters and covenants'),
  displayBPDetails: section('Details.GeneralData'),
  displayBPDimensions: section('Dimensions, empty unless one of its sections is requested too'),
  displayInterestsAndCommissions: section('Dimensions.InterestsAndCommissions'),
  displayInsurance: section('Dimensions.Insurance'),
  displayDiscounts: section('Dimensions.Discounts'),
  displayQuestions: section('Dimensions.Questions'),
  displayCountryCalendars: section('Details.CountryCalendars'),
  displayPaymentScheduleTypes: section('Details.AssociatedPaymentScheduleTypes'),
  displayProductGuarantees: section('Details.ProductGuarantees'),
  displayProductDestinationTypes: section('Details.ProductDestinationTypes'),
  displayDisbursementMatrix: section('Details.DisbursementMatrix'),
  displayAssociatedProducts: section('Details.AssociatedProducts'),
  displayMandatoryRoles: section('Availability.MandatoryRoles'),
  Date: day(),
});

export const productDetailsFields = requestOf({
  productCode: productCode(),
  productId: productId(),
  Date: day(),
});

export const insuranceListFields = requestOf({
  productCode: productCode(),
  productId: productId(),
  filterList: emptyTextOr(namedFigures()).describe(
    'Figures by the names that filters of the product use, case-insensitive. Absent, "" or empty: no figures (L3).',
  ),
  Date: day(),
});

export const productDocumentsFields = requestOf({
  productCode: productCode(),
  bankingProductId: productId(),
  Date: day(),
});

/** A parsed request for an insurance list. Its figures are exact decimals (M1). */
export type InsuranceListInput = z.output<typeof insuranceListFields>;

/** Finds the fault of a request that has neither `productCode` nor its id. */
export function requireCodeOr(idField: string) {
  return (sent: Fields): readonly Fault[] =>
    isAbsent(sent['productCode']) && isAbsent(sent[idField])
      ? [shapeFault('productCode', 'missing', `is missing; must be sent unless ${idField} is`)]
      : [];
}

export const BY_CODE_OR_ID =
  'The request names the product by its code, by the id of its version, or by both if they agree (L1).';

const writeDocuments = lazyWriter(productDocumentsReply);

export const LOOK_UPS: readonly Action[] = [
  defineAction<ProductByCodeRequest, ProductByCodePayload>({
    name: 'plat_bp_getbankingproductbycode',
    summary: 'Returns a banking product with the requested sections',
    description:
      'Returns the approved version that is valid on the day. Each section has its own flag. Of interests, commissions ' +
      'and discounts, only Active ones are returned, with the values that are valid on that day (L1, L2).',
    requestType: 'GetBankingProductByCodeRequest',
    request: createRequestReader<ProductByCodeRequest>({ fields: productByCodeFields }),
    replyShape: productByCodeReply,
    examples: examples.plat_bp_getbankingproductbycode,
    render: ({ json }) => json,
  }),
  defineAction<SelectorRequest, z.output<typeof productDetailsReply>>({
    name: 'plat_bp_getbankingproductdetails',
    summary: 'Returns the texts and images for displaying a banking product',
    description: BY_CODE_OR_ID,
    requestType: 'GetBankingProductDetailsRequest',
    request: createRequestReader<SelectorRequest>({
      fields: productDetailsFields,
      between: requireCodeOr('productId'),
    }),
    replyShape: productDetailsReply,
    examples: examples.plat_bp_getbankingproductdetails,
    render: lazyWriter(productDetailsReply),
  }),
  defineAction<InsuranceListInput, z.output<typeof insuranceListReply>>({
    name: 'PLAT_BP_GetProductInsuranceList',
    summary: 'Returns the insurance items of a banking product that pass their filters',
    description:
      'Returns the items that are valid on the day and pass all of their filters. A filter passes if its figure is not ' +
      'sent; a figure that no filter uses is ignored with a warning (L1, L3).',
    requestType: 'GetProductInsuranceListRequest',
    request: createRequestReader<InsuranceListInput>({
      fields: insuranceListFields,
      between: requireCodeOr('productId'),
    }),
    replyShape: insuranceListReply,
    examples: examples.PLAT_BP_GetProductInsuranceList,
    render: lazyWriter(insuranceListReply),
  }),
  defineAction<SelectorRequest, ProductDocumentsPayload>({
    name: 'plat_bp_getproductdocuments',
    summary: 'Returns the documents of a banking product',
    description: BY_CODE_OR_ID,
    requestType: 'GetProductDocumentsRequest',
    request: createRequestReader<SelectorRequest>({
      fields: productDocumentsFields,
      between: requireCodeOr('bankingProductId'),
    }),
    replyShape: productDocumentsReply,
    examples: examples.plat_bp_getproductdocuments,
    render: ({ documents }) => writeDocuments(documents),
  }),
];

/** A writer of replies that is compiled on first use. */
export function lazyWriter(shape: z.ZodType): (reply: unknown) => string {
  const writer = lazy(() => createJsonWriter(toJsonSchema(shape)));
  return (reply) => writer()(reply);
}
