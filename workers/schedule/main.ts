import { createConsumer } from '../../shared/messaging/consumer.ts';
import { consumerMetrics } from '../../shared/messaging/consumer-metrics.ts';
import { createRequestHandling } from '../../shared/messaging/request-handling.ts';
import { TOPIC, topicName, type TopicKey } from '../../shared/messaging/topic-names.ts';
import type { RunningWorker, WorkerContext } from '../../shared/platform/worker.ts';
import { handleCalculateRepaymentSchedule } from './handle-calculate-repayment-schedule.ts';

const WORKER = 'schedule';
const MESSAGE_TYPES = [
  'CalculateRepaymentScheduleRequest',
  'CalculateRepaymentScheduleReply',
  'ProblemReply',
];
const OWN_REPLY_TOPICS: readonly TopicKey[] = ['ingressReplies', 'ingressResults'];

/** Starts the schedule worker: consumes schedule requests, computes, replies. Rejects when it cannot begin. */
export async function start(context: WorkerContext): Promise<RunningWorker> {
  const { broker, codec, config, clock, log, metrics } = context;
  const topic = (key: TopicKey): string => topicName(config.topicPrefix, key);
  const groupId = `${config.topicPrefix}plat.${WORKER}.interactive`;
  const topics = [topic('scheduleRequests')];
  await codec.prepare(MESSAGE_TYPES);
  const replies = broker.createPublisher({ clientId: `${WORKER}-replies` });
  const foreignReplies = broker.createPublisher({ clientId: `${WORKER}-foreign-replies` });
  const publishers = [replies, foreignReplies];
  const observe = consumerMetrics(metrics, WORKER);
  const { process } = createRequestHandling({
    handlers: { CalculateRepaymentScheduleRequest: handleCalculateRepaymentSchedule },
    codec,
    replies,
    foreignReplies,
    deadLetters: replies,
    deadLetterTopic: topic('scheduleDeadLetters'),
    groupId,
    admin: broker.admin,
    ownReplyTopics: OWN_REPLY_TOPICS.map(topic),
    internalTopics: (Object.keys(TOPIC) as TopicKey[])
      .filter((key) => !OWN_REPLY_TOPICS.includes(key))
      .map(topic),
    clock,
    log,
    onHandled: observe.onHandled,
  });
  const consumer = createConsumer({
    createSource: () => broker.createGroupSource({ groupId, clientId: `${WORKER}-requests`, topics }),
    process,
    log,
    lanes: config.lanes,
    onBreaker: observe.onBreaker,
  });
  observe.follow(consumer);
  await Promise.all(publishers.map((publisher) => publisher.start()));
  await consumer.start();
  return {
    name: WORKER,
    health: () => consumer.health(),
    stop: async (timeoutMs) => {
      await consumer.stop(timeoutMs);
      await Promise.all(publishers.map((publisher) => publisher.stop(timeoutMs)));
    },
  };
}
