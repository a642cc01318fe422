import { MessagingError } from '../../../../platform/errors.ts';
import type { Log } from '../../../../platform/log.ts';
import type { PartitionOffset } from '../../../message.ts';
import type {
  PartitionListener,
  PartitionReader,
  PartitionReaderOptions,
} from '../../common/consuming/partition-reader.ts';
import type { CreatePlatformaticClient } from '../connection/client.ts';
import type { ClusterMetadata } from '../connection/cluster.ts';
import type { FetchedRecords } from './fetch.ts';
import { PartitionFetcher, type FetchListener } from './fetcher.ts';

/** Limit for the first answers; a leader that moves or restarts answers within this time. */
const START_LIMIT_MS = 15_000;

/** Reads partitions from their leaders, without a group. */
export class PlatformaticPartitionReader implements PartitionReader, FetchListener {
  readonly #options: PartitionReaderOptions;
  readonly #listener: PartitionListener;
  readonly #createClient: CreatePlatformaticClient;
  readonly #log: Log;
  #fetcher: PartitionFetcher | undefined;
  #positions: readonly PartitionOffset[] = [];
  /** Resolves when each partition was answered once. */
  readonly #ready = Promise.withResolvers<void>();

  constructor(
    options: PartitionReaderOptions,
    listener: PartitionListener,
    { createClient, log }: { readonly createClient: CreatePlatformaticClient; readonly log: Log },
  ) {
    this.#options = options;
    this.#listener = listener;
    this.#createClient = createClient;
    this.#log = log;
  }

  async start(positions: readonly PartitionOffset[]): Promise<void> {
    const { clientId, topics } = this.#options;
    this.#positions = positions;
    const parts = { clientId, topics, createClient: this.#createClient, log: this.#log };
    this.#fetcher = new PartitionFetcher(positions, parts, this);
    this.#fetcher.start();
    const timer = setTimeout(() => {
      const text = `${clientId}: not all leaders answered within ${START_LIMIT_MS / 1_000} s`;
      this.#ready.reject(new MessagingError('broker-unavailable', text, { canRetry: true }));
    }, START_LIMIT_MS);
    await this.#ready.promise.finally(() => clearTimeout(timer));
  }

  isReady(): boolean {
    return this.#fetcher?.isHealthy() === true;
  }

  pause(): void {
    this.#fetcher?.pause(this.#positions);
  }

  resume(): void {
    this.#fetcher?.resume(this.#positions);
  }

  /** Without a group there is nothing to leave: closes the connections at once. */
  stop(): Promise<void> {
    this.#fetcher?.stop();
    return Promise.resolve();
  }

  onFetched({ topic, partition, from, position, messages, stableEnd, isExhaustive }: FetchedRecords): void {
    if (messages.length > 0) this.#listener.onMessages(messages);
    const isEmptyToEnd = position === from && isExhaustive;
    this.#listener.onReadTo({ topic, partition }, isEmptyToEnd ? Math.max(position, stableEnd) : position);
    if (this.isReady()) this.#ready.resolve();
  }

  /** A partition that was added since the start is read from its beginning. */
  onMetadata({ topics }: ClusterMetadata): void {
    if (this.#options.isFixed === true) return;
    const added: PartitionOffset[] = [];
    for (const [topic, { leaders }] of topics) {
      for (const partition of leaders.keys()) {
        const isSelected = partition === (this.#options.partition ?? partition);
        if (isSelected && this.#fetcher?.position({ topic, partition }) === undefined) {
          added.push({ topic, partition, offset: 0 });
        }
      }
    }
    this.#fetcher?.add(added);
  }
}
