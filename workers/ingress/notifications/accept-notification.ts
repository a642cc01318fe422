import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderAccepted } from '../../../shared/contract/notification/answers.ts';
import { NOTIFICATION_LIMITS } from '../../../shared/contract/notification/limits.ts';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';
import { isTransientFailure } from '../../../shared/messaging/processing-result.ts';
import { classifySendError } from '../../../shared/messaging/requester/requester.ts';
import { isPromise } from '../../../shared/messaging/sync-or-async.ts';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import type { EmailCommand, Priority, SmsCommand } from '../../../shared/notification/command.ts';
import type { NotificationAcceptance } from '../../../shared/notification/notification-state.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import type { Quotas } from '../../../shared/quotas/quotas.ts';
import { warningsList } from '../../../shared/platform/header-text.ts';
import type { ErrorCode, Warning } from '../../../shared/platform/problem.ts';
import { hashSubject } from '../access/access.ts';
import type { IngressContext } from '../server/context.ts';
import { readTraceContext } from '../server/correlation-id.ts';
import { refuse, sendJson } from '../server/send-answer.ts';
import type { ChannelContract } from './channels.ts';
import { createAcceptOnce, type IdempotencyDeps, type NotificationIds } from './idempotency.ts';
import { ACCEPTANCE_TYPE } from './notification-feed.ts';
import { admitByQuotas } from './quota-check.ts';

/** A notification that was admitted and validated; `request.subject` is its caller. */
export interface ValidNotification {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly contract: ChannelContract;
  /** The notificationId is not set yet. */
  readonly command: SmsCommand | EmailCommand;
  readonly warnings: readonly Warning[];
  readonly idempotencyKey: string | undefined;
  readonly priority: Priority;
}

/**
 * Accepts a notification and responds to it. Resolves with whether it waited for the broker: a refusal or a repetition is
 * faster than that.
 */
export type AcceptNotification = (notification: ValidNotification) => Promise<boolean>;

export interface AcceptDeps extends IngressContext, IdempotencyDeps {
  readonly publisher: Publisher;
  /** Undefined: no quota is configured. */
  readonly quotas: Quotas | undefined;
  /** Counts acceptances that could not be written. */
  readonly countLostRecord: () => void;
}

const UNKNOWN_WITH_KEY =
  'The notification may have been accepted. Repeat the request with the same Idempotency-Key: it is sent once.';
const UNKNOWN_WITHOUT_KEY =
  'The notification may have been accepted. A repetition may be sent a second time: only requests with an Idempotency-Key can be repeated safely.';
const NOT_KEPT = 'Accepted notifications cannot be recorded at the moment.';
const TOO_LARGE = `A notification may have at most ${NOTIFICATION_LIMITS.commandBytes} bytes, including its decoded files.`;

/**
 * Accepts notifications (N3): 202 once the command is stored. A repeat after a 504 publishes the command a second time under the
 * same id, and the worker sends it once.
 */
export function createAccept(deps: AcceptDeps): AcceptNotification {
  const acceptOnce = createAcceptOnce(deps);
  return async (notification) => {
    const { request, reply, contract, command, idempotencyKey } = notification;
    if (reply.raw.destroyed) return false;
    // Never accepted and then forgotten: a repetition within 24 hours would be sent again.
    if (deps.feed.health().status !== 'ready') {
      refuse(reply, 'not-ready', { detail: NOT_KEPT });
      return false;
    }
    try {
      if (idempotencyKey === undefined) {
        const notificationId = deps.keys.newId();
        return await accept(deps, notification, { notificationId, bodyHash: '', keyId: undefined });
      }
      return await acceptOnce({
        owner: { subject: request.subject, channel: contract.channel, idempotencyKey },
        command,
        reply,
        accept: (ids) => accept(deps, notification, ids),
        repeatAnswer: (notificationId) => sendAccepted(deps, notification, notificationId),
      });
    } catch (error) {
      // The command was not published: a schema registry cannot be reached, or there is a bug.
      if (!isTransientFailure(error)) throw error;
      refuse(reply, 'broker-unavailable');
      return false;
    }
  };
}

/**
 * Publishes a notification and responds. Resolves with whether the broker may have the command. Rejects only on bugs and when a
 * schema registry cannot be reached.
 */
