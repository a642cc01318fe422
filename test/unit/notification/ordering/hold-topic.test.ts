import { expect, it, vi } from 'vitest';
import { createEmbeddedBroker } from '../../../../shared/messaging/embedded/broker.ts';
import { HEADER } from '../../../../shared/messaging/header-names.ts';
import { headerText } from '../../../../shared/messaging/headers.ts';
import type { LogMessage } from '../../../../shared/messaging/message.ts';
import { systemClock } from '../../../../shared/platform/clock.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { systemTimers } from '../../../../shared/platform/timers.ts';
import type { HoldLimits } from '../../../../shared/platform/queues/queue-limits.ts';
import { HoldTopic } from '../../../../workers/notification/ordering/hold-topic.ts';
import {
  followerBytes,
  followerRecord,
  holdKey,
  readHoldRecord,
} from '../../../../workers/notification/ordering/hold-records.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';

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

const follower = (offset: number, value: string | undefined = 'text') => ({
  offset,
  id: `id-${offset}`,
  value: value === undefined ? undefined : Buffer.from(value),
  headers: { [HEADER.notificationId]: `id-${offset}`, other: 'kept' },
  timestampMs: 1_700_000_000_000 + offset,
});

it('shows written records to the writer immediately, and to other processes in the same order', async () => {
  const { broker, open } = await holds();
  const one = await open('one');
  const other = await open('other');
  await one.setHead(KEY, 2, { id: 'head', attempt: 2, isDeferred: false, sinceMs: 5 });
  await one.keep(KEY, 2, follower(11));
  await one.keep(KEY, 2, follower(9));
  await one.keep(KEY, 2, { ...follower(10), value: undefined });
  expect(one.get(KEY)?.followers.map(({ offset }) => offset)).toEqual([9, 10, 11]);
  await other.caughtUp(1_000);
  const late = await open('late');
  for (const hold of [other, late]) {
    expect(hold.get(KEY)).toMatchObject({
      partition: 2,
      head: { id: 'head', attempt: 2, isDeferred: false },
    });
    expect(hold.get(KEY)?.followers.map(({ id, value }) => [id, value?.toString()])).toEqual([
      ['id-9', 'text'],
      ['id-10', undefined],
      ['id-11', 'text'],
    ]);
    const [{ headers } = { headers: {} }] = hold.get(KEY)?.followers ?? [];
    expect(headerText(headers, 'other')).toBe('kept');
    expect(headerText(headers, HEADER.notificationId)).toBe('id-9');
    const bytes = Buffer.byteLength(`text${HEADER.notificationId}id-9otherkept`) * 2 + '1'.length;
    expect(hold.figures()).toMatchObject({ keys: 1, followers: 3, bytes });
  }
  await one.endHead(KEY, 2);
  for (const offset of [9, 10, 11]) await one.endFollower(KEY, 2, offset);
  expect(one.has(KEY)).toBe(false);
  expect(one.figures()).toMatchObject({ keys: 0, followers: 0, bytes: 0 });
  await broker.close();
});

it('ignores a head that was written before the present one and arrives after it', async () => {
  const { broker, open } = await holds();
  const one = await open('one');
  const other = await open('other');
  await one.setHead(KEY, 2, { id: 'first', attempt: 2, isDeferred: false, sinceMs: 5 });
  await one.endHead(KEY, 2);
  const written: LogMessage[] = [];
  const ranges = [{ topic: TOPIC, partition: 2, from: 0, to: 2 }];
  await broker.readRanges(ranges, (message) => {
    written.push(message);
    return 'more';
  });
  await one.setHead(KEY, 2, { id: 'second', attempt: 2, isDeferred: false, sinceMs: 6 });
  const publisher = broker.createPublisher({ clientId: 'overtaken' });
  await publisher.start();
  for (const { topic, partition, key, value, headers } of written) {
    await publisher.publish([{ topic, partition, key, value, headers }]);
    await other.caughtUp(1_000);
    await one.caughtUp(1_000);
    expect([one, other].map((hold) => hold.get(KEY)?.head?.id)).toEqual(['second', 'second']);
  }
  await other.setHead(KEY, 2, { id: 'third', attempt: 2, isDeferred: false, sinceMs: 7 });
  expect(other.get(KEY)?.head?.id).toBe('third');
  await broker.close();
});

