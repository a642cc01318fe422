import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderNotification } from '../../../shared/contract/notification/answers.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import type { Log } from '../../../shared/platform/log.ts';
import { bearerToken } from '../access/access.ts';
import { admit, type AdmissionDeps } from '../server/admission.ts';
import { ownerHash } from '../actions/result-ids.ts';
import { refuse, sendJson } from '../server/send-answer.ts';
import type { NotificationFeed } from './notification-feed.ts';

export interface StatusHandlerDeps extends AdmissionDeps {
  readonly feed: NotificationFeed;
  readonly log: Log;
}

export type StatusRequest = FastifyRequest<{ Params: { notificationId: string } }>;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * GET of a notification (N3): how far it has come, from any instance; what came over HTTP only to the caller who sent it,
 * what an upstream system wrote on the log itself to every caller who is let in. 404 for an id that was
 * never given out, is another caller's or is no longer known; 410 when only what became of it is no longer kept.
 */
export function createStatusHandler(deps: StatusHandlerDeps) {
  return (request: StatusRequest, reply: FastifyReply): void => {
    request.figures = 'notification';
    const credentials = { token: bearerToken(request.headers.authorization), userName: undefined };
    admit(deps, { request, reply, credentials }, (subject) => {
      const { notificationId } = request.params;
      if (!UUID.test(notificationId)) return refuseUnknown(reply);
      answer(deps, reply, { id: notificationId.toLowerCase(), owner: ownerHash(subject) }).catch(
        (error: unknown) => {
          deps.log.error({ reason: errorText(error) }, 'the state of a notification could not be read');
          refuse(reply, 'not-ready', { detail: 'The state cannot be read at the moment.' });
        },
      );
    });
  };
}

async function answer(
  { feed }: StatusHandlerDeps,
  reply: FastifyReply,
  { id, owner }: { readonly id: string; readonly owner: string },
): Promise<void> {
  const acceptance = await feed.acceptance(id);
  if (acceptance === undefined && !feed.isCurrent()) {
    return refuse(reply, 'not-ready', { detail: 'This instance does not know all notifications yet.' });
  }
  if (acceptance !== undefined && acceptance.owner !== owner) return refuseUnknown(reply);
  const state = await feed.state(id);
  if (acceptance === undefined) {
    // An upstream system wrote the command itself: whoever knows its id may ask.
    return state === undefined
      ? refuseUnknown(reply)
      : sendJson(reply, 200, renderNotification(state, state));
  }
  if (state === undefined && feed.mayHaveDroppedState(acceptance.acceptedAt)) {
    return refuse(reply, 'result-gone', { detail: 'What became of this notification is no longer kept.' });
  }
  // The id of an Idempotency-Key that was used again later holds what was accepted then.
  sendJson(reply, 200, renderNotification({ ...acceptance, notificationId: id }, state));
}

function refuseUnknown(reply: FastifyReply): void {
  refuse(reply, 'unknown-notification', { detail: 'There is no notification of this id.' });
}
