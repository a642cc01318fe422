import { describe, expect, onTestFinished, test } from 'vitest';
import { kafkajsClients } from '../../../../../../shared/messaging/kafka/kafkajs/connection/client.ts';
import { ProducerConnection } from '../../../../../../shared/messaging/kafka/kafkajs/publishing/producer-connection.ts';
import type { ConnectSender } from '../../../../../../shared/messaging/kafka/common/publishing/record-sender.ts';
import { platformaticClients } from '../../../../../../shared/messaging/kafka/platformatic/connection/client.ts';
import { PlatformaticSenderConnection } from '../../../../../../shared/messaging/kafka/platformatic/publishing/sender-connection.ts';
import { KafkaPublisher } from '../../../../../../shared/messaging/kafka/common/publishing/publisher.ts';
import { TopicPartitions } from '../../../../../../shared/messaging/kafka/common/publishing/topic-partitions.ts';
import { systemClock } from '../../../../../../shared/platform/clock.ts';
import { silentLog, type Log } from '../../../../../../shared/platform/log.ts';
import { startFakeCluster } from '../../../../../support/fakes/kafka-cluster.ts';

const PARTITIONS = 9;
/** Kafka's error codes. */
const LEADER_NOT_AVAILABLE = 5;
const NOT_LEADER = 6;
const TOPIC_AUTHORIZATION_FAILED = 29;
/** Far longer than a healthy broker needs, far shorter than the request timeout (5 s). */
const SOON_MS = 2_500;
/**
 * Each client starts with one of three brokers at random. With this many clients, it is no coincidence if one broker is
 * never the first.
 */
const NEW_CLIENTS = 20;

interface ClientUnderTest {
  readonly name: string;
  /** The client knows the leaders, so that a publisher sends to each without waiting for the others. */
  readonly knowsLeaders: boolean;
  /** Clients for these brokers: how publishers send, and a new client that connects to any broker and disconnects. */
  readonly create: (brokers: readonly string[]) => {
    readonly connectSender: ConnectSender;
    readonly connectOnce: () => Promise<void>;
  };
}

const KAFKAJS: ClientUnderTest = {
  name: 'kafkajs',
  knowsLeaders: false,
  create: (brokers) => {
    const createClient = kafkajsClients({ brokers }, silentLog);
    return {
      connectSender: (sender) => new ProducerConnection({ ...sender, createClient }),
      connectOnce: async () => {
        const { kafka, connections } = createClient({ clientId: 'new', retry: { retries: 0 } });
        await kafka.admin().connect();
        connections.destroy();
      },
    };
  },
};

const PLATFORMATIC: ClientUnderTest = {
  name: '@platformatic/kafka',
  knowsLeaders: true,
  create: (brokers) => {
    const createClient = platformaticClients({ brokers }, silentLog);
    return {
      connectSender: (sender) => new PlatformaticSenderConnection({ ...sender, createClient }),
      connectOnce: async () => {
        const client = createClient({ clientId: 'new' });
        await client.connect();
        client.destroy();
      },
    };
  },
};

