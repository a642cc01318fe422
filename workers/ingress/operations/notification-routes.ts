import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import {
  describeFound,
  describeTimeline,
  notificationQuery,
  type FoundNotifications,
  type KnownNotification,
} from '../../../shared/api/operations/notification-lists.ts';
import { OPERATIONS_LIMITS as LIMITS, readQuery } from '../../../shared/api/operations/operation-fields.ts';
import { createBreaks } from '../../../shared/dead-letters/dead-letter-log.ts';
import { hashSubject } from '../access/access.ts';
import {
  findNotification,
  mayQuery,
  orUnreadable,
  refuseBehind,
  refuseUnknown,
} from '../notifications/status-route.ts';
import { readId } from '../../../shared/notification/notification-id.ts';
import type { NotificationFeed } from '../notifications/notification-feed.ts';
import type { NotificationKeys } from '../notifications/notification-keys.ts';
import type { IngressContext } from '../server/context.ts';
import { refuse, sendJson } from '../server/send-answer.ts';
import { operatorHooks, refuseScope } from '../server/authentication.ts';

type NotificationSearchDeps = IngressContext & {
  readonly feed: NotificationFeed;
  readonly keys: NotificationKeys;
};

/** Serves a caller's own and upstream notifications by id or Idempotency-Key, or any and their list with operations:read. */
export function registerNotificationSearch(
  app: FastifyInstance,
  base: string,
  deps: NotificationSearchDeps,
): void {
  const url = `${base}/notifications`;
  const preHandler = operatorHooks(deps, 'operations-notifications');
  app.get(url, { preHandler }, (request, reply) =>
    orUnreadable(deps, reply, async () => {
      const read = readQuery(notificationQuery, request.query);
      if (read.kind === 'invalid') return refuse(reply, 'invalid-request', { errors: read.faults });
      const { reference, caller = request.subject } = read.fields;
      if (reference === undefined) {
        if (!isOperator(request)) return refuseScope(reply, 'operations:read');
        if (!deps.feed.isCurrent()) return refuseBehind(reply);
        return sendJson(reply, 200, JSON.stringify(await listRecent(deps, read.fields)));
      }
      if (caller !== request.subject && !isOperator(request)) return refuseScope(reply, 'operations:read');
      const found = await findByKey(deps, caller, reference);
      const notifications = found.map(describeFound);
      if (notifications.length === 0 && mayMiss(deps)) return refuseBehind(reply);
      sendJson(reply, 200, JSON.stringify({ notifications }));
    }),
  );
  app.get<{ Params: { readonly notificationId: string } }>(
    `${url}/:notificationId`,
    { preHandler },
    (request, reply) =>
      orUnreadable(deps, reply, async () => {
        const id = readId(request.params.notificationId);
        if (id === undefined) return refuseUnknown(reply);
        const known = await findNotification(deps.feed, id);
        if (known === undefined) return mayMiss(deps) ? refuseBehind(reply) : refuseUnknown(reply);
        const caller = { owner: hashSubject(request.subject), nowMs: deps.clock.now() };
        if (!isOperator(request) && !mayQuery(known, caller)) return refuseUnknown(reply);
        const deadLetters = `${base}/dead-letters?all=true&id=${id}`;
        sendJson(reply, 200, JSON.stringify(describeTimeline(known, deadLetters)));
      }),
  );
}

/** Records that a call reads, which takes 0.1 to 0.5 s. A page of a rare status may have fewer notifications, or none. */
const MAX_READ = 5_000;

/** Lists notifications by the time of their last record, the newest first (N14). */
async function listRecent(
  deps: NotificationSearchDeps,
  { status, channel, limit = LIMITS.defaultPageNotifications, cursor }: z.output<typeof notificationQuery>,
): Promise<FoundNotifications> {
  const { feed } = deps;
  const notifications: FoundNotifications['notifications'] = [];
  const pause = createBreaks(deps);
  let left = MAX_READ;
  for await (const { place, notificationId: id } of feed.recent(cursor)) {
    await pause();
    const known = id === undefined ? undefined : await findNotification(feed, id);
    const found = known && describeFound(known);
    if (found && [undefined, found.status].includes(status) && [undefined, found.channel].includes(channel))
      notifications.push(found);
    left -= 1;
    if (left === 0 || notifications.length === limit) return { notifications, nextCursor: place };
  }
  return { notifications };
}

function isOperator({ scopes }: FastifyRequest): boolean {
  return scopes?.has('operations:read') === true;
}

async function findByKey(
  { feed, keys }: NotificationSearchDeps,
  subject: string,
  idempotencyKey: string,
): Promise<readonly KnownNotification[]> {
  const found: KnownNotification[] = [];
  for (const channel of ['sms', 'email'] as const) {
    const id = keys.idOf({ subject, channel, idempotencyKey });
    const acceptance = await feed.acceptance(id);
    const known = await findNotification(feed, acceptance?.notificationId ?? id);
    if (known !== undefined) found.push(known);
  }
  return found;
}

function mayMiss({ feed }: NotificationSearchDeps): boolean {
  return !feed.isCurrent() || feed.incompleteForMs() > 0;
}
