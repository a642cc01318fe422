import { openCatalogue, type OpenCatalogue } from '../../shared/product/storage/catalogue-table.ts';
import type { InsuranceListInput } from '../../shared/api/actions/look-up-actions.ts';
import { formatCalendarDate, toUtcDay } from '../../shared/lending/dates/calendar-date.ts';
import type { Handler, Handlers } from '../../shared/messaging/handler/request.ts';
import { done, refused } from '../../shared/messaging/outcome.ts';
import { warningsList } from '../../shared/messaging/header-text.ts';
import { createProblem, type Warning } from '../../shared/platform/problem.ts';
import type { CatalogueView } from '../../shared/product/catalogue/catalogue-view.ts';
import { UsedRecords } from '../../shared/product/catalogue/used-records.ts';
import {
  lookUpInsuranceList,
  lookUpDetails,
  lookUpDocuments,
  resolveDay,
  type LookUp,
  type LookUpContext,
  type SelectorRequest,
} from '../../shared/product/look-up/product-look-ups.ts';
import { lookUpProduct } from '../../shared/product/look-up/product-by-code.ts';
import { lookUpProductList } from '../../shared/product/look-up/products-on-offer.ts';
import { lookUpReferences, type ReferenceRequest } from '../../shared/product/look-up/reference-lists.ts';
import { lookUpSimulationOptions } from '../../shared/product/simulation/simulation-options.ts';
import { startCatalogueWorker } from '../runtime/catalogue-worker.ts';
import type { RunningWorker, WorkerContext } from '../runtime/worker.ts';

/** Leaves nothing running if it rejects. */
export function startProductWorker(
  context: WorkerContext,
  open: OpenCatalogue = openCatalogue,
): Promise<RunningWorker> {
  return startCatalogueWorker(context, {
    name: 'product',
    lanes: [{ lane: 'interactive', requestTopic: 'productRequests' }],
    open,
    createHandlers: ({ view }) => createProductHandlers(view),
  });
}

export function createProductHandlers(catalogue: CatalogueView): Handlers {
  return Object.fromEntries([
    lookUpHandler(catalogue, 'GetBankingProductByCode', lookUpProduct, (answer) => ({
      json: JSON.stringify(answer),
    })),
    lookUpHandler(catalogue, 'GetBankingProductDetails', lookUpDetails, (answer) => answer),
    lookUpHandler(catalogue, 'GetProductInsuranceList', lookUpInsurances, (Insurances, warnings) => ({
      Insurances,
      warnings,
    })),
    lookUpHandler(catalogue, 'GetProductDocuments', lookUpDocuments, (documents) => ({ documents })),
    lookUpHandler(catalogue, 'GetProductList', lookUpProductList, (answer) => answer),
    lookUpHandler(catalogue, 'GetSimulationOptions', lookUpSimulationOptions, (answer) => answer),
    [
      'GetReferenceListsRequest',
      (payload) =>
        done({
          type: 'GetReferenceListsReply',
          payload: lookUpReferences(payload as ReferenceRequest, catalogue),
        }),
    ],
  ]);
}

/** Filters contain binary numbers, so figures are rounded to the nearest one before they are compared (L3). */
function lookUpInsurances({ filterList, ...request }: InsuranceListInput, context: LookUpContext) {
  const figures = filterList?.map(({ name, value }) => ({ name, value: value.toNumber() }));
  return lookUpInsuranceList({ ...request, filterList: figures }, context);
}

/** Without `Date` a look-up is for the UTC day of the request's timestamp, so a replay gives the same reply (L1). */
function lookUpHandler<Answer>(
  catalogue: CatalogueView,
  name: string,
  lookUp: (request: never, context: LookUpContext) => LookUp<Answer>,
  toPayload: (answer: Answer, warnings: readonly Warning[]) => object,
): [string, Handler] {
  const handler: Handler = (payload, { originTimestampMs, timeFault }) => {
    if (timeFault !== undefined && (payload as SelectorRequest).Date === undefined)
      return refused(createProblem('not-computable', { errors: [timeFault] }));
    // The payload has been validated as a request of this type.
    const context = { catalogue: new UsedRecords(catalogue), requestDay: toUtcDay(originTimestampMs) };
    const found = lookUp(payload as never, context);
    if (found.kind !== 'found') {
      const errors = found.faults.map(({ path, code, message }) => ({ path, code, message }));
      const problem = found.kind === 'refused' ? 'invalid-request' : 'unknown-product';
      return refused(createProblem(problem, { errors }));
    }
    const { answer, warnings } = found;
    const header = warningsList(warnings, undefined);
    const day = formatCalendarDate(resolveDay(payload as SelectorRequest, context));
    const sources = { day, records: context.catalogue.versions() };
    const reply = { type: `${name}Reply`, payload: toPayload(answer, warnings), sources };
    return done(header === undefined ? reply : { ...reply, warnings: header });
  };
  return [`${name}Request`, handler];
}
