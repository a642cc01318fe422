import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ProducerConnection } from '../../../../../../shared/messaging/kafka/kafkajs/publishing/producer-connection.ts';
import { KafkaPublisher } from '../../../../../../shared/messaging/kafka/common/publishing/publisher.ts';
import { TopicPartitions } from '../../../../../../shared/messaging/kafka/common/publishing/topic-partitions.ts';
import { systemClock } from '../../../../../../shared/platform/clock.ts';
import { silentLog } from '../../../../../../shared/platform/log.ts';
import { MessagingError } from '../../../../../../shared/platform/errors.ts';
import { type FakeKafkajsProducer, fakeKafkaClients } from '../../../../../support/fakes/kafkajs.ts';
import { settleMicrotasks } from '../../../../../support/fakes/work.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Kafka's error codes. */
const CORRUPT_MESSAGE = 2;
const UNKNOWN_TOPIC = 3;
const NOT_LEADER = 6;
const MESSAGE_TOO_LARGE = 10;
const NOT_ENOUGH_REPLICAS = 19;

/** A connected publisher. Topics have four partitions; the count of `t` is already known. */
async function setUp() {
  const { createClient, producers } = fakeKafkaClients();
  const topics = new TopicPartitions({
    partitionCounts: ([topic = '']) => Promise.resolve(new Map([[topic, 4]])),
  });
  await topics.find('t');
  const publisher = new KafkaPublisher(
    { clientId: 'c', deadlineMs: 10_000 },
    {
      connectSender: (sender) => new ProducerConnection({ ...sender, createClient }),
      topics,
      log: silentLog,
      clock: systemClock,
      onStopped: () => undefined,
    },
  );
  await publisher.start();
  const publish = (text: string, partition = 0, topic = 't') => {
    const sent = publisher.publish([{ topic, key: null, value: Buffer.from(text), partition }]);
    sent.catch(() => undefined);
    return sent;
  };
  /** One call with messages for partitions 2 and 3. */
  const publishAll = (texts: readonly string[]) => {
    const messages = texts.map((text, index) => ({
      topic: 't',
      key: null,
      value: Buffer.from(text),
      partition: 2 + index,
    }));
    const sent = publisher.publish(messages);
    sent.catch(() => undefined);
    return sent;
  };
  const [first] = producers;
  if (first === undefined) throw new Error('no producer was made');
  return { publisher, producers, first, publish, publishAll, topics };
}

/** Answers every request with these codes until the deadline has passed. */
async function confirmAll(
  producers: readonly FakeKafkajsProducer[],
  codes: Readonly<Record<string, number>>,
) {
  for (let round = 0; round < 220; round += 1) {
    for (const { sends } of producers) await sends.at(-1)?.confirm(codes);
    await vi.advanceTimersByTimeAsync(50);
  }
}

