import { DeadLetters } from '../../shared/messaging/handler/dead-letter.ts';
import { Consumer } from '../../shared/messaging/consumer/consumer.ts';
import type { RuntimeOptions } from '../../shared/messaging/consumer/consumer-runtime.ts';
import type { ConsumerMetrics } from '../../shared/messaging/handler/consumer-metrics.ts';
import type { Channel, Priority } from '../../shared/notification/notification-command.ts';
import type { Providers } from '../../shared/notification/provider.ts';
import { topicName, type TopicKey } from '../../shared/messaging/topics/topic-list.ts';
import { Suppressions } from '../../shared/suppressions/suppressions.ts';
import { openQuotas } from '../../shared/quotas/quotas.ts';
import { createCommandCheck } from '../../shared/notification/command-proof.ts';
import { chooseResultSecret } from '../runtime/result-secret.ts';
import { openIndex } from '../../shared/messaging/record-index/record-index.ts';
import type { WorkerContext } from '../runtime/worker.ts';
import { stopTogether } from '../../shared/messaging/start-stop-order.ts';
import { leaseMs } from './delivery/provider-round.ts';
import { DeliveryLog } from './state/delivery-log.ts';
import { PacedPublisher } from './state/paced-publisher.ts';
import { HoldTopic } from './order/hold-topic.ts';
import { createUpstreamTemplates } from './upstream-templates.ts';
import { VerifyRequests } from './verification/verify-requests.ts';

/** Time limit for a reply to another system, whose topic may be unavailable. */
const FOREIGN_DEADLINE_MS = 3_000;
const FIRST_READ_MS = 120_000;

export const CHANNEL_TOPICS: Readonly<Record<Channel, Readonly<Record<Priority, TopicKey>>>> = {
  sms: { normal: 'smsCommands', urgent: 'smsUrgentCommands' },
  email: { normal: 'emailCommands', urgent: 'emailUrgentCommands' },
};

export type SharedParts = ReturnType<typeof createSharedParts>;

export function createSharedParts(context: WorkerContext, providers: Providers) {
  const { broker, config, clock } = context;
  const self = context.newId();
  const topic = (key: TopicKey): string => topicName(config.topicPrefix, key);
  // Intents and outcomes are small records that must not wait behind large ones.
  const states = new PacedPublisher(broker.createPublisher({ clientId: 'notification-states' }), context);
  // Urgent intents are not paced, and do not wait for requests with other records.
  const urgentStates = broker.createPublisher({ clientId: 'notification-urgent-states' });
  const copies = broker.createPublisher({ clientId: 'notification-copies' });
  const ofForeign = { clientId: 'notification-foreign-replies', deadlineMs: FOREIGN_DEADLINE_MS };
  const foreignReplies = broker.createPublisher(ofForeign);
  const publishers = [states, urgentStates, copies, foreignReplies];
  const deliveryLog = new DeliveryLog({
    ...context,
    publisher: states,
    urgentPublisher: urgentStates,
    topic: topic('notificationOutcomes'),
    clientId: 'notification-ledger',
    indexFile: openIndex(context, 'ledger'),
    indexLimits: { waitingBytes: config.limits.indexWaitingBytes },
    self,
    longestLeaseMs: (count) => leaseMs(count, config.notification.sendTimeoutMs),
  });
  const hold = new HoldTopic({
    ...context,
    publisher: copies,
    topic: topic('notificationHold'),
    clientId: 'notification-hold',
    self,
    limits: config.limits.hold,
  });
  const { lists, proofs: secret } = secretsOf(context);
  const quotas = openQuotas(context, 'notification-quotas');
  const suppressions = new Suppressions(context, { clientId: 'notification-suppressions', secret: lists });
  const checkText = createCommandCheck(secret);
  const templates = createUpstreamTemplates(context, checkText);
  const given = { self, quotas, suppressions, templates, checkText, hold, deliveryLog, copies, topic };
  const own = { providers, commandTopic: (channel: Channel) => topic(CHANNEL_TOPICS[channel].urgent) };
  const verification =
    secret === undefined ? undefined : new VerifyRequests({ ...context, ...given, ...own, secret });
  const optional = [quotas, verification?.log].filter((part) => part !== undefined);
  return {
    ...given,
    /** Undefined without a secret: then nothing can be verified, and lists show no receivers. */
    verification,
    receiverHash: verification?.receivers.hashOf,
    foreignReplies,
    deadLetters: (groupId: string) =>
      new DeadLetters({ publisher: copies, topic: topic('notificationDeadLetters'), groupId, clock }),
    start: async (): Promise<void> => {
      await Promise.all(publishers.map((publisher) => publisher.start()));
      await Promise.all([deliveryLog.start(), hold.start(FIRST_READ_MS), quotas?.start()]);
      await Promise.all([suppressions.start(), verification?.log.start()]);
    },
    parts: [
      stopTogether(publishers),
      stopTogether([deliveryLog, hold, suppressions, templates, ...optional]),
    ],
  };
}

/** The secrets of the ingress. On Kafka without RESULT_ID_SECRET, that of lists is fixed, and that of proofs unknown. */
function secretsOf({ broker: { kind: brokerKind }, config, log }: WorkerContext) {
  const { resultIdSecret: configured, dataFolder } = config;
  const lists = chooseResultSecret({ configured, accessRequired: false, brokerKind, dataFolder });
  if (configured !== undefined || brokerKind === 'embedded') return { lists, proofs: lists };
  log.warn('RESULT_ID_SECRET is not set: whether the ingress wrote a notification is not verified');
  return { lists, proofs: undefined };
}

export interface ConsumedTopic {
  readonly groupId: string;
  readonly clientId: string;
  readonly topic: string | readonly string[];
  readonly observe: ConsumerMetrics;
}

export async function startConsumer(
  context: WorkerContext,
  { groupId, clientId, topic, observe }: ConsumedTopic,
  options: Pick<RuntimeOptions, 'process' | 'concurrency' | 'sliceMs' | 'window' | 'stallMs' | 'gate'>,
): Promise<Consumer> {
  const reads = { groupId, topics: [topic].flat() };
  const createSource = () => context.broker.createGroupSource({ ...reads, clientId });
  const consumer = new Consumer({ ...context, ...options, createSource, reads });
  observe.follow(consumer);
  await consumer.start();
  return consumer;
}
