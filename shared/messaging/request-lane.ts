import { createConsumer, type Consumer } from './consumer.ts';
import { consumerMetrics } from './consumer-metrics.ts';
import type { Handlers } from './handle-by-type.ts';
import { createRequestHandling } from './request-handling.ts';
import { internalTopics, ownReplyTopics } from './reply-topics.ts';
import { topicName, type TopicKey } from './topic-names.ts';
import type { Health, WorkerContext } from '../platform/worker.ts';

/** A foreign reply topic that cannot be written costs the lane no longer than this; it is then spared for a while. */
const FOREIGN_DEADLINE_MS = 3_000;

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
  const { broker, config, log, metrics } = context;
  const { worker, lane, requestTopic, handlers, sliceMs } = options;
  const topic = (key: TopicKey): string => topicName(config.topicPrefix, key);
  const groupId = `${config.topicPrefix}plat.${worker}.${lane}`;
  const clientId = `${worker}-${lane}`;
  const replies = broker.createPublisher({ clientId: `${clientId}-replies` });
  const foreignReplies = broker.createPublisher({
    clientId: `${clientId}-foreign-replies`,
    deadlineMs: FOREIGN_DEADLINE_MS,
  });
  const observe = consumerMetrics(metrics, clientId);
  const { process } = createRequestHandling({
    handlers,
    codec: context.codec,
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
