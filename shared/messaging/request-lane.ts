import { MESSAGES } from '../../schemas/catalogue.ts';
import { createConsumer, type Consumer } from './consumer.ts';
import { consumerMetrics, type ConsumerMetrics } from './consumer-metrics.ts';
import { CONSUMER_DEFAULTS } from './consumer-options.ts';
import { createBatchHandler, refuseBatches } from './handle-batch.ts';
import type { Handler, Handlers } from './handle-by-type.ts';
import { createRequestHandling } from './request-handling.ts';
import { REQUEST_BATCH } from './request-batch.ts';
import { internalTopics, ownReplyTopics } from './reply-topics.ts';
import { topicName, type TopicKey } from './topic-names.ts';
import { WorkSlices } from './work-slices.ts';
import type { Health, WorkerContext } from '../platform/worker.ts';

/**
 * Batches in progress side by side: one is computed, the others are read, or their replies acknowledged. More would only
 * wait for their turn with their bytes in memory, and be begun in vain when their partition moves.
 */
const MAX_BATCHES_BEGUN = 4;

/**
 * A foreign reply topic that cannot be written costs a lane no longer than this; it is then spared for a while, and its
 * requests become dead letters. Interactive callers do not wait much longer. Nobody waits on the bulk lane, where a broker
 * that died must not cost a single reply: its partitions have other leaders after its session (9 s by default) and an
 * election.
 */
const FOREIGN_DEADLINE_MS: Readonly<Record<LaneOptions['lane'], number>> = {
  interactive: 3_000,
  bulk: 30_000,
};

/**
 * One lane of requests: interactive traffic and bulk traffic share nothing but the process. Dead letters count for the
 * breaker on the bulk lane only, where nobody waits: on the interactive one a single peer whose requests cannot be
 * answered would stop those of all others.
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

export interface RunningLane {
  health(): Health;
  stop(timeoutMs: number): Promise<void>;
}

/** Starts a consumer with publishers of its own. Rejects when it cannot begin; nothing is left then. */
export async function startLane(context: WorkerContext, options: LaneOptions): Promise<RunningLane> {
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
  const observe = consumerMetrics(metrics, clientId);
  const { process } = createRequestHandling({
    handlers: { ...handlers, [REQUEST_BATCH]: batchHandler(context, options, observe.onBatchItems) },
    codec,
    replies,
    foreignReplies,
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
    onBreaker: observe.onBreaker,
    reads: { groupId, topics: [topic(requestTopic)] },
    clock: context.clock,
    ...(sliceMs === undefined ? {} : { sliceMs }),
  });
  observe.follow(consumer);
  const running = laneOf(consumer, [replies, foreignReplies]);
  try {
    await Promise.all([replies.start(), foreignReplies.start()]);
    await consumer.start();
  } catch (error) {
    await running.stop(0);
    throw error;
  }
  return running;
}

/** Batches are for the bulk lane: on the other one they would make those wait who sent but one request. */
function batchHandler(
  { codec, clock, config, log }: WorkerContext,
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
