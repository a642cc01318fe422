import { errorText, MessagingError } from '../../../../platform/errors.ts';
import { tailBehind, tailStopped } from '../../../broker-errors.ts';
import { endOffsets, startPositions, type TailAdmin } from '../../common/consuming/tail-offsets.ts';
import { partitionId, type LogMessage, type PartitionOffset } from '../../../message.ts';
import type { Tail, TailOptions } from '../../../ports.ts';
import type { PlatformaticClient, PlatformaticParts } from '../connection/client.ts';
import { clusterMetadata, type ClusterMetadata } from '../connection/cluster.ts';
import type { FetchedRecords } from './fetch.ts';
import { FETCH_TIMEOUT_MS, PartitionFetcher, type FetchListener } from './fetcher.ts';

/** Limit for the first answers; a leader that moves or restarts answers within this time. */
const START_LIMIT_MS = 15_000;

interface TailParts extends PlatformaticParts<Tail> {
  readonly admin: TailAdmin;
}

/** A pending call of caughtUp(): the end offsets of the partitions that have not reached them, by partition. */
interface CatchUp {
  readonly missing: Map<string, number>;
  readonly reached: () => void;
}

/** Reads its partitions from their leaders, without a group. */
export class PlatformaticTail implements Tail, FetchListener {
  readonly #options: TailOptions;
  readonly #parts: TailParts;
  /** Queries for leaders do not wait behind fetches. */
  readonly #metadataClient: PlatformaticClient;
  #fetcher: PartitionFetcher | undefined;
  #onMessage: ((message: LogMessage) => void) | undefined;
  #isStopped = false;
  readonly #stopSignal = Promise.withResolvers<never>();
  /** Resolves when each partition was answered once. */
  readonly #ready = Promise.withResolvers<void>();
  readonly #catchUps = new Set<CatchUp>();
  #skipped = 0;

  constructor(options: TailOptions, parts: TailParts) {
    this.#options = options;
    this.#parts = parts;
    this.#metadataClient = parts.createClient({ clientId: options.clientId });
    this.#stopSignal.promise.catch(() => undefined);
  }

  /** Queries the end offsets before the first fetch; resolves when all leaders have answered. */
  async start(onMessage: (message: LogMessage) => void): Promise<void> {
    const { clientId, topics } = this.#options;
    if (this.#onMessage !== undefined || this.#isStopped) throw tailStopped(clientId);
    this.#onMessage = onMessage;
    const positions = await startPositions(this.#parts.admin, this.#options);
    if (this.#isStopped) throw tailStopped(clientId);
    const { createClient, log } = this.#parts;
    const parts = {
      topics,
      client: createClient({ clientId, requestTimeoutMs: FETCH_TIMEOUT_MS }),
      metadata: (names: readonly string[]) => clusterMetadata(this.#metadataClient, names),
      log,
    };
    this.#fetcher = new PartitionFetcher(positions, parts, this);
    this.#fetcher.start();
    const timeout = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const text = `tail ${clientId}: not all leaders answered within ${START_LIMIT_MS / 1_000} s`;
      timeout.reject(new MessagingError('broker-unavailable', text, { canRetry: true }));
    }, START_LIMIT_MS);
    try {
      await Promise.race([this.#ready.promise, this.#stopSignal.promise, timeout.promise]);
    } finally {
      clearTimeout(timer);
    }
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
    const catchUp: CatchUp = { missing: new Map(), reached };
    try {
      const ends = await Promise.race([endOffsets(this.#parts.admin, this.#options, aborted), aborted]);
      for (const end of ends) {
        const position = this.#fetcher?.position(end) ?? 0;
        if (position < end.offset) catchUp.missing.set(partitionId(end.topic, end.partition), end.offset);
      }
      if (catchUp.missing.size === 0) return;
      this.#catchUps.add(catchUp);
      await Promise.race([promise, aborted]);
    } finally {
      clearTimeout(timer);
      this.#catchUps.delete(catchUp);
    }
  }

  /** Without a group there is nothing to leave: closes the connections at once. */
  stop(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    this.#isStopped = true;
    this.#stopSignal.reject(tailStopped(this.#options.clientId));
    this.#fetcher?.stop();
    this.#metadataClient.destroy();
    this.#parts.onStopped(this);
    return Promise.resolve();
  }

  onFetched(fetched: FetchedRecords): void {
    for (const message of fetched.messages) this.#deliver(message);
    this.#advance(fetched);
    if (this.isReady()) this.#ready.resolve();
  }

  /** A partition that was added since the start is read from its beginning. */
  onMetadata({ topics }: ClusterMetadata): void {
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

  /**
   * An end is reached when all messages below it were delivered, or when the offsets from the position to the end have no record
   * (compaction): an exhaustive answer without records whose last stable offset is at or after the end. Records of an open
   * transaction, and those after it, are at or above the last stable offset.
   */
  #advance(fetched: FetchedRecords): void {
    if (this.#catchUps.size === 0) return;
    const { topic, partition, from, position, stableEnd, isExhaustive } = fetched;
    const id = partitionId(topic, partition);
    const readTo = position === from && isExhaustive ? Math.max(position, stableEnd) : position;
    for (const { missing, reached } of this.#catchUps) {
      const end = missing.get(id);
      if (end === undefined || readTo < end) continue;
      missing.delete(id);
      if (missing.size === 0) reached();
    }
  }
}
