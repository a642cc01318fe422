import type { FastifyInstance, FastifyReply } from 'fastify';
import { renderNotification } from '../../../shared/contract/notification/answers.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import { hashSubject } from '../access/access.ts';
import { authenticate } from '../server/authentication.ts';
import type { IngressContext } from '../server/context.ts';
import { refuse, sendJson, setRetryAfter } from '../server/send-answer.ts';
import { labelMetrics } from '../server/traffic.ts';
import { findNotification, mayQuery } from './known-notification.ts';
import type { NotificationFeed } from './notification-feed.ts';

export interface StatusRouteDeps extends IngressContext {
  readonly feed: NotificationFeed;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * GET of a notification (N3): responds with its state, from any instance. A notification that was sent over HTTP is shown
 * only to its caller, one of an upstream system to every admitted caller. 404 for an id that was never issued, belongs to
 * another caller or is no longer kept; 503 while it may be one that this instance cannot know.
 */
export function registerStatus(app: FastifyInstance, deps: StatusRouteDeps): void {
  const url = '/api/notifications/v1/:notificationId';
  app.get<{ Params: { readonly notificationId: string } }>(url, {
    preHandler: [labelMetrics('notification'), authenticate(deps)],
    handler: async (request, reply) => {
      const { notificationId } = request.params;
      if (!UUID.test(notificationId)) return refuseUnknown(reply);
      try {
        await respond(deps, reply, { id: notificationId.toLowerCase(), owner: hashSubject(request.subject) });
      } catch (error) {
        deps.log.error({ reason: errorText(error) }, 'the state of a notification could not be read');
        refuse(reply, 'not-ready', { detail: 'The state cannot be read at the moment.' });
      }
    },
  });
}

async function respond(
  { feed, clock }: StatusRouteDeps,
  reply: FastifyReply,
  { id, owner }: { readonly id: string; readonly owner: string },
): Promise<void> {
  const read = await findNotification(feed, id);
  // It may have been accepted by another instance a moment ago.
  const isBehind = read === undefined && !(await feed.catchUp());
  const known = read ?? (await findNotification(feed, id));
  const incompleteForMs = known?.acceptance === undefined ? feed.incompleteForMs() : 0;
  if (known?.acceptance === undefined && (isBehind || !feed.isCurrent() || incompleteForMs > 0)) {
    // A notification that this instance is about to read is known soon.
    if (feed.isCurrent()) setRetryAfter(reply, incompleteForMs);
    return refuse(reply, 'not-ready', { detail: 'This instance has not read all notifications yet.' });
  }
  const shown = known?.acceptance ?? known?.state;
  if (known === undefined || shown === undefined || !mayQuery(known, { owner, nowMs: clock.now() }))
    return refuseUnknown(reply);
  sendJson(reply, 200, renderNotification({ ...shown, notificationId: id }, known.state));
}

function refuseUnknown(reply: FastifyReply): void {
  refuse(reply, 'unknown-notification', { detail: 'There is no notification with this id.' });
}
