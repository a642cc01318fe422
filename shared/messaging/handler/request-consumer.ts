import { MESSAGES } from '../../../schemas/messages.ts';
import type { Config } from '../../platform/load-config.ts';
import type { Health } from '../../platform/health.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { stopInTurn, stopTogether } from '../stop-in-turn.ts';
import type { SystemPorts } from '../../platform/system-ports.ts';
import type { Codec } from '../codec.ts';
import { REQUEST_BATCH } from '../codec/request-batch.ts';
import { Consumer } from '../consumer/consumer.ts';
import { CONSUMER_DEFAULTS } from '../consumer/consumer-options.ts';
import type { Broker, Publisher } from '../ports.ts';
import { requestGroup } from '../topics/consumer-groups.ts';
import { ownReplyTopics, replyTopicRule, topicName, type TopicKey } from '../topics/topics.ts';
import { createBatchHandler, refuseBatches } from './batch-handler.ts';
import { consumerMetrics, type ConsumerMetrics } from './consumer-metrics.ts';
import { createRequestHandling } from './request-handling.ts';
import type { Handler, Handlers } from './request.ts';
import { WorkSlices } from './work-slices.ts';

type Lane = 'interactive' | 'bulk';

/** Options of a request consumer. Interactive and bulk lanes share only the process. */
export interface RequestConsumerOptions {
  /** Name of the worker, and part of the consumer group's name. */
  readonly worker: string;
  /** Part of the name of the consumer group, which must not change since it owns the committed offsets. */
  readonly lane: Lane;
  readonly requestTopic: TopicKey;
  readonly deadLetterTopic: TopicKey;
  /** Handlers by the type of the request. */
  readonly handlers: Handlers;
  /** Longest synchronous work between two turns of the event loop; absent: the consumer's default. */
  readonly sliceMs?: number;
}

/** The parts of the worker context that a request consumer uses. */
export interface RequestConsumerContext extends Omit<SystemPorts, 'newId'> {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly broker: Broker;
  readonly codec: Codec;
}

export interface RequestConsumer {
  health(): Health;
  stop(timeoutMs: number): Promise<void>;
}

/**
 * Batches in progress: one is calculated while the others are decoded or their replies acknowledged. More batches would
 * only occupy memory, and their work would be wasted when their partition is reassigned.
 */
const MAX_BATCHES_IN_PROGRESS = 4;

/**
 * How long a reply to an unresponsive foreign partition occupies a place among the requests in progress; the request is then
 * retried later. Interactive callers do not wait much longer. On the bulk lane the limit allows for the election of new
 * leaders when a broker dies (session timeout 9 s by default).
 */
const FOREIGN_DEADLINE_MS: Readonly<Record<Lane, number>> = { interactive: 3_000, bulk: 30_000 };

/** Starts a consumer with its own publishers. If that fails, stops everything again and then rejects. */
export async function startRequestConsumer(
  context: RequestConsumerContext,
  options: RequestConsumerOptions,
): Promise<RequestConsumer> {
  const { broker, clock, codec, config, log, metrics, monotonic, random, timers } = context;
  const { worker, lane, handlers, sliceMs } = options;
  const requestTopic = topicName(config.topicPrefix, options.requestTopic);
  const groupId = requestGroup(config.topicPrefix, worker, lane);
  const clientId = `${worker}-${lane}`;
  const publishers = createPublishers(broker, clientId, lane);
  const { replies, foreignReplies } = publishers;
  const observe = consumerMetrics(metrics, clientId);
  const { process } = createRequestHandling({
    ...publishers,
    handlers: { ...handlers, [REQUEST_BATCH]: batchHandler(context, options, observe.onBatchItems) },
    codec,
    deadLetters: replies,
    deadLetterTopic: topicName(config.topicPrefix, options.deadLetterTopic),
    groupId,
    admin: broker.admin,
    ownReplyTopics: ownReplyTopics(config.topicPrefix),
    mayReplyTo: replyTopicRule(config.topicPrefix, config.replyTopics),
    clock,
    monotonic,
    log,
    onHandled: observe.onHandled,
    onDeadLetter: observe.onDeadLetter,
  });
  const batchWeight = Math.max(1, config.lanes / MAX_BATCHES_IN_PROGRESS);
  const consumer = new Consumer({
    createSource: () => broker.createGroupSource({ groupId, clientId, topics: [requestTopic] }),
    process,
    log,
    concurrency: config.lanes,
    weigh: (message) => (codec.isBatch(message) ? batchWeight : 1),
    window: config.limits.requestWindow,
    reads: { groupId, topics: [requestTopic] },
    clock,
    monotonic,
    timers,
    random,
    ...(sliceMs === undefined ? {} : { sliceMs }),
  });
  observe.follow(consumer);
  const stop = async (timeoutMs: number): Promise<void> => {
    await stopInTurn([consumer, stopTogether(Object.values(publishers))], timeoutMs, monotonic);
  };
  try {
    await Promise.all([replies.start(), foreignReplies.start()]);
    await consumer.start();
  } catch (error) {
    await stop(0);
    throw error;
  }
  return { health: () => consumer.health(), stop };
}

function createPublishers(broker: Broker, clientId: string, lane: Lane) {
  const create = (purpose: string, deadlineMs?: number): Publisher =>
    broker.createPublisher({
      clientId: `${clientId}-${purpose}`,
      ...(deadlineMs === undefined ? {} : { deadlineMs }),
    });
  return {
    replies: create('replies'),
    foreignReplies: create('foreign-replies', FOREIGN_DEADLINE_MS[lane]),
    largeReplies: startedOnFirstUse(create('large-replies')),
  };
}

/** A publisher that connects with its first message, since most processes do not use it. */
function startedOnFirstUse(publisher: Publisher): Publisher {
  let isStarted = false;
  return {
    start: () => publisher.start(),
    publish: (messages) => {
      // The publisher keeps trying to connect and queues messages meanwhile.
      if (!isStarted) publisher.start().catch(() => undefined);
      isStarted = true;
      return publisher.publish(messages);
    },
    isHealthy: () => publisher.isHealthy(),
    stop: (timeoutMs) => publisher.stop(timeoutMs),
  };
}

/** Batches are served on the bulk lane only; on the interactive lane they would delay single requests. */
function batchHandler(
  { codec, clock, monotonic, timers, config, log }: RequestConsumerContext,
  { lane, requestTopic, handlers, sliceMs }: RequestConsumerOptions,
  onItems: ConsumerMetrics['onBatchItems'],
): Handler {
  if (lane === 'bulk') {
    const slices = new WorkSlices({ sliceMs: sliceMs ?? CONSUMER_DEFAULTS.sliceMs, monotonic, timers });
    return createBatchHandler({ handlers, codec, slices, clock, log, onItems });
  }
  const bulkTopic = findBulkTopic(requestTopic);
  return refuseBatches(bulkTopic === undefined ? undefined : topicName(config.topicPrefix, bulkTopic));
}

/** The bulk topic of the requests on this topic. */
function findBulkTopic(requestTopic: TopicKey): TopicKey | undefined {
  for (const message of MESSAGES) {
    if (message.kind === 'request' && message.requestTopic === requestTopic) return message.bulkRequestTopic;
  }
  return undefined;
}
