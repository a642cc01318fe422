import type { Producer } from 'kafkajs';
import type { CreateKafkajsClient, KafkajsClient } from '../connection/client.ts';
import { ProduceRound } from './produce-round.ts';
import type { RecordSender, SenderConnection } from '../../common/publishing/record-sender.ts';

/** No retries inside kafkajs: after a failed request the producer is discarded, and the publisher repeats it. */
const RETRY = { retries: 0 };
/** Delay before a failed connection is retried, doubled with each consecutive failure. */
const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 2_000;

interface Made {
  readonly client: KafkajsClient;
  readonly producer: Producer;
  readonly sender: RecordSender;
}

/**
 * Keeps one kafkajs producer connected, and replaces it after each failure: its metadata may be stale or name a deleted
 * topic, which makes all its later sends fail. The producer is not idempotent: after a lost response kafkajs would reuse
 * the sequence number for the next record, which the broker would drop as a duplicate. So a producer has no state that its
 * replacement lacks.
 */
export class ProducerConnection implements SenderConnection {
  readonly #createClient: CreateKafkajsClient;
  readonly #clientId: string;
  readonly #onReady: () => void;
  readonly #onFailed: (error: unknown) => void;
  #made: Made | undefined;
  #closed = false;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The error of the latest failed attempt to connect. */
  lastError: unknown;

  constructor(options: {
    createClient: CreateKafkajsClient;
    clientId: string;
    onReady: () => void;
    onFailed: (error: unknown) => void;
  }) {
    this.#createClient = options.createClient;
    this.#clientId = options.clientId;
    this.#onReady = options.onReady;
    this.#onFailed = options.onFailed;
  }

  /** The sender of the producer, while it is connected. */
  get sender(): RecordSender | undefined {
    return this.#made?.sender;
  }

  isConnected(): boolean {
    return this.#made?.client.connections.isConnected() === true;
  }

  /** Connects; retries until it succeeds or the connection is closed. */
  open(): void {
    if (this.#closed) return;
    const client = this.#createClient({ clientId: this.#clientId, retry: RETRY });
    const producer = client.kafka.producer({
      idempotent: false,
      allowAutoTopicCreation: false,
      retry: RETRY,
      // RecordPlacement has chosen the partition.
      createPartitioner:
        () =>
        ({ message }) =>
          message.partition ?? 0,
    });
    producer.on(producer.events.REQUEST_TIMEOUT, ({ payload }) => client.onSilent(payload.broker));
    const sender: RecordSender = {
      send: (slices, onStored) => new ProduceRound(slices, onStored).send(producer),
    };
    const made = { client, producer, sender };
    producer.connect().then(
      () => this.#connected(made),
      (error: unknown) => this.#failed(made, error),
    );
  }

  /** Discards the producer of the sender if it is still the current one, and connects a new one. */
  discard(sender: RecordSender): void {
    const made = this.#made;
    if (made === undefined || made.sender !== sender) return;
    this.#made = undefined;
    destroy(made);
    this.open();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    if (this.#made !== undefined) destroy(this.#made);
    this.#made = undefined;
  }

  #connected(made: Made): void {
    if (this.#closed) {
      destroy(made);
      return;
    }
    this.#made = made;
    this.#failures = 0;
    made.client.connections.onLost = () => this.discard(made.sender);
    this.#onReady();
  }

  #failed(made: Made, error: unknown): void {
    this.lastError = error;
    destroy(made);
    if (this.#closed) return;
    const delayMs = Math.min(MIN_BACKOFF_MS * 2 ** this.#failures, MAX_BACKOFF_MS);
    this.#failures += 1;
    this.#onFailed(error);
    this.#timer = setTimeout(() => this.open(), delayMs);
  }
}

function destroy({ client, producer }: Made): void {
  client.connections.destroy();
  producer.disconnect().catch(() => undefined);
}
