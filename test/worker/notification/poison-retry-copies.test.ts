import { expect, it, onTestFinished } from 'vitest';
import { DeadLetters } from '../../../shared/messaging/handler/dead-letter.ts';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { MessageHeaders, OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Broker, BrokerErrorCode } from '../../../shared/messaging/ports.ts';
import { retryTopicName, TOPIC, topicName } from '../../../shared/messaging/topics/topic-list.ts';
import { systemClock } from '../../../shared/platform/system-ports.ts';
import { MessagingError } from '../../../shared/platform/errors.ts';
import type { StartWorker } from '../../../workers/runtime/worker.ts';
import type { SharedParts } from '../../../workers/notification/shared-parts.ts';
import { startTier } from '../../../workers/notification/retry-tier.ts';
import { refusingBroker } from '../../support/fakes/refusing-broker.ts';
import { transient, unknown } from '../../support/fakes/scripted-providers.ts';
import { idOf, notificationWorld } from '../../support/worlds/notification-world.ts';
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
  const { consumer } = await startTier(context, shared, {
    delayMs: DELAY_MS,
    priority: 'normal',
    deliveries,
  });
  return { name: 'tier', health: () => consumer.health(), stop: (timeoutMs) => consumer.stop(timeoutMs) };
};

async function countOf(broker: Broker, topic: string): Promise<number> {
  return (await broker.admin.offsets(topic)).reduce((sum, { high }) => sum + high, 0);
}

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
      // Half of them have the key of a copy that cannot be returned.
      key: index % 2 === 0 ? `3-${index}` : name,
      value: Buffer.from('a command'),
      headers: { ...GOOD_HEADERS, name },
    })),
  );
  const worker = await startOn(broker, tierAlone);
  await expect.poll(() => names.filter((name) => !returned.has(name)), { timeout: 25_000 }).toEqual([]);
  expect(await countOf(broker, TOPIC.notificationDeadLetters)).toBe(KINDS.length * POISON);
  expect(worker.health().status).toBe('ready');
});

it.each([
  ['was not sent', transient(), 'failed', 'undecodable-message'],
  ['may have been sent', unknown(), 'parked', 'outcome-unknown'],
] as const)(
  'ends a notification that %s when its copy cannot return, after a restart of the worker',
  async (_, result, status, code) => {
    const world = await notificationWorld({ tiersMs: [50] });
    world.providers.add('only', { isIdempotent: true }).answer = () => result;
    const workerThatGets = (returning: BrokerErrorCode) => {
      const fault = new MessagingError(returning, 'no', { canRetry: false });
      const broker = refusingBroker(world.broker, (_client, [message]) =>
        message?.topic === TOPIC.smsCommands ? fault : undefined,
      );
      return world.worker({ broker });
    };
    const first = await workerThatGets('broker-refused');
    await world.sms({ id: idOf(1) });
    await expect.poll(() => world.states.get(idOf(1))?.status, { timeout: 4_000 }).toBe('retrying');
    await first.stop(1_000);
    expect(world.deadLetters).toEqual([]);
    await workerThatGets('message-too-large');
    await expect.poll(() => world.states.get(idOf(1)), { timeout: 8_000 }).toMatchObject({ status, code });
    await expect.poll(() => world.deadLetters.length, { timeout: 4_000 }).toBe(1);
    const { value = null, headers = {} } = world.deadLetters[0] ?? {};
    expect(value?.length).toBeGreaterThan(0);
    expect(headerText(headers, HEADER.deadLetterCode)).toBe(code);
    expect(headerText(headers, HEADER.retryTopic)).toBe(TOPIC.smsCommands);
    expect(headerText(headers, HEADER.attempt)).toBe('2');
    expect(world.providers.calls).toHaveLength(1);
  },
);
