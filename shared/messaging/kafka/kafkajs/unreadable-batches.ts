import { AsyncLocalStorage } from 'node:async_hooks';
import { MessagingError } from '../../../platform/errors.ts';
import type { TopicPartition } from '../../message.ts';
import { kafkajsModule, replaceExport, replaceFunction } from './internals.ts';

/** A broker's response to one fetch request. */
export interface FetchAnswer {
  /** No partition has records, so none was left out for its size. */
  readonly isEmpty: boolean;
  readonly partitions: readonly FetchedPartition[];
}

export interface FetchedPartition extends TopicPartition {
  /** The requested offset: the consumer has delivered every message below it. */
  readonly from: number;
  /** The last stable offset: no message below it was withheld for a transaction that is still open. */
  readonly stableEnd: number;
  readonly isEmpty: boolean;
  readonly unreadable: readonly UnreadableBatch[];
}

/** A record batch with the right checksum that cannot be decoded; its messages are skipped. */
export interface UnreadableBatch {
  readonly firstOffset: number;
  readonly lastOffset: number;
  readonly reason: string;
}

/** The fields used here of a record as kafkajs decodes it. */
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

/** Modules that keep the batch decoder with which they were loaded. */
const BATCH_DECODER_USER =
  /kafkajs[\\/]src[\\/]protocol[\\/]requests[\\/]fetch[\\/]v\d+[\\/](response|decodeMessages)\.js$/;

/** The listener of all fetches of the consumer whose `run()` is called within `fetchListeners.run()`. */
export const fetchListeners = new AsyncLocalStorage<(answer: FetchAnswer) => void>();

/**
 * Reports to `fetchListeners` what kafkajs does not expose, and keeps one unreadable record batch from ending a consumer,
 * which would fetch it again in each of its lives. Decoders reject with MessagingError `batch-unreadable` for such a batch.
 * Its checksum is right: checkFetchResponses rejects a response with a wrong one before it is decoded.
 */
export function reportFetchAnswers(): void {
  const { prototype } = kafkajsModule('broker') as BrokerClass;
  replaceFunction(prototype, 'fetch', async function fetchAndReport(fetch, request) {
    const response = await fetch.call(this, request);
    fetchListeners.getStore()?.(toFetchAnswer(request, response));
    return response;
  });
  replaceExport<DecodeBatch>(
    'protocol/recordBatch/v0/decoder.js',
    BATCH_DECODER_USER,
    (decode) => (bytes) => decodeWithEnd(decode, bytes),
  );
}

/**
 * Decodes a batch, with a control record in place of records that are missing at its end (removed by compaction, or all of
 * an unreadable batch): kafkajs advances by the decoded records, and never delivers control records.
 */
async function decodeWithEnd(
  decode: DecodeBatch,
  bytes: ResponseBytes,
): Promise<{ readonly records: readonly DecodedRecord[] }> {
  const batch = bytes.buffer.subarray(bytes.offset);
  const endRecord = (unreadable?: UnreadableBatch) => ({
    offset: String(lastOffsetOf(batch)),
    key: null,
    isControlRecord: true,
    batchContext: { producerId: '-1', inTransaction: false },
    ...(unreadable === undefined ? {} : { unreadable }),
  });
  try {
    const decoded = await decode(bytes);
    if (decoded.records.at(-1)?.offset === String(lastOffsetOf(batch))) return decoded;
    return { ...decoded, records: [...decoded.records, endRecord()] };
  } catch (error) {
    if (!(error instanceof MessagingError) || error.code !== 'batch-unreadable') throw error;
    const firstOffset = Number(batch.readBigInt64BE(0));
    return { records: [endRecord({ firstOffset, lastOffset: lastOffsetOf(batch), reason: error.message })] };
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
