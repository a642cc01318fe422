import { randomUUID } from 'node:crypto';
import type { EachBatchPayload } from 'kafkajs';
import { MessagingError, errorText } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import type { CatchUp } from './catch-up.ts';
import { CatchUps } from './catch-ups.ts';
import type { CreateKafkaClient } from '../connection/client.ts';
import type { FetchAnswer } from '../kafkajs/fetch-answers.ts';
import { KafkaConsumerRun, type ConsumerRunListener } from './consumer-run.ts';
import { startConsumer } from './consumer-start.ts';
import { toLogMessage } from '../publishing/record.ts';
import { byTopic } from '../topic-lists.ts';
import { tailAssigner } from './single-member-run.ts';
import { tailEnds, tailRanges, type TailAdmin } from './tail-ranges.ts';
import { partitionId, type LogMessage, type PartitionOffset, type TopicPartition } from '../../message.ts';
import type { Tail, TailOptions } from '../../ports.ts';

/** Nobody takes over from a group of one, so its member need not be given up soon. */
const SESSION_TIMEOUT_MS = 30_000;
const REBALANCE_TIMEOUT_MS = 10_000;
/** How long a fetch waits for data. */
const MAX_WAIT_MS = 250;
/** Without a successful heartbeat (one a second) for so long the tail does not count as connected. */
const HEARTBEAT_MISSED_MS = 6_000;
/** A tail whose consumer ended is built anew after this, doubled each time. */
const FIRST_BACKOFF_MS = 100;
const LONGEST_BACKOFF_MS = 5_000;
const DEFAULT_STOP_TIMEOUT_MS = 5_000;

/** What the broker makes it with. */
export interface TailParts {
  readonly createClient: CreateKafkaClient;
  readonly admin: TailAdmin;
  readonly log: Log;
  readonly onStopped: (tail: Tail) => void;
}

/**
 * A consumer group of one, since kafkajs reads only as a member of a group. The group's id is random and nothing is ever
 * committed to it, so the broker forgets it by itself some minutes after its member has gone
 * (offsets.retention.check.interval.ms); it is not deleted here, because a process that is killed could not do so either.
 * The positions are the tail's own: each join, however it came about, seeks to them. Without that kafkajs would
 * start over at the beginning (or, without fromBeginning, skip to the end) at every rejoin.
 */
export class KafkaTail implements Tail, ConsumerRunListener {
  readonly #options: TailOptions;
  readonly #parts: TailParts;
  readonly #positions = new Map<string, PartitionOffset>();
  readonly #catchUps: CatchUps;
  #onMessage: ((message: LogMessage) => void) | undefined;
  #run: KafkaConsumerRun | undefined;
  #state: 'new' | 'joining' | 'ready' | 'stopped' = 'new';
  /** Called at the next fetch, be it of a consumer built later: the one waited for may be lost before it fetched. */
  readonly #onFetched = new Set<() => void>();
  #heartbeatAt = 0;
  #failures = 0;
  #skipped = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #stopSignal = Promise.withResolvers<never>();

  constructor(options: TailOptions, parts: TailParts) {
    this.#options = options;
    this.#parts = parts;
    this.#stopSignal.promise.catch(() => undefined);
    const calls = {
      partitions: () => this.partitions(),
      position: (partition: TopicPartition) => this.#positionOf(partition),
      pause: (partitions: readonly TopicPartition[]) => this.#run?.consumer.pause(byTopic(partitions)),
      resume: (partitions: readonly TopicPartition[]) => this.#run?.consumer.resume(byTopic(partitions)),
    };
    this.#catchUps = new CatchUps(calls);
  }

