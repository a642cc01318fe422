/** The look-ups of the product catalogue among the actions. */

import type { ProductDetails } from '../product/product-details.ts';
import type { Action } from './actions.ts';
import { PRODUCT_BY_CODE_EXAMPLES } from './product-by-code-examples.ts';
import {
  INSURANCE_LIST_EXAMPLES,
  PRODUCT_DETAILS_EXAMPLES,
  PRODUCT_DOCUMENTS_EXAMPLES,
} from './product-look-up-examples.ts';
import {
  insuranceListReply,
  productByCodeReply,
  productDetailsReply,
  productDocumentsReply,
  renderInsuranceList,
  renderProductByCode,
  renderProductDetails,
  renderProductDocuments,
  type InsuranceListPayload,
  type ProductByCodePayload,
  type ProductDocumentsPayload,
} from './product-replies.ts';
import {
  insuranceListMembers,
  productByCodeMembers,
  productDetailsMembers,
  productDocumentsMembers,
} from './product-request-shapes.ts';
import { readEitherForm } from './read-either-form.ts';
import {
  insuranceListInput,
  productByCodeInput,
  productDetailsInput,
  productDocumentsInput,
} from './read-product-requests.ts';

const getBankingProductByCode: Action = {
  name: 'plat_bp_getbankingproductbycode',
  summary: 'Answers a banking product with the sections that are asked for',
  description:
    'The approved version that is valid on the day answers. A section needs its own flag, and of interests, ' +
    'commissions and discounts only Active ones, with values valid on that day, are answered.',
  topic: 'productRequests',
  requestType: 'GetBankingProductByCodeRequest',
  replyType: 'GetBankingProductByCodeReply',
  requestShape: productByCodeMembers,
  replyShape: productByCodeReply,
  examples: PRODUCT_BY_CODE_EXAMPLES,
  read: readEitherForm(productByCodeMembers, productByCodeInput.read),
  render: (payload) => renderProductByCode(payload as ProductByCodePayload),
};

const getBankingProductDetails: Action = {
  name: 'plat_bp_getbankingproductdetails',
  summary: 'Answers how a banking product is displayed',
  description: 'The product is named by its code, by the id of its version, or by both where they agree.',
  topic: 'productRequests',
  requestType: 'GetBankingProductDetailsRequest',
  replyType: 'GetBankingProductDetailsReply',
  requestShape: productDetailsMembers,
  replyShape: productDetailsReply,
  examples: PRODUCT_DETAILS_EXAMPLES,
  read: readEitherForm(productDetailsMembers, productDetailsInput.read),
  render: (payload) => renderProductDetails(payload as ProductDetails),
};

const getProductInsuranceList: Action = {
  name: 'PLAT_BP_GetProductInsuranceList',
  summary: 'Answers the insurance lists of a banking product, filtered',
  description:
    'An item is answered on the days of its validity, when all of its filters pass; a filter whose figure is not ' +
    'sent counts as passed, and a figure that no filter asks for is ignored with a warning.',
  topic: 'productRequests',
  requestType: 'GetProductInsuranceListRequest',
  replyType: 'GetProductInsuranceListReply',
  requestShape: insuranceListMembers,
  replyShape: insuranceListReply,
  examples: INSURANCE_LIST_EXAMPLES,
  read: readEitherForm(insuranceListMembers, insuranceListInput.read),
  render: (payload) => renderInsuranceList(payload as InsuranceListPayload),
};

const getProductDocuments: Action = {
  name: 'plat_bp_getproductdocuments',
  summary: 'Answers the documents of a banking product',
  description: 'The product is named by its code, by the id of its version, or by both where they agree.',
  topic: 'productRequests',
  requestType: 'GetProductDocumentsRequest',
  replyType: 'GetProductDocumentsReply',
  requestShape: productDocumentsMembers,
  replyShape: productDocumentsReply,
  examples: PRODUCT_DOCUMENTS_EXAMPLES,
  read: readEitherForm(productDocumentsMembers, productDocumentsInput.read),
  render: (payload) => renderProductDocuments(payload as ProductDocumentsPayload),
};

/** All look-ups, in the order in which documents list them. */
export const PRODUCT_ACTIONS: readonly Action[] = [
  getBankingProductByCode,
  getBankingProductDetails,
  getProductInsuranceList,
  getProductDocuments,
];
