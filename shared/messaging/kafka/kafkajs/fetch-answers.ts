import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { MessagingError } from '../../../platform/errors.ts';
import type { TopicPartition } from '../../message.ts';

/** What a broker answered to one fetch request. */
export interface FetchAnswer {
  /** It brought nothing of any partition, so nothing was left out for its size. */
  readonly isEmpty: boolean;
  readonly partitions: readonly FetchedPartition[];
}

export interface FetchedPartition extends TopicPartition {
  /** The offset that was asked for. The consumer has handed over every message below it. */
  readonly from: number;
  /** The last stable offset: no message below it was withheld for a transaction that is still open. */
  readonly stableEnd: number;
  readonly isEmpty: boolean;
  readonly unreadable: readonly UnreadableBatch[];
}

/** A record batch with the right checksum that cannot be decoded; its messages are passed over. */
export interface UnreadableBatch {
  readonly firstOffset: number;
  readonly lastOffset: number;
  readonly reason: string;
}

/** A record as kafkajs decodes it, as far as it matters here. */
interface DecodedRecord {
  readonly offset: string;
  readonly unreadable?: UnreadableBatch;
}

interface FetchRequest {
  readonly topics: readonly {
    readonly topic: string;
    readonly partitions: readonly { readonly partition: number; readonly fetchOffset: string }[];
  }[];
}

interface FetchResponse {
  readonly responses: readonly {
    readonly topicName: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly lastStableOffset?: string;
      readonly messages: readonly DecodedRecord[];
    }[];
  }[];
}

interface BrokerClass {
  readonly prototype: { fetch: (request: FetchRequest) => Promise<FetchResponse> };
}

/** A reading position in the bytes of a fetch response. */
interface ResponseBytes {
  readonly buffer: Buffer;
  readonly offset: number;
}

type DecodeBatch = (bytes: ResponseBytes) => Promise<{ readonly records: readonly DecodedRecord[] }>;

/** Position within a record batch (Kafka protocol, record batch version 2). */
const LAST_OFFSET_DELTA_AT = 23;

const BATCH_DECODER = 'kafkajs/src/protocol/recordBatch/v0/decoder';
/** Modules that keep the batch decoder which they were loaded with. */
const BATCH_DECODER_USER =
  /kafkajs[\\/]src[\\/]protocol[\\/]requests[\\/]fetch[\\/]v\d+[\\/](response|decodeMessages)\.js$/;

const PATCHED = new WeakSet<object>();

/** Hears the answers to all fetches of the consumer whose `run()` is called within `fetchListeners.run()`. */
export const fetchListeners = new AsyncLocalStorage<(answer: FetchAnswer) => void>();

/**
 * Lets `fetchListeners` hear what kafkajs keeps to itself, and one unreadable record batch no longer end a consumer,
 * which would meet it again in each of its lives. Decoders reject with MessagingError `batch-unreadable` for such a
 * batch. Its checksum is right: checkFetchResponses refuses a response with another one before it is decoded.
 */
export function hearFetchAnswers(): void {
  const require = createRequire(import.meta.url);
  const { prototype } = require('kafkajs/src/broker') as BrokerClass;
  if (PATCHED.has(prototype)) return;
  PATCHED.add(prototype);
  const { fetch } = prototype;
  prototype.fetch = async function fetchAndTell(this: object, request: FetchRequest) {
    const response = await fetch.call(this, request);
    fetchListeners.getStore()?.(toFetchAnswer(request, response));
    return response;
  };
  const decode = require(BATCH_DECODER) as DecodeBatch;
  const decoder = require.cache[require.resolve(BATCH_DECODER)];
  if (decoder === undefined) throw new Error('the batch decoder of kafkajs cannot be replaced');
  decoder.exports = (bytes: ResponseBytes) => decodeToTheEnd(decode, bytes);
  // kafkajs loads these anew with its next fetch.
  for (const file of Object.keys(require.cache))
    if (BATCH_DECODER_USER.test(file)) delete require.cache[file];
}

/**
 * The records of a batch, and in the place of missing ones at its end (removed by compaction, or all of an unreadable
 * batch) a control record: kafkajs moves on by the records it is given, and never hands over those of control.
 */
async function decodeToTheEnd(
  decode: DecodeBatch,
  bytes: ResponseBytes,
): Promise<{ readonly records: readonly DecodedRecord[] }> {
  const batch = bytes.buffer.subarray(bytes.offset);
  const passing = (unreadable?: UnreadableBatch) => ({
    offset: String(lastOffsetOf(batch)),
    key: null,
    isControlRecord: true,
    batchContext: { producerId: '-1', inTransaction: false },
    ...(unreadable === undefined ? {} : { unreadable }),
  });
  try {
    const decoded = await decode(bytes);
    if (decoded.records.at(-1)?.offset === String(lastOffsetOf(batch))) return decoded;
    return { ...decoded, records: [...decoded.records, passing()] };
  } catch (error) {
    if (!(error instanceof MessagingError) || error.code !== 'batch-unreadable') throw error;
    const firstOffset = Number(batch.readBigInt64BE(0));
    return { records: [passing({ firstOffset, lastOffset: lastOffsetOf(batch), reason: error.message })] };
  }
}

function lastOffsetOf(batch: Buffer): number {
  return Number(batch.readBigInt64BE(0)) + batch.readInt32BE(LAST_OFFSET_DELTA_AT);
}

function toFetchAnswer({ topics }: FetchRequest, { responses }: FetchResponse): FetchAnswer {
  const asked = new Map(topics.map(({ topic, partitions }) => [topic, partitions]));
  const fetched = responses.flatMap(({ topicName, partitions }) =>
    partitions.map(({ partition, lastStableOffset, messages }): FetchedPartition => {
      const request = asked.get(topicName)?.find((one) => one.partition === partition);
      return {
        topic: topicName,
        partition,
        from: Number(request?.fetchOffset ?? 0),
        stableEnd: Number(lastStableOffset ?? -1),
        isEmpty: messages.length === 0,
        unreadable: messages.flatMap(({ unreadable }) => (unreadable === undefined ? [] : [unreadable])),
      };
    }),
  );
  return { isEmpty: fetched.every(({ isEmpty }) => isEmpty), partitions: fetched };
}
