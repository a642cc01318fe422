import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  startLocalKafka,
  type LocalKafka,
  type LocalKafkaOptions,
} from '../../scripts/dev/local-kafka/start-local-kafka.ts';
import type { KafkaBroker } from '../../shared/messaging/kafka/kafka-broker.ts';
import { allTopicSpecs, topicName, type TopicKey } from '../../shared/messaging/topics/topic-list.ts';
import { loadConfig } from '../../shared/platform/load-config.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { openKafkaScope, withFewPartitions } from '../support/kafka/scope.ts';
import { eventually, sleep } from '../support/conformance/wait.ts';
import { createKafkaBroker, KAFKA_CLIENT } from '../support/kafka/broker.ts';

export type Say = (line: string) => void;

/** A three-node Kafka with prefixed topics, and a folder for files. */
export interface SoakWorld {
  readonly brokers: readonly string[];
  /** A Kafka client of the test, to read the log independently of the system. */
  readonly broker: KafkaBroker;
  /** Settings shared by all processes of the system. */
  readonly env: Readonly<Record<string, string>>;
  /** Deleted at the end. */
  readonly folder: string;
  readonly say: Say;
  readonly topic: (key: TopicKey) => string;
  /** The nodes of its own Kafka. */
  readonly nodes: LocalKafka['nodes'];
  /**
   * Kills one broker with SIGKILL and restarts it on its data after `awayMs`; resolves when it is back. Undefined for an
   * existing Kafka, which the test must not kill.
   */
  readonly restartBroker: ((awayMs: number) => Promise<void>) | undefined;
  close(): Promise<void>;
}

const TOPICS_LIMIT_MS = 60_000;

export interface SoakWorldOptions {
  /** Brokers of an existing Kafka, which the test leaves alone. Without them and `cluster` it starts its own. */
  readonly brokers?: readonly string[];
  /** A Kafka whose brokers the test may restart, and which it leaves running. */
  readonly cluster?: LocalKafka;
  /** Options of its own Kafka: see LocalKafkaOptions. */
  readonly proxied?: LocalKafkaOptions['proxied'];
  readonly say: Say;
}

/**
 * Connects to `brokers`, or starts three nodes. Rejects with LocalKafkaError if they cannot be started; its code names
 * the missing requirement.
 */
export async function openSoakWorld(options: SoakWorldOptions): Promise<SoakWorld> {
  const { say, proxied, cluster } = options;
  const own =
    options.brokers === undefined && cluster === undefined
      ? await startLocalKafka({
          nodes: 3,
          registry: false,
          report: (line) => say(`kafka: ${line}`),
          ...(proxied === undefined ? {} : { proxied }),
        })
      : undefined;
  const kafka = own ?? cluster;
  if (kafka === undefined)
    say('!!! KAFKA_BROKERS is set: no broker is restarted, because the test does not own them');
  try {
    return await openOn(kafka?.brokers ?? options.brokers ?? [], { kafka, own, say });
  } catch (error) {
    await own?.stop();
    throw error;
  }
}

interface Opened {
  readonly kafka: LocalKafka | undefined;
  /** Ends with the world. */
  readonly own: LocalKafka | undefined;
  readonly say: Say;
}

async function openOn(brokers: readonly string[], { kafka, own, say }: Opened): Promise<SoakWorld> {
  const scope = own === undefined ? await openKafkaScope(brokers) : undefined;
  const prefix = scope?.prefix ?? `soak-${randomUUID().slice(0, 8)}.`;
  const env = {
    KAFKA_CLIENT,
    KAFKA_BROKERS: brokers.join(','),
    KAFKA_TOPIC_PREFIX: prefix,
    RATE_LIMIT_PER_SECOND: '0',
    LOG_LEVEL: 'warn',
  };
  const broker = createKafkaBroker({ brokers, clientId: 'soak', log: silentLog });
  const isShared = kafka !== undefined && own === undefined;
  await createTopics(broker, isShared ? withFewPartitions(topicsFor(env)) : topicsFor(env));
  const folder = await mkdtemp(path.join(tmpdir(), 'soak-'));
  return {
    brokers,
    broker,
    env,
    folder,
    say,
    topic: (key) => topicName(prefix, key),
    nodes: kafka?.nodes ?? [],
    restartBroker: kafka === undefined ? undefined : (awayMs) => restartOne(kafka, awayMs),
    close: async () => {
      await broker.close();
      await scope?.close();
      await own?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** All topics. */
export function topicsFor(env: Readonly<Record<string, string>>) {
  const { topicPrefix, notification } = loadConfig(env);
  return allTopicSpecs(topicPrefix, notification.retryTiersMs);
}

/** Creates the topics and waits until every partition has a leader. */
async function createTopics(
  { admin }: KafkaBroker,
  specs: Parameters<KafkaBroker['admin']['createTopics']>[0],
): Promise<void> {
  await admin.createTopics(specs);
  for (const { topic } of specs) {
    await eventually(`leaders of ${topic}`, TOPICS_LIMIT_MS, () =>
      admin.offsets(topic).then(
        () => true,
        () => false,
      ),
    );
  }
}

/** The first node, which clients contact first. */
async function restartOne(kafka: LocalKafka, awayMs: number): Promise<void> {
  const [node] = kafka.nodes;
  if (node === undefined) throw new Error('the cluster has no node');
  await node.kill('SIGKILL');
  await sleep(awayMs);
  await node.restart();
}
