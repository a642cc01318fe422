import { expect, it, onTestFinished } from 'vitest';
import { DeadLetters } from '../../../shared/messaging/handler/dead-letter.ts';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { MessageHeaders, OutgoingMessage } from '../../../shared/messaging/message.ts';
import { retryTopicName, TOPIC, topicName } from '../../../shared/messaging/topics/topic-list.ts';
import { systemClock } from '../../../shared/platform/system-ports.ts';
import type { StartWorker } from '../../../workers/runtime/worker.ts';
import type { SharedParts } from '../../../workers/notification/shared-parts.ts';
import { startTier } from '../../../workers/notification/retry-tier.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';

const DELAY_MS = 1_000;
const TIER = retryTopicName('', DELAY_MS);
const PARTITIONS = 3;
/** Of each kind: together more than a partition holds in memory, so that the good copies are out of sight behind them. */
const POISON = 1_200;
const GOOD = 38;
const YEAR_MS = 365 * 24 * 3_600_000;

const GOOD_HEADERS = {
  [HEADER.retryTopic]: TOPIC.smsCommands,
  [HEADER.retryPartition]: '0',
  [HEADER.dueAt]: '0',
};
const KINDS: readonly MessageHeaders[] = [
  {},
  { ...GOOD_HEADERS, [HEADER.retryTopic]: 'unknown.topic' },
  { ...GOOD_HEADERS, [HEADER.retryPartition]: '-1' },
  { ...GOOD_HEADERS, [HEADER.retryPartition]: '99' },
];

const nameOf: SharedParts['topic'] = (key) => topicName('', key);

/** Only the consumer of the tier. */
const tierAlone: StartWorker = async (context) => {
  const copies = context.broker.createPublisher({ clientId: 'copies' });
  await copies.start();
  const deadLetters: SharedParts['deadLetters'] = (groupId) =>
    new DeadLetters({ publisher: copies, topic: TOPIC.notificationDeadLetters, groupId, clock: systemClock });
  const shared = { topic: nameOf, copies, deadLetters } as SharedParts;
  // Copies without an id of a notification need neither delivery log nor delivery.
  const deliveries = {} as Parameters<typeof startTier>[2]['deliveries'];
  const tier = { delayMs: DELAY_MS, priority: 'normal', deliveries } as const;
  const { consumer } = await startTier(context, shared, tier);
  return { name: 'tier', health: () => consumer.health(), stop: (timeoutMs) => consumer.stop(timeoutMs) };
};

it('returns the good copies behind thousands that cannot be returned or are due in a year', async () => {
  const broker = await createSharedBroker(PARTITIONS);
  await broker.admin.createTopics([{ topic: TIER, partitions: PARTITIONS }]);
  const publisher = broker.createPublisher({ clientId: 'writer' });
  await publisher.start();
  onTestFinished(() => publisher.stop());
  const returned = new Set<string>();
  const tail = broker.createTail({ clientId: 'reader', topics: [TOPIC.smsCommands], from: 'earliest' });
  await tail.start(({ headers }) => returned.add(headerText(headers, 'name') ?? ''));
  const farAway = { ...GOOD_HEADERS, [HEADER.dueAt]: String(Date.now() + YEAR_MS) };
  const copies = [...KINDS, farAway].flatMap((headers, kind) =>
    Array.from({ length: POISON }, (_, index): OutgoingMessage => {
      const key = `${kind}-${index}`;
      return { topic: TIER, key, value: Buffer.from('not a command'), headers };
    }),
  );
  await publisher.publish(copies);
  const names = Array.from({ length: GOOD }, (_, index) => `good-${index}`);
  await publisher.publish(
    names.map((name, index) => ({
      topic: TIER,
      key: index % 2 === 0 ? `3-${index}` : name,
      value: Buffer.from('a command'),
      headers: { ...GOOD_HEADERS, name },
    })),
  );
  const worker = await startOn(broker, tierAlone);
  await expect.poll(() => names.filter((name) => !returned.has(name)), { timeout: 25_000 }).toEqual([]);
  const letters = await broker.admin.offsets(TOPIC.notificationDeadLetters);
  expect(letters.reduce((sum, { high }) => sum + high, 0)).toBe(KINDS.length * POISON);
  expect(worker.health().status).toBe('ready');
});
