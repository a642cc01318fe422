import { DeadLetters } from '../../shared/messaging/handler/dead-letter.ts';
import type { Publisher } from '../../shared/messaging/ports.ts';
import type { Channel, Priority } from '../../shared/notification/command.ts';
import { topicName, type TopicKey } from '../../shared/messaging/topics/topic-list.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { openQuotas, type Quotas } from '../../shared/quotas/quotas.ts';
import { createCommandCheck } from '../../shared/notification/command-proof.ts';
import { chooseResultSecret } from '../runtime/result-secret.ts';
import { openIndex } from '../../shared/messaging/record-index/record-index.ts';
import type { WorkerContext } from '../runtime/worker.ts';
import { stopTogether, type Drainable } from '../../shared/messaging/stop-in-turn.ts';
import { leaseMs } from './delivery/provider-round.ts';
import { Ledger } from './ledger/ledger.ts';
import { PacedPublisher } from './ledger/paced-publisher.ts';
import { HoldTopic } from './ordering/hold-topic.ts';

/** Longest delay that an unavailable foreign reply topic causes; after it, the topic is skipped for a while. */
const FOREIGN_DEADLINE_MS = 3_000;
/** Time limit for the first read of the hold topic. */
const FIRST_READ_MS = 120_000;

/** The topics of the commands, by channel and priority. */
export const CHANNEL_TOPICS: Readonly<Record<Channel, Readonly<Record<Priority, TopicKey>>>> = {
  sms: { normal: 'smsCommands', urgent: 'smsUrgentCommands' },
  email: { normal: 'emailCommands', urgent: 'emailUrgentCommands' },
};

/** The parts that all consumers of the worker share. */
export interface SharedParts {
  /** This process, as owner of intents. */
  readonly self: string;
  readonly ledger: Ledger;
  readonly hold: HoldTopic;
  /** Publishes retry copies, held messages, dead letters and error replies. */
  readonly copies: Publisher;
  readonly foreignReplies: Publisher;
  readonly topic: (key: TopicKey) => string;
  readonly deadLetters: (groupId: string) => DeadLetters;
  readonly checkText: ReturnType<typeof createCommandCheck>;
  /** Undefined: no quota is configured. */
  readonly quotas: Quotas | undefined;
  start(): Promise<void>;
  /** What is to be stopped, in this order. */
  readonly parts: readonly Drainable[];
}

export function createSharedParts(context: WorkerContext): SharedParts {
  const { broker, config, log, codec, clock, monotonic, timers } = context;
  const self = context.newId();
  const topic = (key: TopicKey): string => topicName(config.topicPrefix, key);
  // Intents and outcomes: small records that must not wait behind large ones.
  const states = new PacedPublisher(broker.createPublisher({ clientId: 'notification-states' }), context);
  // Urgent intents are neither paced nor sent behind a request of other records.
  const urgentStates = broker.createPublisher({ clientId: 'notification-urgent-states' });
  const copies = broker.createPublisher({ clientId: 'notification-copies' });
  const foreignReplies = broker.createPublisher({
    clientId: 'notification-foreign-replies',
    deadlineMs: FOREIGN_DEADLINE_MS,
  });
  const publishers = [states, urgentStates, copies, foreignReplies];
  const ledger = new Ledger({
    broker,
    publisher: states,
    urgentPublisher: urgentStates,
    codec,
    topic: topic('notificationOutcomes'),
    clientId: 'notification-ledger',
    indexFile: openIndex(context, 'ledger'),
    indexLimits: { waitingBytes: config.limits.indexWaitingBytes },
    self,
    clock,
    monotonic,
    timers,
    log,
    longestLeaseMs: (providers) => leaseMs(providers, config.notification.sendTimeoutMs),
  });
  const hold = createHold(context, copies, { topic: topic('notificationHold'), self, clock });
  const quotas = openQuotas(context, 'notification-quotas');
  return {
    self,
    quotas,
    checkText: createCommandCheck(secretOf(context)),
    ledger,
    hold,
    copies,
    foreignReplies,
    topic,
    deadLetters: (groupId) =>
      new DeadLetters({ publisher: copies, topic: topic('notificationDeadLetters'), groupId, clock }),
    start: async () => {
      await Promise.all(publishers.map((publisher) => publisher.start()));
      await Promise.all([ledger.start(), hold.start(FIRST_READ_MS), quotas?.start()]);
    },
    parts: [
      stopTogether(publishers),
      stopTogether([ledger, hold, ...(quotas === undefined ? [] : [quotas])]),
    ],
  };
}

/** The secret of the ingress; undefined: on Kafka this process does not have it. */
function secretOf({ broker: { kind }, config, log }: WorkerContext): string | undefined {
  const { resultIdSecret: configured, dataFolder } = config;
  if (kind === 'embedded')
    return chooseResultSecret({ configured, accessRequired: false, brokerKind: kind, dataFolder });
  if (configured === undefined)
    log.warn('RESULT_ID_SECRET is not set: whether the ingress wrote a notification is not verified');
  return configured;
}

function createHold(
  { broker, config, timers, log }: WorkerContext,
  publisher: Publisher,
  options: { readonly topic: string; readonly self: string; readonly clock: Clock },
): HoldTopic {
  const { hold: limits } = config.limits;
  return new HoldTopic({ broker, publisher, ...options, clientId: 'notification-hold', timers, log, limits });
}
