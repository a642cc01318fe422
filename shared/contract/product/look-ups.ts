/**
 * The look-ups of the product catalogue: their requests (interface sections 4.2, 4.3, 4.5 and 4.6, and the extension
 * `Date`), whose fields are at the top of the body, and their actions. Decides shape (400); the look-up finds the product.
 */

import { z } from 'zod';
import type { Fault } from '../../platform/problem.ts';
import type { SelectorRequest } from '../../product/look-up/product-selection.ts';
import type { ProductByCodeRequest } from '../../product/look-up/product-by-code.ts';
import type { ProductDetails } from '../../product/look-up/product-details.ts';
import { defineAction, type Action, type ActionDefinition } from '../json/action.ts';
import { isAbsent, shapeFault } from '../json/faults.ts';
import { date, emptyTextOr, flag, guid, namedFigures, optional, text, wanted } from '../json/field-kinds.ts';
import { createRequestContract, type Fields } from '../json/request-contract.ts';
import {
  INSURANCE_LIST_EXAMPLES,
  PRODUCT_DETAILS_EXAMPLES,
  PRODUCT_DOCUMENTS_EXAMPLES,
} from './look-up-examples.ts';
import { PRODUCT_BY_CODE_EXAMPLES } from './product-by-code-examples.ts';
import { productByCodeReply } from './product-by-code-reply.ts';
import {
  insuranceListReply,
  productDetailsReply,
  productDocumentsReply,
  renderInsuranceList,
  renderProductByCode,
  renderProductDetails,
  renderProductDocuments,
  type InsuranceListPayload,
  type ProductByCodePayload,
  type ProductDocumentsPayload,
} from './replies.ts';

const A_REQUEST = { error: wanted('an object with the fields of the request') };

const productCode = () =>
  optional(text()).describe('Code of the product, in any case. Mandatory unless its id is sent.');
const productId = () =>
  optional(guid()).describe(
    'Id of an approved version of the product. Mandatory unless productCode is sent; beside it, it must name the same product.',
  );
const day = () =>
  optional(date()).describe(
    'Extension. The day as of which products and their values are valid. Absent: the UTC day of the request.',
  );
const section = (name: string) => optional(flag()).describe(`True: answers ${name}.`);

/** The request of `plat_bp_getbankingproductbycode`. */
export const productByCodeFields = z.object(
  {
    BankingProductCode: text().describe('Code of the product, in any case. Its approved version answers.'),
    displayBPAvailability: section('Availability, with filters and covenants'),
    displayBPDetails: section('Details.GeneralData'),
    displayBPDimensions: section('Dimensions, empty unless one of its sections is asked for as well'),
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
  },
  A_REQUEST,
);

/** The request of `plat_bp_getbankingproductdetails`. */
export const productDetailsFields = z.object(
  { productCode: productCode(), productId: productId(), Date: day() },
  A_REQUEST,
);

/** The request of `PLAT_BP_GetProductInsuranceList`. */
export const insuranceListFields = z.object(
  {
    productCode: productCode(),
    productId: productId(),
    filterList: emptyTextOr(namedFigures()).describe(
      'Figures by the names that filters of the product use, in any case. Absent, "" or empty: none.',
    ),
    Date: day(),
  },
  A_REQUEST,
);

/** The request of `plat_bp_getproductdocuments`. */
export const productDocumentsFields = z.object(
  { productCode: productCode(), bankingProductId: productId(), Date: day() },
  A_REQUEST,
);

/** The insurance list's request as it is read: figures are exact decimals (M1). */
export type InsuranceListInput = z.output<typeof insuranceListFields>;

/** One of the two selectors has to be sent (L1). */
function codeOr(idField: string) {
  return (sent: Fields): readonly Fault[] =>
    isAbsent(sent['productCode']) && isAbsent(sent[idField])
      ? [shapeFault('productCode', 'missing', `is missing; must be sent unless ${idField} is`)]
      : [];
}

/** The requests as HTTP calls and messages carry them. */
export const productByCodeRequest = createRequestContract<ProductByCodeRequest>({
  fields: productByCodeFields,
});
export const productDetailsRequest = createRequestContract<SelectorRequest>({
  fields: productDetailsFields,
  between: codeOr('productId'),
});
export const insuranceListRequest = createRequestContract<InsuranceListInput>({
  fields: insuranceListFields,
  between: codeOr('productId'),
});
export const productDocumentsRequest = createRequestContract<SelectorRequest>({
  fields: productDocumentsFields,
  between: codeOr('bankingProductId'),
});

const BY_CODE_OR_ID =
  'The product is named by its code, by the id of its version, or by both where they agree.';

/** All look-ups, in the order in which documents list them. */
export const LOOK_UPS: readonly Action[] = [
  lookUp<ProductByCodeRequest, ProductByCodePayload>('GetBankingProductByCode', {
    name: 'plat_bp_getbankingproductbycode',
    summary: 'Answers a banking product with the sections that are asked for',
    description:
      'The approved version that is valid on the day answers. A section needs its own flag, and of interests, ' +
      'commissions and discounts only Active ones, with values valid on that day, are answered.',
    request: productByCodeRequest,
    replyShape: productByCodeReply,
    examples: PRODUCT_BY_CODE_EXAMPLES,
    render: renderProductByCode,
  }),
  lookUp<SelectorRequest, ProductDetails>('GetBankingProductDetails', {
    name: 'plat_bp_getbankingproductdetails',
    summary: 'Answers how a banking product is displayed',
    description: BY_CODE_OR_ID,
    request: productDetailsRequest,
    replyShape: productDetailsReply,
    examples: PRODUCT_DETAILS_EXAMPLES,
    render: renderProductDetails,
  }),
  lookUp<InsuranceListInput, InsuranceListPayload>('GetProductInsuranceList', {
    name: 'PLAT_BP_GetProductInsuranceList',
    summary: 'Answers the insurance lists of a banking product, filtered',
    description:
      'An item is answered on the days of its validity, when all of its filters pass; a filter whose figure is not ' +
      'sent counts as passed, and a figure that no filter asks for is ignored with a warning.',
    request: insuranceListRequest,
    replyShape: insuranceListReply,
    examples: INSURANCE_LIST_EXAMPLES,
    render: renderInsuranceList,
  }),
  lookUp<SelectorRequest, ProductDocumentsPayload>('GetProductDocuments', {
    name: 'plat_bp_getproductdocuments',
    summary: 'Answers the documents of a banking product',
    description: BY_CODE_OR_ID,
    request: productDocumentsRequest,
    replyShape: productDocumentsReply,
    examples: PRODUCT_DOCUMENTS_EXAMPLES,
    render: renderProductDocuments,
  }),
];

/** `type` is what the message types of the look-up begin with. */
function lookUp<Request, Reply>(
  type: string,
  own: Omit<ActionDefinition<Request, Reply>, 'topic' | 'requestType' | 'replyType'>,
): Action {
  return defineAction({
    ...own,
    topic: 'productRequests',
    requestType: `${type}Request`,
    replyType: `${type}Reply`,
  });
}
