import type { FastifyInstance, FastifyReply } from 'fastify';
import type { EncodedMessage } from '../../../shared/messaging/codec.ts';
import type { Reply } from '../../../shared/messaging/outcome.ts';
import type { SyncOrAsync } from '../../../shared/platform/sync-or-async.ts';
import { hashSubject } from '../access/access.ts';
import { authenticate } from '../server/authentication.ts';
import type { IngressContext } from '../server/context.ts';
import { RESULT_TRAVEL_MS, RETRY_AFTER_SECONDS } from '../server/http-limits.ts';
import { refuse, sendJson } from '../server/send-answer.ts';
import { labelMetrics } from '../server/traffic.ts';
import { chooseFormat } from './accepted-format.ts';
import type { ActionRegistry } from './action-route.ts';
import { renderPending, sendReply } from './send-reply.ts';
import type { KeptResults } from './kept-results.ts';
import type { ResultIds } from './result-ids.ts';

interface ResultRouteDeps extends IngressContext {
  readonly actions: ActionRegistry;
  readonly resultIds: ResultIds;
  readonly results: Pick<KeptResults, 'find' | 'isEvicted' | 'mayHaveEvicted' | 'isCurrent'>;
  readonly readReply: (message: EncodedMessage, mediaType: string) => SyncOrAsync<Reply>;
}

/** Reading and rendering this much of an encoded result takes the processor time of one request, 10 ms. */
const BYTES_PER_REQUEST = 131_072;

/**
 * GET of a result from any instance: the response of the action, 202 while it is pending, 504 if its deadline passed
 * without a result, 410 if it is no longer kept, 404 for an id that was never issued or belongs to another caller.
 */
export function registerResults(app: FastifyInstance, deps: ResultRouteDeps): void {
  app.get<{ Params: { readonly id: string } }>('/platapi/results/:id', {
    preHandler: [labelMetrics('result'), authenticate(deps)],
    handler: async (request, reply) => {
      const { id } = request.params;
      const ticket = deps.resultIds.read(id);
      if (ticket === undefined || ticket.owner !== hashSubject(request.subject))
        return refuse(reply, 'not-found', { detail: 'There is no result with this id.' });
      const nowMs = deps.clock.now();
      const isExpired = nowMs > ticket.deadlineMs + deps.options.resultRetentionMs;
      if (isExpired || deps.results.isEvicted(ticket.correlationId)) return refuseGone(reply);
      const stored = deps.results.find(ticket.correlationId);
      const action = deps.actions.get(ticket.action.toLowerCase());
      if (stored === undefined || action === undefined) {
        const isOverdue = nowMs > ticket.deadlineMs + RESULT_TRAVEL_MS;
        if (isOverdue && !deps.results.isCurrent())
          return refuse(reply, 'not-ready', { detail: 'This instance has not read all results yet.' });
        if (isOverdue && deps.results.mayHaveEvicted(ticket.issuedAtMs)) return refuseGone(reply);
        if (isOverdue)
          return refuse(reply, 'reply-timeout', { detail: 'No worker replied before the deadline.' });
        reply.header('retry-after', RETRY_AFTER_SECONDS);
        return sendJson(reply, 202, renderPending(id));
      }
      // Charged, since a caller that keeps reading a large result occupies the threads that render large replies.
      deps.admission.spend(request, Math.floor((stored.value?.length ?? 0) / BYTES_PER_REQUEST));
      const mediaType = chooseFormat(request.headers.accept, Object.keys(action.formats ?? {}));
      const answer = await deps.readReply(stored, mediaType);
      sendReply(reply, { action, answer, mediaType, warnings: [] });
    },
  });
}

function refuseGone(reply: FastifyReply): void {
  refuse(reply, 'result-gone', { detail: 'Send the request again.' });
}
