import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { renderNotification, shownStatus } from '../../../shared/api/notification/answers.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import { hashSubject } from '../access/access.ts';
import { authenticate } from '../server/authentication.ts';
import type { IngressContext } from '../server/context.ts';
import { refuse, sendJson, setRetryAfter } from '../server/send-answer.ts';
import { labelMetrics, requireOpen } from '../server/traffic.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';
import { topicName } from '../../../shared/messaging/topics/topic-list.ts';
import type { KnownNotification } from '../../../shared/api/operations/notification-lists.ts';
import { readId } from '../../../shared/notification/notification-id.ts';
import { earliestTime } from '../../../shared/notification/notification-state.ts';
import { ACCEPTANCE_RETENTION_MS } from '../../../shared/platform/retention.ts';
import type { NotificationFeed } from './notification-feed.ts';
import { STATE_TYPE } from '../../../shared/api/notification/state-record.ts';

type StatusRouteDeps = IngressContext & { readonly feed: NotificationFeed; readonly publisher: Publisher };

/**
 * GET of a notification (N3) by its caller, or of an upstream one by anyone, and DELETE by its caller, which cancels a
 * scheduled one (N11). 503 while this instance may lack it.
 */
export function registerStatus(app: FastifyInstance, deps: StatusRouteDeps): void {
  const path = '/api/notifications/v1/:notificationId';
  const answeredBy =
    (answer: typeof respond) =>
    async (request: FastifyRequest<{ Params: { readonly notificationId: string } }>, reply: FastifyReply) => {
      const id = readId(request.params.notificationId);
      if (id === undefined) return refuseUnknown(reply);
      const asked = { id, owner: hashSubject(request.subject) };
      await orUnreadable(deps, reply, () => answer(deps, reply, asked));
    };
  const get = [labelMetrics('notification'), authenticate(deps)];
  app.get(path, { preHandler: get, handler: answeredBy(respond) });
  const remove = [labelMetrics('cancel-notification'), requireOpen(deps.traffic), authenticate(deps)];
  app.delete(path, { preHandler: remove, handler: answeredBy(cancel) });
}

/** Calls `respondNow`. If that fails, logs the error and responds with 503. */
export async function orUnreadable(
  { log }: Pick<IngressContext, 'log'>,
  reply: FastifyReply,
  respondNow: () => Promise<void>,
): Promise<void> {
  try {
    await respondNow();
  } catch (error) {
    log.error({ reason: errorText(error) }, 'a call about notifications failed');
    refuse(reply, 'not-ready', { detail: 'Their records cannot be read or written at the moment.' });
  }
}

export function refuseUnknown(reply: FastifyReply): void {
  refuse(reply, 'unknown-notification', { detail: 'There is no notification with this id.' });
}

export function refuseBehind(reply: FastifyReply): void {
  refuse(reply, 'not-ready', { detail: 'This instance has not read all notifications yet.' });
}

/** With default settings, the longest time from the acceptance of a notification to its first attempt. */
const LATE_ATTEMPT_MS = 25 * 3_600_000;

/** Undefined for an unknown id. Rejects with InfrastructureError while a record cannot be read. */
export async function findNotification(
  feed: Pick<NotificationFeed, 'acceptance' | 'state' | 'receipt'>,
  notificationId: string,
): Promise<KnownNotification | undefined> {
  const acceptance = await feed.acceptance(notificationId);
  const state = await feed.state(notificationId);
  const receipt = await feed.receipt(notificationId);
  // After another use of the Idempotency-Key the acceptance is that of the later notification: only its owner counts.
  const isAccepted = acceptance?.notificationId === notificationId;
  return isAccepted || state !== undefined ? { notificationId, acceptance, state, receipt } : undefined;
}

/** True for a caller's own notification, or an upstream one: without an acceptance, and too recent to have lost it. */
export function mayQuery(
  { acceptance, state }: KnownNotification,
  { owner, nowMs }: { readonly owner: string; readonly nowMs: number },
): boolean {
  if (acceptance !== undefined) return acceptance.owner === owner;
  return state !== undefined && nowMs - earliestTime(state) < ACCEPTANCE_RETENTION_MS - LATE_ATTEMPT_MS;
}

async function respond(
  { feed, clock }: StatusRouteDeps,
  reply: FastifyReply,
  { id, owner }: { readonly id: string; readonly owner: string },
): Promise<void> {
  const read = await findNotification(feed, id);
  // Another instance may have accepted the notification a moment ago.
  const isBehind = read === undefined && !(await feed.catchUp());
  const known = read ?? (await findNotification(feed, id));
  const incompleteForMs = known?.acceptance === undefined ? feed.incompleteForMs() : 0;
  if (known?.acceptance === undefined && (isBehind || !feed.isCurrent() || incompleteForMs > 0)) {
    // Otherwise the default Retry-After applies, because this instance catches up soon.
    if (feed.isCurrent()) setRetryAfter(reply, incompleteForMs);
    return refuseBehind(reply);
  }
  const shown = known?.acceptance ?? known?.state;
  if (known === undefined || shown === undefined || !mayQuery(known, { owner, nowMs: clock.now() }))
    return refuseUnknown(reply);
  sendJson(reply, 200, renderNotification({ ...shown, notificationId: id }, known));
}

/** The log decides between this and the first attempt: the state is read back before the answer. */
async function cancel(
  { feed, codec, clock, options, publisher }: StatusRouteDeps,
  reply: FastifyReply,
  { id, owner }: { readonly id: string; readonly owner: string },
): Promise<void> {
  const isCurrent = await feed.catchUp();
  const known = await findNotification(feed, id);
  if (!isCurrent || (known?.acceptance === undefined && feed.incompleteForMs() > 0))
    return refuseBehind(reply);
  if (known?.acceptance?.owner !== owner) return refuseUnknown(reply);
  let { state } = known;
  if (state?.status === 'scheduled') {
    const timestampMs = clock.now();
    const end = { status: 'cancelled', updatedAt: timestampMs, nextAttemptAt: undefined };
    const { value, headers } = await codec.encode(STATE_TYPE, { ...state, ...end }, feed.formatOf(id));
    const topic = topicName(options.topicPrefix, 'notificationOutcomes');
    await publisher.publish([{ topic, key: id, value, headers, timestampMs }]);
    if (!(await feed.catchUp())) return refuseBehind(reply);
    state = await feed.state(id);
  }
  if (state?.status === 'cancelled')
    return sendJson(reply, 200, renderNotification(known.acceptance, { ...known, state }));
  const status = known.receipt?.status ?? shownStatus(state);
  refuse(reply, 'not-cancellable', { detail: `Its status is ${status}.` });
}