it('ignores a head that another process writes late, and keeps the present one in a compacted topic', async () => {
  const { broker, open } = await holds();
  const slow = await open('slow');
  const owner = await open('owner');
  await slow.setHead(KEY, 2, head('first'));
  await owner.caughtUp(1_000);
  const tail = broker.createTail({ clientId: 'reader', topics: [TOPIC], from: 'earliest' });
  const ids: (string | undefined)[] = [];
  await tail.start(({ headers }) => void ids.push(headerText(headers, HEADER.notificationId)));
  // Both are written before either process has read them.
  const [, late] = await Promise.allSettled([
    owner.setHead(KEY, 2, head('second')),
    slow.setHead(KEY, 2, head('first', 3)),
  ]);
  expect(late).toMatchObject({ status: 'rejected', reason: { code: 'head-replaced', canRetry: true } });
  await vi.waitFor(() => expect(ids).toEqual(['first', 'second', 'first', 'second']));
  await Promise.all([slow.caughtUp(1_000), owner.caughtUp(1_000)]);
  expect([slow, owner].map((hold) => hold.get(KEY)?.head?.id)).toEqual(['second', 'second']);
  await slow.setHead(KEY, 2, head('third'));
  expect(owner.get(KEY)?.head?.id).toBe('third');
  await broker.close();
});

it('ignores the end of an earlier head that another process writes late', async () => {
  const { broker, open } = await holds();
  const slow = await open('slow');
  const owner = await open('owner');
  await slow.setHead(KEY, 2, { id: 'first', attempt: 2, isDeferred: false, sinceMs: 5 });
  await owner.caughtUp(1_000);
  // Both are written before either process has read them.
  await Promise.all([
    owner.setHead(KEY, 2, { id: 'second', attempt: 2, isDeferred: false, sinceMs: 6 }),
    slow.endHead(KEY, 2),
  ]);
  await Promise.all([slow.caughtUp(1_000), owner.caughtUp(1_000)]);
  expect([slow, owner].map((hold) => hold.get(KEY)?.head?.id)).toEqual(['second', 'second']);
  await owner.endHead(KEY, 2);
  expect(owner.has(KEY)).toBe(false);
  await broker.close();
});

it.each<[string, (hold: HoldTopic) => Promise<void>]>([
  ['a head', (hold) => hold.setHead(KEY, 2, head('first', 3))],
  ['the end of one', (hold) => hold.endHead(KEY, 2)],
])('has the present head where compaction removed its record before the late one of %s', async (_, write) => {
  const { broker, open } = await holds();
  const [slow, owner] = [await open('slow'), await open('owner')];
  await slow.setHead(KEY, 2, head('first'));
  await owner.caughtUp(1_000);
  // Both are written before either process has read them.
  await Promise.allSettled([owner.setHead(KEY, 2, head('second')), write(slow)]);
  const log: LogMessage[] = [];
  const tail = broker.createTail({ clientId: 'reader', topics: [TOPIC], from: 'earliest' });
  await tail.start((message) => void log.push(message));
  await expect.poll(() => log.length).toBe(4);
  const compacted = await holds();
  const publisher = compacted.broker.createPublisher({ clientId: 'test' });
  await publisher.start();
  for (const { topic, partition, key, value, headers } of log.slice(2))
    await publisher.publish([{ topic, partition, key, value, headers }]);
  const fresh = await compacted.open('fresh');
  expect([owner, fresh].map((hold) => hold.get(KEY)?.head?.id)).toEqual(['second', 'second']);
  await Promise.all([broker.close(), compacted.broker.close()]);
});

