import { expect, it } from 'vitest';
import { createEmbeddedBroker } from '../../../../shared/messaging/embedded/embedded-broker.ts';
import { contentBytes, HEADER } from '../../../../shared/messaging/headers.ts';
import { systemClock } from '../../../../shared/platform/clock.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { systemTimers } from '../../../../shared/platform/timers.ts';
import type { HoldLimits } from '../../../../shared/platform/queues/queue-limits.ts';
import { HoldTopic } from '../../../../workers/notification/ordering/hold-topic.ts';

const TOPIC = 'hold';
const KEY = 'sms/2/6162';

/** Creates hold topics over one topic, each with the identity of its own process. */
async function holds(limits: Partial<HoldLimits> = {}) {
  const broker = createEmbeddedBroker();
  await broker.admin.createTopics([{ topic: TOPIC, partitions: 3, config: { 'cleanup.policy': 'compact' } }]);
  const open = async (self: string): Promise<HoldTopic> => {
    const publisher = broker.createPublisher({ clientId: self });
    await publisher.start();
    const hold = new HoldTopic({
      broker,
      publisher,
      topic: TOPIC,
      clientId: self,
      self,
      clock: systemClock,
      timers: systemTimers,
      log: silentLog,
      limits,
    });
    await hold.start(1_000);
    return hold;
  };
  return { broker, open };
}

const head = (id: string, attempt = 2) => ({ id, attempt, isDeferred: false, sinceMs: 5 });

const follower = (offset: number, value = 'text') => ({
  offset,
  id: `id-${offset}`,
  value: Buffer.from(value),
  headers: { [HEADER.notificationId]: `id-${offset}`, other: 'kept' },
  timestampMs: 1_700_000_000_000 + offset,
});

it('keeps messages up to its limits of a key, a partition and all', async () => {
  const bytesPerPartition = contentBytes(follower(1, 'five5')) + 5;
  const { broker, open } = await holds({
    followersPerKey: 1,
    bytesPerPartition,
    bytes: bytesPerPartition + 5,
  });
  const hold = await open('one');
  expect(hold.hasRoom(KEY, 2, bytesPerPartition + 1)).toBe(false);
  expect(hold.hasRoom(KEY, 2, bytesPerPartition)).toBe(true);
  await hold.keep(KEY, 2, follower(1, 'five5'));
  expect(hold.hasRoom(KEY, 2, 0)).toBe(false);
  expect([5, 6].map((bytes) => hold.hasRoom('sms/2/ff', 2, bytes))).toEqual([true, false]);
  expect([10, 11].map((bytes) => hold.hasRoom('sms/1/ff', 1, bytes))).toEqual([true, false]);
  await broker.close();
});

it('leaves a tenth more room for urgent messages than normal ones may use', async () => {
  const followers = Array.from({ length: 10 }, (_, at) => follower(at + 1));
  const bytes = followers.reduce((sum, each) => sum + contentBytes(each), 0);
  const { broker, open } = await holds({ followers: 10, bytesPerPartition: bytes, bytes });
  const hold = await open('one');
  const key = 'sms-urgent/2/6162';
  for (const each of followers) await hold.keep(KEY, 2, each);
  expect(hold.hasRoom('sms/1/ff', 1, 0)).toBe(false);
  expect(hold.hasRoom(key, 2, Math.floor(bytes * 0.1))).toBe(true);
  expect(hold.hasRoom(key, 2, Math.ceil(bytes * 0.1) + 1)).toBe(false);
  await hold.keep(key, 2, follower(11, 'x'));
  expect(hold.hasRoom(key, 2, 0)).toBe(false);
  await broker.close();
});

it('limits the keys with a head, counts heads that are being written, and always replaces those that it has', async () => {
  const { broker, open } = await holds({ keys: 2 });
  const hold = await open('one');
  const [second, third] = ['sms/1/ff', 'sms/0/ff'] as const;
  await hold.setHead(KEY, 2, head('first'));
  expect(hold.hasRoomForHead(second)).toBe(true);
  const written = hold.setHead(second, 1, head('second'));
  expect(hold.hasRoomForHead(third)).toBe(false);
  await written;
  expect(hold.hasRoomForHead(third)).toBe(false);
  expect(hold.hasRoomForHead(KEY)).toBe(true);
  await hold.setHead(KEY, 2, head('first', 3));
  await hold.keep(KEY, 2, follower(7));
  await hold.endHead(KEY, 2);
  // A key with followers keeps its room, so that the first of them can become the head.
  expect([hold.hasRoomForHead(KEY), hold.hasRoomForHead(third)]).toEqual([true, false]);
  expect(hold.figures().keys).toBe(2);
  await hold.endFollower(KEY, 2, 7);
  expect(hold.hasRoomForHead(third)).toBe(true);
  await broker.close();
});

it('is degraded while it has no room for another key', async () => {
  const { broker, open } = await holds({ keys: 1 });
  const hold = await open('one');
  await hold.setHead(KEY, 2, head('first'));
  expect(hold.health()).toEqual({
    status: 'degraded',
    reason:
      'hold has no room for further receivers: while one of their messages is retried, later ones are sent',
  });
  await hold.endHead(KEY, 2);
  expect(hold.health()).toEqual({ status: 'ready' });
  await broker.close();
});
