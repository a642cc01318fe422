import { setTimeout as sleep } from 'node:timers/promises';
import { MessagingError } from '../../../platform/errors.ts';
import { toMessagingError } from '../common/connection/errors.ts';
import type { CreatePlatformaticClient, PlatformaticClient } from './connection/client.ts';
import { clusterMetadata } from './connection/cluster.ts';
import type { BrokerAddress } from './connection/connections.ts';
import { brokerError } from './connection/errors.ts';
import { PRODUCE } from './publishing/produce-request.ts';
import { encodeBatch } from '../common/publishing/record-batch.ts';

/** The leader alone reads its clock: its followers need not have the record. */
const LEADER_ONLY = 1;
const WRITE_TIMEOUT_MS = 4_000;
const ATTEMPTS = 5;
const RETRY_MS = 250;
/** Any partition will do, and every topic has this one. */
const PARTITION = 0;
const EMPTY_RECORD = { record: { key: null, value: null, timestamp: '0' }, bytes: 0, valueBytes: 0 };

/**
 * Reads the broker's time: no request of Kafka asks for it, but on a topic with message.timestamp.type=LogAppendTime the
 * response to a write contains the time at which the leader appended the record.
 */
export class PlatformaticClockReader {
  readonly #client: PlatformaticClient;
  readonly #topic: string;
  #leader: BrokerAddress | undefined;
  #stopped = false;

  constructor(createClient: CreatePlatformaticClient, clientId: string, topic: string) {
    this.#client = createClient({ clientId });
    this.#topic = topic;
  }

  /** Epoch milliseconds at a moment between call and resolution. Rejects with MessagingError. */
  async time(): Promise<number> {
    const what = `time of the broker from ${this.#topic}`;
    if (this.#stopped) throw new MessagingError('broker-unavailable', `${what}: closed`, { canRetry: false });
    try {
      const timeMs = await this.#write();
      if (timeMs > 0) return timeMs;
    } catch (error) {
      throw toMessagingError(what, error);
    }
    const text = `${what}: the topic needs message.timestamp.type=LogAppendTime`;
    throw new MessagingError('invalid-topic', text, { canRetry: false });
  }

  stop(): void {
    this.#stopped = true;
    this.#client.destroy();
  }

  /** Writes a record; repeats that while a leader is elected: a reading that takes long is only less exact. */
  async #write(): Promise<number> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.#leader ??= await this.#findLeader();
        const batch = await encodeBatch([{ ...EMPTY_RECORD }]);
        const batches = [{ topic: this.#topic, partition: PARTITION, batch }];
        const { responses } = await this.#client.send(
          this.#leader,
          PRODUCE,
          LEADER_ONLY,
          WRITE_TIMEOUT_MS,
          batches,
        );
        return Number(responses[0]?.partitionResponses[0]?.logAppendTimeMs ?? -1);
      } catch (error) {
        this.#leader = undefined;
        if (attempt === ATTEMPTS || this.#stopped) throw error;
        await sleep(RETRY_MS);
      }
    }
  }

  async #findLeader(): Promise<BrokerAddress> {
    const { brokers, topics } = await clusterMetadata(this.#client, [this.#topic]);
    const { error, leaders = [] } = topics.get(this.#topic) ?? {};
    const leader = brokers.get(leaders[PARTITION] ?? -1);
    if (leader === undefined) throw brokerError(error ?? 'LEADER_NOT_AVAILABLE');
    return leader;
  }
}
