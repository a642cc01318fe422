import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderAccepted } from '../../../shared/contract/notification/answers.ts';
import { NOTIFICATION_LIMITS } from '../../../shared/contract/notification/limits.ts';
import { isTransientFailure } from '../../../shared/messaging/processing-result.ts';
import type { EmailCommand, SmsCommand } from '../../../shared/notification/command.ts';
import type { NotificationAcceptance } from '../../../shared/notification/notification-state.ts';
import { assertNever } from '../../../shared/platform/errors.ts';
import type { Warning } from '../../../shared/platform/problem.ts';
import { warningsList } from '../../../shared/platform/header-text.ts';
import { hashSubject } from '../access/access.ts';
import { readTraceContext } from '../server/correlation-id.ts';
import { refuse, sendJson } from '../server/send-answer.ts';
import type { ChannelContract } from './channels.ts';
import { KEY_COUNTS_MS } from './notification-feed.ts';
import type { KeyOwner } from './notification-ids.ts';
import {
  publishNotification,
  type Published,
  type PublishDeps,
  type ReadyNotification,
} from './publish-notification.ts';

/** A notification that was admitted and read; `request.subject` is its caller. */
export interface ReadNotification {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly contract: ChannelContract;
  readonly command: SmsCommand | EmailCommand;
  readonly warnings: readonly Warning[];
  readonly idempotencyKey: string | undefined;
}

/** Accepts a notification and responds to it. */
export type AcceptNotification = (notification: ReadNotification) => Promise<void>;

export interface AcceptDeps extends PublishDeps {
  /** Counts the result: `accepted`, `repeated`, `conflict`, `refused` or `unknown`. */
  readonly count: (channel: string, result: string) => void;
}

const UNKNOWN_WITH_KEY =
  'The notification may have been accepted. Repeat the request with the same Idempotency-Key: it is sent once.';
const UNKNOWN_WITHOUT_KEY =
  'The notification may have been accepted. A repetition may be sent a second time: only requests with an Idempotency-Key can be repeated safely.';
const TOO_LARGE = {
  detail: `A notification may have ${NOTIFICATION_LIMITS.commandBytes} bytes at most, its files decoded.`,
};

/**
 * Accepts notifications (N3): 202 once the command is stored. The first of requests with the same Idempotency-Key is
 * executed; the others wait for it and get its response, or 409 when they differ from it. A repeat after a 504 puts the
 * command on the log again, under the same id, and the worker sends it once.
 */
export function createAccept(deps: AcceptDeps): AcceptNotification {
  const inTurn = createKeyedQueue();
  return async (notification) => {
    const { request, reply, contract, idempotencyKey } = notification;
    if (reply.raw.destroyed) return;
    try {
      if (idempotencyKey === undefined) {
        const notificationId = deps.keys.newId();
        await carryOut(deps, notification, { notificationId, bodyHash: '', keyId: undefined });
        return;
      }
      const owner = { subject: request.subject, channel: contract.channel, idempotencyKey };
      const keyId = deps.keys.idOf(owner);
      await inTurn(keyId, () => acceptKeyed(deps, notification, { keyId, owner }));
    } catch (error) {
      // An unreachable registry is a transient fault, anything else a bug. The command was not published.
      if (!isTransientFailure(error)) throw error;
      refuse(reply, 'broker-unavailable');
    }
  };
}

/**
 * Runs the tasks of one key in sequence and those of different keys concurrently. Bounded by its
 * callers: each waiting task is an open connection.
 */
function createKeyedQueue() {
  const last = new Map<string, Promise<void>>();
  return async (key: string, task: () => Promise<void>): Promise<void> => {
    const former = last.get(key);
    const own = former === undefined ? task() : former.then(task, task);
    last.set(key, own);
    try {
      await own;
    } finally {
      if (last.get(key) === own) last.delete(key);
    }
  };
}

/** One use of an Idempotency-Key, while no other of the same key is in progress here. */
async function acceptKeyed(
  deps: AcceptDeps,
  notification: ReadNotification,
  { keyId, owner }: { readonly keyId: string; readonly owner: KeyOwner },
): Promise<void> {
  if (notification.reply.raw.destroyed) return;
  const bodyHash = deps.keys.commandHash(notification.command);
  const former = await deps.feed.acceptance(keyId);
  if (former !== undefined && stillCounts(deps, former)) {
    answerRepeat(deps, notification, { former, bodyHash });
    return;
  }
  const usedAt = former?.acceptedAt ?? (await findFormerEnd(deps, keyId));
  const notificationId = usedAt === undefined ? keyId : deps.keys.idOf(owner, usedAt);
  await carryOut(deps, notification, { notificationId, bodyHash, keyId });
}

function stillCounts({ clock }: AcceptDeps, { acceptedAt }: NotificationAcceptance): boolean {
  return clock.now() - acceptedAt < KEY_COUNTS_MS;
}

/**
 * When the key's former use ended, if that is known and its acceptance no longer is. Under the same id the worker would
 * treat the new use as a repetition and not send it. A recent end without an acceptance is that of a lost response.
 */
async function findFormerEnd({ feed, clock }: AcceptDeps, keyId: string): Promise<number | undefined> {
  const state = await feed.state(keyId);
  return state !== undefined && clock.now() - state.updatedAt >= KEY_COUNTS_MS ? state.updatedAt : undefined;
}

async function carryOut(
  deps: AcceptDeps,
  notification: ReadNotification,
  ids: Pick<ReadyNotification, 'notificationId' | 'bodyHash' | 'keyId'>,
): Promise<void> {
  const { request, contract, command } = notification;
  const { traceParent } = readTraceContext(request.headers);
  const ready = { ...ids, contract, command, owner: hashSubject(request.subject), traceParent };
  const published = await publishNotification(deps, ready);
  deps.count(contract.channel, published.kind);
  answerPublished(deps, notification, published, ids.notificationId);
}

function answerPublished(
  deps: AcceptDeps,
  notification: ReadNotification,
  published: Published,
  notificationId: string,
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

function sendAccepted(
  { options }: AcceptDeps,
  { reply, warnings }: ReadNotification,
  notificationId: string,
): void {
  const header = warningsList(warnings, undefined);
  if (header !== undefined) reply.header('warnings', header);
  reply.header('location', `${options.basePath}/api/notifications/v1/${notificationId}`);
  sendJson(reply, 202, renderAccepted(notificationId));
}
