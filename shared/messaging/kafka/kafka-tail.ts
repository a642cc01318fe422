import { setTimeout as sleep } from 'node:timers/promises';
import { errorText, MessagingError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { tailBehind, tailStopped, topicUnknown } from '../broker-errors.ts';
import { partitionId, type LogMessage, type TopicPartition } from '../message.ts';
import { firstPosition } from '../ports.ts';
import type { BrokerAdmin, PartitionRange, Tail, TailOptions } from '../ports.ts';
import { PartitionFetcher } from './partition-fetcher.ts';
import type { CreateFetchClient, FetchedRecords, TopicLeaders, FetchListener } from './partition-fetcher.ts';

/** Limit for the first answers of the leaders. Even after a move or restart, a leader answers within this time. */
const START_LIMIT_MS = 15_000;
const END_OFFSETS_RETRY_MS = 250;

interface TailParts {
  readonly createFetchClient: CreateFetchClient;
  readonly admin: Pick<BrokerAdmin, 'offsets'>;
  readonly log: Log;
  readonly onStopped: (tail: Tail) => void;
}

export class KafkaTail implements Tail, FetchListener {
  readonly #options: TailOptions;
  readonly #parts: TailParts;
  #fetcher: PartitionFetcher | undefined;
  #onMessage: ((message: LogMessage) => void) | undefined;
  #isStopped = false;
  readonly #ready = Promise.withResolvers<void>();
  readonly #stopSignal = Promise.withResolvers<never>();
  readonly #readTo = new Map<string, number>();
  /** Pending calls to caughtUp(). `missing`: the end offsets that are not reached yet, by partition. */
  readonly #catchUps = new Set<{ readonly missing: Map<string, number>; readonly reached: () => void }>();
  #skipped = 0;

  constructor(options: TailOptions, parts: TailParts) {
    this.#options = options;
    this.#parts = parts;
    this.#stopSignal.promise.catch(() => undefined);
  }

  async start(onMessage: (message: LogMessage) => void): Promise<void> {
    const { clientId, topics } = this.#options;
    if (this.#onMessage !== undefined || this.#isStopped) throw tailStopped(clientId);
    this.#onMessage = onMessage;
    const positions = (await this.#ranges()).map((range) => {
      const { topic, partition } = range;
      return { topic, partition, offset: firstPosition(this.#options, range) };
    });
    if (this.#isStopped) throw tailStopped(clientId);
    for (const position of positions) this.#moveTo(position, position.offset);
    const { createFetchClient, log } = this.#parts;
    this.#fetcher = new PartitionFetcher(positions, { clientId, topics, createFetchClient, log }, this);
    this.#fetcher.start();
    const timer = setTimeout(() => {
      const text = `${clientId}: not all leaders answered within ${START_LIMIT_MS / 1_000} s`;
      this.#ready.reject(new MessagingError('broker-unavailable', text, { canRetry: true }));
    }, START_LIMIT_MS);
    await Promise.race([this.#ready.promise, this.#stopSignal.promise]).finally(() => clearTimeout(timer));
  }

  isReady(): boolean {
    return this.#fetcher?.isHealthy() === true;
  }

  async caughtUp(timeoutMs: number): Promise<void> {
    const { clientId } = this.#options;
    if (this.#onMessage === undefined || this.#isStopped) throw tailStopped(clientId);
    const timeout = Promise.withResolvers<never>();
    const timer = setTimeout(() => timeout.reject(tailBehind(clientId, timeoutMs)), timeoutMs);
    const aborted = Promise.race([timeout.promise, this.#stopSignal.promise]);
    const { promise, resolve: reached } = Promise.withResolvers<void>();
    const catchUp = { missing: new Map<string, number>(), reached };
    try {
      for (const { topic, partition, high } of await Promise.race([this.#untilRanges(aborted), aborted])) {
        const id = partitionId(topic, partition);
        if ((this.#readTo.get(id) ?? 0) < high) catchUp.missing.set(id, high);
      }
      if (catchUp.missing.size === 0) return;
      this.#catchUps.add(catchUp);
      await Promise.race([promise, aborted]);
    } finally {
      clearTimeout(timer);
      this.#catchUps.delete(catchUp);
    }
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#stopSignal.reject(tailStopped(this.#options.clientId));
    this.#fetcher?.stop();
    this.#parts.onStopped(this);
  }

  /** Neither `readTo` nor the end offsets that caughtUp() awaits go beyond the first open transaction. */
  onFetched({ topic, partition, readTo, messages }: FetchedRecords): void {
    for (const message of messages) if (!this.#isStopped) this.#deliver(message);
    this.#moveTo({ topic, partition }, readTo);
    if (this.isReady()) this.#ready.resolve();
  }

  /** Reads a partition that was added since the start from its beginning. */
  onLeaders(topics: TopicLeaders): void {
    const { partition: only } = this.#options;
    for (const [topic, leaders] of topics) {
      for (const partition of leaders.keys()) {
        const isKnown = this.#readTo.has(partitionId(topic, partition));
        if (isKnown || partition !== (only ?? partition)) continue;
        this.#moveTo({ topic, partition }, 0);
        this.#fetcher?.add([{ topic, partition, offset: 0 }]);
      }
    }
  }

  async #ranges(): Promise<readonly (TopicPartition & PartitionRange)[]> {
    const { topics, partition: only } = this.#options;
    const ranges = topics.map(async (topic) => {
      const all = await this.#parts.admin.offsets(topic);
      const own = all.filter(({ partition }) => partition === (only ?? partition));
      if (own.length === 0) throw topicUnknown(topic, only);
      return own.map((range) => ({ topic, ...range }));
    });
    return (await Promise.all(ranges)).flat();
  }

  async #untilRanges(aborted: Promise<never>): Promise<readonly (TopicPartition & PartitionRange)[]> {
    for (;;) {
      try {
        return await this.#ranges();
      } catch (error) {
        if (!(error instanceof MessagingError) || !error.canRetry) throw error;
      }
      await Promise.race([sleep(END_OFFSETS_RETRY_MS), aborted]);
    }
  }

  #moveTo({ topic, partition }: TopicPartition, offset: number): void {
    const id = partitionId(topic, partition);
    this.#readTo.set(id, offset);
    for (const { missing, reached } of this.#catchUps) {
      const end = missing.get(id);
      if (end === undefined || offset < end) continue;
      missing.delete(id);
      if (missing.size === 0) reached();
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
}
