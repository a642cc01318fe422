import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { compressionsAlgorithms, Reader, readRecordsBatch } from '@platformatic/kafka';
import { DECOMPRESSION, toHeaders, type DecodedBatch } from '../../common/consuming/record-batches.ts';

const LOG_APPEND_TIME_BIT = 0b1000;
const TRANSACTIONAL_BIT = 0b1_0000;
const CONTROL_BIT = 0b10_0000;

/** Bounds what compressed records may expand to, for the whole process: the library decompresses without a limit. Idempotent. */
export function boundDecompression(): void {
  const decompress = {
    gzip: (data: Buffer) => gunzipSync(data, DECOMPRESSION),
    zstd: (data: Buffer) => zstdDecompressSync(data, DECOMPRESSION),
    snappy: () => refuse('snappy'),
    lz4: () => refuse('lz4'),
  };
  for (const [name, decompressSync] of Object.entries(decompress)) {
    Object.assign(compressionsAlgorithms[name as keyof typeof decompress], { decompressSync });
  }
}

function refuse(compression: string): never {
  throw new Error(`the compression ${compression} is not read`);
}

/** Decodes a batch. Throws where its bytes are not records, or would expand beyond the limit. */
export function decodeBatch(bytes: Buffer): DecodedBatch {
  const { attributes, firstOffset, firstTimestamp, maxTimestamp, producerId, records } = readRecordsBatch(
    Reader.from(bytes),
  );
  const isAppendTime = (attributes & LOG_APPEND_TIME_BIT) !== 0;
  return {
    producerId,
    isTransactional: (attributes & TRANSACTIONAL_BIT) !== 0,
    isControl: (attributes & CONTROL_BIT) !== 0,
    records: records.map(({ offsetDelta, timestampDelta, key, value, headers }) => ({
      offset: Number(firstOffset) + offsetDelta,
      timestampMs: Number(isAppendTime ? maxTimestamp : firstTimestamp + timestampDelta),
      key,
      value,
      headers: toHeaders(headers.map(([name, content]) => [String(name), content])),
    })),
  };
}