it('keeps whole messages up to its limits, then positions only, then nothing', async () => {
  const bytesPerPartition = followerBytes(follower(1, 'five5')) + 5;
  const { broker, open } = await holds({
    followersPerKey: 2,
    placesPerKey: 3,
    bytesPerPartition,
    bytes: 100,
  });
  const hold = await open('one');
  expect(hold.room(KEY, 2, bytesPerPartition + 1)).toBe('place');
  expect(hold.room(KEY, 2, bytesPerPartition)).toBe('whole');
  await hold.keep(KEY, 2, follower(1, 'five5'));
  expect(hold.room(KEY, 2, 5)).toBe('whole');
  expect(hold.room('sms/2/ff', 2, 6)).toBe('place');
  expect(hold.room('sms/1/ff', 1, 10)).toBe('whole');
  await hold.keep(KEY, 2, follower(2, ''));
  expect(hold.room(KEY, 2, 0)).toBe('place');
  await hold.keep(KEY, 2, { ...follower(3), value: undefined });
  expect(hold.room(KEY, 2, 0)).toBe('none');
  await broker.close();
});

it('counts messages that are being written, so that concurrent ones do not exceed the limits', async () => {
  const size = followerBytes(follower(1, '123456'));
  const bytes = size + 4;
  const { broker, open } = await holds({ places: 3, bytesPerPartition: 100, bytes });
  const hold = await open('one');
  const first = hold.keep(KEY, 2, follower(1, '123456'));
  expect(hold.room('sms/1/ff', 1, 5)).toBe('place');
  const others = [2, 3].map((offset) => hold.keep('sms/1/ff', 1, { ...follower(offset), value: undefined }));
  expect(hold.room('sms/0/ff', 0, 0)).toBe('none');
  await Promise.all([first, ...others]);
  expect(hold.figures()).toMatchObject({ keys: 2, followers: 3, bytes: size });
  await broker.close();
});

it('leaves a tenth more room for urgent messages than normal ones may use', async () => {
  const followers = Array.from({ length: 10 }, (_, at) => follower(at + 1));
  const bytes = followers.reduce((sum, each) => sum + followerBytes(each), 0);
  const { broker, open } = await holds({ places: 10, bytesPerPartition: bytes, bytes });
  const hold = await open('one');
  const key = 'sms-urgent/2/6162';
  for (const each of followers) await hold.keep(KEY, 2, each);
  expect(hold.room('sms/1/ff', 1, 0)).toBe('none');
  expect(hold.room(key, 2, Math.floor(bytes * 0.1))).toBe('whole');
  expect(hold.room(key, 2, Math.ceil(bytes * 0.1))).toBe('place');
  await hold.keep(key, 2, follower(11, 'x'));
  expect(hold.get(key)?.followers.map(({ id }) => id)).toEqual(['id-11']);
  expect(hold.room(key, 2, 0)).toBe('none');
  await broker.close();
});

it('keeps the bytes of a message only, not the fetch response with it', () => {
  const response = Buffer.alloc(1_048_576);
  let used = 0;
  const slice = (text: string): Buffer => {
    const start = used;
    used += response.write(text, start);
    return response.subarray(start, used);
  };
  const headers = { one: slice('1'), repeated: [slice('2'), slice('3')], text: '4', none: undefined };
  const message = { ...fakeMessage(9, { key: `${KEY}/0000000000000007` }), value: slice('text'), headers };
  const record = readHoldRecord(message, 0);
  if (record?.kind !== 'follower' || record.follower === undefined) throw new Error('no follower');
  const { value, headers: kept } = record.follower;
  expect(value?.toString()).toBe('text');
  expect(kept).toEqual({ one: Buffer.from('1'), repeated: [Buffer.from('2'), Buffer.from('3')], text: '4' });
  const buffers = [value, ...Object.values(kept).flat()].filter((each) => Buffer.isBuffer(each));
  expect(buffers.map(({ buffer }) => buffer.byteLength)).toEqual([7, 7, 7, 7]);
});

