import { setTimeout as sleep } from 'node:timers/promises';
import { createConsumer, type Consumer } from '../../shared/messaging/consumer/consumer.ts';
import { consumerMetrics, type ConsumerMetrics } from '../../shared/messaging/handler/consumer-metrics.ts';
import type { Process } from '../../shared/messaging/processing-result.ts';
import { internalTopics, ownReplyTopics } from '../../shared/messaging/handler/reply-topics.ts';
import { createRequestHandling } from '../../shared/messaging/handler/request-handling.ts';
import { retryTopicName } from '../../shared/messaging/topics/topics.ts';
import type { Channel } from '../../shared/notification/command.ts';
import type { Providers } from '../../shared/notification/provider.ts';
import { monotonicClock } from '../../shared/platform/clock.ts';
import { combineHealth, type Health } from '../../shared/platform/health.ts';
import type { WorkerContext } from '../runtime/worker.ts';
import { CommandDelivery } from './delivery/command-delivery.ts';
import type { DeliveryObserver, DeliveryParts } from './delivery/delivery-parts.ts';
import { createHandlers } from './handlers.ts';
import { HoldWake } from './ordering/hold-wake.ts';
import { keepOrder } from './ordering/receiver-order.ts';
import { channelHealth, roundsHealth } from './notification-health.ts';
import type { SharedParts } from './shared-parts.ts';

const MIB = 1_024 * 1_024;
/** E-mails with files are large, and each partition has a window of its own. */
const WINDOW = { messages: 1_000, bytes: 8 * MIB };
/** Every unexpected failure is a notification that nobody receives, so fewer in a row than of requests are a flood. */
const BREAKER = { inARow: 50 } as const;
/** The ledger and the hold topic are read to their ends within so long after an assignment, or it is tried again. */
const FENCE_MS = 30_000;
/** Steps of a delivery other than sending take no longer. */
const STEP_MS = 60_000;
const SENDS_IN_A_ROUND = 10;
/** Outcomes of what is cut off by a shutdown are still written within this. */
const LAST_OUTCOMES_MS = 2_000;
/** A notification that waits for a provider is looked at again within so long. */
const BETWEEN_LOOKS_MS = 5_000;
/** Heads that will not come any more are looked for so often; they are rare, and nobody else is held up by them. */
const LOST_HEADS_MS = 30_000;
const POLL_MS = 20;

export const COMMAND_TOPICS = { sms: 'smsCommands', email: 'emailCommands' } as const;

export interface ChannelOptions {
  readonly channel: Channel;
  readonly providers: Providers;
  readonly observer: Omit<DeliveryObserver, 'onDeadLetter'>;
  readonly closing: AbortSignal;
}

export interface RunningChannel {
  readonly consumer: Consumer;
  health(): Health;
  stop(timeoutMs: number): Promise<void>;
}

/**
 * Starts the consumer of one channel's commands; each channel has one, so that a slow one does not hold up the other.
 * Rejects when it cannot begin; nothing is left then.
 */
export async function startChannel(
  context: WorkerContext,
  shared: SharedParts,
  options: ChannelOptions,
): Promise<RunningChannel> {
  const { broker, config, log, clock } = context;
  const { channel } = options;
  const topic = shared.topic(COMMAND_TOPICS[channel]);
  const groupId = `${config.topicPrefix}plat.notification.${channel}`;
  const clientId = `notification-${channel}`;
  const observe = consumerMetrics(context.metrics, clientId);
  const parts = deliveryParts(context, shared, options, { groupId, onDeadLetter: observe.onDeadLetter });
  const delivery = new CommandDelivery(parts);
  const process = commandProcess(context, shared, { channel, groupId, delivery, observe });
  const wake = new HoldWake({ ...parts, topic });
  const consumer: Consumer = createConsumer({
    createSource: () => broker.createGroupSource({ groupId, clientId, topics: [topic] }),
    process: keepOrder(process, { ...parts, wake, count: (end) => consumer.count(end) }, topic),
    log,
    lanes: config.lanes,
    window: WINDOW,
    breaker: BREAKER,
    // What waits for a provider stands still for as long as its time limit: health tells of the provider then.
    stallMs: parts.plan.timeLimitMs + STEP_MS,
    fence: async (partitions) => {
      await Promise.all([shared.ledger.caughtUp(FENCE_MS), shared.hold.caughtUp(FENCE_MS)]);
      wake.forget();
      void wake.look(partitions);
    },
    onBreaker: observe.onBreaker,
    reads: { groupId, topics: [topic] },
    clock,
  });
  observe.follow(consumer);
  await consumer.start();
  const looks = setInterval(() => void wake.look(consumer.lag()), LOST_HEADS_MS);
  const standsStillMs = SENDS_IN_A_ROUND * parts.sendTimeoutMs + STEP_MS;
  return {
    consumer,
    health: () =>
      combineHealth({
        consumer: consumer.health(),
        deliveries: roundsHealth(delivery.running, standsStillMs),
        providers: channelHealth(channel, options.providers, delivery.running.isBusy(BETWEEN_LOOKS_MS)),
      }),
    stop: async (timeoutMs) => {
      clearInterval(looks);
      await consumer.stop(timeoutMs);
      const untilMs = performance.now() + Math.min(timeoutMs, LAST_OUTCOMES_MS);
      while (delivery.running.size > 0 && performance.now() < untilMs) await sleep(POLL_MS);
    },
  };
}

/** Reading, refusing and answering of commands are the same as of requests; what a handler does with them is not. */
function commandProcess(
  { broker, config, log, clock, codec }: WorkerContext,
  shared: SharedParts,
  {
    channel,
    groupId,
    delivery,
    observe,
  }: {
    readonly channel: Channel;
    readonly groupId: string;
    readonly delivery: CommandDelivery;
    readonly observe: ConsumerMetrics;
  },
): Process {
  return createRequestHandling({
    handlers: createHandlers(channel, delivery),
    codec,
    replies: shared.copies,
    foreignReplies: shared.foreignReplies,
    deadLetters: shared.copies,
    deadLetterTopic: shared.topic('notificationDeadLetters'),
    groupId,
    admin: broker.admin,
    ownReplyTopics: ownReplyTopics(config.topicPrefix),
    internalTopics: internalTopics(config.topicPrefix, config.notification.retryTiersMs),
    clock,
    log,
    onHandled: observe.onHandled,
    onDeadLetter: observe.onDeadLetter,
    expired: 'handle',
  }).process;
}

function deliveryParts(
  { config, clock, log }: WorkerContext,
  shared: SharedParts,
  { channel, providers, observer, closing }: ChannelOptions,
  { groupId, onDeadLetter }: { readonly groupId: string; readonly onDeadLetter: (code: string) => void },
): DeliveryParts {
  const { retryTiersMs, timeLimitMs, unknownPolicy, sendTimeoutMs } = config.notification;
  return {
    channel,
    ledger: shared.ledger,
    hold: shared.hold,
    providers,
    copies: shared.copies,
    deadLetters: shared.deadLetters(groupId),
    plan: { tiersMs: retryTiersMs, timeLimitMs: timeLimitMs[channel] },
    unknownPolicy: unknownPolicy[channel],
    sendTimeoutMs,
    tierTopic: (delayMs) => retryTopicName(config.topicPrefix, delayMs),
    clock,
    monotonic: monotonicClock,
    ageClock: shared.ageClock,
    sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
    self: shared.self,
    closing,
    observer: { ...observer, onDeadLetter },
    log,
  };
}
