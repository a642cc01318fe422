import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { KafkaPublisher } from '../../../shared/messaging/kafka-publisher.ts';
import { TopicPartitions } from '../../../shared/messaging/kafka-topic-partitions.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { fakeKafkaClients } from '../../support/fake-kafkajs.ts';
import { settleMicrotasks } from '../../support/fake-work.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

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
