import type { OutgoingRecord } from './record.ts';

/** A record with its partition. */
export interface PlacedRecord extends OutgoingRecord {
  readonly topic: string;
  readonly partition: number;
}

/** Why a send failed. Its records were not stored unless `isSent`: then some or all may be. */
export interface SendFailure {
  readonly error: unknown;
  readonly isSent: boolean;
}

/**
 * Records are compressed (gzip) where one has a larger value. A gigabit network transfers a smaller one in half a millisecond, in which it
 * cannot be compressed; and on topics with compression.type=uncompressed the broker has to decompress it.
 */
const COMPRESS_ABOVE_BYTES = 64 * 1_024;

export function isLarge(records: readonly PlacedRecord[]): boolean {
  return records.some(({ record: { value } }) => value !== null && value.length > COMPRESS_ABOVE_BYTES);
}

/** A connected producer of a client library. */
export interface LibraryProducer {
  isConnected(): boolean;
  /** Sends the records once, each partition in its order, with acks=all. Resolves when all are stored; rejects with the error of the library. */
  send(records: readonly PlacedRecord[]): Promise<void>;
  destroy(): void;
}

/** Connects a new producer, to a random broker. `onLost` is called when its last connection was closed. Rejects with the error of the library. */
export type ConnectProducer = (clientId: string, onLost: () => void) => Promise<LibraryProducer>;

/** Maximum time that the leader waits for its followers; less than the request timeout, so that the leader answers in time. */
export const ACKS_TIMEOUT_MS = 4_000;

interface Made {
  producer?: LibraryProducer;
  /** Number of sends in flight. */
  pending: number;
}

/**
 * The producer of a publisher. It is replaced after each failure: its metadata may be stale or name a deleted topic, and its broker may
 * accept connections without ever answering. Producers are not idempotent: after a lost response kafkajs would reuse the sequence number
 * for the next record, which the broker would drop as a duplicate (tulios/kafkajs#1005), and @platformatic/kafka takes a new producer id.
 */
export class RecordSender {
  readonly #connectProducer: ConnectProducer;
  readonly #clientId: string;
  readonly #onLost: () => void;
  #made: Made | undefined;
  #isClosed = false;

  constructor(connectProducer: ConnectProducer, clientId: string, onLost: () => void) {
    this.#connectProducer = connectProducer;
    this.#clientId = clientId;
    this.#onLost = onLost;
  }

  isConnected(): boolean {
    return this.#made?.producer?.isConnected() === true;
  }

  /** Rejects with the error of the library. */
  async connect(): Promise<void> {
    if (this.isConnected()) return;
    const made: Made = { pending: 0 };
    made.producer = await this.#connectProducer(this.#clientId, () => this.#replace(made));
    if (this.#isClosed) made.producer.destroy();
    else this.#made = made;
  }

  /** Never rejects. Several sends of different partitions may be pending. */
  async send(records: readonly PlacedRecord[]): Promise<SendFailure | undefined> {
    const made = this.#made;
    if (made?.producer === undefined) {
      return { error: new Error('the producer is not connected'), isSent: false };
    }
    made.pending += 1;
    try {
      await made.producer.send(records);
      return undefined;
    } catch (error) {
      this.#replace(made);
      return { error, isSent: true };
    } finally {
      made.pending -= 1;
      if (made !== this.#made && made.pending === 0) made.producer.destroy();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#made?.producer?.destroy();
    this.#made = undefined;
  }

  /** Sends in flight still end on the former producer. */
  #replace(made: Made): void {
    if (this.#made !== made) return;
    this.#made = undefined;
    if (made.pending === 0) made.producer?.destroy();
    this.#onLost();
  }
}
