import type {
  Consumer,
  ConsumerGroupJoinEvent,
  ConsumerRunConfig,
  EachBatchPayload,
  PartitionAssigner,
} from 'kafkajs';
import { MessagingError } from '../../../platform/errors.ts';
import { REQUEST_TIMEOUT_MS, type CreateKafkaClient, type KafkaClient } from '../connection/client.ts';
import { toMessagingError } from '../connection/errors.ts';
import { fetchListeners, type FetchAnswer } from '../kafkajs/unreadable-batches.ts';
import { toLogMessage } from './log-message.ts';
import type { LogMessage, PartitionOffset, TopicPartition } from '../../message.ts';

const KIB = 1_024;
const MIB = 1_024 * KIB;

/**
 * Limits of a fetch per partition and in total (a single larger record is still returned whole). They are small because kafkajs
 * decodes a response synchronously: 2 MiB of short messages block the event loop for about 20 ms.
 */
const MAX_BYTES_PER_PARTITION = 256 * KIB;
const MAX_BYTES_PER_FETCH = 2 * MIB;
/** With one heartbeat a second a rebalance is noticed within that time, and a session of 6 s survives five lost ones. */
const HEARTBEAT_INTERVAL_MS = 1_000;
/** New partitions are found after this, and the group rebalances. */
const METADATA_MAX_AGE_MS = 60_000;
/** Retries inside kafkajs cover a moved leader or coordinator; a longer failure ends the run, and a new one is built. */
const RETRY = { retries: 5, initialRetryTime: 100, maxRetryTime: 1_000 };
/** A run without any sign of life for this long beyond the longest rebalance is stuck (tulios/kafkajs#659). */
const STALL_MARGIN_MS = 15_000;
/**
 * Requests of a running consumer that a broker has to answer in time. kafkajs would send them to a frozen or disconnected
 * broker for half a minute, although its partitions and groups have other leaders by then: it refreshes metadata only after
 * an error response, or once a minute. A new run asks the other brokers.
 */
const ANSWERED_IN_TIME: ReadonlySet<string> = new Set(['Fetch', 'Heartbeat', 'OffsetCommit', 'OffsetFetch']);
/** Time for a crashed run to leave its group, so that its partitions need not wait for the end of the session. */
const LEAVE_MS = 1_000;
/** Upper bound of a fetch: its waiting time, its time-out, a new connection. */
export const MAX_FETCH_MS = 2 * REQUEST_TIMEOUT_MS;

interface ConsumerRunOptions {
  readonly clientId: string;
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly maxWaitMs: number;
  /** Partitions that may be delivered concurrently: all of them. */
  readonly concurrency: number;
  readonly assigner?: PartitionAssigner;
}

/** The events of a run. All calls are synchronous; a throw ends the run as crashed. */
export interface ConsumerRunListener {
  /** A new generation: these partitions, starting at the commits unless the listener seeks. */
  onJoined(partitions: readonly TopicPartition[]): void;
  /** At least one message, all of one partition. Returns whether they are accepted; otherwise they are fetched again. */
  onBatch(messages: readonly LogMessage[], highWatermark: number): boolean;
  /** kafkajs skipped offsets without a message (control records, compacted ones); `position` is the next one. */
  onPassed(position: PartitionOffset, highWatermark: number): void;
  /** The run ended permanently after it had started. */
  onCrash(error: MessagingError): void;
  /** The group rebalances; a request sent now still reaches the coordinator before this member joins again. */
  onRebalancing?(): void;
  onFetchStarted?(nodeId: string): void;
  /** A broker answered; the messages of the answer are delivered after this call. */
  onFetchAnswered?(answer: FetchAnswer): void;
  onFetchEnded?(nodeId: string): void;
  onHeartbeat?(): void;
}

