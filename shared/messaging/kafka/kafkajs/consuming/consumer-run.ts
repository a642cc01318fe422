import type { Consumer, ConsumerGroupJoinEvent, ConsumerRunConfig, EachBatchPayload } from 'kafkajs';
import { MessagingError } from '../../../../platform/errors.ts';
import { REQUEST_TIMEOUT_MS, type CreateKafkajsClient, type KafkajsClient } from '../connection/client.ts';
import { toMessagingError } from '../../common/connection/errors.ts';
import { fetchListeners, type FetchAnswer, type FetchedBatch } from '../patches/fetches.ts';
import { readMessages } from '../../common/consuming/record-batches.ts';
import { consumerUsed } from '../../../broker-errors.ts';
import type { LogMessage, PartitionOffset, TopicPartition } from '../../../message.ts';

const KIB = 1_024;
const MIB = 1_024 * KIB;

/**
 * Limits of a fetch per partition and in total (a single larger record is still returned whole). They are small because
 * a response is decoded in one turn of the event loop.
 */
const MAX_BYTES_PER_PARTITION = 256 * KIB;
const MAX_BYTES_PER_FETCH = 2 * MIB;
/**
 * How long a fetch waits for data: a resumed partition is fetched again, and a rebalance is noticed, after this time at the latest. Each
 * fetch of an idle consumer wakes the process up.
 */
const MAX_WAIT_MS = 400;
/** The group notices new partitions with the first fetch after this time, so that it reads them within ten seconds. */
const METADATA_MAX_AGE_MS = 3_000;
/** Retries inside kafkajs cover a moved leader or coordinator; a longer failure ends the run, and a new one replaces it. */
const RETRY = { retries: 5, initialRetryTime: 100, maxRetryTime: 1_000 };
/** A run without events for the rebalance timeout and this margin is stuck (tulios/kafkajs#659). */
const STALL_MARGIN_MS = 15_000;
const STALL_TICK_MS = 5_000;
/**
 * A timeout of one of these requests ends the run. kafkajs would keep sending them to a frozen or disconnected broker
 * for half a minute, although its partitions and groups have other leaders by then: it refreshes metadata only after
 * an error response, or once a minute. A new run queries the other brokers.
 */
const ANSWERED_IN_TIME: ReadonlySet<string> = new Set(['Fetch', 'Heartbeat', 'OffsetCommit', 'OffsetFetch']);
/** Time for a crashed run to leave its group, so that its partitions are reassigned before the session ends. */
const LEAVE_MS = 1_000;
/** Upper bound on the duration of a fetch: its wait time, its timeout, a new connection. */
export const MAX_FETCH_MS = 2 * REQUEST_TIMEOUT_MS;

interface ConsumerRunOptions {
  readonly clientId: string;
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  /** Shortest time between two heartbeats, which follow fetches. */
  readonly heartbeatIntervalMs: number;
  /** The number of partitions: all may be delivered concurrently. */
  readonly concurrency: number;
}

/** The events of a run. All calls are synchronous; a throw ends the run as crashed. */
export interface ConsumerRunListener {
  /** A new generation with these partitions; delivery starts at the commits unless the listener seeks. */
  onJoined(partitions: readonly TopicPartition[]): void;
  /** At least one message, all of one partition. Returns whether they were accepted; otherwise they are fetched again. */
  onBatch(messages: readonly LogMessage[], highWatermark: number): boolean;
  /** The run ended after it had started. */
  onCrash(error: MessagingError): void;
  /** The group rebalances; a request sent now still reaches the coordinator before this member rejoins. */
  onRebalancing?(): void;
  onFetchStarted?(nodeId: string): void;
  /**
   * A broker answered a fetch; its messages are delivered after this call. The offsets before those that were requested, and were not
   * delivered, have no message (control records, compacted ones).
   */
  onFetchAnswered(answer: FetchAnswer): void;
  onFetchEnded?(nodeId: string): void;
}

/** A batch of kafkajs as the patched fetches fill it; the types of kafkajs omit its first offset. */
interface BatchOfBatches {
  readonly fetchedOffset: string;
  readonly messages: readonly FetchedBatch[];
}

