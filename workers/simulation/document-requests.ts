import {
  MEDIA_TYPES,
  type DocumentFormat,
  type OfferDocument,
} from '../../shared/api/actions/offer-document-fields.ts';
import {
  contentUnits,
  type OfferDocumentInput,
  type OfferDocumentPayload,
} from '../../shared/api/actions/offer-document-action.ts';
import { toSimulateRequest } from '../../shared/api/actions/simulate-action.ts';
import { limitFaults } from '../../shared/api/json/faults.ts';
import { formatCalendarDate, toUtcDay } from '../../shared/lending/dates/calendar-date.ts';
import { formatCalendar, warningsList } from '../../shared/messaging/header-text.ts';
import { requesterOf, type Handler, type Request } from '../../shared/messaging/handler/request.ts';
import { done, refused, retry, type AnswerSources, type Outcome } from '../../shared/messaging/outcome.ts';
import {
  offerDocumentInSteps,
  type OfferDocumentOutcome,
  type OfferDocumentRequest,
} from '../../shared/offer/create-offer-document.ts';
import type { Lender } from '../../shared/offer/offer-facts.ts';
import { renderHtml } from '../../shared/offer/render-html.ts';
import { createProblem } from '../../shared/platform/problem.ts';
import type { CatalogueView } from '../../shared/product/catalogue/catalogue-view.ts';
import { UsedRecords } from '../../shared/product/catalogue/used-records.ts';
import type { SimulationOutcome } from '../../shared/product/simulation/simulation.ts';
import type { LendingEnvironment } from '../../shared/product/storage/lending-environment.ts';
import type { CalculationThreads, QueuedWork } from '../runtime/thread-pool.ts';
import type { SimulationQueue } from './simulation-queue.ts';

/** Prints a document as PDF in base64; undefined if it would wait too long. */
type Printer = (document: OfferDocument, work: QueuedWork) => Promise<string | undefined>;

const RETRY_MS = 1_000;
const OVERLOADED = createProblem('overloaded', {
  detail: 'Too many documents are being printed; try again in a moment.',
});

/** Prints in a thread; without threads on the event loop. The printer is loaded on its first use. */
export function createPrinter(threads: CalculationThreads | undefined): Printer {
  return async (document, work) => {
    if (threads === undefined) {
      const { renderPdf } = await import('../../shared/offer/render-pdf.ts');
      return (await renderPdf(document)).toString('base64');
    }
    const bytes = await threads.print(JSON.stringify(document), work);
    return bytes && Buffer.from(bytes).toString('base64');
  };
}

/** The handler of offer documents (T1): simulates, then prints if the request asks for it. */
export function createDocumentHandlers(
  catalogue: CatalogueView,
  { calendars }: Pick<LendingEnvironment, 'calendars'>,
  { queue, lender, print }: { queue: SimulationQueue; lender: Lender; print: Printer },
): { readonly CreateOfferDocumentRequest: Handler } {
  return {
    CreateOfferDocumentRequest: async (payload, request) => {
      const { originTimestampMs, timeFault } = request;
      const input = payload as OfferDocumentInput;
      const sent = toDocumentRequest(input);
      if (timeFault !== undefined && sent.Date === undefined)
        return refused(createProblem('not-computable', { errors: [timeFault] }));
      const used = new UsedRecords(catalogue);
      const requestDay = toUtcDay(originTimestampMs);
      const context = { catalogue: used, calendars, lender, requestDay };
      let created: OfferDocumentOutcome | undefined;
      const outcome = await queue.run(offerDocumentInSteps(sent, context), request, (result) => {
        created = result;
        return result.kind === 'refused' ? refuseSimulation(result) : done();
      });
      if (outcome.kind !== 'done' || created?.kind !== 'document') return outcome;
      const day = formatCalendarDate(sent.Date ?? requestDay);
      return finish(created, {
        sources: { day, records: used.versions() },
        request,
        print: (document) => print(document, printingWork(input, request)),
      });
    },
  };
}

function toDocumentRequest(input: OfferDocumentInput): OfferDocumentRequest {
  const { Language, Format, InterestId, InterestCommissionItemId } = input;
  const { HighestRate, HighestRateFrom, Entries } = input;
  const simulated = toSimulateRequest({ ...input, Offer: true, Explain: undefined });
  const chosen = { InterestId, InterestCommissionItemId, HighestRate, HighestRateFrom };
  return { ...simulated, ...chosen, Language, Format, Entries };
}

function printingWork(input: OfferDocumentInput, request: Request): QueuedWork {
  const { deadlineMs, isBatchItem: isPatient } = request;
  return { deadlineMs, isPatient, requester: requesterOf(request), units: contentUnits(input, 'pdf') };
}

async function finish(
  { document, format, record, warnings }: Extract<OfferDocumentOutcome, { kind: 'document' }>,
  {
    sources,
    request,
    print,
  }: {
    readonly sources: AnswerSources;
    readonly request: Request;
    readonly print: (document: OfferDocument) => Promise<string | undefined>;
  },
): Promise<Outcome> {
  const content = await contentOf(document, format, () => print(document));
  if (content === undefined)
    return request.deadlineMs === undefined ? retry(RETRY_MS, OVERLOADED) : refused(OVERLOADED);
  const header = warningsList(warnings, undefined);
  const payload: OfferDocumentPayload = {
    document: JSON.stringify(format === 'json' ? document : { ...document, Logo: null, Sections: null }),
    contentType: format === 'json' ? null : MEDIA_TYPES[format],
    content,
    warnings,
  };
  return done({
    type: 'CreateOfferDocumentReply',
    payload,
    sources,
    ...(header === undefined ? {} : { warnings: header }),
    ...(record.calendar === undefined ? {} : { holidayCalendar: formatCalendar(record.calendar) }),
  });
}

async function contentOf(
  document: OfferDocument,
  format: DocumentFormat,
  print: () => Promise<string | undefined>,
): Promise<string | null | undefined> {
  if (format === 'json') return null;
  return format === 'html' ? renderHtml(document) : print();
}

/** Refuses an unknown product with 404, an incomplete or contradictory request with 400, any other with 422 (E1). */
export function refuseSimulation(simulated: Extract<SimulationOutcome, { kind: 'refused' }>): Outcome {
  const errors = limitFaults(simulated.faults).map(({ path, code, message }) => ({ path, code, message }));
  if (simulated.unknownProduct === true) return refused(createProblem('unknown-product', { errors }));
  const isIncomplete = simulated.faults.some(({ status }) => status === 400);
  return refused(createProblem(isIncomplete ? 'invalid-request' : 'not-computable', { errors }));
}