  /** The end offsets are taken before the consumer runs; start() is over after the join and the first fetch. */
  async start(onMessage: (message: LogMessage) => void): Promise<void> {
    if (this.#state !== 'new') throw notRunning(this.#options.clientId);
    this.#state = 'joining';
    this.#onMessage = onMessage;
    for (const { topic, partition, low, high } of await tailRanges(this.#parts.admin, this.#options)) {
      const offset = this.#options.from === 'latest' ? high : low;
      this.#positions.set(partitionId(topic, partition), { topic, partition, offset });
    }
    await this.#open();
  }

  partitions(): readonly TopicPartition[] {
    return [...this.#positions.values()].map(({ topic, partition }) => ({ topic, partition }));
  }

  isReady(): boolean {
    const isHeard = Date.now() - this.#heartbeatAt < HEARTBEAT_MISSED_MS;
    return this.#state === 'ready' && isHeard && this.#run?.isConnected() === true;
  }

  async caughtUp(timeoutMs: number): Promise<void> {
    if (this.#state === 'new' || this.#state === 'stopped') throw notRunning(this.#options.clientId);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(behind(this.#options.clientId, timeoutMs)), timeoutMs);
    const isOver = Promise.race([late.promise, this.#stopSignal.promise]);
    let catchUp: CatchUp | undefined;
    try {
      const ends = await Promise.race([tailEnds(this.#parts.admin, this.#options, isOver), isOver]);
      catchUp = this.#catchUps.begin(ends);
      await Promise.race([catchUp.reached, isOver]);
    } finally {
      clearTimeout(timer);
      this.#catchUps.end(catchUp);
    }
  }

  async stop(timeoutMs = DEFAULT_STOP_TIMEOUT_MS): Promise<void> {
    if (this.#state === 'stopped') return;
    this.#state = 'stopped';
    this.#catchUps.consumerEnded();
    clearTimeout(this.#timer);
    this.#stopSignal.reject(notRunning(this.#options.clientId));
    await this.#run?.stop(timeoutMs);
    this.#parts.onStopped(this);
  }

  onJoined(partitions: readonly TopicPartition[]): void {
    this.#heartbeatAt = Date.now();
    for (const { topic, partition } of partitions) {
      const position = this.#positions.get(partitionId(topic, partition));
      // A partition that was added since starts at its beginning: nothing of it was there before.
      if (position === undefined) this.#moveTo({ topic, partition, offset: 0 });
      else this.#run?.consumer.seek({ topic, partition, offset: String(position.offset) });
    }
  }

  /** The consumer stays connected and soon joins anew; until then nothing is delivered. */
  onRebalancing(): void {
    if (this.#state === 'ready') this.#state = 'joining';
  }

  onBatch(payload: EachBatchPayload): void {
    const { topic, partition, messages } = payload.batch;
    for (const message of messages) this.#deliver(toLogMessage(topic, partition, message));
    const last = messages.at(-1);
    if (last === undefined) return;
    payload.resolveOffset(last.offset);
    this.#moveTo({ topic, partition, offset: Number(last.offset) + 1 });
  }

  onPassed({ topic, partition }: TopicPartition, position: number): void {
    this.#moveTo({ topic, partition, offset: position });
  }

  onFetchStarted(): void {}

  onFetchAnswered(answer: FetchAnswer): void {
    this.#catchUps.answered(answer);
  }

  onFetchEnded(): void {
    if (this.#state === 'joining') this.#state = 'ready';
    for (const fetched of this.#onFetched) fetched();
    this.#onFetched.clear();
  }

  onHeartbeat(): void {
    this.#heartbeatAt = Date.now();
  }

  onCrash(error: MessagingError): void {
    if (this.#state === 'stopped') return;
    this.#state = 'joining';
    this.#catchUps.consumerEnded();
    this.#reopenLater(error);
  }

  /** A group of its own for each life: the member of the one before may still be waited for in its group. */
  #makeRun(): KafkaConsumerRun {
    const { clientId, topics, partition } = this.#options;
    this.#run = new KafkaConsumerRun(
      this.#parts.createClient,
      {
        clientId,
        groupId: `${clientId}.tail.${randomUUID()}`,
        topics,
        sessionTimeoutMs: SESSION_TIMEOUT_MS,
        rebalanceTimeoutMs: REBALANCE_TIMEOUT_MS,
        maxWaitMs: MAX_WAIT_MS,
        concurrency: this.#positions.size,
        assigner: tailAssigner(partition),
      },
      this,
    );
    return this.#run;
  }

  async #open(): Promise<void> {
    if (this.#state === 'stopped') throw notRunning(this.#options.clientId);
    const { promise: fetched, resolve } = Promise.withResolvers<void>();
    this.#onFetched.add(resolve);
    await startConsumer(
      () => this.#makeRun(),
      () => this.#state === 'stopped',
    );
    await Promise.race([fetched, this.#stopSignal.promise]);
    this.#failures = 0;
  }

  #reopenLater(error: unknown): void {
    if (this.#state === 'stopped') return;
    const delayMs = Math.min(FIRST_BACKOFF_MS * 2 ** this.#failures, LONGEST_BACKOFF_MS);
    this.#failures += 1;
    const { clientId } = this.#options;
    this.#parts.log.warn({ clientId, error: errorText(error), delayMs }, 'tail lost, building it anew');
    this.#timer = setTimeout(() => void this.#reopen(), delayMs);
  }

  async #reopen(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      this.#reopenLater(error);
    }
  }

  #deliver(message: LogMessage): void {
    try {
      this.#onMessage?.(message);
    } catch (error) {
      this.#skipped += 1;
      const { topic, partition, offset } = message;
      const fields = { topic, partition, offset, skipped: this.#skipped, error: errorText(error) };
      this.#parts.log.warn(fields, 'message skipped: its handler failed');
    }
  }

  #moveTo(position: PartitionOffset): void {
    this.#positions.set(partitionId(position.topic, position.partition), position);
    this.#catchUps.moved(position);
  }

  #positionOf({ topic, partition }: TopicPartition): number {
    return this.#positions.get(partitionId(topic, partition))?.offset ?? 0;
  }
}

function behind(clientId: string, timeoutMs: number): MessagingError {
  const text = `tail ${clientId} did not catch up within ${timeoutMs} ms`;
  return new MessagingError('tail-behind', text, { canRetry: true });
}

function notRunning(clientId: string): MessagingError {
  return new MessagingError('tail-stopped', `tail ${clientId} is not running`, { canRetry: false });
}
