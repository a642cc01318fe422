import kafkajs, { type Cluster, type Consumer, type ConsumerConfig, type Kafka } from 'kafkajs';
import { partitionId, type LogMessage, type PartitionOffset, type TopicPartition } from '../message.ts';
import type { CreateKafkajsClient } from './kafkajs-client.ts';
import { brokerErrorName, fetchBytes, type PartitionBytes } from './kafkajs-internals.ts';
import { committedBatches, openBatches, readMessages, type UnreadableBatch } from './record-batches.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { monotonicClock } from '../../platform/system-ports.ts';
import { errorText, MessagingError } from '../../platform/errors.ts';
import { RepeatedFailure, type Log } from '../../platform/log.ts';
import { brokerErrorType } from './kafka-errors.ts';

const KIB = 1_024;
const MIB = 1_024 * KIB;

/** Small, because a response is decoded in one turn of the event loop. A broker returns a larger batch as a whole. */
const MAX_BYTES_PER_PARTITION = 256 * KIB;
const MAX_BYTES_PER_FETCH = 2 * MIB;
/** Isolation level: records of open and aborted transactions are not delivered. */
const READ_COMMITTED = 1;

/** Kafka's error for a position outside the log: its record was removed, or it is beyond the end. */
export const OUT_OF_RANGE = 'OFFSET_OUT_OF_RANGE';

/** Node ids of the leaders by topic and partition; -1 if the leader is missing or not alive. */
export type TopicLeaders = ReadonlyMap<string, readonly number[]>;

export type CreateFetchClient = ReturnType<typeof fetchClients>;

/** The requests of a reader, on its own connections. They reject with kafkajs errors or RangeError (unknown format). */
export type FetchClient = ReturnType<CreateFetchClient>;

export interface FetchedRecords extends TopicPartition {
  readonly from: number;
  /** The next offset to request: `from` after an error or if there was no complete batch. */
  readonly position: number;
  /** No further message is below this offset: at least `stableEnd` if no partition of the response has records. */
  readonly readTo: number;
  readonly messages: readonly LogMessage[];
  /** The last stable offset: no record below it belongs to an open transaction. */
  readonly stableEnd: number;
  readonly error: string | undefined;
}

type OnUnreadable = (place: TopicPartition, batch: UnreadableBatch) => void;

/** Creates a consumer and returns its cluster too, which kafkajs gives only to partition assigners. */
export function consumerOf(kafka: Kafka, config: ConsumerConfig): { consumer: Consumer; cluster: Cluster } {
  let cluster: Cluster | undefined;
  const consumer = kafka.consumer({
    ...config,
    allowAutoTopicCreation: false,
    partitionAssigners: [
      (parts) => {
        cluster = parts.cluster;
        return kafkajs.PartitionAssigners.roundRobin(parts);
      },
    ],
  });
  if (cluster === undefined) throw new Error('kafkajs has created no partition assigner');
  return { consumer, cluster };
}

/** Calls `onUnreadable` for each batch that cannot be read and is skipped. */
export function fetchClients(createClient: CreateKafkajsClient, onUnreadable: OnUnreadable) {
  return (clientId: string) => {
    const { kafka, connections } = createClient({ clientId, retry: { retries: 0 } });
    const { consumer, cluster } = consumerOf(kafka, { groupId: clientId });
    consumer.on(consumer.events.REQUEST_TIMEOUT, ({ payload }) => connections.close(payload.broker));
    return {
      /** Also rejects if one of the topics does not exist or may not be read. */
      leaders: async (topics: readonly string[]): Promise<TopicLeaders> => {
        await consumer.connect();
        await cluster.addMultipleTargetTopics([...topics]);
        await cluster.refreshMetadata();
        return new Map(topics.map((topic) => [topic, leadersOf(cluster, topic)]));
      },
      /** One request to a broker that leaders() returned. The broker waits at most `maxWaitMs` for a record. */
      fetch: async (node: number, partitions: readonly PartitionOffset[], maxWaitMs: number) => {
        const broker = await cluster.findBroker({ nodeId: String(node) });
        const request = {
          topics: byTopic(partitions, ({ partition, offset }) => {
            return { partition, fetchOffset: String(offset), maxBytes: MAX_BYTES_PER_PARTITION };
          }),
          maxWaitTime: maxWaitMs,
          minBytes: 1,
          maxBytes: MAX_BYTES_PER_FETCH,
          isolationLevel: READ_COMMITTED,
        };
        const answers = await fetchBytes(() => broker.fetch(request));
        return readAnswers(partitions, answers, onUnreadable);
      },
      earliest: async ({ topic, partition }: TopicPartition): Promise<number> => {
        const wanted = [{ topic, partitions: [{ partition }], fromBeginning: true as const }];
        const [found] = await cluster.fetchTopicsOffset(wanted);
        return Number(found?.partitions[0]?.offset ?? 0);
      },
      destroy: () => {
        connections.destroy();
        consumer.disconnect().catch(() => undefined);
      },
    };
  };
}

