import { setTimeout as sleep } from 'node:timers/promises';
import { errorText, MessagingError } from '../../../../platform/errors.ts';
import type { Log } from '../../../../platform/log.ts';
import { toMessagingError } from '../../common/connection/errors.ts';
import type { OffsetRange } from '../../../message.ts';
import type { OnRangeMessage, ReadOn } from '../../../ports.ts';
import { TOPIC_SPREAD_MS } from '../../../topics/required-topics.ts';
import type { CreatePlatformaticClient, PlatformaticClient } from '../connection/client.ts';
import { clusterMetadata } from '../connection/cluster.ts';
import type { BrokerAddress } from '../connection/connections.ts';
import { brokerError } from '../connection/errors.ts';
import { earliestOffset, fetchFrom, OUT_OF_RANGE, type FetchedRecords } from './fetch.ts';

const MIB = 1_024 * 1_024;
/** The bytes of one fetch, as of the other readers (a single larger batch is still returned whole). */
const MAX_BYTES = 2 * MIB;
/** The records of a range exist, unless compaction has removed them: then the broker answers after this time. */
const MAX_WAIT_MS = 250;
const LIMITS = { maxWaitMs: MAX_WAIT_MS, maxBytes: MAX_BYTES, maxBytesPerPartition: MAX_BYTES };
/** Limit without progress. */
const STALL_LIMIT_MS = 30_000;
const RETRY_INTERVAL_MS = 200;

interface RangeReaderParts {
  readonly createClient: CreatePlatformaticClient;
  readonly log: Log;
  readonly clientId: string;
}

/** Delivers the messages of ranges, one range after the other (see Broker.readRanges). */
export async function readPlatformaticRanges(
  ranges: readonly OffsetRange[],
  onMessage: OnRangeMessage,
  { createClient, log, clientId }: RangeReaderParts,
): Promise<void> {
  const client = createClient({ clientId });
  try {
    for (const range of ranges) {
      if ((await new RangeReader(range, client, log).read(onMessage)) === 'stop') return;
    }
  } finally {
    client.destroy();
  }
}

class RangeReader {
  readonly #range: OffsetRange;
  readonly #client: PlatformaticClient;
  readonly #log: Log;
  #next: number;
  #leader: BrokerAddress | undefined;

  constructor(range: OffsetRange, client: PlatformaticClient, log: Log) {
    this.#range = range;
    this.#client = client;
    this.#log = log;
    this.#next = range.from;
  }

  async read(onMessage: OnRangeMessage): Promise<ReadOn> {
    const { to } = this.#range;
    while (this.#next < to) {
      const { messages, position, stableEnd } = await this.#fetched();
      for (const message of messages) {
        if (message.offset < to && (await onMessage(message)) === 'stop') return 'stop';
      }
      const isEmptyToEnd = position === this.#next && stableEnd >= to;
      this.#next = isEmptyToEnd ? to : position;
    }
    return 'more';
  }

  /** The next answer that makes progress. Rejects with MessagingError after STALL_LIMIT_MS without one. */
  async #fetched(): Promise<FetchedRecords> {
    const startedAt = performance.now();
    for (;;) {
      let failure: unknown;
      try {
        const fetched = await this.#fetch();
        if (fetched.position > this.#next || fetched.stableEnd >= this.#range.to) return fetched;
      } catch (error) {
        failure = error;
        this.#leader = undefined;
        this.#log.debug({ clientId: this.#client.clientId, error: errorText(error) }, 'a fetch failed');
      }
      this.#requireRetry(failure, startedAt);
      if (failure !== undefined) await sleep(RETRY_INTERVAL_MS);
    }
  }

  #requireRetry(failure: unknown, startedAt: number): void {
    const what = `${this.#client.clientId}: reading the log`;
    const error = failure === undefined ? undefined : toMessagingError(what, failure);
    const limitMs = error?.code === 'topic-unknown' ? TOPIC_SPREAD_MS : STALL_LIMIT_MS;
    const isLate = performance.now() - startedAt > limitMs;
    if (error?.code === 'broker-refused' || (error !== undefined && isLate)) throw error;
    if (!isLate) return;
    const text = `${what}: no progress for ${STALL_LIMIT_MS / 1_000} s`;
    throw new MessagingError('broker-unavailable', text, { canRetry: true });
  }

  /** Fetches from the current position, or from the first retained offset if retention has removed its record. */
  async #fetch(): Promise<FetchedRecords> {
    const { topic, partition } = this.#range;
    this.#leader ??= await this.#findLeader();
    const position = { topic, partition, offset: this.#next };
    const [fetched] = await fetchFrom(this.#client, this.#leader, [position], LIMITS);
    if (fetched === undefined) throw new Error('the response lacks the partition');
    if (fetched.error === undefined) return fetched;
    if (fetched.error !== OUT_OF_RANGE) throw brokerError(fetched.error);
    const earliest = await earliestOffset(this.#client, this.#leader, position);
    if (earliest <= this.#next) throw brokerError(OUT_OF_RANGE);
    return { ...fetched, position: earliest };
  }

  async #findLeader(): Promise<BrokerAddress> {
    const { topic, partition } = this.#range;
    const { topics, brokers } = await clusterMetadata(this.#client, [topic]);
    const { error, leaders = [] } = topics.get(topic) ?? {};
    if (error !== undefined) throw brokerError(error);
    const leader = brokers.get(leaders[partition] ?? -1);
    if (leader === undefined) throw brokerError('LEADER_NOT_AVAILABLE');
    return leader;
  }
}