/** One life of a kafkajs consumer, from connecting to its end; it is never restarted, but replaced by a new one. */
export class KafkaConsumerRun {
  readonly #consumer: Consumer;
  readonly #client: KafkaClient;
  readonly #options: ConsumerRunOptions;
  readonly #listener: ConsumerRunListener;
  readonly #liveness: LivenessWatch;
  #state: 'new' | 'starting' | 'running' | 'ended' = 'new';
  /** The latest batch's functions. They belong to the consumer, not to the batch, and stay usable after it. */
  #calls: Pick<EachBatchPayload, 'commitOffsetsIfNecessary' | 'heartbeat'> | undefined;
  #failStart: ((error: MessagingError) => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(createClient: CreateKafkaClient, options: ConsumerRunOptions, listener: ConsumerRunListener) {
    const { clientId, groupId, assigner } = options;
    this.#options = options;
    this.#listener = listener;
    this.#client = createClient({ clientId, retry: RETRY });
    this.#consumer = this.#client.kafka.consumer({
      groupId,
      ...(assigner === undefined ? {} : { partitionAssigners: [assigner] }),
      sessionTimeout: options.sessionTimeoutMs,
      rebalanceTimeout: options.rebalanceTimeoutMs,
      heartbeatInterval: HEARTBEAT_INTERVAL_MS,
      maxWaitTimeInMs: options.maxWaitMs,
      minBytes: 1,
      maxBytesPerPartition: MAX_BYTES_PER_PARTITION,
      maxBytes: MAX_BYTES_PER_FETCH,
      metadataMaxAge: METADATA_MAX_AGE_MS,
      allowAutoTopicCreation: false,
      readUncommitted: false,
      // kafkajs would restart a crashed consumer under the same object, or not, by rules of its own.
      retry: { ...RETRY, restartOnFailure: () => Promise.resolve(false) },
    });
    this.#liveness = new LivenessWatch(options.rebalanceTimeoutMs + STALL_MARGIN_MS, () => {
      const text = `${clientId}: the consumer shows no sign of life`;
      this.#fail(new MessagingError('consumer-stalled', text, { canRetry: true }));
    });
  }

  /** Whether the run is active and a connection to a broker is open. */
  isConnected(): boolean {
    return this.#state === 'running' && this.#client.connections.isConnected();
  }

  /** Connects, joins and resolves with the first generation. Rejects with MessagingError; the run is then over. */
  async start(): Promise<void> {
    const { clientId, topics, concurrency } = this.#options;
    if (this.#state !== 'new') {
      throw new MessagingError('consumer-used', `${clientId} was started or stopped before`, {
        canRetry: false,
      });
    }
    this.#state = 'starting';
    this.#listen();
    const joined = this.#firstJoin();
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
      const onAnswer = (answer: FetchAnswer) => this.#sign(() => this.#answered(answer));
      await fetchListeners.run(onAnswer, () => this.#consumer.run(config));
    } catch (error) {
      this.#fail(toMessagingError(`consumer ${clientId}`, error));
    }
    await joined;
  }

  /**
   * Leaves the group and disconnects. kafkajs waits for pending fetches and joins without limit and may then skip the
   * LeaveGroup request (runner.js): after `timeoutMs` the sockets are destroyed, and the end of the session removes the member.
   */
  async stop(timeoutMs: number): Promise<void> {
    if (this.#state === 'starting') this.#fail(stopped(this.#options.clientId));
    this.#state = 'ended';
    await this.#close(timeoutMs);
  }

  /** kafkajs drops what it has fetched of a paused partition, and fetches it again after resume(). */
  pause(partitions: readonly TopicPartition[]): void {
    this.#consumer.pause(byTopic(partitions));
  }

  resume(partitions: readonly TopicPartition[]): void {
    this.#consumer.resume(byTopic(partitions));
  }

  /** Pauses all partitions of its topics but these. */
  fetchOnly(partitions: readonly TopicPartition[]): void {
    this.#consumer.pause(this.#options.topics.map((topic) => ({ topic })));
    if (partitions.length > 0) this.resume(partitions);
  }

  seek({ topic, partition, offset }: PartitionOffset): void {
    this.#consumer.seek({ topic, partition, offset: String(offset) });
  }

  /**
   * One attempt, for the generation at the moment of the call; consumer.commitOffsets() would repeat a failed commit of this
   * generation under the next one. False before the first batch. Rejects with the errors of kafkajs.
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

  /** Before the first batch kafkajs' own loop is enough: no work can delay it yet. Rejects with the errors of kafkajs. */
  async heartbeat(): Promise<void> {
    await this.#calls?.heartbeat();
  }

  /** Ends the run as crashed. */
  fail(error: unknown): void {
    this.#fail(toMessagingError(`consumer ${this.#options.clientId}`, error));
  }

  #firstJoin(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#failStart = reject;
    this.#consumer.on(this.#consumer.events.GROUP_JOIN, () => {
      if (this.#state === 'starting') this.#state = 'running';
      resolve();
    });
    promise.catch(() => undefined);
    return promise;
  }

  #listen(): void {
    const consumer = this.#consumer;
    const { events } = consumer;
    this.#liveness.start();
    consumer.on(events.GROUP_JOIN, ({ payload }) => {
      this.#sign(() => this.#listener.onJoined(assignedPartitions(payload)));
    });
    consumer.on(events.REBALANCING, () => this.#sign(() => this.#listener.onRebalancing?.()));
    consumer.on(events.HEARTBEAT, () => this.#sign(() => this.#listener.onHeartbeat?.()));
    consumer.on(events.FETCH_START, ({ payload }) => {
      this.#sign(() => this.#listener.onFetchStarted?.(String((payload as { nodeId: unknown }).nodeId)));
    });
    consumer.on(events.FETCH, ({ payload }) => {
      const { nodeId } = payload as unknown as { nodeId: unknown };
      this.#sign(() => this.#listener.onFetchEnded?.(String(nodeId)));
    });
    consumer.on(events.END_BATCH_PROCESS, ({ payload }) => {
      if (payload.batchSize > 0) return;
      const { topic, partition, lastOffset, highWatermark } = payload;
      const position = { topic, partition, offset: Number(lastOffset) + 1 };
      this.#sign(() => this.#listener.onPassed(position, Number(highWatermark)));
    });
    consumer.on(events.REQUEST_TIMEOUT, ({ payload: { apiName, broker } }) => {
      this.#client.onSilent(broker);
      if (this.#state !== 'running' || !ANSWERED_IN_TIME.has(apiName)) return;
      const text = `${this.#options.clientId}: ${broker} does not answer (${apiName})`;
      this.#fail(new MessagingError('broker-unavailable', text, { canRetry: true }));
    });
    consumer.on(events.CRASH, ({ payload }) => this.fail(payload.error));
  }

  #deliver(payload: EachBatchPayload): void {
    this.#calls = payload;
    const { topic, partition, messages, highWatermark } = payload.batch;
    const last = messages.at(-1);
    if (last === undefined) return;
    const read = messages.map((message) => toLogMessage(topic, partition, message));
    if (this.#listener.onBatch(read, Number(highWatermark))) payload.resolveOffset(last.offset);
  }

  #answered(answer: FetchAnswer): void {
    for (const fetched of answer.partitions) {
      for (const batch of fetched.unreadable) this.#client.onUnreadable(fetched, batch);
    }
    this.#listener.onFetchAnswered?.(answer);
  }

  #sign(call: () => void): void {
    this.#liveness.alive();
    this.#guard(call);
  }

  /** kafkajs would repeat a batch whose handler throws forever, and treat a throwing listener as an error of its own. */
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
    this.#failStart?.(error);
    if (before === 'running') this.#listener.onCrash(error);
  }

  #close(timeoutMs: number): Promise<void> {
    this.#liveness.stop();
    this.#closing ??= disconnectWithin(this.#consumer, this.#client, timeoutMs);
    return this.#closing;
  }
}

