import { createConsumer, type Consumer } from '../../shared/messaging/consumer/consumer.ts';
import { consumerMetrics } from '../../shared/messaging/handler/consumer-metrics.ts';
import { delayLabel, retryTopicName } from '../../shared/messaging/topics/topics.ts';
import { monotonicClock } from '../../shared/platform/clock.ts';
import type { WorkerContext } from '../runtime/worker.ts';
import type { SharedParts } from './shared-parts.ts';
import { COMMAND_TOPICS } from './command-consumer.ts';
import { createTierProcess } from './retry-tier.ts';

const MIB = 1_024 * 1_024;
/**
 * What waits is read no further ahead than this. A copy waits a second at least once it was read, so that more than this of
 * one partition cannot go back in a second.
 */
const WINDOW = { messages: 1_000, bytes: 4 * MIB };
/** The first copy of a tier waits for its delay by design, and no longer: a due time beyond it does not count. */
const STALL_MARGIN_MS = 60_000;

/** A consumer of one retry tier; each has its own, since they all do nothing but wait for different times. */
export interface RunningTier {
  readonly delayMs: number;
  readonly consumer: Consumer;
}

/** Starts the consumer of a tier. Rejects when it cannot begin; nothing is left then. */
export async function startTier(
  { broker, config, log, clock, metrics }: WorkerContext,
  shared: SharedParts,
  delayMs: number,
): Promise<RunningTier> {
  const label = delayLabel(delayMs);
  const topic = retryTopicName(config.topicPrefix, delayMs);
  const groupId = `${config.topicPrefix}plat.notification.retry.${label}`;
  const clientId = `notification-retry-${label}`;
  const observe = consumerMetrics(metrics, clientId);
  const consumer = createConsumer({
    createSource: () => broker.createGroupSource({ groupId, clientId, topics: [topic] }),
    process: createTierProcess({
      origins: new Set(Object.values(COMMAND_TOPICS).map((key) => shared.topic(key))),
      copies: shared.copies,
      deadLetters: shared.deadLetters(groupId),
      delayMs,
      clock,
      monotonic: monotonicClock,
      onDeadLetter: observe.onDeadLetter,
    }),
    log,
    window: WINDOW,
    stallMs: delayMs + STALL_MARGIN_MS,
    onBreaker: observe.onBreaker,
    reads: { groupId, topics: [topic] },
    clock,
  });
  observe.follow(consumer);
  await consumer.start();
  return { delayMs, consumer };
}
