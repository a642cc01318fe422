import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { KafkaPublisher } from '../../../shared/messaging/kafka-publisher.ts';
import { TopicPartitions } from '../../../shared/messaging/kafka-topic-partitions.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { fakeKafkaClients } from '../../support/fake-kafkajs.ts';
import { settleMicrotasks } from '../../support/fake-work.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Kafka's error codes. */
const NOT_LEADER = 6;
const MESSAGE_TOO_LARGE = 10;
const APPENDED_BUT_NOT_COPIED = 20;

/** A connected publisher; topics have two partitions, and that of `t` is known already. */
async function setUp() {
  const { createClient, producers } = fakeKafkaClients();
  const topics = new TopicPartitions({
    partitionCounts: ([topic = '']) => Promise.resolve(new Map([[topic, 2]])),
  });
  await topics.find('t');
  const publisher = new KafkaPublisher(
    { clientId: 'c', deadlineMs: 10_000 },
    { createClient, topics, log: silentLog, onStopped: () => undefined },
  );
  await publisher.start();
  const publish = (text: string, partition = 0, topic = 't') => {
    const sent = publisher.publish([{ topic, key: null, value: Buffer.from(text), partition }]);
    sent.catch(() => undefined);
    return sent;
  };
  const [first] = producers;
  if (first === undefined) throw new Error('no producer was made');
  return { publisher, producers, first, publish };
}

describe('a publisher over kafkajs', () => {
  test('has one request under way; what comes in meanwhile makes up the next one, in order', async () => {
    const { first, publish } = await setUp();
    const sent = publish('a');
    await settleMicrotasks();
    void publish('b', 1);
    void publish('c');
    void publish('d');
    void publish('e', 0, 'not yet known');
    await settleMicrotasks();
    expect(first.sends.map(({ records }) => records)).toEqual([['t/0: a']]);
    await first.sends[0]?.confirm();
    await sent;
    expect(first.sends.map(({ records }) => records)).toEqual([
      ['t/0: a'],
      ['t/0: c d', 't/1: b', 'not yet known/0: e'],
    ]);
  });

  test('a failed request is repeated by a new producer, before anything that came later', async () => {
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

  test('only what a partition refused is repeated: what the others confirmed is not stored twice', async () => {
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

  test('what a leader refused before it appended is not in doubt at its deadline, what it may have appended is', async () => {
    const { producers, first, publish } = await setUp();
    const refused = publish('a', 0);
    const doubtful = publish('b', 1);
    await settleMicrotasks();
    await first.sends[0]?.confirm({ 't/0': NOT_LEADER, 't/1': APPENDED_BUT_NOT_COPIED });
    expect(producers).toHaveLength(2);
    for (let round = 0; round < 300; round += 1) {
      const sends = producers.flatMap((producer) => producer.sends).slice(1);
      await sends.at(-1)?.confirm({ 't/0': NOT_LEADER, 't/1': APPENDED_BUT_NOT_COPIED });
      await vi.advanceTimersByTimeAsync(50);
    }
    await expect(refused).rejects.toMatchObject({ code: 'not-sent', canRetry: true });
    await expect(doubtful).rejects.toMatchObject({ code: 'send-unknown', canRetry: true });
  });

  test('a record that is too large is refused without a repetition of what went with it', async () => {
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

  test('a publish whose request was never answered is in doubt at its deadline, one that never went out is not', async () => {
    const { publish } = await setUp();
    const doubtful = publish('a');
    await settleMicrotasks();
    const waiting = publish('b');
    await vi.advanceTimersByTimeAsync(10_200);
    await expect(doubtful).rejects.toMatchObject({ code: 'send-unknown', canRetry: true });
    await expect(waiting).rejects.toMatchObject({ code: 'not-sent', canRetry: true });
  });

  test('stop sends what is queued, and takes no more', async () => {
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
