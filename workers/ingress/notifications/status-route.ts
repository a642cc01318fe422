import type { FastifyInstance, FastifyReply } from 'fastify';
import { renderNotification } from '../../../shared/contract/notification/answers.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import type { Log } from '../../../shared/platform/log.ts';
import { hashSubject } from '../access/access.ts';
import { authenticate, type AdmissionDeps } from '../server/admission.ts';
import type { IngressOptions } from '../server/http-limits.ts';
import { refuse, refuseOtherMethods, sendJson } from '../server/send-answer.ts';
import { labelFigures } from '../server/traffic.ts';
import type { NotificationFeed } from './notification-feed.ts';

export interface StatusRouteDeps extends AdmissionDeps {
  readonly options: IngressOptions;
  readonly feed: NotificationFeed;
  readonly log: Log;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * GET of a notification (N3): its state, from any instance. Notifications sent over HTTP are shown only to their
 * caller, those of upstream systems to every admitted caller. 404 for an id that was never issued, is another caller's
 * or is no longer known; 410 when only the state is no longer kept.
 */
export function registerStatus(app: FastifyInstance, deps: StatusRouteDeps): void {
  const url = `${deps.options.basePath}/api/notifications/v1/:notificationId`;
  app.get<{ Params: { readonly notificationId: string } }>(url, {
    preHandler: [labelFigures('notification'), authenticate(deps)],
    handler: async (request, reply) => {
      const { notificationId } = request.params;
      if (!UUID.test(notificationId)) return refuseUnknown(reply);
      try {
        await answer(deps, reply, { id: notificationId.toLowerCase(), owner: hashSubject(request.subject) });
      } catch (error) {
        deps.log.error({ reason: errorText(error) }, 'the state of a notification could not be read');
        refuse(reply, 'not-ready', { detail: 'The state cannot be read at the moment.' });
      }
    },
  });
  refuseOtherMethods(app, url, 'GET');
}

async function answer(
  { feed }: StatusRouteDeps,
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
    // An upstream system wrote the command itself: every caller who knows its id may ask.
    return state === undefined
      ? refuseUnknown(reply)
      : sendJson(reply, 200, renderNotification(state, state));
  }
  if (state === undefined && feed.mayHaveEvictedState(acceptance.acceptedAt)) {
    return refuse(reply, 'result-gone', { detail: 'The state of this notification is no longer kept.' });
  }
  // The id of an Idempotency-Key that was used again later refers to its first notification.
  sendJson(reply, 200, renderNotification({ ...acceptance, notificationId: id }, state));
}

function refuseUnknown(reply: FastifyReply): void {
  refuse(reply, 'unknown-notification', { detail: 'There is no notification of this id.' });
}
