/** The look-ups of the product catalogue among the actions. */

import type { Action } from '../actions/actions.ts';
import type { InputReader } from '../json/json-param-input.ts';
import { PRODUCT_BY_CODE_EXAMPLES } from './product-by-code-examples.ts';
import {
  INSURANCE_LIST_EXAMPLES,
  PRODUCT_DETAILS_EXAMPLES,
  PRODUCT_DOCUMENTS_EXAMPLES,
} from './look-up-examples.ts';
import {
  insuranceListReply,
  productByCodeReply,
  productDetailsReply,
  productDocumentsReply,
  renderInsuranceList,
  renderProductByCode,
  renderProductDetails,
  renderProductDocuments,
} from './replies.ts';
import {
  insuranceListMembers,
  productByCodeMembers,
  productDetailsMembers,
  productDocumentsMembers,
} from './requests.ts';
import { readEitherForm } from '../json/read-either-form.ts';
import {
  insuranceListInput,
  productByCodeInput,
  productDetailsInput,
  productDocumentsInput,
} from './read-product-requests.ts';

const BY_CODE_OR_ID =
  'The product is named by its code, by the id of its version, or by both where they agree.';

/** What one look-up has of its own. */
interface LookUp<Request, Payload> extends Pick<
  Action,
  'name' | 'summary' | 'description' | 'replyShape' | 'examples'
> {
  /** The message types begin with it. */
  readonly type: string;
  readonly members: Action['requestShape'];
  readonly input: InputReader<Request>;
  readonly render: (payload: Payload) => string;
}

function lookUp<Request, Payload>(own: LookUp<Request, Payload>): Action {
  const { type, members, input, render, ...rest } = own;
  return {
    ...rest,
    topic: 'productRequests',
    requestType: `${type}Request`,
    replyType: `${type}Reply`,
    requestShape: members,
    read: readEitherForm(members, input.read),
    render: (payload) => render(payload as Payload),
  };
}

/** All look-ups, in the order in which documents list them. */
export const PRODUCT_ACTIONS: readonly Action[] = [
  lookUp({
    name: 'plat_bp_getbankingproductbycode',
    summary: 'Answers a banking product with the sections that are asked for',
    description:
      'The approved version that is valid on the day answers. A section needs its own flag, and of interests, ' +
      'commissions and discounts only Active ones, with values valid on that day, are answered.',
    type: 'GetBankingProductByCode',
    members: productByCodeMembers,
    input: productByCodeInput,
    replyShape: productByCodeReply,
    examples: PRODUCT_BY_CODE_EXAMPLES,
    render: renderProductByCode,
  }),
  lookUp({
    name: 'plat_bp_getbankingproductdetails',
    summary: 'Answers how a banking product is displayed',
    description: BY_CODE_OR_ID,
    type: 'GetBankingProductDetails',
    members: productDetailsMembers,
    input: productDetailsInput,
    replyShape: productDetailsReply,
    examples: PRODUCT_DETAILS_EXAMPLES,
    render: renderProductDetails,
  }),
  lookUp({
    name: 'PLAT_BP_GetProductInsuranceList',
    summary: 'Answers the insurance lists of a banking product, filtered',
    description:
      'An item is answered on the days of its validity, when all of its filters pass; a filter whose figure is not ' +
      'sent counts as passed, and a figure that no filter asks for is ignored with a warning.',
    type: 'GetProductInsuranceList',
    members: insuranceListMembers,
    input: insuranceListInput,
    replyShape: insuranceListReply,
    examples: INSURANCE_LIST_EXAMPLES,
    render: renderInsuranceList,
  }),
  lookUp({
    name: 'plat_bp_getproductdocuments',
    summary: 'Answers the documents of a banking product',
    description: BY_CODE_OR_ID,
    type: 'GetProductDocuments',
    members: productDocumentsMembers,
    input: productDocumentsInput,
    replyShape: productDocumentsReply,
    examples: PRODUCT_DOCUMENTS_EXAMPLES,
    render: renderProductDocuments,
  }),
];