/** Disconnects, and destroys the sockets when that takes longer than `timeoutMs`. Never rejects. */
async function disconnectWithin(consumer: Consumer, client: KafkaClient, timeoutMs: number): Promise<void> {
  const timer = setTimeout(() => client.connections.destroy(), timeoutMs);
  await consumer.disconnect().catch(() => undefined);
  clearTimeout(timer);
  client.connections.destroy();
}

function assignedPartitions({ memberAssignment }: ConsumerGroupJoinEvent['payload']): TopicPartition[] {
  return Object.entries(memberAssignment).flatMap(([topic, partitions]) =>
    partitions.map((partition) => ({ topic, partition })),
  );
}

/** Partitions in the form in which kafkajs pauses and resumes them. */
function byTopic(partitions: readonly TopicPartition[]): { topic: string; partitions: number[] }[] {
  const topics = Map.groupBy(partitions, ({ topic }) => topic);
  return [...topics].map(([topic, list]) => ({ topic, partitions: list.map(({ partition }) => partition) }));
}

function stopped(clientId: string): MessagingError {
  return new MessagingError('consumer-used', `${clientId} was stopped`, { canRetry: false });
}

/**
 * Detects a consumer that shows no sign of life. It counts its own ticks instead of comparing clock times, so that a
 * suspended process, or a blocked event loop, is not mistaken for a stuck consumer.
 */
class LivenessWatch {
  static readonly #TICK_MS = 5_000;
  readonly #limitTicks: number;
  readonly #onStall: () => void;
  #ticks = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Calls `onStall` once when there was no sign of life for `limitMs`, to within 5 s. */
  constructor(limitMs: number, onStall: () => void) {
    this.#limitTicks = Math.ceil(limitMs / LivenessWatch.#TICK_MS);
    this.#onStall = onStall;
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), LivenessWatch.#TICK_MS).unref();
  }

  alive(): void {
    this.#ticks = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    this.#ticks += 1;
    if (this.#ticks < this.#limitTicks) return;
    this.stop();
    this.#onStall();
  }
}
