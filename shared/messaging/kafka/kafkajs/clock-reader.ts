import type { Producer } from 'kafkajs';
import { MessagingError } from '../../../platform/errors.ts';
import type { CreateKafkajsClient, KafkajsClient } from './connection/client.ts';
import { toMessagingError } from '../common/connection/errors.ts';

/** While a leader is elected; a reading that takes long is only less exact. */
const RETRY = { retries: 4, initialRetryTime: 50, maxRetryTime: 500 };
/** The leader alone reads its clock: its followers need not have the record. */
const LEADER_ONLY = 1;
const WRITE_TIMEOUT_MS = 5_000;

/**
 * Reads the broker's time: no request of Kafka asks for it, but on a topic with message.timestamp.type=LogAppendTime the
 * response to a write contains the time at which the leader appended the record. Keeps one connection.
 */
export class KafkajsClockReader {
  readonly #createClient: CreateKafkajsClient;
  readonly #clientId: string;
  readonly #topic: string;
  #made: { readonly client: KafkajsClient; readonly producer: Producer } | undefined;
  #stopped = false;

  constructor(options: { createClient: CreateKafkajsClient; clientId: string; topic: string }) {
    this.#createClient = options.createClient;
    this.#clientId = options.clientId;
    this.#topic = options.topic;
  }

  /** Epoch milliseconds at a moment between call and resolution. Rejects with MessagingError. */
  async time(): Promise<number> {
    const what = `time of the broker from ${this.#topic}`;
    if (this.#stopped) throw new MessagingError('broker-unavailable', `${what}: closed`, { canRetry: false });
    try {
      const producer = await this.#connect();
      const messages = [{ key: null, value: null }];
      const write = { topic: this.#topic, acks: LEADER_ONLY, timeout: WRITE_TIMEOUT_MS, messages };
      const [answer] = await producer.send(write);
      const timeMs = Number(answer?.logAppendTime ?? -1);
      if (timeMs > 0) return timeMs;
      const text = `${what}: the topic needs message.timestamp.type=LogAppendTime`;
      throw new MessagingError('invalid-topic', text, { canRetry: false });
    } catch (error) {
      this.#discard();
      throw toMessagingError(what, error);
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#discard();
  }

  async #connect(): Promise<Producer> {
    if (this.#made !== undefined) return this.#made.producer;
    const client = this.#createClient({ clientId: this.#clientId, retry: RETRY });
    const producer = client.kafka.producer({ allowAutoTopicCreation: false, retry: RETRY });
    this.#made = { client, producer };
    client.connections.onLost = () => this.#discard();
    await producer.connect();
    return producer;
  }

  #discard(): void {
    const made = this.#made;
    this.#made = undefined;
    made?.client.connections.destroy();
    made?.producer.disconnect().catch(() => undefined);
  }
}
