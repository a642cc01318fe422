import { MessagingError } from '../../../../platform/errors.ts';
import type { UnreadableBatch } from '../../common/batches/check-batches.ts';
import { replaceExport } from './internals.ts';

/** A record as kafkajs decodes it, with the fields used here. */
export interface DecodedRecord {
  readonly offset: string;
  readonly unreadable?: UnreadableBatch;
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

/**
 * Skips unreadable record batches, which would end a consumer and each of its successors. For such a batch the codec rejects with
 * MessagingError `batch-unreadable`. Its checksum is right: checkFetchResponses rejects a response with a wrong one before it
 * is decoded.
 */
export function skipUnreadableBatches(): void {
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