describe.each([KAFKAJS, PLATFORMATIC])(
  'a publisher with failing brokers on $name',
  ({ create, knowsLeaders }) => {
    /** A publisher with scripted brokers; `publish` sends values to partitions of `t`. */
    async function setUp(brokers: number, deadlineMs = 10_000) {
      const cluster = await startFakeCluster(brokers, PARTITIONS);
      onTestFinished(() => cluster.close());
      const topics = new TopicPartitions({
        partitionCounts: (names) => Promise.resolve(new Map(names.map((name) => [name, PARTITIONS]))),
      });
      for (const topic of ['t', 'closed', 'other']) await topics.find(topic);
      const { connectSender, connectOnce } = create(cluster.brokers);
      const publisher = new KafkaPublisher(
        { clientId: 'test', deadlineMs },
        { connectSender, topics, log: silentLog, clock: systemClock, onStopped: () => undefined },
      );
      onTestFinished(() => publisher.stop(0));
      await publisher.start();
      const publish = (value: string, partition = 0, topic = 't') =>
        publisher.publish([{ topic, key: null, partition, value: Buffer.from(`<${value}>`) }]);
      return { cluster, connectOnce, publisher, publish };
    }

    test('reports a silent broker, which new clients try last', async () => {
      const { cluster, connectOnce, publish } = await setUp(3);
      await publish('warm');
      cluster.onProduce = (broker) => {
        if (broker !== 0) return {};
        cluster.leaderOf = () => 1;
        return 'silence';
      };
      await publish('held', 0);
      const before = cluster.connectionsTo[0];
      for (let count = 0; count < NEW_CLIENTS; count += 1) await connectOnce();
      expect(cluster.connectionsTo[0]).toBe(before);
    });

    test('is named in the log when it cannot connect, once', async () => {
      const lines: string[] = [];
      const write = ({ clientId }: { clientId?: string }, text: string) => lines.push(`${clientId}: ${text}`);
      const log = { ...silentLog, debug: () => undefined, info: write, warn: write } as unknown as Log;
      const topics = new TopicPartitions({ partitionCounts: () => Promise.resolve(new Map()) });
      const closed = await startFakeCluster(1, PARTITIONS);
      closed.close();
      const publisher = new KafkaPublisher(
        { clientId: 'replies', deadlineMs: 1_000 },
        { ...create(closed.brokers), topics, log, clock: systemClock, onStopped: () => undefined },
      );
      onTestFinished(() => publisher.stop(0));
      await expect(publisher.start()).rejects.toMatchObject({ code: 'broker-unavailable' });
      expect(lines).toEqual(['replies: publisher cannot connect, retrying']);
    });

    test('stores records of healthy brokers once when another one closes its connection', async () => {
      const { cluster, publish } = await setUp(2);
      await Promise.all([publish('warm', 0), publish('warm', 1)]);
      cluster.stored.length = 0;
      cluster.answerMs = 50;
      let isDead = false;
      cluster.onProduce = (broker) => {
        if (broker === 0 || isDead) return {};
        isDead = true;
        cluster.leaderOf = () => 0;
        return 'reset';
      };
      await Promise.all([publish('a', 0), publish('b', 1), publish('c', 2)]);
      expect(isDead).toBe(true);
      expect(cluster.stored.toSorted()).toEqual(['0: a', '1: b', '2: c']);
    });

    test('confirms records of healthy brokers immediately while another one is silent', async () => {
      const { cluster, publish } = await setUp(3);
      await publish('warm');
      cluster.onProduce = (broker) => (broker === 1 ? 'silence' : {});
      const startedMs = performance.now();
      const healthy = [0, 2, 3, 5, 6, 8].map((partition) => publish('a', partition));
      const frozen = [1, 4, 7].map((partition) => publish('a', partition));
      frozen.forEach((sent) => void sent.catch(() => undefined));
      await Promise.all(healthy);
      expect(performance.now() - startedMs).toBeLessThan(SOON_MS);
    });

    test.each(knowsLeaders ? [3] : [])(
      'sends to the other of %i leaders while one is silent, in order',
      async (brokers) => {
        const { cluster, publish } = await setUp(brokers);
        await Promise.all([0, 1, 2].map((partition) => publish('warm', partition)));
        cluster.onProduce = (broker) => (broker === 1 ? 'silence' : {});
        const startedMs = performance.now();
        const frozen = publish('a', 1);
        frozen.catch(() => undefined);
        for (const value of ['a', 'b', 'c', 'd']) {
          await Promise.all([0, 2, 3, 5].map((partition) => publish(value, partition)));
        }
        expect(performance.now() - startedMs).toBeLessThan(SOON_MS);
        expect(cluster.stored.filter((stored) => stored.startsWith('3: '))).toEqual(
          ['a', 'b', 'c', 'd'].map((value) => `3: ${value}`),
        );
        cluster.onProduce = () => ({});
        await frozen;
        expect(cluster.stored.at(-1)).toBe('1: a');
      },
    );

    test('stores each record once and in order while a leader throttles it for longer than a request may take', async () => {
      const { cluster, publish } = await setUp(1);
      cluster.throttleMs = 6_000;
      await publish('a');
      await publish('b');
      await publish('c');
      expect(cluster.stored).toEqual(['0: a', '0: b', '0: c']);
      expect(cluster.connections).toBe(1);
    });

    test('ends at its deadline and when it is stopped, also while a leader throttles it', async () => {
      const { cluster, publisher, publish } = await setUp(1, 500);
      cluster.throttleMs = 60_000;
      await publish('a');
      const startedMs = performance.now();
      await expect(publish('b')).rejects.toMatchObject({ code: 'send-unknown', canRetry: true });
      await publisher.stop(100);
      expect(performance.now() - startedMs).toBeLessThan(SOON_MS);
    });

    test('repeats only the records that a leader refused', async () => {
      const { cluster, publish } = await setUp(2);
      let refusals = 3;
      cluster.onProduce = (broker) => {
        if (broker === 0 || refusals === 0) return {};
        refusals -= 1;
        return { 1: NOT_LEADER, 3: NOT_LEADER };
      };
      await Promise.all([0, 1, 2, 3, 5].map((partition) => publish('a', partition)));
      expect(cluster.stored.toSorted()).toEqual(['0: a', '1: a', '2: a', '3: a', '5: a']);
    });

    test('stores messages of other topics while a topic that it has used reports an error', async () => {
      const { cluster, publish } = await setUp(1);
      await publish('a', 0, 'closed');
      cluster.topicError = (topic) => (topic === 'closed' ? TOPIC_AUTHORIZATION_FAILED : 0);
      await Promise.all([publish('b', 1), publish('c', 2, 'other')]);
      await publish('d', 3, 'other');
      expect(cluster.stored).toEqual(expect.arrayContaining(['1: b', '2: c', '3: d']));
    });

    test('rejects with send-unknown when a leader died after it received the records', async () => {
      const { cluster, publish } = await setUp(2, 1_500);
      await publish('warm');
      const taken: string[] = [];
      cluster.onProduce = (broker, batches) => {
        if (broker === 0) return {};
        taken.push(...batches.flatMap(({ values }) => values));
        cluster.partitionError = (partition) => (partition === 1 ? LEADER_NOT_AVAILABLE : 0);
        return 'reset';
      };
      await expect(publish('a', 1)).rejects.toMatchObject({ code: 'send-unknown', canRetry: true });
      expect(taken).toEqual(['a']);
    });

    test('opens few connections for a partition without a leader, and stores nothing', async () => {
      const { cluster, publish } = await setUp(1, 1_500);
      await publish('warm');
      cluster.partitionError = (partition) => (partition === 1 ? LEADER_NOT_AVAILABLE : 0);
      cluster.onProduce = () => ({});
      const before = cluster.connections;
      // The producer queries the metadata of a new topic.
      await expect(publish('a', 1, 'other')).rejects.toMatchObject({ canRetry: true });
      expect(cluster.stored).toEqual(['0: warm']);
      expect(cluster.connections - before).toBeLessThan(40);
    });

    test('rejects a value that cannot be encoded, and stores the other records once', async () => {
      const { cluster, publisher, publish } = await setUp(1);
      await publish('warm');
      const unwritable = { headers: { h: 5 as unknown as string } };
      const results = await Promise.allSettled([
        publish('a', 1),
        publisher.publish([
          { topic: 't', key: null, partition: 2, value: Buffer.from('<b>'), ...unwritable },
        ]),
        publish('c', 3),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(results[1]).toMatchObject({ reason: { code: 'not-sent', canRetry: false } });
      expect(cluster.stored.toSorted()).toEqual(['0: warm', '1: a', '3: c']);
    });

    test('opens few connections for many partitions that their leader refuses', async () => {
      const { cluster, publish } = await setUp(1, 3_000);
      await publish('warm');
      const before = cluster.connections;
      cluster.onProduce = () =>
        Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8].map((partition) => [partition, NOT_LEADER]));
      const refused = [1, 2, 3, 4, 5, 6, 7, 8].map((partition) => publish('a', partition));
      const results = await Promise.allSettled(refused);
      expect(results.every(({ status }) => status === 'rejected')).toBe(true);
      expect(cluster.connections - before).toBeLessThan(40);
    });
  },
);
