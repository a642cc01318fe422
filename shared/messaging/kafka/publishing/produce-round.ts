import { createRequire } from 'node:module';
import type { PublishSlice } from './publish-queue.ts';
import { partitionId } from '../../message.ts';

/** Topics and partitions of a produce request, as kafkajs has them. */
export interface ProduceRequest {
  readonly topicData: readonly {
    readonly topic: string;
    readonly partitions: readonly { readonly partition: number; readonly messages: readonly object[] }[];
  }[];
}

/** A broker's answer to a produce request; error code 0 says that the partition's records are on the log. */
export interface ProduceAnswer {
  readonly topics: readonly {
    readonly topicName: string;
    readonly partitions: readonly { readonly partition: number; readonly errorCode: number }[];
  }[];
}

/**
 * What is known of records that are not, or not certainly, on the log. `answered`: their leader gave this error for their
 * partition. `lost`: a request with them was made and not answered. Of the others nothing was written: `unwritable`, the
 * request with them cannot be encoded; `not-asked`, the send ended before a request was made; `left-out`, kafkajs' metadata
 * does not show the partition (it reports such records as sent).
 */
export type PublishFate = 'answered' | 'lost' | 'unwritable' | 'not-asked' | 'left-out';

export interface PublishFailure {
  readonly slice: PublishSlice;
  readonly fate: PublishFate;
  readonly error: unknown;
}

/** Rounds that may be under way, by the first record of each partition. */
const rounds = new WeakMap<object, ProduceRound>();

/** The round that this request of kafkajs belongs to; undefined for requests of others. */
export function roundOf({ topicData }: ProduceRequest): ProduceRound | undefined {
  const first = topicData[0]?.partitions[0]?.messages[0];
  return first === undefined ? undefined : rounds.get(first);
}

/**
 * One send of a publisher, of which kafkajs makes a request for each broker. Keeps what became of each partition, which
 * kafkajs does not tell: who repeats the whole send because of one partition stores what the others confirmed once more.
 */
export class ProduceRound {
  readonly #open = new Map<string, PublishSlice>();
  readonly #failures = new Map<PublishSlice, Omit<PublishFailure, 'slice'>>();
  readonly #onStored: (slices: readonly PublishSlice[]) => void;

  /** `onStored` is called with the slices that a broker has confirmed, while others may still be silent. */
  constructor(slices: readonly PublishSlice[], onStored: (slices: readonly PublishSlice[]) => void) {
    this.#onStored = onStored;
    for (const slice of slices) {
      const { queue, entries } = slice;
      this.#open.set(partitionId(queue.topic, queue.partition), slice);
      const [first] = entries;
      if (first !== undefined) rounds.set(first.record, this);
    }
  }

  /** A request goes to a broker: from now on its records may be on the log. */
  begin(request: ProduceRequest): void {
    this.#set(request, 'lost', undefined);
  }

  /** A request ended without an answer. */
  lose(request: ProduceRequest, error: unknown): void {
    this.#set(request, 'lost', error);
  }

  /** A request cannot be encoded, so nothing of it goes out. */
  refuseToWrite(request: ProduceRequest, error: unknown): void {
    this.#set(request, 'unwritable', error);
  }

  answer({ topics }: ProduceAnswer): void {
    const stored: PublishSlice[] = [];
    for (const { topicName, partitions } of topics) {
      for (const { partition, errorCode } of partitions) {
        const id = partitionId(topicName, partition);
        const slice = this.#open.get(id);
        if (slice === undefined) continue;
        if (errorCode === 0) {
          this.#open.delete(id);
          stored.push(slice);
        } else {
          this.#failures.set(slice, { fate: 'answered', error: brokerError(errorCode) });
        }
      }
    }
    if (stored.length > 0) this.#onStored(stored);
  }

  /** The slices that are not confirmed once the send has ended, `error` being what it ended with, if anything. */
  failures(error: unknown): readonly PublishFailure[] {
    const failures = Array.from(this.#open.values(), (slice) => {
      const known = this.#failures.get(slice) ?? {
        fate: error === undefined ? 'left-out' : 'not-asked',
        error,
      };
      return { slice, fate: known.fate, error: known.error ?? error ?? unconfirmed(slice) };
    });
    this.#open.clear();
    return failures;
  }

  #set({ topicData }: ProduceRequest, fate: PublishFate, error: unknown): void {
    for (const { topic, partitions } of topicData) {
      for (const { partition } of partitions) {
        const slice = this.#open.get(partitionId(topic, partition));
        if (slice === undefined || this.#failures.get(slice)?.fate === 'unwritable') continue;
        this.#failures.set(slice, { fate, error });
      }
    }
  }
}

function unconfirmed({ queue }: PublishSlice): Error {
  return new Error(`no broker confirmed partition ${queue.partition} of ${queue.topic}`);
}

function brokerError(code: number): Error {
  const require = createRequire(import.meta.url);
  const { createErrorFromCode } = require('kafkajs/src/protocol/error') as {
    createErrorFromCode: (code: number) => Error;
  };
  return createErrorFromCode(code);
}
