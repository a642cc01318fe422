import { constants } from 'node:zlib';

const KIB = 1_024;
const MIB = KIB * KIB;

/**
 * Batches with a larger value are compressed. A gigabit network transfers a smaller one in half a millisecond, in which it cannot
 * be compressed; and on topics with compression.type=uncompressed the broker has to decompress it.
 */
export const COMPRESS_ABOVE_BYTES = 64 * KIB;

/** For a schedule of 360 instalments, level 1 takes half the time of the default level 6 and produces 14 % more bytes. */
const GZIP_LEVEL = constants.Z_BEST_SPEED;

/**
 * Largest decompressed record batch: 16 times the largest batch that our topics allow (8 MiB). Decompressing a larger one, an
 * attack or a mistake, fails before it exhausts the memory of the process.
 */
export const MAX_BATCH_BYTES = 128 * MIB;

/** Schedules in Avro are compressed to about a quarter of their bytes. */
const USUAL_COMPRESSED_SHARE = 0.25;
/** zlib returns its output in chunks; each takes a round trip to another thread. */
const MIN_CHUNK_BYTES = 16 * KIB;
const MAX_CHUNK_BYTES = 512 * KIB;

/** The options of gzip for records of this size. */
export function gzipOptions(bytes: number) {
  return { level: GZIP_LEVEL, chunkSize: chunkSize(bytes * USUAL_COMPRESSED_SHARE) };
}

/** The options to decompress records of this compressed size, by gzip or zstd. In chunks of the default size it takes twice the time. */
export function decompressionOptions(bytes: number, maxOutputLength: number = MAX_BATCH_BYTES) {
  return { maxOutputLength, chunkSize: chunkSize(bytes / USUAL_COMPRESSED_SHARE) };
}

/** The chunk size with which the expected output fits into one chunk, within limits. */
function chunkSize(expectedBytes: number): number {
  return Math.min(MAX_CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, Math.ceil(expectedBytes * 1.25)));
}
