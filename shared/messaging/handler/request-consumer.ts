import { MESSAGES } from '../../../schemas/messages.ts';
import type { Config } from '../../platform/load-config.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { stopInTurn, stopTogether } from '../start-stop-order.ts';
import type { SystemPorts } from '../../platform/system-ports.ts';
import type { Codec } from '../codec.ts';
import { REQUEST_BATCH } from '../codec/request-batch.ts';
import { Consumer } from '../consumer/consumer.ts';
import { CONSUMER_DEFAULTS } from '../consumer/consumer-runtime.ts';
import type { Broker } from '../ports.ts';
import { requestGroup } from '../topics/consumer-groups.ts';
import { replyTopicRule } from '../topics/reply-topic-rule.ts';
import { ownReplyTopics, topicName, type TopicKey } from '../topics/topic-list.ts';
import { createBatchHandler, refuseBatches } from './batch-handler.ts';
import { consumerMetrics, type ConsumerMetrics } from './consumer-metrics.ts';
import { createRequestHandling } from './request-handling.ts';
import type { Handler, Handlers } from './request.ts';
import { WorkSlices } from './work-slices.ts';

type Lane = 'interactive' | 'bulk';

export interface RequestConsumerOptions {
  readonly worker: string;
  /** Part of the name of the consumer group, which owns the committed offsets and must not change. */
  readonly lane: Lane;
  readonly requestTopic: TopicKey;
  readonly deadLetterTopic: TopicKey;
  readonly handlers: Handlers;
  readonly sliceMs?: number;
  /** True if requests hold secrets, such as codes: dead letters then lack the value. */
  readonly isSecret?: boolean;
}

interface RequestConsumerContext extends Omit<SystemPorts, 'newId'> {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly broker: Broker;
  readonly codec: Codec;
}

/** One batch is calculated while others are decoded or acknowledged. More would only occupy memory. */
const MAX_BATCHES_IN_PROGRESS = 4;

/** Publish deadlines of replies to foreign topics. The bulk deadline allows for a leader election (9 s by default). */
const FOREIGN_DEADLINE_MS: Readonly<Record<Lane, number>> = { interactive: 3_000, bulk: 30_000 };

export type RequestConsumer = Awaited<ReturnType<typeof startRequestConsumer>>;

/** Starts a consumer with its own publishers. If that fails, stops everything again and then rejects. */
export async function startRequestConsumer(context: RequestConsumerContext, options: RequestConsumerOptions) {
  const { broker, codec, config, metrics, monotonic } = context;
  const { worker, lane, handlers, sliceMs } = options;
  const prefix = config.topicPrefix;
  const topics = [topicName(prefix, options.requestTopic)];
  const groupId = requestGroup(prefix, worker, lane);
  const clientId = `${worker}-${lane}`;
  const replies = broker.createPublisher({ clientId: `${clientId}-replies` });
  const deadlineMs = FOREIGN_DEADLINE_MS[lane];
  const foreignReplies = broker.createPublisher({ clientId: `${clientId}-foreign-replies`, deadlineMs });
  const observe = consumerMetrics(metrics, clientId);
  const { process } = createRequestHandling({
    ...context,
    ...observe,
    replies,
    foreignReplies,
    handlers: { ...handlers, [REQUEST_BATCH]: batchHandler(context, options, observe.onBatchItems) },
    deadLetters: {
      publish: (messages) =>
        replies.publish(
          options.isSecret === true ? messages.map((one) => ({ ...one, value: null })) : messages,
        ),
    },
    deadLetterTopic: topicName(prefix, options.deadLetterTopic),
    groupId,
    admin: broker.admin,
    ownReplyTopics: ownReplyTopics(prefix),
    mayReplyTo: replyTopicRule(prefix, config.replyTopics),
  });
  const batchWeight = Math.max(1, config.concurrency / MAX_BATCHES_IN_PROGRESS);
  const consumer = new Consumer({
    ...context,
    createSource: () => broker.createGroupSource({ groupId, clientId, topics }),
    process,
    concurrency: config.concurrency,
    weigh: (message) => (codec.isBatch(message) ? batchWeight : 1),
    window: config.limits.requestWindow,
    reads: { groupId, topics },
    ...(sliceMs === undefined ? {} : { sliceMs }),
  });
  observe.follow(consumer);
  const stop = (timeoutMs: number): Promise<void> =>
    stopInTurn([consumer, stopTogether([replies, foreignReplies])], timeoutMs, monotonic);
  try {
    await Promise.all([replies.start(), foreignReplies.start()]);
    await consumer.start();
  } catch (error) {
    await stop(0);
    throw error;
  }
  return { health: () => consumer.health(), stop };
}

/** Batches are served on the bulk lane only. On the interactive lane they would delay single requests. */
function batchHandler(
  { codec, clock, monotonic, timers, config, log }: RequestConsumerContext,
  { lane, requestTopic, handlers, sliceMs }: RequestConsumerOptions,
  onItems: ConsumerMetrics['onBatchItems'],
): Handler {
  if (lane === 'bulk') {
    const slices = new WorkSlices({ sliceMs: sliceMs ?? CONSUMER_DEFAULTS.sliceMs, monotonic, timers });
    return createBatchHandler({ handlers, codec, slices, clock, log, onItems });
  }
  const message = MESSAGES.find((one) => one.kind === 'request' && one.requestTopic === requestTopic);
  const bulkTopic = message?.kind === 'request' ? message.bulkRequestTopic : undefined;
  return refuseBatches(bulkTopic === undefined ? undefined : topicName(config.topicPrefix, bulkTopic));
}