/** A kafkajs consumer from connecting to its end; it is never restarted, but replaced by a new one. */
export class KafkajsConsumerRun {
  readonly #consumer: Consumer;
  readonly #client: KafkajsClient;
  readonly #options: ConsumerRunOptions;
  readonly #listener: ConsumerRunListener;
  #state: 'new' | 'starting' | 'running' | 'ended' = 'new';
  /** From the latest batch. It belongs to the consumer and stays usable after the batch. */
  #calls: Pick<EachBatchPayload, 'commitOffsetsIfNecessary'> | undefined;
  readonly #joined = Promise.withResolvers<void>();
  #closing: Promise<void> | undefined;
  /** Counts ticks instead of comparing clock times: a suspended process or a blocked event loop does not look like a stall. */
  #idleTicks = 0;
  #stallTimer: NodeJS.Timeout | undefined;

  constructor(createClient: CreateKafkajsClient, options: ConsumerRunOptions, listener: ConsumerRunListener) {
    const { clientId, groupId } = options;
    this.#options = options;
    this.#listener = listener;
    this.#client = createClient({ clientId, retry: RETRY });
    this.#consumer = this.#client.kafka.consumer({
      groupId,
      sessionTimeout: options.sessionTimeoutMs,
      rebalanceTimeout: options.rebalanceTimeoutMs,
      heartbeatInterval: options.heartbeatIntervalMs,
      maxWaitTimeInMs: MAX_WAIT_MS,
      minBytes: 1,
      maxBytesPerPartition: MAX_BYTES_PER_PARTITION,
      maxBytes: MAX_BYTES_PER_FETCH,
      metadataMaxAge: METADATA_MAX_AGE_MS,
      allowAutoTopicCreation: false,
      readUncommitted: false,
      // kafkajs would restart a consumer after some errors and not after others.
      retry: { ...RETRY, restartOnFailure: () => Promise.resolve(false) },
    });
  }

  /** Whether the run is active and a connection to a broker is open. */
  isConnected(): boolean {
    return this.#state === 'running' && this.#client.connections.isConnected();
  }

  /** Connects, joins and resolves with the first generation. Rejects with MessagingError and ends the run. */
  async start(): Promise<void> {
    const { clientId, topics, concurrency } = this.#options;
    if (this.#state !== 'new') throw consumerUsed(clientId);
    this.#state = 'starting';
    this.#joined.promise.catch(() => undefined);
    this.#listen();
    try {
      await this.#consumer.connect();
      await this.#consumer.subscribe({ topics: [...topics], fromBeginning: true });
      const config: ConsumerRunConfig = {
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: concurrency,
        eachBatch: (payload) => {
          this.#guard(() => this.#deliver(payload));
          return Promise.resolve();
        },
      };
      const onAnswer = (answer: FetchAnswer) => this.#notify(() => this.#listener.onFetchAnswered(answer));
      await fetchListeners.run(onAnswer, () => this.#consumer.run(config));
    } catch (error) {
      this.fail(error);
    }
    await this.#joined.promise;
  }

  /**
   * Leaves the group and disconnects. kafkajs waits for pending joins without a limit and may then skip
   * the LeaveGroup request (runner.js): after `timeoutMs` the sockets are destroyed, and the member is removed when its session
   * ends.
   */
  async stop(timeoutMs: number): Promise<void> {
    if (this.#state === 'starting') this.#fail(consumerUsed(this.#options.clientId));
    this.#state = 'ended';
    await this.#close(timeoutMs);
  }

  /** kafkajs drops fetched records of a paused partition, and fetches them again after resume(). */
  pause(partitions: readonly TopicPartition[]): void {
    this.#consumer.pause(byTopic(partitions));
  }

  resume(partitions: readonly TopicPartition[]): void {
    this.#consumer.resume(byTopic(partitions));
  }

  seek({ topic, partition, offset }: PartitionOffset): void {
    this.#consumer.seek({ topic, partition, offset: String(offset) });
  }

  /**
   * One attempt to commit for the current generation; consumer.commitOffsets() would repeat a failed commit in the next
   * generation. False before the first batch. Rejects with the errors of kafkajs.
   */
  async commit(offsets: readonly PartitionOffset[]): Promise<boolean> {
    if (this.#calls === undefined) return false;
    const topics = [...Map.groupBy(offsets, ({ topic }) => topic)].map(([topic, list]) => ({
      topic,
      partitions: list.map(({ partition, offset }) => ({ partition, offset: String(offset) })),
    }));
    await this.#calls.commitOffsetsIfNecessary({ topics });
    return true;
  }

  /** Ends the run as crashed. */
  fail(error: unknown): void {
    this.#fail(toMessagingError(`consumer ${this.#options.clientId}`, error));
  }

  #listen(): void {
    const consumer = this.#consumer;
    const { events } = consumer;
    this.#stallTimer = setInterval(() => this.#checkStall(), STALL_TICK_MS).unref();
    consumer.on(events.GROUP_JOIN, ({ payload }) => {
      this.#notify(() => this.#listener.onJoined(assignedPartitions(payload)));
      if (this.#state === 'starting') this.#state = 'running';
      this.#joined.resolve();
    });
    consumer.on(events.REBALANCING, () => this.#notify(() => this.#listener.onRebalancing?.()));
    consumer.on(events.HEARTBEAT, () => this.#notify(() => undefined));
    consumer.on(events.FETCH_START, ({ payload }) => {
      this.#notify(() => this.#listener.onFetchStarted?.(nodeIdOf(payload)));
    });
    consumer.on(events.FETCH, ({ payload }) => {
      this.#notify(() => this.#listener.onFetchEnded?.(nodeIdOf(payload)));
    });
    consumer.on(events.REQUEST_TIMEOUT, ({ payload: { apiName, broker } }) => {
      this.#client.connections.close(broker);
      if (this.#state !== 'running' || !ANSWERED_IN_TIME.has(apiName)) return;
      const text = `${this.#options.clientId}: ${broker} does not answer (${apiName})`;
      this.#fail(new MessagingError('broker-unavailable', text, { canRetry: true }));
    });
    consumer.on(events.CRASH, ({ payload }) => this.fail(payload.error));
  }

  #deliver(payload: EachBatchPayload): void {
    this.#calls = payload;
    const { topic, partition } = payload.batch;
    const { fetchedOffset, messages: fetched } = payload.batch as unknown as BatchOfBatches;
    const place = { topic, partition, from: Number(fetchedOffset) };
    const messages: LogMessage[] = [];
    for (const { batch, isDelivered } of fetched) {
      const read = isDelivered ? readMessages(place, batch) : [];
      if ('reason' in read) this.#client.onUnreadable(place, read);
      else messages.push(...read);
    }
    const isAccepted =
      messages.length === 0 || this.#listener.onBatch(messages, Number(payload.batch.highWatermark));
    if (isAccepted) payload.resolveOffset(fetched.at(-1)?.offset ?? fetchedOffset);
  }

  /** Passes on an event of kafkajs. */
  #notify(call: () => void): void {
    this.#idleTicks = 0;
    this.#guard(call);
  }

  #checkStall(): void {
    this.#idleTicks += 1;
    const { clientId, rebalanceTimeoutMs } = this.#options;
    if (this.#idleTicks * STALL_TICK_MS < rebalanceTimeoutMs + STALL_MARGIN_MS) return;
    const text = `${clientId}: the consumer shows no activity`;
    this.#fail(new MessagingError('consumer-stalled', text, { canRetry: true }));
  }

  /** kafkajs would repeat a batch forever when its handler throws, and would treat an error of a listener as its own. */
  #guard(call: () => void): void {
    if (this.#state === 'ended') return;
    try {
      call();
    } catch (error) {
      this.fail(error);
    }
  }

  #fail(error: MessagingError): void {
    const before = this.#state;
    if (before === 'ended') return;
    this.#state = 'ended';
    void this.#close(LEAVE_MS);
    this.#joined.reject(error);
    if (before === 'running') this.#listener.onCrash(error);
  }

  #close(timeoutMs: number): Promise<void> {
    clearInterval(this.#stallTimer);
    this.#closing ??= disconnectWithin(this.#consumer, this.#client, timeoutMs);
    return this.#closing;
  }
}

/** Disconnects, and destroys the sockets after `timeoutMs`. Never rejects. */
async function disconnectWithin(consumer: Consumer, client: KafkajsClient, timeoutMs: number): Promise<void> {
  const timer = setTimeout(() => client.connections.destroy(), timeoutMs);
  await consumer.disconnect().catch(() => undefined);
  clearTimeout(timer);
  client.connections.destroy();
}

/** The broker of a fetch, which the types of kafkajs omit. */
function nodeIdOf(payload: object): string {
  return String((payload as { readonly nodeId?: unknown }).nodeId);
}

function assignedPartitions({ memberAssignment }: ConsumerGroupJoinEvent['payload']): TopicPartition[] {
  return Object.entries(memberAssignment).flatMap(([topic, partitions]) =>
    partitions.map((partition) => ({ topic, partition })),
  );
}

/** Partitions as kafkajs pauses and resumes them. */
function byTopic(partitions: readonly TopicPartition[]): { topic: string; partitions: number[] }[] {
  const topics = Map.groupBy(partitions, ({ topic }) => topic);
  return [...topics].map(([topic, list]) => ({ topic, partitions: list.map(({ partition }) => partition) }));
}
