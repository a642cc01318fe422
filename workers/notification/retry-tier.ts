import type { Consumer } from '../../shared/messaging/consumer/consumer.ts';
import { consumerMetrics } from '../../shared/messaging/handler/consumer-metrics.ts';
import type { DeadLetters } from '../../shared/messaging/handler/dead-letter.ts';
import { readRequest, type Request } from '../../shared/messaging/handler/request.ts';
import { HEADER, headerNumber, headerText } from '../../shared/messaging/headers.ts';
import { readId } from '../../shared/notification/notification-id.ts';
import type { Channel, Priority } from '../../shared/notification/notification-command.ts';
import type { LogMessage, OutgoingMessage } from '../../shared/messaging/message.ts';
import type { Publisher, BrokerAdmin } from '../../shared/messaging/ports.ts';
import { isTransientFailure, type Process, type ProcessingResult } from '../../shared/messaging/outcome.ts';
import { tierGroup, tierLabel } from '../../shared/messaging/topics/consumer-groups.ts';
import { retryTopicName } from '../../shared/messaging/topics/topic-list.ts';
import { errorText, InfrastructureError } from '../../shared/platform/errors.ts';
import type { SystemPorts } from '../../shared/platform/system-ports.ts';
import type { WorkerContext } from '../runtime/worker.ts';
import { CHANNEL_TOPICS, startConsumer, type SharedParts } from './shared-parts.ts';
import { isCausedByMessage, type CommandDelivery } from './delivery/deliver-copy.ts';
import type { DeliveryLog } from './state/delivery-log.ts';
import { readCopy, withoutHeaders } from './retry/command-copy.ts';

const STALL_MARGIN_MS = 60_000;

export interface RetryTier {
  readonly delayMs: number;
  readonly priority: Priority;
}

export interface RunningTier extends RetryTier {
  readonly consumer: Consumer;
}

type Deliveries = Readonly<Record<Channel, Pick<CommandDelivery, 'reject'>>>;

/** Starts the consumer of a tier. Each tier needs one, because a log is read in order and the delays differ. */
export async function startTier(
  context: WorkerContext,
  shared: SharedParts,
  { delayMs, priority, deliveries }: RetryTier & { readonly deliveries: Deliveries },
): Promise<RunningTier> {
  const { broker, config } = context;
  const clientId = `notification-retry-${tierLabel({ delayMs, priority })}`;
  const groupId = tierGroup(config.topicPrefix, { delayMs, priority });
  const observe = consumerMetrics(context.metrics, clientId);
  const topic = retryTopicName(config.topicPrefix, delayMs, priority);
  const consumer = await startConsumer(
    context,
    { groupId, clientId, topic, observe },
    {
      process: createTierProcess({
        ...context,
        ...shared,
        origins: new Map([
          [shared.topic(CHANNEL_TOPICS.sms[priority]), 'sms'],
          [shared.topic(CHANNEL_TOPICS.email[priority]), 'email'],
          [shared.topic('notificationCallbacks'), undefined],
        ]),
        priority,
        deliveries,
        admin: broker.admin,
        deadLetters: shared.deadLetters(groupId),
        delayMs,
        onDeadLetter: observe.onDeadLetter,
      }),
      window: config.limits.tierWindow,
      stallMs: delayMs + STALL_MARGIN_MS,
    },
  );
  return { delayMs, priority, consumer };
}

export interface TierParts extends Pick<SystemPorts, 'clock' | 'monotonic'> {
  /** The channel of each topic; undefined for callbacks, whose end does not end a notification. */
  readonly origins: ReadonlyMap<string, Channel | undefined>;
  readonly priority: Priority;
  readonly deliveries: Deliveries;
  readonly deliveryLog: Pick<DeliveryLog, 'caughtUp' | 'find'>;
  readonly copies: Publisher;
  readonly admin: Pick<BrokerAdmin, 'partitionCounts'>;
  readonly deadLetters: DeadLetters;
  readonly delayMs: number;
  readonly onDeadLetter: (code: string) => void;
}

/** If this process's clock is ahead, every copy seems due. Even then a failing copy returns at most once a second. */
const MIN_WAIT_MS = 1_000;

