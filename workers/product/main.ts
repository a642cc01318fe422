import { openCatalogue, type OpenCatalogue } from '../../shared/catalogue/open-catalogue.ts';
import type { InsuranceListInput } from '../../shared/contract/product/look-ups.ts';
import type { ProductByCodePayload, ProductDocumentsPayload } from '../../shared/contract/product/replies.ts';
import type { CalendarDate } from '../../shared/lending/dates/calendar-date.ts';
import type { RequestFault } from '../../shared/lending/request/validation.ts';
import type { Handler, Handlers } from '../../shared/messaging/handler/request.ts';
import { done, refused, type Outcome } from '../../shared/messaging/outcome.ts';
import { warningsList } from '../../shared/platform/header-text.ts';
import { createProblem, type ErrorCode, type Warning } from '../../shared/platform/problem.ts';
import type { CatalogueView } from '../../shared/product/catalogue/catalogue-view.ts';
import { lookUpInsuranceList, type InsuranceListItem } from '../../shared/product/look-up/insurance-list.ts';
import { lookUpProduct, type ProductByCodeRequest } from '../../shared/product/look-up/product-by-code.ts';
import { lookUpDetails, type ProductDetails } from '../../shared/product/look-up/product-details.ts';
import { lookUpDocuments, type ProductDocument } from '../../shared/product/look-up/product-documents.ts';
import type {
  LookUp,
  LookUpContext,
  SelectorRequest,
} from '../../shared/product/look-up/product-selection.ts';
import { startCatalogueWorker } from '../runtime/catalogue-worker.ts';
import type { RunningWorker, WorkerContext } from '../runtime/worker.ts';

/** One type of request. */
interface ProductLookUp<Request, Answer> {
  /** Record name of the reply in schemas/messages.ts. */
  readonly replyType: string;
  /** Pure; the day is the UTC day of the message timestamp, so that a replay gives the same reply (L1). */
  find(request: Request, context: LookUpContext): LookUp<Answer>;
  /** Converts the answer to the payload of the reply. */
  toPayload(answer: Answer, warnings: readonly Warning[]): object;
}

const MESSAGE_TYPES = [
  'GetBankingProductByCodeRequest',
  'GetBankingProductByCodeReply',
  'GetBankingProductDetailsRequest',
  'GetBankingProductDetailsReply',
  'GetProductInsuranceListRequest',
  'GetProductInsuranceListReply',
  'GetProductDocumentsRequest',
  'GetProductDocumentsReply',
];
const DAY_MS = 86_400_000;

/** A product with the requested sections (L1, L2). */
const BY_CODE: ProductLookUp<ProductByCodeRequest, object> = {
  replyType: 'GetBankingProductByCodeReply',
  find: lookUpProduct,
  toPayload: (answer): ProductByCodePayload => ({ json: JSON.stringify(answer) }),
};

/** The display data of a product (L1). */
const DETAILS: ProductLookUp<SelectorRequest, ProductDetails> = {
  replyType: 'GetBankingProductDetailsReply',
  find: lookUpDetails,
  toPayload: (answer) => answer,
};

/**
 * The insurance lists of a product whose filters pass (L1, L3). Filters contain JSON numbers, so a figure is rounded to the
 * nearest number before it is compared.
 */
const INSURANCE_LIST: ProductLookUp<InsuranceListInput, readonly InsuranceListItem[]> = {
  replyType: 'GetProductInsuranceListReply',
  find: ({ filterList, ...request }, context) => {
    const figures = filterList?.map(({ name, value }) => ({ name, value: value.toNumber() }));
    return lookUpInsuranceList({ ...request, filterList: figures }, context);
  },
  toPayload: (Insurances, warnings) => ({ Insurances, warnings }),
};

/** The documents of a product (L1). */
const DOCUMENTS: ProductLookUp<SelectorRequest, readonly ProductDocument[]> = {
  replyType: 'GetProductDocumentsReply',
  find: lookUpDocuments,
  toPayload: (documents): ProductDocumentsPayload => ({ documents }),
};

/** Starts the product worker, which answers look-ups. Rejects when it cannot start, and leaves nothing running. */
export function startProductWorker(
  context: WorkerContext,
  open: OpenCatalogue = openCatalogue,
): Promise<RunningWorker> {
  return startCatalogueWorker(context, {
    name: 'product',
    messageTypes: MESSAGE_TYPES,
    deadLetterTopic: 'productDeadLetters',
    lanes: [{ lane: 'interactive', requestTopic: 'productRequests' }],
    open,
    createHandlers: ({ view }) => createProductHandlers(view),
  });
}

/** Creates the handlers by type of request. The catalogue may change between requests. */
export function createProductHandlers(catalogue: CatalogueView): Handlers {
  return {
    GetBankingProductByCodeRequest: answerFrom(catalogue, BY_CODE),
    GetBankingProductDetailsRequest: answerFrom(catalogue, DETAILS),
    GetProductInsuranceListRequest: answerFrom(catalogue, INSURANCE_LIST),
    GetProductDocumentsRequest: answerFrom(catalogue, DOCUMENTS),
  };
}

function answerFrom<Request, Answer>(
  catalogue: CatalogueView,
  lookUp: ProductLookUp<Request, Answer>,
): Handler {
  return (payload, { originTimestampMs }) => {
    const requestDay = Math.floor(originTimestampMs / DAY_MS) as CalendarDate;
    const found = lookUp.find(payload as Request, { catalogue, requestDay });
    if (found.kind !== 'found') {
      return refuseFaults(found.kind === 'refused' ? 'invalid-request' : 'unknown-product', found.faults);
    }
    const { answer, warnings } = found;
    const header = warningsList(warnings, undefined);
    const reply = { type: lookUp.replyType, payload: lookUp.toPayload(answer, warnings) };
    return done(header === undefined ? reply : { ...reply, warnings: header });
  };
}

/** Refuses a request with path, code and message of each fault. */
function refuseFaults(problemCode: ErrorCode, faults: readonly RequestFault[]): Outcome {
  const errors = faults.map(({ path, code, message }) => ({ path, code, message }));
  return refused(createProblem(problemCode, { errors }));
}
