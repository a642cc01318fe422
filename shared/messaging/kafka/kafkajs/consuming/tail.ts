import { errorText, type MessagingError } from '../../../../platform/errors.ts';
import { monotonicClock } from '../../../../platform/clock.ts';
import { RepeatedFailure } from '../../../../platform/log.ts';
import type { KafkajsParts } from '../connection/client.ts';
import { CatchUps, type CatchUp } from './catch-up.ts';
import type { FetchAnswer } from '../patches/fetch-messages.ts';
import type { ConsumerRunListener, KafkajsConsumerRun } from './consumer-run.ts';
import { startConsumer } from './consumer-start.ts';
import { createSingleMemberRun } from './single-member-run.ts';
import { endOffsets, startPositions, type TailAdmin } from '../../common/consuming/tail-offsets.ts';
import { tailBehind, tailStopped } from '../../../broker-errors.ts';
import { partitionId, type LogMessage, type PartitionOffset, type TopicPartition } from '../../../message.ts';
import { CLIENT_DEFAULTS, type Tail, type TailOptions } from '../../../ports.ts';

/** Without a response to a fetch (one in two seconds) for this time the tail does not count as connected. */
const MAX_RESPONSE_AGE_MS = 6_000;
/** Delay before a lost consumer is replaced, doubled with each consecutive failure. */
const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;
interface TailParts extends KafkajsParts<Tail> {
  readonly admin: TailAdmin;
}

/**
 * Reads as the only member of a group (see createSingleMemberRun) and keeps its own positions: each join seeks to them, since
 * kafkajs would read from the beginning (or, without fromBeginning, skip to the end) after every rejoin.
 */
export class KafkajsTail implements Tail, ConsumerRunListener {
  readonly #options: TailOptions;
  readonly #parts: TailParts;
  readonly #positions = new Map<string, PartitionOffset>();
  readonly #catchUps: CatchUps;
  readonly #losses: RepeatedFailure;
  #onMessage: ((message: LogMessage) => void) | undefined;
  #run: KafkajsConsumerRun | undefined;
  #state: 'new' | 'joining' | 'ready' | 'stopped' = 'new';
  /** Called after the next fetch, also of a later consumer: the current one may be lost before its first fetch. */
  readonly #onFetched = new Set<() => void>();
  #answeredAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #skipped = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #stopSignal = Promise.withResolvers<never>();

  constructor(options: TailOptions, parts: TailParts) {
    this.#options = options;
    this.#parts = parts;
    this.#losses = new RepeatedFailure(parts.log, monotonicClock);
    this.#stopSignal.promise.catch(() => undefined);
    const calls = {
      partitions: () => [...this.#positions.values()],
      position: (partition: TopicPartition) => this.#positionOf(partition),
      pause: (partitions: readonly TopicPartition[]) => this.#run?.pause(partitions),
      resume: (partitions: readonly TopicPartition[]) => this.#run?.resume(partitions),
    };
    this.#catchUps = new CatchUps(calls);
  }

  /** Queries the end offsets before the consumer runs; resolves after the join and the first fetch. */
  async start(onMessage: (message: LogMessage) => void): Promise<void> {
    if (this.#state !== 'new') throw tailStopped(this.#options.clientId);
    this.#state = 'joining';
    this.#onMessage = onMessage;
    for (const position of await startPositions(this.#parts.admin, this.#options)) {
      this.#positions.set(partitionId(position.topic, position.partition), position);
    }
    await this.#open();
  }

  isReady(): boolean {
    const isConnected = performance.now() - this.#answeredAt < MAX_RESPONSE_AGE_MS;
    return this.#state === 'ready' && isConnected && this.#run?.isConnected() === true;
  }

  async caughtUp(timeoutMs: number): Promise<void> {
    const { clientId } = this.#options;
    if (this.#state === 'new' || this.#state === 'stopped') throw tailStopped(clientId);
    const timeout = Promise.withResolvers<never>();
    const timer = setTimeout(() => timeout.reject(tailBehind(clientId, timeoutMs)), timeoutMs);
    const aborted = Promise.race([timeout.promise, this.#stopSignal.promise]);
    let catchUp: CatchUp | undefined;
    try {
      const ends = await Promise.race([endOffsets(this.#parts.admin, this.#options, aborted), aborted]);
      catchUp = this.#catchUps.begin(ends);
      await Promise.race([catchUp.reached, aborted]);
    } finally {
      clearTimeout(timer);
      this.#catchUps.end(catchUp);
    }
  }

  async stop(timeoutMs: number = CLIENT_DEFAULTS.stopTimeoutMs): Promise<void> {
    if (this.#state === 'stopped') return;
    this.#state = 'stopped';
    this.#catchUps.consumerEnded();
    clearTimeout(this.#timer);
    this.#stopSignal.reject(tailStopped(this.#options.clientId));
    await this.#run?.stop(timeoutMs);
    this.#parts.onStopped(this);
  }

  onJoined(partitions: readonly TopicPartition[]): void {
    this.#answeredAt = performance.now();
    for (const { topic, partition } of partitions) {
      const position = this.#positions.get(partitionId(topic, partition));
      // A partition that was added since the start is read from its beginning.
      if (position === undefined) this.#moveTo({ topic, partition, offset: 0 });
      else this.#run?.seek(position);
    }
  }

  /** The consumer stays connected and soon rejoins; until then no message is delivered. */
  onRebalancing(): void {
    if (this.#state === 'ready') this.#state = 'joining';
  }

  onBatch(messages: readonly LogMessage[]): boolean {
    for (const message of messages) this.#deliver(message);
    const last = messages.at(-1);
    if (last !== undefined)
      this.#moveTo({ topic: last.topic, partition: last.partition, offset: last.offset + 1 });
    return true;
  }

  onPassed(position: PartitionOffset): boolean {
    this.#moveTo(position);
    return true;
  }

  onFetchAnswered(answer: FetchAnswer): void {
    this.#answeredAt = performance.now();
    this.#catchUps.answered(answer);
  }

  onFetchEnded(): void {
    if (this.#state === 'joining') this.#state = 'ready';
    for (const fetched of this.#onFetched) fetched();
    this.#onFetched.clear();
  }

  onCrash(error: MessagingError): void {
    if (this.#state === 'stopped') return;
    this.#state = 'joining';
    this.#catchUps.consumerEnded();
    this.#reopenLater(error);
  }

  #makeRun(): KafkajsConsumerRun {
    const options = { ...this.#options, concurrency: this.#positions.size };
    return createSingleMemberRun(this.#parts.createClient, options, this);
  }

  async #open(): Promise<void> {
    if (this.#state === 'stopped') throw tailStopped(this.#options.clientId);
    const { promise: fetched, resolve } = Promise.withResolvers<void>();
    this.#onFetched.add(resolve);
    await startConsumer(
      () => (this.#run = this.#makeRun()),
      () => this.#state === 'stopped',
    );
    await Promise.race([fetched, this.#stopSignal.promise]);
    this.#failures = 0;
    this.#losses.ended({ clientId: this.#options.clientId }, 'the consumer of a tail is replaced');
  }

  #reopenLater(error: unknown): void {
    if (this.#state === 'stopped') return;
    const delayMs = Math.min(MIN_BACKOFF_MS * 2 ** this.#failures, MAX_BACKOFF_MS);
    this.#failures += 1;
    const fields = { clientId: this.#options.clientId, error: errorText(error) };
    this.#losses.failed(fields, 'the consumer of a tail ended, it will be replaced');
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
