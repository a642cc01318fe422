import { DeadLetters } from '../../shared/messaging/handler/dead-letter.ts';
import type { Publisher } from '../../shared/messaging/ports.ts';
import { topicName, type TopicKey } from '../../shared/messaging/topics/topics.ts';
import { monotonicClock, type Clock } from '../../shared/platform/clock.ts';
import type { WorkerContext } from '../runtime/worker.ts';
import { createJumpResistantClock } from './jump-resistant-clock.ts';
import { leaseMs } from './delivery/provider-round.ts';
import { Ledger } from './ledger/ledger.ts';
import { PacedPublisher } from './ledger/paced-publisher.ts';
import { HoldTopic } from './ordering/hold-topic.ts';

/** A foreign reply topic that cannot be written delays a lane no longer than this; it is then left out for a while. */
const FOREIGN_DEADLINE_MS = 3_000;
/** The first reading of the ledger: three days of outcomes. */
const FIRST_READING_MS = 120_000;

/** The topics of the commands, by channel. */
export const CHANNEL_TOPICS = { sms: 'smsCommands', email: 'emailCommands' } as const;

/** What all consumers of the worker share. */
export interface SharedParts {
  /** This process, as owner of intents. */
  readonly self: string;
  /** Decides how old notifications are; one for all, since it counts from its creation. */
  readonly ageClock: Clock;
  readonly ledger: Ledger;
  readonly hold: HoldTopic;
  /** Copies to tiers and back, held messages, dead letters, error replies. */
  readonly copies: Publisher;
  readonly foreignReplies: Publisher;
  readonly topic: (key: TopicKey) => string;
  readonly deadLetters: (groupId: string) => DeadLetters;
  start(): Promise<void>;
  stop(timeoutMs: number): Promise<void>;
}

export function createSharedParts(context: WorkerContext, self: string): SharedParts {
  const { broker, config, log, codec, clock } = context;
  const ageClock = createJumpResistantClock(clock, monotonicClock);
  const topic = (key: TopicKey): string => topicName(config.topicPrefix, key);
  // Intents and outcomes: small records that must not wait behind large ones.
  const states = new PacedPublisher(broker.createPublisher({ clientId: 'notification-states' }));
  const copies = broker.createPublisher({ clientId: 'notification-copies' });
  const foreignReplies = broker.createPublisher({
    clientId: 'notification-foreign-replies',
    deadlineMs: FOREIGN_DEADLINE_MS,
  });
  const publishers = [states, copies, foreignReplies];
  const ledger = new Ledger({
    broker,
    publisher: states,
    codec,
    topic: topic('notificationOutcomes'),
    clientId: 'notification-ledger',
    self,
    clock,
    ageClock,
    monotonic: monotonicClock,
    log,
    longestLeaseMs: (providers) => leaseMs(providers, config.notification.sendTimeoutMs),
  });
  const hold = new HoldTopic({
    broker,
    publisher: copies,
    topic: topic('notificationHold'),
    clientId: 'notification-hold',
    self,
    log,
  });
  return {
    self,
    ageClock,
    ledger,
    hold,
    copies,
    foreignReplies,
    topic,
    deadLetters: (groupId) =>
      new DeadLetters({ publisher: copies, topic: topic('notificationDeadLetters'), groupId, clock }),
    start: async () => {
      await Promise.all(publishers.map((publisher) => publisher.start()));
      await Promise.all([ledger.start(FIRST_READING_MS), hold.start(FIRST_READING_MS)]);
    },
    stop: async (timeoutMs) => {
      await Promise.all(publishers.map((publisher) => publisher.stop(timeoutMs)));
      await Promise.all([ledger.stop(timeoutMs), hold.stop(timeoutMs)]);
    },
  };
}
