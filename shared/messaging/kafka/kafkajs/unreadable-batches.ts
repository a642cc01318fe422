import { AsyncLocalStorage } from 'node:async_hooks';
import { MessagingError } from '../../../platform/errors.ts';
import type { TopicPartition } from '../../message.ts';
import { kafkajsModule, replaceExport, replaceFunction } from './internals.ts';

/** A broker's response to one fetch request. */
export interface FetchAnswer {
  /** No partition has records, so none was omitted because of the size limit. */
  readonly isEmpty: boolean;
  readonly partitions: readonly FetchedPartition[];
}

export interface FetchedPartition extends TopicPartition {
  /** The requested offset: the consumer has delivered all messages below it. */
  readonly from: number;
  /** The last stable offset: no message below it belongs to an open transaction. */
  readonly stableEnd: number;
  readonly isEmpty: boolean;
  readonly unreadable: readonly UnreadableBatch[];
}

/** A record batch with a right checksum that cannot be decoded; its messages are skipped. */
export interface UnreadableBatch {
  readonly firstOffset: number;
  readonly lastOffset: number;
  readonly reason: string;
}

/** A record as kafkajs decodes it, with the fields used here. */
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

/** Position in a record batch (Kafka protocol, record batch version 2). */
const LAST_OFFSET_DELTA_AT = 23;

/** Modules with a reference to the batch decoder. */
const BATCH_DECODER_USER =
  /kafkajs[\\/]src[\\/]protocol[\\/]requests[\\/]fetch[\\/]v\d+[\\/](response|decodeMessages)\.js$/;

/** Set by `fetchListeners.run()` around `run()` of a consumer, for all its fetches. */
export const fetchListeners = new AsyncLocalStorage<(answer: FetchAnswer) => void>();

/**
 * Reports fetch responses to `fetchListeners`, and skips unreadable record batches, which would end a consumer and each of its
 * successors. For such a batch the codec rejects with MessagingError `batch-unreadable`. Its checksum is right:
 * checkFetchResponses rejects a response with a wrong one before it is decoded.
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
 * Decodes a batch and appends a control record when its last offset has no record (compaction, or an unreadable batch): kafkajs
 * advances to the last decoded record, and never delivers control records.
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
  const requested = new Map(topics.map(({ topic, partitions }) => [topic, partitions]));
  const fetched = responses.flatMap(({ topicName, partitions }) =>
    partitions.map(({ partition, lastStableOffset, messages }): FetchedPartition => {
      const request = requested.get(topicName)?.find((one) => one.partition === partition);
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