it('keeps of a message on a retry tier only its place and attempt, which take no bytes', () => {
  const place = { ...follower(7), value: undefined };
  const headers = { ...place.headers, [HEADER.attempt]: '3' };
  const { headers: written, ...sent } = followerRecord(TOPIC, KEY, 2, { ...place, headers });
  expect(written).not.toHaveProperty('other');
  // Records of earlier versions have all headers.
  for (const each of [written, { ...written, other: 'kept' }]) {
    const record = readHoldRecord(fakeMessage(1, { key: String(sent.key), headers: each ?? {} }), 0);
    expect(record).toMatchObject({ kind: 'follower', offset: 7, follower: { id: 'id-7', value: undefined } });
    if (record?.kind !== 'follower' || record.follower === undefined) throw new Error('no follower');
    expect(record.follower.headers).toEqual({ [HEADER.attempt]: '3' });
    expect(followerBytes(record.follower)).toBe(0);
  }
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

it('leaves a tenth more keys for urgent messages', async () => {
  const { broker, open } = await holds({ keys: 10 });
  const hold = await open('one');
  for (let number = 0; number < 10; number += 1) await hold.setHead(`sms/1/0${number}`, 1, head('a'));
  expect(hold.hasRoomForHead('sms/1/ff')).toBe(false);
  expect(hold.hasRoomForHead('sms-urgent/1/ff')).toBe(true);
  await hold.setHead('sms-urgent/1/ff', 1, head('b'));
  expect(hold.hasRoomForHead('email-urgent/1/ff')).toBe(false);
  expect(hold.figures().keys).toBe(11);
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

it('is degraded while it has no room for the place of another message, so that these fail', async () => {
  const { broker, open } = await holds({ places: 1 });
  const hold = await open('one');
  await hold.keep(KEY, 2, { ...follower(1), value: undefined });
  expect(hold.room(KEY, 2, 0)).toBe('none');
  expect(hold.health()).toEqual({
    status: 'degraded',
    reason: 'hold is full: further messages of waiting receivers fail',
  });
  await hold.endFollower(KEY, 2, 1);
  expect(hold.health()).toEqual({ status: 'ready' });
  await broker.close();
});

it('is degraded if it is full, and skips invalid records', async () => {
  const { broker, open } = await holds({ bytes: 4 });
  const hold = await open('one');
  expect(hold.health()).toEqual({ status: 'ready' });
  await hold.keep(KEY, 2, follower(1));
  expect(hold.health()).toMatchObject({ status: 'degraded' });
  const publisher = broker.createPublisher({ clientId: 'stranger' });
  await publisher.start();
  await publisher.publish([{ topic: TOPIC, key: 'nonsense', value: Buffer.from('x') }]);
  await hold.caughtUp(1_000);
  expect(hold.figures()).toMatchObject({ keys: 1, badRecords: 1 });
  await broker.close();
});

it('builds the hold key from channel, priority, partition and message key; there is none without a message key', () => {
  expect(holdKey({ channel: 'sms', priority: 'normal' }, { key: Buffer.from('ab'), partition: 2 })).toBe(KEY);
  expect(
    holdKey({ channel: 'email', priority: 'normal' }, { key: Buffer.from('ab'), partition: 2 }),
  ).not.toBe(KEY);
  expect(holdKey({ channel: 'sms', priority: 'normal' }, { key: Buffer.from('ab'), partition: 3 })).not.toBe(
    KEY,
  );
  expect(holdKey({ channel: 'sms', priority: 'normal' }, { key: null, partition: 2 })).toBeUndefined();
  expect(holdKey({ channel: 'sms', priority: 'urgent' }, { key: Buffer.from('ab'), partition: 2 })).toBe(
    KEY.replace('sms', 'sms-urgent'),
  );
  expect(readHoldRecord(fakeMessage(1, { key: 'sms/2/zz/head' }), 0)).toBeUndefined();
  expect(readHoldRecord(fakeMessage(1, { key: null }), 0)).toBeUndefined();
});
