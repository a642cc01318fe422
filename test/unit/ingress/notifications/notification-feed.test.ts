import { expect, it, onTestFinished } from 'vitest';
import type { Codec, Decoded } from '../../../../shared/messaging/codec.ts';
import { createEmbeddedBroker } from '../../../../shared/messaging/embedded/broker.ts';
import type { NotificationAcceptance } from '../../../../shared/notification/notification-state.ts';
import type { LogMessage, OutgoingMessage } from '../../../../shared/messaging/message.ts';
import type { BrokerAdmin } from '../../../../shared/messaging/ports.ts';
import { topicSpecs } from '../../../../shared/messaging/topics/topic-settings.ts';
import { TOPIC, topicName } from '../../../../shared/messaging/topics/topics.ts';
import { systemClock } from '../../../../shared/platform/clock.ts';
import { loadConfig } from '../../../../shared/platform/load-config.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import { createCodec } from '../../../../workers/create-codec.ts';
import {
  ACCEPTANCE_TYPE,
  createNotificationFeed,
  STATE_TYPE,
} from '../../../../workers/ingress/notifications/notification-feed.ts';
import { readIngressOptions, type IngressOptions } from '../../../../workers/ingress/server/http-limits.ts';
import { FakeTail } from '../../../support/fakes/tail.ts';

const HOUR_MS = 3_600_000;
const MAX_OWN = 10_000;

/** A started feed over a fake tail, which `deliver` feeds. */
async function startFeed() {
  const codec = await createCodec(loadConfig({}), systemClock);
  const tails: FakeTail[] = [];
  const admin = { offsets: () => Promise.resolve([]) } as unknown as BrokerAdmin;
  const createTail = (options: FakeTail['options']): FakeTail => {
    const tail = new FakeTail(options);
    tails.push(tail);
    return tail;
  };
  const restored: OutgoingMessage[] = [];
  const feed = createNotificationFeed(
    { createTail, admin },
    {
      ...systemPorts,
      options: readIngressOptions(loadConfig({})),
      codec,
      log: silentLog,
      indexFile: undefined,
      restoreFirst: (message) => restored.push(message),
    },
  );
  await feed.start();
  const encode = async (acceptance: Partial<NotificationAcceptance>): Promise<Buffer> => {
    const payload = { notificationId: 'a', channel: 'sms', acceptedAt: 0, owner: 'o', bodyHash: 'x' };
    return (await codec.encode(ACCEPTANCE_TYPE, { ...payload, ...acceptance }, 'avro')).value;
  };
  const deliver = (
    id: string,
    value: Buffer,
    timestampMs: number,
    topic: string = TOPIC.notificationAcceptances,
  ): void => {
    const place = { topic, partition: 0, offset: 0 };
    const message: LogMessage = { ...place, key: Buffer.from(id), value, timestampMs, headers: {} };
    tails[0]?.deliver(message);
  };
  const bodyOf = async (id: string) => (await feed.acceptance(id))?.bodyHash;
  return { feed, codec, encode, deliver, bodyOf, restored };
}

it('has an own acceptance at once, and that of another instance once it is read before its own', async () => {
  const { feed, encode, deliver, bodyOf, restored } = await startFeed();
  const nowMs = Date.now();
  const [own, other] = [await encode({ bodyHash: 'own' }), await encode({ bodyHash: 'other' })];
  feed.addAcceptance('a', own, nowMs);
  expect(await bodyOf('a')).toBe('own');
  deliver('a', other, nowMs - 5);
  expect(await bodyOf('a')).toBe('other');
  feed.acceptanceStored('a');
  deliver('a', own, nowMs);
  expect(await bodyOf('a')).toBe('other');
  expect(restored.map(({ value }) => value)).toEqual([other]);
});

it('has an own acceptance of a later use of a key in place of that of the earlier one', async () => {
  const { feed, encode, deliver, bodyOf } = await startFeed();
  const nowMs = Date.now();
  deliver('a', await encode({ bodyHash: 'earlier' }), nowMs - 25 * HOUR_MS);
  feed.addAcceptance('a', await encode({ bodyHash: 'later' }), nowMs);
  expect(await bodyOf('a')).toBe('later');
});

it('does not take a record that it cannot read for none, until a readable one replaces it', async () => {
  const { feed, codec, encode, deliver } = await startFeed();
  const unreadable = Buffer.from([0, 1, 2]);
  const nowMs = Date.now();
  deliver('a', unreadable, nowMs);
  deliver('b', unreadable, nowMs, TOPIC.notificationOutcomes);
  // Of another type.
  deliver('c', await encode({}), nowMs, TOPIC.notificationOutcomes);
  const failure = { code: 'record-unreadable', canRetry: true };
  await expect(async () => feed.acceptance('a')).rejects.toMatchObject(failure);
  await expect(async () => feed.state('b')).rejects.toMatchObject(failure);
  await expect(async () => feed.state('c')).rejects.toMatchObject(failure);
  const state = { notificationId: 'b', channel: 'sms', status: 'sent', attempt: 1, attempts: [] };
  const sent = await codec.encode(STATE_TYPE, { ...state, updatedAt: nowMs }, 'avro');
  deliver('b', sent.value, nowMs, TOPIC.notificationOutcomes);
  expect(await feed.state('b')).toMatchObject({ status: 'sent' });
});

it('keeps in memory the last 10,000 own acceptances that are stored and not read back, and all that are not stored', async () => {
  const { feed, encode, bodyOf } = await startFeed();
  const value = await encode({});
  feed.addAcceptance('unstored', value, Date.now());
  for (let index = 0; index <= MAX_OWN; index += 1) {
    feed.addAcceptance(`id ${index}`, value, Date.now());
    feed.acceptanceStored(`id ${index}`);
  }
  expect(await Promise.all(['unstored', 'id 0', 'id 1'].map((id) => bodyOf(id)))).toEqual([
    'x',
    undefined,
    'x',
  ]);
});

it('holds few states in memory while their schema is being fetched', async () => {
  const broker = createEmbeddedBroker();
  onTestFinished(() => broker.close());
  await broker.admin.createTopics(topicSpecs('', ['notificationAcceptances', 'notificationOutcomes']));
  let decoding = 0;
  const decode = (): Promise<Decoded> => {
    decoding += 1;
    return new Promise(() => undefined);
  };
  const feed = createNotificationFeed(broker, {
    ...systemPorts,
    options: { topicPrefix: '', notificationRetentionMs: 1_000_000 } as IngressOptions,
    codec: { decode } as unknown as Codec,
    log: silentLog,
    indexFile: undefined,
    restoreFirst: () => undefined,
  });
  await feed.start();
  onTestFinished(() => feed.stop(0));
  const publisher = broker.createPublisher({ clientId: 'test' });
  await publisher.start();
  const topic = topicName('', 'notificationOutcomes');
  const state = { topic, partition: 0, key: 'a', value: Buffer.of(0, 1) };
  await publisher.publish([...Array.from({ length: 1_000 }, () => state), { ...state, key: 'b' }]);
  await expect.poll(() => feed.size().records).toBe(2);
  expect(decoding).toBeLessThan(110);
});
