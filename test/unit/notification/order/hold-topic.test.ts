import { expect, it, onTestFinished } from 'vitest';
import { createEmbeddedBroker } from '../../../../shared/messaging/embedded/embedded-broker.ts';
import { contentBytes, headerText, HEADER } from '../../../../shared/messaging/headers.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { QUEUE_LIMITS, type HoldLimits } from '../../../../shared/platform/queue-limits.ts';
import { HoldTopic } from '../../../../workers/notification/order/hold-topic.ts';

const TOPIC = 'hold';
const KEY = { name: 'sms/2/6162', partition: 2 };
const SECOND = { name: 'sms/1/ff', partition: 1 };

async function holds(limits: Partial<HoldLimits> = {}) {
  const broker = createEmbeddedBroker();
  onTestFinished(() => broker.close());
  await broker.admin.createTopics([{ topic: TOPIC, partitions: 3, config: { 'cleanup.policy': 'compact' } }]);
  return async (self: string): Promise<HoldTopic> => {
    const publisher = broker.createPublisher({ clientId: self });
    await publisher.start();
    const names = { topic: TOPIC, clientId: self, self };
    const hold = new HoldTopic({
      ...systemPorts,
      ...names,
      broker,
      publisher,
      log: silentLog,
      limits: { ...QUEUE_LIMITS.hold, ...limits },
    });
    await hold.start(1_000);
    return hold;
  };
}

const FIRST = { sinceMs: 5 };

const waiting = (offset: number, value = 'text') => ({
  offset,
  id: `id-${offset}`,
  value: Buffer.from(value),
  headers: { [HEADER.notificationId]: `id-${offset}`, other: 'kept' },
  timestampMs: 1_700_000_000_000 + offset,
});

it('keeps messages up to its limits of a key, a partition and all, in their order', async () => {
  const bytesPerPartition = contentBytes(waiting(9, 'five5')) + 5;
  const open = await holds({ followersPerKey: 1, bytesPerPartition, bytes: bytesPerPartition + 5 });
  const hold = await open('one');
  expect(hold.hasRoom(KEY, bytesPerPartition + 1)).toBe(false);
  expect(hold.hasRoom(KEY, bytesPerPartition)).toBe(true);
  await hold.keep(KEY, waiting(9, 'five5'));
  expect(hold.hasRoom(KEY, 0)).toBe(false);
  const other = { name: 'sms/2/ff', partition: 2 };
  expect([5, 6].map((bytes) => hold.hasRoom(other, bytes))).toEqual([true, false]);
  expect([10, 11].map((bytes) => hold.hasRoom(SECOND, bytes))).toEqual([true, false]);
  await hold.keep(KEY, waiting(1));
  const read = (await open('another')).get(KEY.name)?.waiting ?? [];
  expect(read).toMatchObject([1, 9].map((offset) => ({ offset, id: `id-${offset}` })));
  const texts = read.map(({ value, headers }) => `${value.toString()} ${headerText(headers, 'other')}`);
  expect(texts).toEqual(['text kept', 'five5 kept']);
});

it.each<Partial<HoldLimits>>([{ followers: 1 }, { bytes: contentBytes(waiting(1)) }])(
  'counts the messages that are being written: %o',
  async (limits) => {
    const hold = await (await holds(limits))('one');
    const written = hold.keep(KEY, waiting(1));
    expect(hold.hasRoom(SECOND, 1)).toBe(false);
    await written;
    await hold.remove(KEY, 1);
    expect(hold.hasRoom(SECOND, 1)).toBe(true);
  },
);

it('leaves a tenth more room for urgent messages than normal ones may use', async () => {
  const messages = Array.from({ length: 10 }, (_, at) => waiting(at + 1));
  const bytes = messages.reduce((sum, each) => sum + contentBytes(each), 0);
  const hold = await (await holds({ followers: 10, bytesPerPartition: bytes, bytes }))('one');
  const urgent = { name: 'sms-urgent/2/6162', partition: 2 };
  for (const each of messages) await hold.keep(KEY, each);
  expect(hold.hasRoom(SECOND, 0)).toBe(false);
  expect(hold.hasRoom(urgent, Math.floor(bytes * 0.1))).toBe(true);
  expect(hold.hasRoom(urgent, Math.ceil(bytes * 0.1) + 1)).toBe(false);
  await hold.keep(urgent, waiting(11, 'x'));
  expect(hold.hasRoom(urgent, 0)).toBe(false);
});

it('limits the keys, counts those that are being written, and always takes a first notification of those that it has', async () => {
  const hold = await (await holds({ keys: 2 }))('one');
  const third = { name: 'sms/0/ff', partition: 0 };
  await hold.setFirst(KEY, 'first', FIRST);
  expect(hold.hasRoomForFirst(SECOND)).toBe(true);
  const written = hold.setFirst(SECOND, 'second', FIRST);
  expect(hold.hasRoomForFirst(third)).toBe(false);
  await written;
  expect([third, KEY].map((key) => hold.hasRoomForFirst(key))).toEqual([false, true]);
  const reason =
    'hold has no room for further receivers: while one of their messages is retried, later ones are sent';
  expect(hold.health()).toEqual({ status: 'degraded', reason });
  await hold.keep(KEY, waiting(7));
  await hold.endFirst(KEY, 'first');
  // A key with waiting messages keeps its room, so that others can wait for the next of them.
  expect([KEY, third].map((key) => hold.hasRoomForFirst(key))).toEqual([true, false]);
  expect(hold.figures().keys).toBe(2);
  await hold.remove(KEY, 7);
  expect(hold.hasRoomForFirst(third)).toBe(true);
  expect(hold.health()).toEqual({ status: 'ready' });
});
