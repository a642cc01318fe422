import { MESSAGES } from '../../../schemas/messages.ts';
import type { BreakerOptions } from '../consumer/breaker.ts';
import { createConsumer, type Consumer } from '../consumer/consumer.ts';
import { consumerMetrics, type ConsumerMetrics } from './consumer-metrics.ts';
import { CONSUMER_DEFAULTS } from '../consumer/consumer-options.ts';
import { createBatchHandler, refuseBatches } from './batch-handler.ts';
import type { Handler, Handlers } from './handle-by-type.ts';
import { createRequestHandling } from './request-handling.ts';
import { REQUEST_BATCH } from '../codec/request-batch.ts';
import type { Codec } from '../codec.ts';
import type { Broker, Publisher } from '../ports.ts';
import { internalTopics, ownReplyTopics } from './reply-topics.ts';
import { topicName, type TopicKey } from '../topics/topics.ts';
import { WorkSlices } from './work-slices.ts';
import type { Health } from '../../platform/health.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';

/**
 * Batches in progress side by side: one is computed, the others are read, or their replies acknowledged. More would only
 * wait for their turn with their bytes in memory, and be begun in vain when their partition moves.
 */
const MAX_BATCHES_BEGUN = 4;

/**
 * A reply to a foreign partition that does not answer keeps its place in the lane no longer than this; the request then
 * waits on its topic. Interactive callers do not wait much longer. Nobody waits on the bulk lane, where the partitions of a
 * broker that died have other leaders after its session (9 s by default) and an election.
 */
const FOREIGN_DEADLINE_MS: Readonly<Record<LaneOptions['lane'], number>> = {
  interactive: 3_000,
  bulk: 30_000,
};
/** The same for a partition that was silent before: whether it answers again shows within a request's time-out. */
const PROBE_DEADLINE_MS = 3_000;

/**
 * Behind a request that waits for its reply partition others are answered and cannot be committed. They cost some hundred
 * bytes each, and a crash has them answered twice under their correlation ids: so many of a partition, waiting ones
 * included. That is ten minutes of 80 requests a second.
 */
const WINDOW = { pending: 50_000 } as const;

/**
 * When the flood breaker opens, and how often it tries. On the interactive lane callers wait, so it tries often. A bulk
 * message carries hundreds of requests, often all under one key, and nobody waits: there it opens sooner.
 */
const BREAKER: Readonly<Record<LaneOptions['lane'], BreakerOptions>> = {
  interactive: { probeIntervalMs: 2_000 },
  bulk: { inARow: 20, keys: 0 },
};

/**
 * One lane of requests: interactive traffic and bulk traffic share nothing but the process. Dead letters of refusals
 * count for the breaker on the bulk lane only, where nobody waits: on the interactive one a single peer whose requests
 * cannot be answered would stop those of all others.
 */
export interface LaneOptions {
  /** Name of the worker, part of the group's name as well. */
  readonly worker: string;
  /** Part of the group's name; never changed, since the group's place in the topic hangs on it. */
  readonly lane: 'interactive' | 'bulk';
  readonly requestTopic: TopicKey;
  readonly deadLetterTopic: TopicKey;
  /** Handlers by the type of the request. */
  readonly handlers: Handlers;
  /** Longest synchronous work between two turns of the event loop; absent: the consumer's default. */
  readonly sliceMs?: number;
}

/** What a lane needs of a worker's context. */
export interface LaneContext {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly broker: Broker;
  readonly codec: Codec;
}

export interface RunningLane {
  health(): Health;
  stop(timeoutMs: number): Promise<void>;
}

