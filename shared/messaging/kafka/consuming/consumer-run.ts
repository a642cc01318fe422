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
import { fetchListeners, type FetchAnswer } from '../kafkajs/fetch-answers.ts';
import { StallWatch } from './stall-watch.ts';
import type { TopicPartition } from '../../message.ts';

const KIB = 1_024;
const MIB = 1_024 * KIB;

/**
 * A fetch brings at most this much of a partition and in total (a single larger record still comes whole). Small, since
 * kafkajs decodes a whole answer in one go: 2 MiB of short messages hold the event loop for about 20 ms.
 */
const MAX_BYTES_PER_PARTITION = 256 * KIB;
const MAX_BYTES_PER_FETCH = 2 * MIB;
/** One heartbeat a second: a rebalance is noticed within that time, and a session of 6 s survives five lost ones. */
const HEARTBEAT_INTERVAL_MS = 1_000;
/** New partitions are found after this, and the group joins anew. */
const METADATA_MAX_AGE_MS = 60_000;
/** Retries inside kafkajs ride over a moved leader or coordinator; what lasts longer ends the run and is rebuilt. */
const RETRY = { retries: 5, initialRetryTime: 100, maxRetryTime: 1_000 };
/** A run without any sign of life for this long beyond the longest rebalance is stuck (tulios/kafkajs#659). */
const STALL_MARGIN_MS = 15_000;
/**
 * Requests of a running consumer that a broker has to answer in time. kafkajs would put them to a broker that is frozen
 * or cut off for half a minute, though its partitions and groups have had other leaders for long: it looks for those only
 * when it is told of a change, or once a minute. A new run asks the others.
 */
const ANSWERED_IN_TIME: ReadonlySet<string> = new Set(['Fetch', 'Heartbeat', 'OffsetCommit', 'OffsetFetch']);
/** What a crashed run may spend on leaving its group, so that its partitions need not wait for the session's end. */
const FAREWELL_MS = 1_000;
/** Longer than any fetch can take: its waiting time, its time-out, a new connection. */
export const LONGEST_FETCH_MS = 2 * REQUEST_TIMEOUT_MS;

export interface ConsumerRunOptions {
  readonly clientId: string;
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly maxWaitMs: number;
  /** Partitions that may be handed over side by side: all of them. */
  readonly concurrency: number;
  readonly assigner?: PartitionAssigner;
}

/** What happens in a run. All calls are synchronous; a throw ends the run as crashed. */
export interface ConsumerRunListener {
  /** A new generation: these partitions, starting at the commits unless the listener seeks. */
  onJoined(partitions: readonly TopicPartition[]): void;
  /** The group rebalances; a request sent now still reaches the coordinator before this member joins anew. */
  onRebalancing(): void;
  /** Messages of one partition. What is not resolved is fetched again. */
  onBatch(payload: EachBatchPayload): void;
  /** kafkajs passed over offsets without a message (control records, compacted ones). */
  onPassed(partition: TopicPartition, position: number, highWatermark: number): void;
  onFetchStarted(nodeId: string): void;
  /** A broker answered; what it brought is handed over after that. */
  onFetchAnswered(answer: FetchAnswer): void;
  onFetchEnded(nodeId: string): void;
  onHeartbeat(): void;
  /** The run ended for good after it had started. */
  onCrash(error: MessagingError): void;
}

