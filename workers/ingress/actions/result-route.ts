import type { FastifyInstance, FastifyReply } from 'fastify';
import type { EncodedMessage } from '../../../shared/messaging/codec.ts';
import type { Reply } from '../../../shared/messaging/reply.ts';
import type { SyncOrAsync } from '../../../shared/messaging/sync-or-async.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { hashSubject } from '../access/access.ts';
import type { TopicFeed } from '../feed/topic-feed.ts';
import { authenticate, type AdmissionDeps } from '../server/admission.ts';
import { RESULT_TRAVEL_MS, RETRY_AFTER_SECONDS, type IngressOptions } from '../server/http-limits.ts';
import { refuse, refuseOtherMethods, sendJson } from '../server/send-answer.ts';
import { labelFigures } from '../server/traffic.ts';
import type { ActionRegistry } from './action-route.ts';
import { renderPending, sendReply } from './reply.ts';
import type { ResultIds, ResultTicket } from './result-ids.ts';
import type { ResultStore } from './result-store.ts';

export interface ResultRouteDeps extends AdmissionDeps {
  readonly options: IngressOptions;
  readonly actions: ActionRegistry;
  readonly resultIds: ResultIds;
  readonly results: ResultStore;
  /** Fills the store; a missing result is conclusive only once it is current. */
  readonly resultFeed: Pick<TopicFeed, 'isCurrent'>;
  readonly readReply: (message: EncodedMessage) => SyncOrAsync<Reply>;
  readonly clock: Clock;
}

/**
 * GET of a result: the response of the action once it is available, 202 while it is pending, 504 when its deadline
 * passed without one, 410 when it is no longer kept, 404 for an id that was never issued or is another caller's. Any
 * instance can answer: the id contains everything needed about the request.
 */
export function registerResults(app: FastifyInstance, deps: ResultRouteDeps): void {
  const url = `${deps.options.basePath}/platapi/results/:id`;
  app.get<{ Params: { readonly id: string } }>(url, {
    preHandler: [labelFigures('result'), authenticate(deps)],
    handler: async (request, reply) => {
      const { id } = request.params;
      const ticket = deps.resultIds.read(id);
      if (ticket === undefined || ticket.owner !== hashSubject(request.subject)) {
        return refuse(reply, 'not-found', { detail: 'There is no result of this id.' });
      }
      const nowMs = deps.clock.now();
      if (nowMs > ticket.deadlineMs + deps.options.resultRetentionMs) return refuseGone(reply);
      const stored = deps.results.find(ticket.correlationId);
      const action = deps.actions.get(ticket.action.toLowerCase());
      if (stored === undefined || action === undefined) {
        if (nowMs > ticket.deadlineMs + RESULT_TRAVEL_MS) return explainAbsence(deps, reply, ticket);
        reply.header('retry-after', RETRY_AFTER_SECONDS);
        return sendJson(reply, 202, renderPending(deps.options.basePath, id));
      }
      sendReply(reply, { action, answer: await deps.readReply(stored), warnings: [] });
    },
  });
  refuseOtherMethods(app, url, 'GET');
}

/** Responds to a caller whose deadline passed without a result, as far as this instance knows. */
function explainAbsence(
  { results, resultFeed }: ResultRouteDeps,
  reply: FastifyReply,
  { issuedAtMs }: ResultTicket,
): void {
  if (!resultFeed.isCurrent()) {
    return refuse(reply, 'not-ready', { detail: 'This instance does not have all results yet.' });
  }
  if (results.mayHaveEvicted(issuedAtMs)) return refuseGone(reply);
  refuse(reply, 'reply-timeout', { detail: 'The request was not answered before its deadline.' });
}

function refuseGone(reply: FastifyReply): void {
  refuse(reply, 'result-gone', { detail: 'Send the request again.' });
}