const UNDECODABLE = 'undecodable-message';
/** Time limit for catching up with the delivery log (normally milliseconds). Afterwards the copy is processed again. */
const LOG_READ_MS = 5_000;
const NO_ORIGIN = 'the copy on a retry tier has no topic and partition to return to';

/** Returns due copies to their topics. One that can never return ends its notification, so that it blocks no others. */
export function createTierProcess(parts: TierParts): Process {
  return async (message, attempt, signal, progress) => {
    const receivedMs = progress?.receivedMs ?? parts.monotonic.elapsedMs();
    const origin = originOf(message, parts.origins);
    const leftMs = origin === undefined ? 0 : waitLeftMs(message, receivedMs, parts);
    if (leftMs > 0) return { retryAfterMs: leftMs };
    const fault = origin === undefined ? NO_ORIGIN : await returnCopy(origin, parts);
    return fault === undefined ? 'settled' : endCopy(readRequest(message, attempt, signal), fault, parts);
  };
}

async function endCopy(
  request: Request,
  fault: string,
  { origins, priority, deliveries, deliveryLog, deadLetters, onDeadLetter }: TierParts,
): Promise<ProcessingResult> {
  const { message, originTimestampMs, signal } = request;
  const isCallback = headerText(message.headers, HEADER.callbackId) !== undefined;
  const id = isCallback ? undefined : readId(headerText(message.headers, HEADER.notificationId));
  if (id !== undefined) await deliveryLog.caughtUp(LOG_READ_MS);
  const known = id === undefined ? undefined : deliveryLog.find(id);
  const channel = known?.channel ?? origins.get(headerText(message.headers, HEADER.retryTopic) ?? '');
  if (id !== undefined && channel !== undefined) {
    const copy = readCopy(message, originTimestampMs, id, priority);
    const outcome = await deliveries[channel].reject(copy, UNDECODABLE, signal);
    return outcome.kind === 'retry' ? { retryAfterMs: outcome.afterMs } : 'settled';
  }
  await deadLetters.write(request, { code: UNDECODABLE, text: fault });
  onDeadLetter(UNDECODABLE);
  return 'settled';
}

/**
 * Due time and timestamp are from the writer's clock, which may be hours off. Therefore the wait since this process
 * received the copy, on the monotonic clock, is at least a second and at most the delay of the tier.
 */
function waitLeftMs(
  { headers, timestampMs }: LogMessage,
  receivedMs: number,
  { delayMs, clock, monotonic }: TierParts,
): number {
  const waitedMs = monotonic.elapsedMs() - receivedMs;
  const dueMs = headerNumber(headers, HEADER.dueAt) ?? 0;
  const byClockMs = Math.min(dueMs, timestampMs + delayMs) - clock.now();
  return Math.min(Math.max(byClockMs, MIN_WAIT_MS - waitedMs), delayMs - waitedMs);
}

type ReturningCopy = OutgoingMessage & { readonly partition: number };

/** Returns undefined, or why the copy can never return. Rejects with a transient failure if a retry may succeed. */
async function returnCopy(copy: ReturningCopy, { copies, admin }: TierParts): Promise<string | undefined> {
  try {
    await copies.publish([copy]);
    return undefined;
  } catch (error) {
    if (isTransientFailure(error)) throw error;
    if (isCausedByMessage(error)) {
      return `the copy on a retry tier cannot be returned to ${copy.topic}: ${error.code}`;
    }
    const counts = await admin.partitionCounts([copy.topic]).catch(() => undefined);
    const count = counts?.get(copy.topic);
    if (count !== undefined && copy.partition >= count) return NO_ORIGIN;
    const what = `a copy cannot be returned to ${copy.topic}: ${errorText(error)}`;
    throw new InfrastructureError('copy-not-put-back', what, error);
  }
}

function originOf(
  { key, value, headers: all }: LogMessage,
  origins: TierParts['origins'],
): ReturningCopy | undefined {
  const topic = headerText(all, HEADER.retryTopic);
  const partition = headerNumber(all, HEADER.retryPartition);
  if (topic === undefined || partition === undefined || !origins.has(topic)) return undefined;
  const headers = withoutHeaders(all, HEADER.retryTopic, HEADER.retryPartition, HEADER.dueAt);
  return { topic, partition, key, value, headers };
}