/** Starts a consumer with publishers of its own. Rejects when it cannot begin; nothing is left then. */
export async function startLane(context: LaneContext, options: LaneOptions): Promise<RunningLane> {
  const { broker, codec, config, log, metrics } = context;
  const { worker, lane, requestTopic, handlers, sliceMs } = options;
  const batchWeight = Math.max(1, config.lanes / MAX_BATCHES_BEGUN);
  const topic = (key: TopicKey): string => topicName(config.topicPrefix, key);
  const groupId = `${config.topicPrefix}plat.${worker}.${lane}`;
  const clientId = `${worker}-${lane}`;
  const replies = broker.createPublisher({ clientId: `${clientId}-replies` });
  const foreignReplies = broker.createPublisher({
    clientId: `${clientId}-foreign-replies`,
    deadlineMs: FOREIGN_DEADLINE_MS[lane],
  });
  const probes = startedWhenUsed(
    broker.createPublisher({ clientId: `${clientId}-silent-replies`, deadlineMs: PROBE_DEADLINE_MS }),
  );
  const largeReplies = startedWhenUsed(broker.createPublisher({ clientId: `${clientId}-large-replies` }));
  const observe = consumerMetrics(metrics, clientId);
  const { process } = createRequestHandling({
    handlers: { ...handlers, [REQUEST_BATCH]: batchHandler(context, options, observe.onBatchItems) },
    codec,
    replies,
    foreignReplies,
    probes,
    largeReplies,
    deadLetters: replies,
    deadLetterTopic: topic(options.deadLetterTopic),
    groupId,
    admin: broker.admin,
    ownReplyTopics: ownReplyTopics(config.topicPrefix),
    internalTopics: internalTopics(config.topicPrefix, config.notification.retryTiersMs),
    clock: context.clock,
    log,
    onHandled: observe.onHandled,
    onDeadLetter: observe.onDeadLetter,
    ...(options.lane === 'bulk' ? { countsAsFailure: () => true } : {}),
  });
  const consumer = createConsumer({
    createSource: () => broker.createGroupSource({ groupId, clientId, topics: [topic(requestTopic)] }),
    process,
    log,
    lanes: config.lanes,
    weigh: (message) => (codec.isBatch(message) ? batchWeight : 1),
    window: WINDOW,
    breaker: BREAKER[lane],
    onBreaker: observe.onBreaker,
    reads: { groupId, topics: [topic(requestTopic)] },
    clock: context.clock,
    ...(sliceMs === undefined ? {} : { sliceMs }),
  });
  observe.follow(consumer);
  const running = laneOf(consumer, [replies, foreignReplies, probes, largeReplies]);
  try {
    await Promise.all([replies.start(), foreignReplies.start()]);
    await consumer.start();
  } catch (error) {
    await running.stop(0);
    throw error;
  }
  return running;
}

/** A publisher that connects with its first message, since most processes never need it. */
function startedWhenUsed(publisher: Publisher): Publisher {
  let isStarted = false;
  return {
    start: () => publisher.start(),
    publish: (messages) => {
      // It goes on connecting by itself; what is published meanwhile waits for it.
      if (!isStarted) publisher.start().catch(() => undefined);
      isStarted = true;
      return publisher.publish(messages);
    },
    isHealthy: () => publisher.isHealthy(),
    stop: (timeoutMs) => publisher.stop(timeoutMs),
  };
}

/** Batches are for the bulk lane: on the other one they would make those wait who sent but one request. */
function batchHandler(
  { codec, clock, config, log }: LaneContext,
  { lane, requestTopic, handlers, sliceMs }: LaneOptions,
  onItems: ConsumerMetrics['onBatchItems'],
): Handler {
  if (lane === 'bulk') {
    const slices = new WorkSlices({ sliceMs: sliceMs ?? CONSUMER_DEFAULTS.sliceMs });
    return createBatchHandler({ handlers, codec, slices, clock, log, onItems });
  }
  const bulkTopic = bulkTopicBeside(requestTopic);
  return refuseBatches(bulkTopic === undefined ? undefined : topicName(config.topicPrefix, bulkTopic));
}

/** The topic for mass traffic of the requests that come on this one. */
function bulkTopicBeside(requestTopic: TopicKey): TopicKey | undefined {
  for (const message of MESSAGES) {
    if (message.kind === 'request' && message.requestTopic === requestTopic) return message.bulkRequestTopic;
  }
  return undefined;
}

function laneOf(
  consumer: Consumer,
  publishers: readonly { stop(timeoutMs: number): Promise<void> }[],
): RunningLane {
  return {
    health: () => consumer.health(),
    stop: async (timeoutMs) => {
      await consumer.stop(timeoutMs);
      await Promise.all(publishers.map((publisher) => publisher.stop(timeoutMs)));
    },
  };
}