async function accept(
  deps: AcceptDeps,
  notification: ValidNotification,
  ids: NotificationIds,
): Promise<boolean> {
  const { reply, contract, idempotencyKey } = notification;
  const acceptedAt = deps.clock.now();
  const { notificationId: id } = ids;
  const { quotas } = deps;
  const { channel } = contract;
  const records =
    quotas === undefined ? [] : admitByQuotas(quotas, { ...notification, channel, id, nowMs: acceptedAt });
  if (records === undefined) {
    deps.count(contract.channel, 'refused');
    return false;
  }
  const published = publishCommand(deps, notification, { ...ids, acceptedAt, records });
  const fault = await published.catch((error: unknown) => {
    if (isTransientFailure(error)) quotas?.release(id);
    throw error;
  });
  if (fault !== undefined && fault !== 'accept-unknown') quotas?.release(id);
  if (fault === undefined) {
    await recordAcceptance(deps, notification, { ...ids, acceptedAt });
    deps.count(contract.channel, 'accepted');
    if (!reply.raw.destroyed) sendAccepted(deps, notification, ids.notificationId);
    return true;
  }
  const isUnknown = fault === 'accept-unknown';
  deps.count(contract.channel, isUnknown ? 'unknown' : 'refused');
  if (reply.raw.destroyed) return isUnknown;
  const unknown = idempotencyKey === undefined ? UNKNOWN_WITHOUT_KEY : UNKNOWN_WITH_KEY;
  if (isUnknown) refuse(reply, fault, { detail: unknown });
  else refuse(reply, fault, fault === 'body-too-large' ? { detail: TOO_LARGE } : {});
  return isUnknown;
}

/**
 * Publishes the command with its further records. Resolves with undefined when all replicas have stored it, otherwise with the code of the problem.
 */
async function publishCommand(
  { options, keys, codec, publisher, quotas }: AcceptDeps,
  { request, contract, command, priority }: ValidNotification,
  {
    notificationId,
    acceptedAt,
    records,
  }: NotificationIds & { readonly acceptedAt: number; readonly records: readonly OutgoingMessage[] },
): Promise<ErrorCode | undefined> {
  if (!publisher.isHealthy()) return 'broker-unavailable';
  const encoding = codec.encode(contract.commandType, { ...command, notificationId }, 'avro');
  const encoded = isPromise(encoding) ? await encoding : encoding;
  if (encoded.value.length > NOTIFICATION_LIMITS.commandBytes) return 'body-too-large';
  const { traceParent } = readTraceContext(request.headers);
  const message = {
    topic: topicName(options.topicPrefix, contract.topics[priority]),
    key: keys.receiverKey(contract.channel, command.receiver),
    value: encoded.value,
    timestampMs: acceptedAt,
    headers: {
      ...encoded.headers,
      [HEADER.notificationId]: notificationId,
      [HEADER.originTimestamp]: String(acceptedAt),
      ...(traceParent === undefined ? {} : { [HEADER.traceParent]: traceParent }),
      ...(quotas === undefined ? {} : { [HEADER.quotaCounted]: 'true' }),
    },
  };
  try {
    await publisher.publish([message, ...records]);
    return undefined;
  } catch (error) {
    const code = classifySendError(error);
    if (code === 'bug') throw error;
    return code === 'unknown' ? 'accept-unknown' : code;
  }
}

/** Records an acceptance. If that fails the message is sent all the same; only its state cannot be queried. */
async function recordAcceptance(
  { options, codec, publisher, feed, log, countLostRecord }: AcceptDeps,
  { request, contract }: ValidNotification,
  { notificationId, bodyHash, keyId, acceptedAt }: NotificationIds & { readonly acceptedAt: number },
): Promise<void> {
  const { channel } = contract;
  const owner = hashSubject(request.subject);
  const acceptance: NotificationAcceptance = { notificationId, channel, acceptedAt, owner, bodyHash };
  const topic = topicName(options.topicPrefix, 'notificationAcceptances');
  try {
    const { value, headers } = await codec.encode(ACCEPTANCE_TYPE, acceptance, 'avro');
    const ids = keyId === undefined || keyId === notificationId ? [notificationId] : [notificationId, keyId];
    for (const id of ids) feed.addAcceptance(id, value, acceptedAt);
    await publisher.publish(ids.map((key) => ({ topic, key, value, headers, timestampMs: acceptedAt })));
  } catch (error) {
    countLostRecord();
    log.error({ notificationId, reason: errorText(error) }, 'an acceptance could not be written');
  }
}

function sendAccepted(
  { options }: AcceptDeps,
  { reply, warnings }: ValidNotification,
  notificationId: string,
): void {
  const header = warningsList(warnings, undefined);
  if (header !== undefined) reply.header('warnings', header);
  reply.header('location', `${options.basePath}/api/notifications/v1/${notificationId}`);
  sendJson(reply, 202, renderAccepted(notificationId));
}
