import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  startLocalKafka,
  type LocalKafka,
  type LocalKafkaOptions,
} from '../../scripts/dev/local-kafka/start-local-kafka.ts';
import { HEADER, headerText } from '../../shared/messaging/headers.ts';
import type { KafkaBroker } from '../../shared/messaging/kafka/kafka-broker.ts';
import type { LogMessage } from '../../shared/messaging/message.ts';
import { allTopicSpecs, topicName, type TopicKey } from '../../shared/messaging/topics/topic-list.ts';
import { loadConfig } from '../../shared/platform/load-config.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { eventually, sleep } from '../support/conformance/wait.ts';
import { createKafkaBroker, KAFKA_CLIENT } from '../support/kafka/broker.ts';
import { openKafkaScope, withFewPartitions } from '../support/kafka/scope.ts';
import { startEngine, type EngineProcess } from '../support/worlds/engine-process.ts';

export type Say = (line: string) => void;
type Environment = Readonly<Record<string, string>>;

/** A three-node Kafka with prefixed topics, and a folder for files. */
export interface SoakWorld {
  readonly brokers: readonly string[];
  /** A Kafka client of the test, to read the log independently of the system. */
  readonly broker: KafkaBroker;
  readonly env: Environment;
  readonly folder: string;
  readonly say: Say;
  readonly topic: (key: TopicKey) => string;
  /** The nodes that the test may kill; none of a Kafka that it does not own. */
  readonly nodes: LocalKafka['nodes'];
  close(): Promise<void>;
}

export interface SoakWorldOptions {
  /** Brokers of an existing Kafka, which the test leaves alone. Without them and `cluster` it starts its own. */
  readonly brokers?: readonly string[];
  /** A Kafka whose brokers the test may restart, and which it leaves running. */
  readonly cluster?: LocalKafka;
  readonly listeners?: LocalKafkaOptions['listeners'];
  readonly say: Say;
}

const TOPICS_LIMIT_MS = 60_000;
/** The last commit follows the last reply by 0.2 s; after a kill the group waits for the session timeout. */
const LAG_LIMIT_MS = 30_000;
const LAG_POLL_MS = 100;
/** A start takes many times longer if everything starts on one machine while a broker is down. */
const READY_LIMIT_MS = 90_000;

/**
 * Connects to `brokers`, or starts three nodes. Rejects with LocalKafkaError if they cannot be started; its code names
 * the missing requirement.
 */
export async function openSoakWorld(options: SoakWorldOptions): Promise<SoakWorld> {
  const { say, listeners = [], cluster } = options;
  const report = (line: string): void => say(`kafka: ${line}`);
  const isOwn = options.brokers === undefined && cluster === undefined;
  const own = isOwn ? await startLocalKafka({ nodes: 3, registry: false, report, listeners }) : undefined;
  const kafka = own ?? cluster;
  if (kafka === undefined)
    say('!!! KAFKA_BROKERS is set: no broker is restarted, because the test does not own them');
  const brokers = kafka?.brokers ?? options.brokers ?? [];
  try {
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
    await createTopics(broker, cluster === undefined ? topicsFor(env) : withFewPartitions(topicsFor(env)));
    const folder = await mkdtemp(path.join(tmpdir(), 'soak-'));
    return {
      brokers,
      broker,
      env,
      folder,
      say,
      topic: (key) => topicName(prefix, key),
      nodes: kafka?.nodes ?? [],
      close: async () => {
        await broker.close();
        await scope?.close();
        await own?.stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await own?.stop();
    throw error;
  }
}

export function topicsFor(env: Environment) {
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
    const hasLeaders = (): Promise<boolean> =>
      admin.offsets(topic).then(
        () => true,
        () => false,
      );
    await eventually(`leaders of ${topic}`, TOPICS_LIMIT_MS, hasLeaders);
  }
}

/** Starts processes in parallel. If one fails to start, the others are stopped. */
export async function startEngines(
  kinds: readonly (readonly string[])[],
  env: Environment,
): Promise<EngineProcess[]> {
  const starting = kinds.map((workers) => startEngine(workers, env, READY_LIMIT_MS));
  const ends = await Promise.allSettled(starting);
  if (ends.some(({ status }) => status === 'rejected'))
    for (const end of ends) if (end.status === 'fulfilled') await end.value.end('SIGKILL');
  return Promise.all(starting);
}

export async function startOne(workers: readonly string[], env: Environment): Promise<EngineProcess> {
  return startEngine(workers, env, READY_LIMIT_MS);
}

/** Reads all records that are on the topic at the time of the call. */
export async function readTopic(
  broker: KafkaBroker,
  topic: string,
  onMessage: (message: LogMessage) => void,
): Promise<void> {
  const ranges = (await broker.admin.offsets(topic))
    .filter(({ low, high }) => high > low)
    .map(({ partition, low, high }) => ({ topic, partition, from: low, to: high }));
  await broker.readRanges(ranges, (message) => {
    onMessage(message);
    return 'more';
  });
}

/** Number of records that the bulk workers have not committed; waits a while for zero. */
export async function lagOfBulkLane({ broker, env, topic }: SoakWorld): Promise<number> {
  const reads = {
    groupId: `${env['KAFKA_TOPIC_PREFIX']}plat.schedule.bulk`,
    topics: [topic('scheduleBulkRequests')],
  };
  const giveUpAt = performance.now() + LAG_LIMIT_MS;
  for (;;) {
    const [group] = await broker.admin.groups([reads]);
    const lag = (group?.partitions ?? []).reduce(
      (sum, { low, high, committed = low }) => sum + high - committed,
      0,
    );
    if (lag === 0 || performance.now() > giveUpAt) return lag;
    await sleep(LAG_POLL_MS);
  }
}

/** Replies found on the log for the requests of a topic. */
export interface ReplyFigures {
  readonly requests: number;
  readonly replies: number;
  readonly unanswered: number;
  readonly differing: number;
}

function idOf({ headers }: LogMessage): string {
  return headerText(headers, HEADER.correlationId) ?? '';
}

export async function matchReplies(
  { broker, topic }: SoakWorld,
  requestTopic: TopicKey,
  replyTopic: TopicKey,
): Promise<ReplyFigures> {
  const asked = new Set<string>();
  await readTopic(broker, topic(requestTopic), (message) => {
    // Several callers share the request topic; only requests with this reply topic count.
    if (headerText(message.headers, HEADER.replyTopic) === topic(replyTopic)) asked.add(idOf(message));
  });
  const first = new Map<string, string>();
  const differing = new Set<string>();
  let replies = 0;
  await readTopic(broker, topic(replyTopic), (message) => {
    replies += 1;
    const digest = createHash('sha256').update(message.value ?? '');
    const content = digest.digest('base64');
    if ((first.get(idOf(message)) ?? content) !== content) differing.add(idOf(message));
    else first.set(idOf(message), content);
  });
  const unanswered = [...asked].filter((id) => !first.has(id)).length;
  return { requests: asked.size, replies, unanswered, differing: differing.size };
}

/** One line for each of these figures that is not zero. */
export function nonZero<Figure extends string>(
  report: Readonly<Record<Figure, number>>,
  ...figures: readonly Figure[]
): readonly string[] {
  return figures.filter((figure) => report[figure] !== 0).map((figure) => `${figure}: ${report[figure]}`);
}
