import { randomUUID } from 'node:crypto';
import { monotonicClock } from '../../../../platform/clock.ts';
import { errorText, type MessagingError } from '../../../../platform/errors.ts';
import { RepeatedFailure, type Log } from '../../../../platform/log.ts';
import { partitionId, type LogMessage, type PartitionOffset, type TopicPartition } from '../../../message.ts';
import type {
  PartitionListener,
  PartitionReader,
  PartitionReaderOptions,
} from '../../common/consuming/partition-reader.ts';
import type { CreateKafkajsClient } from '../connection/client.ts';
import type { FetchAnswer } from '../patches/fetches.ts';
import { KafkajsConsumerRun, type ConsumerRunListener } from './consumer-run.ts';
import { startConsumer } from '../../common/consuming/consumer-start.ts';

/** A group with one member has no other member that could take over, so a long session does no harm. */
const SESSION_TIMEOUT_MS = 30_000;
const REBALANCE_TIMEOUT_MS = 10_000;
/** A third of the session: a single member has no rebalance to notice, and its fetches show that it is connected. */
const HEARTBEAT_INTERVAL_MS = 10_000;
/** Without a response to a fetch for this time the reader does not count as connected. */
const MAX_RESPONSE_AGE_MS = 6_000;
/** Delay before a lost consumer is replaced, doubled with each consecutive failure. */
const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;

/**
 * Reads as the only member of a new group, since kafkajs reads only as a group member, and keeps its own positions: each join seeks to
 * them. The group id is random for each consumer, because the member of the previous one may not have left its group yet. It never
 * commits, so the broker removes the group some minutes after its member has left (offsets.retention.check.interval.ms).
 */
export class KafkajsPartitionReader implements PartitionReader, ConsumerRunListener {
  readonly #options: PartitionReaderOptions;
  readonly #createClient: CreateKafkajsClient;
  readonly #listener: PartitionListener;
  readonly #losses: RepeatedFailure;
  readonly #positions = new Map<string, PartitionOffset>();
  #run: KafkajsConsumerRun | undefined;
  #state: 'joining' | 'ready' | 'stopped' = 'joining';
  #isPaused = false;
  /** Resolves with the first fetch, also of a later consumer: the current one may be lost before. */
  readonly #fetched = Promise.withResolvers<void>();
  #answeredAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    options: PartitionReaderOptions,
    listener: PartitionListener,
    { createClient, log }: { readonly createClient: CreateKafkajsClient; readonly log: Log },
  ) {
    this.#options = options;
    this.#createClient = createClient;
    this.#listener = listener;
    this.#losses = new RepeatedFailure(log, monotonicClock);
  }

  async start(positions: readonly PartitionOffset[]): Promise<void> {
    for (const position of positions) this.#moveTo(position, position.offset);
    await this.#open();
    await this.#fetched.promise;
  }

  isReady(): boolean {
    const isConnected = performance.now() - this.#answeredAt < MAX_RESPONSE_AGE_MS;
    return this.#state === 'ready' && isConnected && this.#run?.isConnected() === true;
  }

  pause(): void {
    this.#isPaused = true;
    this.#run?.pause([...this.#positions.values()]);
  }

  resume(): void {
    this.#isPaused = false;
    this.#run?.resume([...this.#positions.values()]);
  }

  async stop(timeoutMs: number): Promise<void> {
    if (this.#state === 'stopped') return;
    this.#state = 'stopped';
    clearTimeout(this.#timer);
    await this.#run?.stop(timeoutMs);
  }

  onJoined(partitions: readonly TopicPartition[]): void {
    this.#answeredAt = performance.now();
    for (const partition of partitions) {
      const position = this.#positions.get(partitionId(partition.topic, partition.partition));
      if (position !== undefined) this.#run?.seek(position);
      else if (!this.#isWanted(partition)) this.#run?.pause([partition]);
      // A partition that was added since the start is read from its beginning.
      else this.#moveTo(partition, 0);
    }
    if (this.#isPaused) this.pause();
  }

  /** The consumer stays connected and soon rejoins; until then no message is delivered. */
  onRebalancing(): void {
    if (this.#state === 'ready') this.#state = 'joining';
  }

  onBatch(messages: readonly LogMessage[]): boolean {
    const last = messages.at(-1);
    if (this.#isPaused || last === undefined) return false;
    this.#moveTo(last, last.offset + 1);
    this.#listener.onMessages(messages);
    return true;
  }

  /** A response without any records whose last stable offset is ahead: the offsets up to it have none (compaction). */
  onFetchAnswered({ isEmpty, partitions }: FetchAnswer): void {
    this.#answeredAt = performance.now();
    for (const { topic, partition, from, stableEnd } of partitions) {
      this.#listener.onReadTo({ topic, partition }, isEmpty ? Math.max(from, stableEnd) : from);
    }
  }

  onFetchEnded(): void {
    if (this.#state === 'joining') this.#state = 'ready';
    this.#fetched.resolve();
  }

  onCrash(error: MessagingError): void {
    if (this.#state !== 'stopped') this.#reopenLater(error);
  }

  #isWanted({ partition }: TopicPartition): boolean {
    return this.#options.isFixed !== true && partition === (this.#options.partition ?? partition);
  }

  async #open(): Promise<void> {
    const isStopped = () => this.#state === 'stopped';
    await startConsumer(() => (this.#run = this.#makeRun()).start(), isStopped);
    this.#failures = 0;
    this.#losses.ended({ clientId: this.#options.clientId }, 'the consumer of a reader is replaced');
  }

  #makeRun(): KafkajsConsumerRun {
    const { clientId, topics } = this.#options;
    const options = {
      clientId,
      groupId: `${clientId}.tail.${randomUUID()}`,
      topics,
      sessionTimeoutMs: SESSION_TIMEOUT_MS,
      rebalanceTimeoutMs: REBALANCE_TIMEOUT_MS,
      heartbeatIntervalMs: HEARTBEAT_INTERVAL_MS,
      concurrency: this.#positions.size,
    };
    return new KafkajsConsumerRun(this.#createClient, options, this);
  }

  #reopenLater(error: unknown): void {
    this.#state = 'joining';
    const delayMs = Math.min(MIN_BACKOFF_MS * 2 ** this.#failures, MAX_BACKOFF_MS);
    this.#failures += 1;
    const fields = { clientId: this.#options.clientId, error: errorText(error) };
    this.#losses.failed(fields, 'the consumer of a reader ended, it will be replaced');
    this.#timer = setTimeout(() => void this.#reopen(), delayMs);
  }

  async #reopen(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      if (this.#state !== 'stopped') this.#reopenLater(error);
    }
  }

  #moveTo({ topic, partition }: TopicPartition, offset: number): void {
    this.#positions.set(partitionId(topic, partition), { topic, partition, offset });
  }
}