function leadersOf(cluster: Cluster, topic: string): readonly number[] {
  const alive = new Set(cluster.getNodeIds().map(Number));
  const partitions = cluster.findTopicPartitionMetadata(topic);
  const leaders = partitions.map(() => -1);
  for (const { partitionId: partition, leader } of partitions) {
    if (partition in leaders && alive.has(leader)) leaders[partition] = leader;
  }
  return leaders;
}

export function byTopic<T extends TopicPartition, One>(partitions: readonly T[], toOne: (one: T) => One) {
  return [...Map.groupBy(partitions, ({ topic }) => topic)].map(([topic, list]) => {
    return { topic, partitions: list.map(toOne) };
  });
}

async function readAnswers(
  partitions: readonly PartitionOffset[],
  answers: readonly PartitionBytes[],
  onUnreadable: OnUnreadable,
): Promise<readonly FetchedRecords[]> {
  const requested = new Map(partitions.map((one) => [partitionId(one.topic, one.partition), one.offset]));
  const isEmpty = answers.every(({ messages }) => messages.length === 0);
  const fetched: FetchedRecords[] = [];
  for (const answer of answers) {
    const { topic, partition } = answer;
    const from = requested.get(partitionId(topic, partition));
    if (from === undefined) continue;
    const place = { topic, partition, from };
    const batches = await openBatches(answer.messages);
    const messages: LogMessage[] = [];
    for (const batch of committedBatches(batches, answer.abortedTransactions)) {
      const read = readMessages(place, batch);
      if ('reason' in read) onUnreadable(place, read);
      else messages.push(...read);
    }
    const last = batches.at(-1);
    const position = last === undefined ? from : last.lastOffset + 1;
    const stableEnd = Number(answer.lastStableOffset);
    const readTo = isEmpty ? Math.max(position, stableEnd) : position;
    const error = brokerErrorName(answer.errorCode);
    fetched.push({ ...place, position, readTo, messages, stableEnd, error });
  }
  return fetched;
}

/** A fetch waits this long for records, so an idle reader sends each leader a request every two seconds. */
export const MAX_WAIT_MS = 2_000;
/** A fetch waits this long while a partition is paused: a resumed partition is fetched again when the wait is over. */
const MAX_WAIT_PAUSED_MS = 250;
/** Interval of leader queries, which find moved leaders and new partitions: a group reads these within ten seconds. */
const METADATA_MAX_AGE_MS = 3_000;
const RETRY_MS = 250;

const REFUSED = /_AUTHORIZATION_FAILED$/;

/** The reader of the fetched partitions. Its methods are synchronous and must not throw. */
export interface FetchListener {
  /** A leader has answered for a partition that is not paused, possibly without messages. `position` is read next. */
  onFetched(fetched: FetchedRecords): void;
  /** Called after each query of the leaders, and therefore before the first fetch. */
  onLeaders?(topics: TopicLeaders): void;
  /** This client may not read a topic. The fetcher continues to try. */
  onRefused?(error: Error): void;
}

