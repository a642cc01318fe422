import { openCatalogue, type OpenCatalogue } from '../../shared/catalogue/open-catalogue.ts';
import { startCatalogueWorker } from '../runtime/catalogue-worker.ts';
import type { RunningWorker, WorkerContext } from '../runtime/worker.ts';
import { createHandlers } from './handlers.ts';

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

/**
 * Starts the product worker, which answers look-ups. Rejects when it cannot begin; nothing is left running then.
 */
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
    handlersOf: ({ view }) => createHandlers(view),
  });
}
