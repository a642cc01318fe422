import { randomUUID } from 'node:crypto';
import { Admin } from '@platformatic/kafka';
import { afterAll, beforeAll, expect, onTestFinished, test, vi, type TestContext } from 'vitest';
import { Consumer } from '../../shared/messaging/consumer/consumer.ts';
import type { KafkaBroker, KafkaClientName } from '../../shared/messaging/kafka/kafka-broker.ts';
import { NO_HEADER_VALUE, copyContent } from '../../shared/messaging/headers.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { systemPorts } from '../../shared/platform/system-ports.ts';
import { eventually, sleep } from '../support/conformance/wait.ts';
import { createKafkaBroker, TESTED_CLIENTS } from '../support/kafka/broker.ts';
import { openKafkaScope, type KafkaScope } from '../support/kafka/scope.ts';
import { kafkaOrSkip } from '../support/kafka/suite.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const STEP_MS = 20 * SECOND;
/** The session timeout of a group member and the time until the broker has noticed that it is over. */
const SESSION_OVER_MS = 8 * SECOND;
const { kafka, suite } = kafkaOrSkip();

type After = TestContext['onTestFinished'];

suite('consumers on Kafka', { timeout: 60 * SECOND }, () => {
  let scope: KafkaScope;
  /** What reads, in the same way with each client. */
  let broker: KafkaBroker;
  let publishing: ReadonlyMap<KafkaClientName, KafkaBroker>;

  beforeAll(async () => {
    scope = await openKafkaScope(kafka.brokers);
    const options = { brokers: kafka.brokers, clientId: 'consumers-test', log: silentLog };
    broker = createKafkaBroker(options);
    publishing = new Map(TESTED_CLIENTS.map((client) => [client, createKafkaBroker(options, client)]));
  });
  afterAll(async () => {
    await Promise.all([broker, ...publishing.values()].map((one) => one.close()));
    await scope.close();
  });

  async function startConsumer(topic: string, after: After) {
    const groupId = scope.nameOf(randomUUID());
    const handled: string[] = [];
    const consumer = new Consumer({
      ...systemPorts,
      createSource: () => broker.createGroupSource({ groupId, clientId: groupId, topics: [topic] }),
      process: ({ value }) => {
        handled.push(String(value));
        return 'settled';
      },
      log: silentLog,
    });
    await consumer.start();
    after(() => consumer.stop());
    await eventually('an assignment', STEP_MS, () => consumer.health().status === 'ready');
    const left = async () => {
      const [state] = await broker.admin.groups([{ groupId, topics: [topic] }]);
      return state?.partitions.map(({ low, high, committed = low }) => high - committed);
    };
    const isDone = async () => (await left())?.every((lag) => lag === 0) === true;
    const committed = () => eventually('the commits', STEP_MS, isDone);
    return { groupId, consumer, handled, left, committed };
  }

  async function startPublisher(topic: string, after: After, by = broker) {
    const publisher = by.createPublisher({ clientId: scope.nameOf('publisher') });
    await publisher.start();
    after(() => publisher.stop());
    return (value: string) => publisher.publish([{ topic, key: value, value: Buffer.from(value) }]);
  }

  test('handle all messages while the clock of their machine is set back by an hour', async () => {
    const topic = await scope.createTopic(randomUUID());
    const { handled, committed } = await startConsumer(topic, onTestFinished);
    const publishers = await Promise.all(
      [...publishing.values()].map((by) => startPublisher(topic, onTestFinished, by)),
    );
    const { now } = Date;
    const stepped = vi.spyOn(Date, 'now').mockImplementation(() => now() - HOUR);
    onTestFinished(() => stepped.mockRestore());
    const publish = (name: string) =>
      Promise.all(publishers.map((send, index) => send(`${name} of ${index}`)));
    await publish('0');
    await sleep(SESSION_OVER_MS);
    for (let index = 1; index < 52; index += 1) await publish(String(index));
    const count = 52 * publishers.length;
    await eventually('all messages', STEP_MS, () => new Set(handled).size === count);
    expect(new Set(handled).size).toBe(count);
    await committed();
  });

  suite('with topics of their own', { concurrent: true }, () => {
    test('come back when the broker has removed them from their group', async ({ onTestFinished: after }) => {
      const topic = await scope.createTopic(randomUUID());
      const { groupId, handled, committed } = await startConsumer(topic, after);
      const publish = await startPublisher(topic, after);
      const admin = new Admin({ clientId: 'other', bootstrapBrokers: [...kafka.brokers] });
      after(() => admin.close());
      const [state] = await broker.admin.groups([{ groupId, topics: [topic] }]);
      const memberId = state?.members[0]?.memberId ?? '';
      await admin.removeMembersFromConsumerGroup({ groupId, members: [{ memberId }] });
      for (let index = 0; index < 20; index += 1) await publish(String(index));
      await eventually('all messages', STEP_MS, () => new Set(handled).size === 20);
      expect(new Set(handled).size).toBe(20);
      await committed();
    });

    test('commit behind markers of transactions and what was aborted', async ({ onTestFinished: after }) => {
      const topic = await scope.createTopic(randomUUID(), { numPartitions: 3 });
      const { consumer, handled, left } = await startConsumer(topic, after);
      const exactlyOnce = { maxInFlightRequests: 1, idempotent: true };
      const producer = scope.createClient().producer({ transactionalId: randomUUID(), ...exactlyOnce });
      await producer.connect();
      after(() => producer.disconnect());
      const sendTo = async (partition: number, end: 'commit' | 'abort') => {
        const transaction = await producer.transaction();
        await transaction.send({ topic, messages: [{ partition, value: `${partition} ${end}` }] });
        await transaction[end]();
      };
      await sendTo(0, 'commit');
      await sendTo(1, 'abort');
      await sendTo(2, 'commit');
      await sendTo(2, 'abort');
      let lags: unknown;
      const isRead = async () => {
        lags = [await left(), consumer.lag().map(({ lag }) => lag)];
        return handled.length === 2 && JSON.stringify(lags) === '[[0,0,0],[0,0,0]]';
      };
      await eventually('no lag', STEP_MS, isRead, () => ({ handled, lags }));
      expect(handled.toSorted()).toEqual(['0 commit', '2 commit']);
    });

    test('read a new partition within ten seconds', async ({ onTestFinished: after }) => {
      const topic = await scope.createTopic(randomUUID(), { numPartitions: 1 });
      const { handled } = await startConsumer(topic, after);
      await scope.admin.createPartitions({ topicPartitions: [{ topic, count: 2 }] });
      const added = performance.now();
      const producer = scope.createClient().producer();
      await producer.connect();
      after(() => producer.disconnect());
      await eventually('the partition', 10 * SECOND, async () => {
        await producer.send({ topic, messages: [{ partition: 1, value: 'new' }] });
        return true;
      });
      const leftMs = 10 * SECOND - (performance.now() - added);
      await eventually('its message', leftMs, () => handled.includes('new'));
      expect(handled).toContain('new');
    });

    test.for(TESTED_CLIENTS)(
      'copy headers without a value as such with %s',
      async (client, { onTestFinished: after }) => {
        const copying = publishing.get(client)!;
        const single = { numPartitions: 1 };
        const topic = await scope.createTopic(randomUUID(), single);
        const copies = await scope.createTopic(randomUUID(), single);
        const publisher = copying.createPublisher({ clientId: scope.nameOf('copier') });
        await publisher.start();
        after(() => publisher.stop());
        const headers = { none: NO_HEADER_VALUE, empty: '', some: ['a', NO_HEADER_VALUE] };
        await publisher.publish([{ topic, key: null, value: Buffer.from('one'), headers }]);
        await copying.readRanges([{ topic, partition: 0, from: 0, to: 1 }], async ({ headers: read }) => {
          const value = Buffer.from('copy');
          await publisher.publish([{ topic: copies, key: null, ...copyContent({ value, headers: read }) }]);
          return 'more' as const;
        });
        const reader = scope.createClient().consumer({ groupId: scope.nameOf(randomUUID()) });
        const read: unknown[] = [];
        await reader.connect();
        after(() => reader.disconnect());
        await reader.subscribe({ topic: copies, fromBeginning: true });
        await reader.run({ eachMessage: ({ message }) => Promise.resolve(void read.push(message.headers)) });
        await eventually('the copy', STEP_MS, () => read.length === 1);
        const copy = { none: null, empty: Buffer.alloc(0), some: [Buffer.from('a'), null] };
        // kafkajs cannot write such headers, and leaves them out.
        const left = { empty: Buffer.alloc(0), some: Buffer.from('a') };
        expect(read).toEqual([client === 'kafkajs' ? left : copy]);
      },
    );
  });
});
