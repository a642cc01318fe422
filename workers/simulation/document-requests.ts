import { MEDIA_TYPES, type OfferDocument } from '../../shared/api/actions/offer-document-fields.ts';
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
    CreateOfferDocumentRequest: (payload, request) => {
      const { originTimestampMs, timeFault } = request;
      const input = payload as OfferDocumentInput;
      const offered = toSimulateRequest({ ...input, Offer: true, Explain: undefined });
      const sent: OfferDocumentRequest = { ...input, ...offered };
      if (timeFault !== undefined && sent.Date === undefined)
        return refused(createProblem('not-computable', { errors: [timeFault] }));
      const used = new UsedRecords(catalogue);
      const requestDay = toUtcDay(originTimestampMs);
      const steps = offerDocumentInSteps(sent, { catalogue: used, calendars, lender, requestDay });
      return queue.run(steps, request, async (created) => {
        if (created.kind === 'refused') return refuseSimulation(created);
        const content = await contentOf(created, (document) => print(document, printingWork(input, request)));
        if (content === undefined)
          return request.deadlineMs === undefined ? retry(RETRY_MS, OVERLOADED) : refused(OVERLOADED);
        const day = formatCalendarDate(sent.Date ?? requestDay);
        return answerDocument(created, content, { day, records: used.versions() });
      });
    },
  };
}

function printingWork(input: OfferDocumentInput, request: Request): QueuedWork {
  const { deadlineMs, isBatchItem: isPatient } = request;
  return { deadlineMs, isPatient, requester: requesterOf(request), units: contentUnits(input, 'pdf') };
}

type Created = Extract<OfferDocumentOutcome, { kind: 'document' }>;

function answerDocument(
  { document, format, record, warnings }: Created,
  content: string | null,
  sources: AnswerSources,
): Outcome {
  const payload: OfferDocumentPayload = {
    document: JSON.stringify(format === 'json' ? document : { ...document, Logo: null, Sections: null }),
    contentType: format === 'json' ? null : MEDIA_TYPES[format],
    content,
    warnings,
  };
  return answer('CreateOfferDocumentReply', payload, { calendar: record.calendar, warnings }, sources);
}

async function contentOf(
  { document, format }: Created,
  print: (document: OfferDocument) => Promise<string | undefined>,
): Promise<string | null | undefined> {
  if (format === 'json') return null;
  return format === 'html' ? renderHtml(document) : print(document);
}

/** A reply whose warnings, holiday calendar and versions are in its headers. */
export function answer(
  type: string,
  payload: unknown,
  { calendar, warnings }: Pick<Extract<SimulationOutcome, { kind: 'simulation' }>, 'calendar' | 'warnings'>,
  sources: AnswerSources,
): Outcome {
  const header = warningsList(warnings, undefined);
  return done({
    type,
    payload,
    sources,
    ...(header === undefined ? {} : { warnings: header }),
    ...(calendar === undefined ? {} : { holidayCalendar: formatCalendar(calendar) }),
  });
}

/** Refuses an unknown product with 404, an incomplete or contradictory request with 400, any other with 422 (E1). */
export function refuseSimulation(simulated: Extract<SimulationOutcome, { kind: 'refused' }>): Outcome {
  const errors = limitFaults(simulated.faults).map(({ path, code, message }) => ({ path, code, message }));
  if (simulated.unknownProduct === true) return refused(createProblem('unknown-product', { errors }));
  const isIncomplete = simulated.faults.some(({ status }) => status === 400);
  return refused(createProblem(isIncomplete ? 'invalid-request' : 'not-computable', { errors }));
}
