import { promisify } from 'node:util';
import { gunzip, gunzipSync, zstdDecompress, zstdDecompressSync } from 'node:zlib';
import { decompressionOptions, MAX_BATCH_BYTES } from './gzip-options.ts';

const KIB = 1_024;
/** Larger input is decompressed in another thread: usual records of this size take the event loop about a millisecond. */
const MAX_SYNC_BYTES = 64 * KIB;

const gunzipAsync = promisify(gunzip);
const zstdDecompressAsync = promisify(zstdDecompress);

/** Kafka's numbers of compressions, in the attributes of a record batch. */
export const GZIP = 1;
export const SNAPPY = 2;
export const LZ4 = 3;
export const ZSTD = 4;

const UNREAD: Readonly<Record<number, string>> = { [SNAPPY]: 'snappy', [LZ4]: 'lz4' };

/**
 * The records of a batch in gzip or zstd, which Node reads. Throws or rejects if they cannot be decompressed, could exceed
 * `maxBytes`, or if the compression is another one.
 */
export function decompressByZlib(
  compression: number,
  bytes: Buffer,
  maxBytes: number = MAX_BATCH_BYTES,
): Buffer | Promise<Buffer> {
  const isSmall = bytes.length <= MAX_SYNC_BYTES;
  const options = decompressionOptions(bytes.length, maxBytes);
  if (compression === GZIP) return isSmall ? gunzipSync(bytes, options) : gunzipAsync(bytes, options);
  if (compression === ZSTD) {
    return isSmall ? zstdDecompressSync(bytes, options) : zstdDecompressAsync(bytes, options);
  }
  const name = UNREAD[compression];
  throw new Error(
    name === undefined ? `unknown compression ${compression}` : `${name} compression is not read`,
  );
}
