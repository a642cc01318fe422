import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CalculationThreads } from '../../runtime/calculation-threads.ts';
import type { Codec, EncodedMessage } from '../../../shared/messaging/codec.ts';
import type { Reply } from '../../../shared/messaging/requester/requester.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import type { ActionRegistry } from './action-contract.ts';
import { bearerToken } from '../access/access.ts';
import { admit, type AdmissionDeps } from '../server/admission.ts';
import { pendingBody } from './respond-later.ts';
import { sendReply } from './action-route.ts';
import { RESULT_TRAVEL_MS, RETRY_AFTER_SECONDS } from '../server/http-limits.ts';
import { ownerHash, type ResultIds, type ResultTicket } from './result-ids.ts';
import { createReplyReader } from './reply.ts';
import type { ResultStore } from './result-store.ts';
import { refuse, sendJson } from '../server/send-answer.ts';

export interface ResultHandlerDeps extends AdmissionDeps {
  readonly actions: ActionRegistry;
  readonly ids: ResultIds;
  readonly store: ResultStore;
  /** Whether the store holds all that is on the results topic; what it lacks otherwise proves nothing. */
  readonly isCurrent: () => boolean;
  readonly codec: Codec;
  readonly threads?: CalculationThreads | undefined;
  readonly clock: Clock;
  readonly basePath: string;
  readonly resultRetentionMs: number;
}

export type ResultRequest = FastifyRequest<{ Params: { id: string } }>;

/**
 * GET of a result: the very answer of the action once it is there, 202 while it is under way, 504 when its deadline
 * passed without one, 410 when it is no longer kept, 404 for an id that was never issued or is another caller's. Any
 * instance answers: the id says all that has to be known of the request.
 */
export function createResultHandler(deps: ResultHandlerDeps) {
  return (request: ResultRequest, reply: FastifyReply): void => {
    request.figures = 'result';
    const credentials = { token: bearerToken(request.headers.authorization), userName: undefined };
    admit(deps, { request, reply, credentials }, (subject) => {
      const ticket = deps.ids.read(request.params.id);
      if (ticket === undefined || ticket.owner !== ownerHash(subject)) {
        return refuse(reply, 'not-found', { detail: 'There is no result of this id.' });
      }
      answer(deps, { request, reply, ticket });
    });
  };
}

interface Inquiry {
  readonly request: ResultRequest;
  readonly reply: FastifyReply;
  readonly ticket: ResultTicket;
}

function answer(deps: ResultHandlerDeps, inquiry: Inquiry): void {
  const { reply, request, ticket } = inquiry;
  const nowMs = deps.clock.now();
  if (nowMs > ticket.deadlineMs + deps.resultRetentionMs) return refuseGone(reply);
  const stored = deps.store.find(ticket.correlationId);
  const action = deps.actions.get(ticket.action.toLowerCase());
  if (stored !== undefined && action !== undefined) {
    readStored(deps, stored)
      .then((found) => sendReply(reply, { action, answer: found, warnings: [] }))
      .catch((error: unknown) => reply.send(error));
    return;
  }
  if (nowMs <= ticket.deadlineMs + RESULT_TRAVEL_MS) return sendPending(deps, reply, request.params.id);
  if (!deps.isCurrent()) {
    return refuse(reply, 'not-ready', { detail: 'This instance does not have all results yet.' });
  }
  if (deps.store.mayHaveDropped(ticket.issuedAtMs)) return refuseGone(reply);
  refuse(reply, 'reply-timeout', { detail: 'The request was not answered before its deadline.' });
}

/** A rejection, not a throw, whatever the codec does. */
async function readStored({ codec, threads }: ResultHandlerDeps, stored: EncodedMessage): Promise<Reply> {
  return createReplyReader(codec, threads)(stored);
}

function refuseGone(reply: FastifyReply): void {
  refuse(reply, 'result-gone', { detail: 'Send the request again.' });
}

function sendPending(deps: ResultHandlerDeps, reply: FastifyReply, id: string): void {
  reply.header('retry-after', RETRY_AFTER_SECONDS);
  sendJson(reply, 202, pendingBody(deps.basePath, id));
}