describe('KafkaPublisher', () => {
  test.each(['t', 'unknown'])(
    'rejects with not-sent above 64 MiB of queued records, for topic %s',
    async (topic) => {
      const { publisher } = await setUp();
      const value = Buffer.alloc(2 ** 23 - 100);
      const publish = () => publisher.publish([{ topic, key: null, value, partition: 0 }]);
      // Eight of them take 64 MiB, and a ninth would be beyond it.
      const queued = Array.from({ length: 8 }, () => publish().catch((error: unknown) => error));
      await expect(publish()).rejects.toMatchObject({
        code: 'not-sent',
        message: 'publisher c: its queue is full; nothing was stored',
      });
      expect(publisher.queued).toMatchObject({ messages: 8 });
      expect(publisher.queued.bytes).toBeLessThanOrEqual(64 * 1_048_576);
      const stopped = publisher.stop(0);
      await vi.advanceTimersByTimeAsync(1);
      await stopped;
      expect(await Promise.all(queued)).toEqual(queued.map(() => expect.any(MessagingError)));
    },
  );

  test('combines messages published during a request into the next request, in order', async () => {
    const { first, publish } = await setUp();
    const sent = publish('a');
    await settleMicrotasks();
    void publish('b', 1);
    void publish('c');
    void publish('d');
    void publish('e', 0, 'new');
    await settleMicrotasks();
    expect(first.sends.map(({ records }) => records)).toEqual([['t/0: a']]);
    await first.sends[0]?.confirm();
    await sent;
    expect(first.sends.map(({ records }) => records)).toEqual([
      ['t/0: a'],
      ['t/0: c d', 't/1: b', 'new/0: e'],
    ]);
  });

  test('repeats a failed request with a new producer before later messages', async () => {
    const { producers, first, publish } = await setUp();
    const sent = publish('a');
    await settleMicrotasks();
    void publish('b');
    await first.sends[0]?.fail(new Error('connection lost'));
    expect(first.isDisconnected).toBe(true);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(producers).toHaveLength(2);
    expect(producers[1]?.sends.map(({ records }) => records)).toEqual([['t/0: a b']]);
    await producers[1]?.sends[0]?.confirm();
    await sent;
  });

  test('repeats only the partitions that were not confirmed', async () => {
    const { producers, first, publish } = await setUp();
    const stored = publish('a', 0);
    const moved = publish('b', 1);
    await settleMicrotasks();
    const later = publish('c', 1);
    await first.sends[0]?.confirm({ 't/1': NOT_LEADER });
    await stored;
    await vi.advanceTimersByTimeAsync(1_000);
    await producers[1]?.sends[0]?.confirm();
    await Promise.all([moved, later]);
    const sent = producers.flatMap(({ sends }) => sends.flatMap(({ records }) => records));
    expect(sent).toEqual(['t/0: a', 't/1: b', 't/1: b c']);
  });

  test('rejects with send-unknown at the deadline only if the leader may have appended the records', async () => {
    const { producers, publish, publishAll } = await setUp();
    const calls = [publish('a', 0), publish('b', 1), publishAll(['c', 'd'])];
    await settleMicrotasks();
    await confirmAll(producers, {
      't/0': NOT_ENOUGH_REPLICAS,
      't/1': NOT_LEADER,
      't/3': NOT_ENOUGH_REPLICAS,
    });
    const [refused, unknown, partial] = await Promise.allSettled(calls);
    expect(refused).toMatchObject({ reason: { code: 'not-sent', canRetry: true } });
    expect(unknown).toMatchObject({ reason: { code: 'send-unknown', canRetry: true } });
    expect(partial).toMatchObject({ reason: { code: 'send-unknown', canRetry: true } });
  });

  test('rejects with not-sent at the deadline if no request was made', async () => {
    const { producers, publish } = await setUp();
    const unsent = publish('a', 0);
    await settleMicrotasks();
    for (let step = 0; step < 1_500; step += 1) {
      for (const { sends } of producers) await sends.at(-1)?.failEarly(new Error('no leader'));
      await vi.advanceTimersByTimeAsync(7);
    }
    expect(producers.length).toBeGreaterThan(10);
    await expect(unsent).rejects.toMatchObject({ code: 'not-sent', canRetry: true });
  });

  test('continues with other partitions while an unknown topic is queried again', async () => {
    const { producers, first, publish, topics } = await setUp();
    const gone = publish('a', 1);
    await settleMicrotasks();
    const find = vi.spyOn(topics, 'find').mockReturnValue(new Promise(() => undefined));
    await first.sends[0]?.confirm({ 't/1': UNKNOWN_TOPIC });
    expect(find).toHaveBeenCalledOnce();
    const healthy = publish('b', 0);
    await vi.advanceTimersByTimeAsync(1);
    await producers.at(-1)?.sends.at(-1)?.confirm();
    await healthy;
    await confirmAll(producers, { 't/1': UNKNOWN_TOPIC });
    await expect(gone).rejects.toMatchObject({ code: 'send-unknown' });
    expect(find).toHaveBeenCalledOnce();
  });

  test('rejects queued records of a deleted topic, and settles those in flight by their response', async () => {
    const { producers, first, publish, topics } = await setUp();
    const calls = [publish('a', 0), publish('b', 0), publish('c', 1)];
    await settleMicrotasks();
    const { promise, reject } = Promise.withResolvers<number>();
    vi.spyOn(topics, 'find').mockReturnValue(promise);
    await first.sends[0]?.confirm({ 't/0': UNKNOWN_TOPIC, 't/1': UNKNOWN_TOPIC });
    await vi.advanceTimersByTimeAsync(60);
    const later = publish('d', 0);
    reject(new MessagingError('topic-unknown', 'gone', { canRetry: false }));
    await settleMicrotasks();
    await expect(later).rejects.toMatchObject({ code: 'topic-unknown' });
    expect(producers[1]?.sends.map(({ records }) => records)).toEqual([['t/0: a b', 't/1: c']]);
    await producers[1]?.sends[0]?.confirm();
    expect(await Promise.allSettled(calls)).toEqual(
      calls.map(() => ({ status: 'fulfilled', value: undefined })),
    );
    const next = publish('e', 0);
    await vi.advanceTimersByTimeAsync(1);
    expect(producers[1]?.sends.at(-1)?.records).toEqual(['t/0: e']);
    await producers[1]?.sends.at(-1)?.confirm();
    await next;
  });

  test('ignores the end of a request after stop()', async () => {
    const { publisher, first, producers, publish } = await setUp();
    const unanswered = publish('a', 0);
    await settleMicrotasks();
    const stopped = publisher.stop(100);
    await vi.advanceTimersByTimeAsync(100);
    await stopped;
    await expect(unanswered).rejects.toMatchObject({ code: 'send-unknown' });
    await first.sends[0]?.fail(new Error('connection lost'));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(producers).toHaveLength(1);
  });

  test('rejects a record that is too large without repeating the others', async () => {
    const { producers, first, publish } = await setUp();
    const large = publish('a', 0);
    const small = publish('b', 1);
    await settleMicrotasks();
    await first.sends[0]?.confirm({ 't/0': MESSAGE_TOO_LARGE });
    await small;
    await expect(large).rejects.toMatchObject({ code: 'message-too-large', canRetry: false });
    await vi.advanceTimersByTimeAsync(1_000);
    expect([producers.length, first.sends.length]).toEqual([1, 1]);
  });

  test('sends a record again that its leader received damaged, together with later ones', async () => {
    const { producers, first, publish } = await setUp();
    const damaged = publish('a');
    await settleMicrotasks();
    const later = publish('b');
    await first.sends[0]?.confirm({ 't/0': CORRUPT_MESSAGE });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(producers[1]?.sends.map(({ records }) => records)).toEqual([['t/0: a b']]);
    await producers[1]?.sends[0]?.confirm();
    await Promise.all([damaged, later]);
  });

  test('rejects a record that its leader calls damaged twice, and no other one of its batch', async () => {
    const { producers, first, publish } = await setUp();
    void publish('warm');
    await settleMicrotasks();
    const sent = ['a', 'without a key', 'c'].map((text) => publish(text));
    await first.sends[0]?.confirm();
    const answered = new Set<unknown>();
    for (let round = 0; round < 40; round += 1) {
      const send = producers.at(-1)?.sends.at(-1);
      if (send !== undefined && !answered.has(send)) {
        answered.add(send);
        const isDamaged = send.records.some((text) => text.includes('without a key'));
        await send.confirm(isDamaged ? { 't/0': CORRUPT_MESSAGE } : {});
      }
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(await Promise.allSettled(sent)).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'not-sent', canRetry: false } },
      { status: 'fulfilled' },
    ]);
  });

  test('rejects a record of a topic that has just rejected a smaller one without a request', async () => {
    const { first, publish } = await setUp();
    const large = publish('large');
    await settleMicrotasks();
    await first.sends[0]?.confirm({ 't/0': MESSAGE_TOO_LARGE });
    await expect(large).rejects.toMatchObject({ code: 'message-too-large' });
    await expect(publish('as large', 1)).rejects.toMatchObject({ code: 'message-too-large' });
    expect(first.sends).toHaveLength(1);
    const small = publish('tiny');
    await settleMicrotasks();
    await first.sends[1]?.confirm();
    await small;
  });

  test('rejects at the deadline with send-unknown for an unanswered request and with not-sent for a queued message', async () => {
    const { publish } = await setUp();
    const unanswered = publish('a');
    await settleMicrotasks();
    const waiting = publish('b');
    await vi.advanceTimersByTimeAsync(10_200);
    await expect(unanswered).rejects.toMatchObject({ code: 'send-unknown', canRetry: true });
    await expect(waiting).rejects.toMatchObject({ code: 'not-sent', canRetry: true });
  });

  test.each([
    ['ahead', 24],
    ['back', -24],
  ])('keeps deadlines and pauses when the clock of the machine is set %s', async (_, hours) => {
    const { publish, first, producers } = await setUp();
    const kept = publish('a');
    await settleMicrotasks();
    await first.sends[0]?.confirm({ 't/0': NOT_ENOUGH_REPLICAS });
    let isStored = false;
    kept.then(
      () => (isStored = true),
      () => undefined,
    );
    vi.setSystemTime(Date.now() + hours * 3_600_000);
    for (let round = 0; round < 20; round += 1) {
      await vi.advanceTimersByTimeAsync(100);
      await producers.at(-1)?.sends.at(-1)?.confirm();
    }
    expect(isStored).toBe(true);
  });

  test('sends queued records on stop(), and rejects new ones', async () => {
    const { publisher, first, publish } = await setUp();
    const sent = publish('a');
    await settleMicrotasks();
    const stopped = publisher.stop(1_000);
    await expect(publish('b')).rejects.toMatchObject({ code: 'not-sent' });
    await first.sends[0]?.confirm();
    await sent;
    await stopped;
    expect([first.isDisconnected, publisher.isHealthy()]).toEqual([true, false]);
  });
});