interface FetcherParts {
  /** The topics whose leaders are queried, even while none of their partitions is read. */
  readonly topics: readonly string[];
  readonly clientId: string;
  readonly createFetchClient: CreateFetchClient;
  readonly log: Log;
}

interface Cursor extends TopicPartition {
  offset: number;
  isPaused: boolean;
  leader: number | undefined;
  isFetching: boolean;
  isRead: boolean;
}

/** Reads partitions from their leaders. A position outside its log is moved to the first retained record. */
export class PartitionFetcher {
  readonly #parts: FetcherParts;
  readonly #listener: FetchListener;
  readonly #client: FetchClient;
  /** In the order of requests. Partitions that returned records move to the end, so the size limit starves none. */
  readonly #cursors = new Map<string, Cursor>();
  readonly #polled = new Set<number>();
  readonly #failures: RepeatedFailure;
  #isQuerying = false;
  /** The next query comes early, because a partition has no leader. */
  #isRetrying = false;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(positions: readonly PartitionOffset[], parts: FetcherParts, listener: FetchListener) {
    this.#parts = parts;
    this.#listener = listener;
    this.#failures = new RepeatedFailure(parts.log, monotonicClock);
    this.#client = parts.createFetchClient(parts.clientId);
    this.add(positions);
  }

  start(): void {
    void this.#queryLeaders();
  }

  add(positions: readonly PartitionOffset[]): void {
    for (const { topic, partition, offset } of positions) {
      const state = { leader: undefined, isPaused: false, isFetching: false, isRead: false };
      this.#cursors.set(partitionId(topic, partition), { topic, partition, offset, ...state });
    }
  }

  /** Whether all partitions are being read. */
  isHealthy(): boolean {
    return !this.#isStopped && this.#all().every(({ isRead }) => isRead);
  }

  pause(partitions: readonly TopicPartition[]): void {
    this.#setPaused(partitions, true);
  }

  resume(partitions: readonly TopicPartition[]): void {
    this.#setPaused(partitions, false);
    this.#pollAll();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#client.destroy();
  }

  #setPaused(partitions: readonly TopicPartition[], isPaused: boolean): void {
    for (const { topic, partition } of partitions) {
      const cursor = this.#cursors.get(partitionId(topic, partition));
      if (cursor !== undefined) cursor.isPaused = isPaused;
    }
  }

  async #queryLeaders(): Promise<void> {
    if (this.#isQuerying || this.#isStopped) return;
    this.#isQuerying = true;
    this.#isRetrying = false;
    clearTimeout(this.#timer);
    try {
      const topics = await this.#client.leaders(this.#parts.topics);
      if (!this.#isStopped) this.#takeLeaders(topics);
    } catch (error) {
      this.#checkRefused(brokerErrorType(error));
      this.#logFailure('the leaders of partitions cannot be queried', error);
    }
    this.#isQuerying = false;
    this.#queryLater();
  }

  #takeLeaders(topics: TopicLeaders): void {
    // Called first, because onLeaders() may add partitions.
    this.#listener.onLeaders?.(topics);
    for (const cursor of this.#cursors.values()) {
      const leader = topics.get(cursor.topic)?.[cursor.partition] ?? -1;
      if (leader >= 0) cursor.leader = leader;
      else this.#lose(cursor);
    }
    this.#pollAll();
  }

  #queryLater(): void {
    if (this.#isStopped || this.#isQuerying || this.#isRetrying) return;
    clearTimeout(this.#timer);
    this.#isRetrying = this.#hasLost();
    const delayMs = this.#isRetrying ? RETRY_MS : METADATA_MAX_AGE_MS;
    this.#timer = setTimeout(() => void this.#queryLeaders(), delayMs);
  }

  #hasLost(): boolean {
    return this.#all().some(({ leader }) => leader === undefined);
  }

  #all(): Cursor[] {
    return [...this.#cursors.values()];
  }

  #pollAll(): void {
    for (const { leader, isPaused, isFetching } of this.#cursors.values()) {
      if (leader === undefined || isPaused || isFetching || this.#polled.has(leader)) continue;
      void this.#poll(leader);
    }
  }

  /** Each request waits for the end of the turn, so that results of earlier messages, such as replies, go first. */
  async #poll(node: number): Promise<void> {
    this.#polled.add(node);
    let wanted: readonly Cursor[] = [];
    try {
      for (;;) {
        wanted = this.#all().filter(
          ({ leader, isPaused, isFetching }) => leader === node && !isPaused && !isFetching,
        );
        if (this.#isStopped || wanted.length === 0) break;
        await this.#fetch(node, wanted);
        await nextTurn();
      }
    } catch (error) {
      for (const cursor of wanted) this.#lose(cursor);
      this.#logFailure('a fetch failed', error);
    }
    this.#polled.delete(node);
    // Partitions that this loop has read may have another leader by now.
    if (!this.#isStopped) this.#pollAll();
    if (this.#hasLost()) this.#queryLater();
  }

  async #fetch(node: number, wanted: readonly Cursor[]): Promise<void> {
    const request = wanted.map(({ topic, partition, offset }) => ({ topic, partition, offset }));
    for (const cursor of wanted) cursor.isFetching = true;
    const unanswered = new Set(wanted);
    const outOfRange: Cursor[] = [];
    try {
      // Without a wait, the answer to the first request shows soon that a new partition can be read.
      const isNew = wanted.some(({ isRead }) => !isRead);
      const isSomePaused = this.#all().some(({ isPaused }) => isPaused);
      const maxWaitMs = isNew ? 0 : isSomePaused ? MAX_WAIT_PAUSED_MS : MAX_WAIT_MS;
      const fetched = await this.#client.fetch(node, request, maxWaitMs);
      for (const one of fetched) {
        const cursor = this.#cursors.get(partitionId(one.topic, one.partition));
        // The listener may stop this fetcher.
        if (this.#isStopped || cursor === undefined) continue;
        unanswered.delete(cursor);
        if (one.error === OUT_OF_RANGE) outOfRange.push(cursor);
        else this.#take(cursor, one);
      }
    } finally {
      for (const cursor of wanted) cursor.isFetching = false;
    }
    for (const cursor of unanswered) this.#lose(cursor);
    for (const cursor of outOfRange) {
      const { topic, partition, offset } = cursor;
      const earliest = await this.#client.earliest(cursor);
      if (earliest === offset) this.#lose(cursor);
      cursor.offset = earliest;
      const fields = { topic, partition, offset, earliest };
      this.#parts.log.debug(fields, 'a position has no record, its partition continues');
    }
    if (this.#hasLost()) this.#queryLater();
    else if (this.isHealthy())
      this.#failures.ended({ clientId: this.#parts.clientId }, 'all partitions are read');
  }

  #take(cursor: Cursor, fetched: FetchedRecords): void {
    const { error, topic, partition } = fetched;
    if (error !== undefined) {
      this.#checkRefused(error);
      const fields = { topic, partition, offset: fetched.from, error };
      this.#parts.log.debug(fields, 'a partition cannot be fetched');
      this.#lose(cursor);
      return;
    }
    cursor.isRead = true;
    // The reader has no room for the records now. They are fetched again after resume().
    if (cursor.isPaused) return;
    if (fetched.position > cursor.offset) {
      cursor.offset = fetched.position;
      const id = partitionId(topic, partition);
      this.#cursors.delete(id);
      this.#cursors.set(id, cursor);
    }
    this.#listener.onFetched(fetched);
  }

  #lose(cursor: Cursor): void {
    cursor.leader = undefined;
    cursor.isRead = false;
  }

  #checkRefused(error: string | undefined): void {
    if (error === undefined || !REFUSED.test(error)) return;
    const text = `${this.#parts.clientId}: ${error}`;
    this.#listener.onRefused?.(new MessagingError('broker-refused', text, { canRetry: false }));
  }

  #logFailure(text: string, error: unknown): void {
    if (this.#isStopped) return;
    this.#failures.failed({ clientId: this.#parts.clientId, error: errorText(error) }, text);
  }
}
