import type { RequestReply } from '../../../shared/messaging/requester/request-reply.ts';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { warningsList } from '../../../shared/platform/warnings-list.ts';
import { traceParentOf, type ValidAction } from './action-route.ts';
import { RETRY_AFTER_SECONDS } from '../server/http-limits.ts';
import { ownerHash, type ResultIds } from './result-ids.ts';
import { sendJson, sendProblem } from '../server/send-answer.ts';

export interface RespondLaterDeps {
  readonly requester: RequestReply;
  readonly ids: ResultIds;
  readonly clock: Clock;
  readonly basePath: string;
  readonly topicPrefix: string;
  readonly asyncTimeoutMs: number;
}

/**
 * `Prefer: respond-async` (RFC 7240): puts the request on the log with the results topic as its reply address and
 * answers 202 with the address of the result, once the request is stored. When the send failed the answer is a
 * problem; should the request have got through all the same, its result is never asked for.
 */
export function createRespondLater(deps: RespondLaterDeps): (action: ValidAction) => void {
  return (valid) => {
    const { action, payload, subject, request, reply } = valid;
    const issuedAtMs = deps.clock.now();
    const deadlineMs = issuedAtMs + deps.asyncTimeoutMs;
    const owner = ownerHash(subject);
    const { id, correlationId } = deps.ids.issue({ issuedAtMs, deadlineMs, owner, action: action.name });
    const traceParent = traceParentOf(request.headers);
    const outgoing = {
      topic: topicName(deps.topicPrefix, action.topic),
      type: action.requestType,
      payload,
      timeoutMs: deps.asyncTimeoutMs,
      correlationId,
      ...(traceParent === undefined ? {} : { traceParent }),
    };
    deps.requester
      .fire(outgoing, topicName(deps.topicPrefix, 'ingressResults'))
      .then((fired) =>
        fired.kind === 'sent' ? sendAccepted(deps, valid, id) : sendProblem(reply, fired.problem),
      )
      .catch((error: unknown) => reply.send(error));
  };
}

function sendAccepted(deps: RespondLaterDeps, { reply, warnings }: ValidAction, resultId: string): void {
  const header = warningsList(warnings, undefined);
  if (header !== undefined) reply.header('warnings', header);
  reply
    .header('location', resultHref(deps.basePath, resultId))
    .header('preference-applied', 'respond-async')
    .header('retry-after', RETRY_AFTER_SECONDS);
  sendJson(reply, 202, pendingBody(deps.basePath, resultId));
}

/** Path of a result, relative to the host. */
function resultHref(basePath: string, resultId: string): string {
  return `${basePath}/platapi/results/${resultId}`;
}

/** What a result that is not there yet looks like. */
export function pendingBody(basePath: string, resultId: string): string {
  return JSON.stringify({ resultId, status: 'pending', href: resultHref(basePath, resultId) });
}
