import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderAccepted } from '../../../shared/contract/notification/notification-answers.ts';
import { NOTIFICATION_LIMITS } from '../../../shared/contract/notification/notification-limits.ts';
import { isPassingFailure } from '../../../shared/messaging/processing-result.ts';
import type { EmailCommand, SmsCommand } from '../../../shared/notification/command.ts';
import type { NotificationAcceptance } from '../../../shared/notification/notification-state.ts';
import { assertNever } from '../../../shared/platform/errors.ts';
import type { Warning } from '../../../shared/platform/problem.ts';
import { warningsList } from '../../../shared/platform/warnings-list.ts';
import { traceParentOf } from '../actions/action-route.ts';
import { ownerHash } from '../actions/result-ids.ts';
import { refuse, sendJson } from '../server/send-answer.ts';
import { KEY_COUNTS_MS } from './acceptance-store.ts';
import type { ChannelContract } from './channels.ts';
import type { NotificationFeed } from './notification-feed.ts';
import { createOneAtATime } from './one-at-a-time.ts';
import {
  publishNotification,
  type Published,
  type PublishDeps,
  type ReadyNotification,
} from './publish-notification.ts';

/** A notification that was let in and read. */
export interface ReadNotification {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly contract: ChannelContract;
  readonly subject: string;
  readonly command: SmsCommand | EmailCommand;
  readonly warnings: readonly Warning[];
  readonly idempotencyKey: string | undefined;
}

export interface AcceptDeps extends PublishDeps {
  readonly feed: Pick<NotificationFeed, 'addAcceptance' | 'acceptance' | 'state'>;
  readonly basePath: string;
  /** What the figures count: `accepted`, `repeated`, `conflict`, `refused` or `unknown`. */
  readonly count: (channel: string, outcome: string) => void;
}

const UNKNOWN_WITH_KEY =
  'The notification may have been accepted. Repeat the request with the same Idempotency-Key: it is sent once.';
const UNKNOWN_WITHOUT_KEY =
  'The notification may have been accepted. A repetition may be sent a second time: only requests with an Idempotency-Key can be repeated safely.';

/**
 * Takes notifications (N3): 202 once the command is on the log. Of requests with the same Idempotency-Key the first is
 * carried out; the others wait for it and get its answer, or 409 when they ask for something else. A repeat after a
 * 504 puts the command on the log again, under the same id, and the worker sends it once.
 */
export function createAccept(deps: AcceptDeps): (notification: ReadNotification) => void {
  const keyed = createOneAtATime();
  return (notification) => {
    const { reply, idempotencyKey } = notification;
    if (reply.raw.destroyed) return;
    if (idempotencyKey === undefined) {
      const notificationId = deps.keys.newId();
      const ready = { ...readyOf(notification), notificationId, bodyHash: '', keyId: undefined };
      carryOut(deps, notification, ready).catch((error: unknown) => answerFailure(reply, error));
      return;
    }
    const keyId = deps.keys.idOf({ ...notification, ...notification.contract, idempotencyKey });
    keyed.run(keyId, (done) => {
      acceptKeyed(deps, notification, { keyId, idempotencyKey })
        .catch((error: unknown) => answerFailure(reply, error))
        .finally(done);
    });
  };
}

/** One use of an Idempotency-Key, while no other of the same key is under way here. */
async function acceptKeyed(
  deps: AcceptDeps,
  notification: ReadNotification,
  { keyId, idempotencyKey }: { readonly keyId: string; readonly idempotencyKey: string },
): Promise<void> {
  const { reply, contract, command } = notification;
  if (reply.raw.destroyed) return;
  const bodyHash = deps.keys.commandHash(command);
  const former = await deps.feed.acceptance(keyId);
  if (former !== undefined && stillCounts(deps, former)) {
    answerRepeat(deps, notification, { former, bodyHash });
    return;
  }
  const owner = { ...notification, channel: contract.channel, idempotencyKey };
  const usedAt = former?.acceptedAt ?? (await formerEnd(deps, keyId));
  const notificationId = usedAt === undefined ? keyId : deps.keys.idOf(owner, usedAt);
  await carryOut(deps, notification, { ...readyOf(notification), notificationId, bodyHash, keyId });
}

function stillCounts({ clock }: AcceptDeps, { acceptedAt }: NotificationAcceptance): boolean {
  return clock.now() - acceptedAt < KEY_COUNTS_MS;
}

/**
 * When the key's former use ended, if that is known and its acceptance no longer is. Under the same id the worker would
 * take the new use for the former one and not send it. A recent end without an acceptance is that of a lost answer.
 */
async function formerEnd({ feed, clock }: AcceptDeps, keyId: string): Promise<number | undefined> {
  const state = await feed.state(keyId);
  return state !== undefined && clock.now() - state.updatedAt >= KEY_COUNTS_MS ? state.updatedAt : undefined;
}

function readyOf({
  contract,
  command,
  subject,
  request,
}: ReadNotification): Omit<ReadyNotification, 'notificationId' | 'bodyHash' | 'keyId'> {
  return { contract, command, owner: ownerHash(subject), traceParent: traceParentOf(request.headers) };
}

async function carryOut(
  deps: AcceptDeps,
  notification: ReadNotification,
  ready: ReadyNotification,
): Promise<void> {
  const published = await publishNotification(deps, ready);
  deps.count(ready.contract.channel, published.kind);
  answerPublished(deps, notification, { published, notificationId: ready.notificationId });
}

function answerPublished(
  deps: AcceptDeps,
  notification: ReadNotification,
  { published, notificationId }: { readonly published: Published; readonly notificationId: string },
): void {
  const { reply, idempotencyKey } = notification;
  if (reply.raw.destroyed) return;
  switch (published.kind) {
    case 'accepted':
      return sendAccepted(deps, notification, notificationId);
    case 'refused':
      return refuse(reply, published.code, published.code === 'body-too-large' ? TOO_LARGE : {});
    case 'unknown':
      return refuse(reply, 'accept-unknown', {
        detail: idempotencyKey === undefined ? UNKNOWN_WITHOUT_KEY : UNKNOWN_WITH_KEY,
      });
    default:
      return assertNever(published);
  }
}

const TOO_LARGE = {
  detail: `A notification may have ${NOTIFICATION_LIMITS.commandBytes} bytes at most, its files decoded.`,
};

function answerRepeat(
  deps: AcceptDeps,
  notification: ReadNotification,
  { former, bodyHash }: { readonly former: NotificationAcceptance; readonly bodyHash: string },
): void {
  if (former.bodyHash === bodyHash) {
    deps.count(former.channel, 'repeated');
    sendAccepted(deps, notification, former.notificationId);
    return;
  }
  deps.count(former.channel, 'conflict');
  refuse(notification.reply, 'idempotency-conflict', {
    detail: 'Send a request that differs under an Idempotency-Key of its own.',
  });
}

/** A registry that is away passes; all else is a bug. Nothing of the command is on the log then. */
function answerFailure(reply: FastifyReply, error: unknown): void {
  if (isPassingFailure(error)) refuse(reply, 'broker-unavailable');
  else reply.send(error);
}

function sendAccepted(
  { basePath }: AcceptDeps,
  { reply, warnings }: ReadNotification,
  notificationId: string,
): void {
  const header = warningsList(warnings, undefined);
  if (header !== undefined) reply.header('warnings', header);
  reply.header('location', `${basePath}/api/notifications/v1/${notificationId}`);
  sendJson(reply, 202, renderAccepted(notificationId));
}