/** One life of a kafkajs consumer, from connecting to its end; it is never restarted, a new one takes its place. */
export class KafkaConsumerRun {
  readonly consumer: Consumer;
  readonly #client: KafkaClient;
  readonly #options: ConsumerRunOptions;
  readonly #listener: ConsumerRunListener;
  readonly #stall: StallWatch;
  #state: 'new' | 'starting' | 'running' | 'ended' = 'new';
  #failStart: ((error: MessagingError) => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(createClient: CreateKafkaClient, options: ConsumerRunOptions, listener: ConsumerRunListener) {
    const { clientId, groupId, assigner } = options;
    this.#options = options;
    this.#listener = listener;
    this.#client = createClient({ clientId, retry: RETRY });
    this.consumer = this.#client.kafka.consumer({
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
    this.#stall = new StallWatch(options.rebalanceTimeoutMs + STALL_MARGIN_MS, () => {
      const text = `${clientId}: the consumer shows no sign of life`;
      this.#fail(new MessagingError('consumer-stalled', text, { canRetry: true }));
    });
  }

  /** Whether the run goes on and a connection to a broker stands. */
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
      await this.consumer.connect();
      await this.consumer.subscribe({ topics: [...topics], fromBeginning: true });
      const config: ConsumerRunConfig = {
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: concurrency,
        eachBatch: (payload) => {
          this.#guard(() => this.#listener.onBatch(payload));
          return Promise.resolve();
        },
      };
      const onAnswer = (answer: FetchAnswer) => this.#sign(() => this.#answered(answer));
      await fetchListeners.run(onAnswer, () => this.consumer.run(config));
    } catch (error) {
      this.#fail(toMessagingError(`consumer ${clientId}`, error));
    }
    await joined;
  }

  /**
   * Leaves the group and disconnects. kafkajs waits for fetches and joins under way without limit and may then skip
   * the LeaveGroup request (runner.js): after `timeoutMs` the sockets are cut and the session's end removes the member.
   */
  async stop(timeoutMs: number): Promise<void> {
    if (this.#state === 'starting') this.#fail(stopped(this.#options.clientId));
    this.#state = 'ended';
    await this.#close(timeoutMs);
  }

  /** Ends the run as crashed. */
  fail(error: unknown): void {
    this.#fail(toMessagingError(`consumer ${this.#options.clientId}`, error));
  }

  #firstJoin(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#failStart = reject;
    this.consumer.on(this.consumer.events.GROUP_JOIN, () => {
      if (this.#state === 'starting') this.#state = 'running';
      resolve();
    });
    promise.catch(() => undefined);
    return promise;
  }

  #listen(): void {
    const { consumer } = this;
    const { events } = consumer;
    this.#stall.start();
    consumer.on(events.GROUP_JOIN, ({ payload }) => {
      this.#sign(() => this.#listener.onJoined(assignedPartitions(payload)));
    });
    consumer.on(events.REBALANCING, () => this.#sign(() => this.#listener.onRebalancing()));
    consumer.on(events.HEARTBEAT, () => this.#sign(() => this.#listener.onHeartbeat()));
    consumer.on(events.FETCH_START, ({ payload }) => {
      this.#sign(() => this.#listener.onFetchStarted(String((payload as { nodeId: unknown }).nodeId)));
    });
    consumer.on(events.FETCH, ({ payload }) => {
      const { nodeId } = payload as unknown as { nodeId: unknown };
      this.#sign(() => this.#listener.onFetchEnded(String(nodeId)));
    });
    consumer.on(events.END_BATCH_PROCESS, ({ payload }) => {
      if (payload.batchSize > 0) return;
      const { topic, partition, lastOffset, highWatermark } = payload;
      const passed = () =>
        this.#listener.onPassed({ topic, partition }, Number(lastOffset) + 1, Number(highWatermark));
      this.#sign(passed);
    });
    consumer.on(events.REQUEST_TIMEOUT, ({ payload: { apiName, broker } }) => {
      this.#client.onSilent(broker);
      if (this.#state !== 'running' || !ANSWERED_IN_TIME.has(apiName)) return;
      const text = `${this.#options.clientId}: ${broker} does not answer (${apiName})`;
      this.#fail(new MessagingError('broker-unavailable', text, { canRetry: true }));
    });
    consumer.on(events.CRASH, ({ payload }) => this.fail(payload.error));
  }

  #answered(answer: FetchAnswer): void {
    for (const fetched of answer.partitions) {
      for (const batch of fetched.unreadable) this.#client.onUnreadable(fetched, batch);
    }
    this.#listener.onFetchAnswered(answer);
  }

  #sign(call: () => void): void {
    this.#stall.alive();
    this.#guard(call);
  }

  /** kafkajs would repeat a batch whose handler throws for ever, and take a throwing listener for its own. */
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
    void this.#close(FAREWELL_MS);
    this.#failStart?.(error);
    if (before === 'running') this.#listener.onCrash(error);
  }

  #close(timeoutMs: number): Promise<void> {
    this.#stall.stop();
    this.#closing ??= disconnectWithin(this.consumer, this.#client, timeoutMs);
    return this.#closing;
  }
}

/** Disconnects, and cuts the sockets when that takes longer than `timeoutMs`. Never rejects. */
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

function stopped(clientId: string): MessagingError {
  return new MessagingError('consumer-used', `${clientId} was stopped`, { canRetry: false });
}
