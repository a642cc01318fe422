/** What the handlers of look-ups have in common: look up, and give the outcome. */

import type { CalendarDate } from '../../shared/lending/dates/calendar-date.ts';
import type { Fault } from '../../shared/lending/request/refusal.ts';
import type { Handler } from '../../shared/messaging/handler/request.ts';
import { done, refused, type Outcome } from '../../shared/messaging/outcome.ts';
import { createProblem, type ErrorCode, type Warning } from '../../shared/platform/problem.ts';
import { warningsList } from '../../shared/platform/header-text.ts';
import type { CatalogueView } from '../../shared/product/catalogue/catalogue-view.ts';
import type { LookUp, LookUpContext } from '../../shared/product/look-up/product-selection.ts';

const DAY_MS = 86_400_000;

/** One look-up. */
interface LookUpAction<Request, Answer> {
  /** Record name of the reply in the catalogue of messages. */
  readonly replyType: string;
  /** Pure; the day is the UTC day of the message's own timestamp, so that a replay gives the same answer (L1). */
  readonly find: (request: Request, context: LookUpContext) => LookUp<Answer>;
  /** The answer as the reply carries it. */
  readonly payloadOf: (answer: Answer, warnings: readonly Warning[]) => object;
}

/** Makes the handler of a look-up in a catalogue, which may change from one request to the next. */
export function answerLookUp<Request, Answer>(
  action: LookUpAction<Request, Answer>,
  catalogue: CatalogueView,
): Handler {
  const { replyType, find, payloadOf } = action;
  return (payload, { originTimestampMs }) => {
    const requestDay = Math.floor(originTimestampMs / DAY_MS) as CalendarDate;
    const outcome = find(payload as Request, { catalogue, requestDay });
    if (outcome.kind === 'unknown-product') return refusal('unknown-product', outcome.faults);
    if (outcome.kind === 'refused') return refusal('invalid-request', outcome.faults);
    const { answer, warnings } = outcome;
    const header = warningsList(warnings, undefined);
    const reply = { type: replyType, payload: payloadOf(answer, warnings) };
    return done(header === undefined ? reply : { ...reply, warnings: header });
  };
}

/** Of a fault callers get path, code and message. */
function refusal(code: ErrorCode, faults: readonly Fault[]): Outcome {
  const errors = faults.map(({ path, code: faultCode, message }) => ({ path, code: faultCode, message }));
  return refused(createProblem(code, { errors }));
}
