import { promisify } from 'node:util';
import { constants, gunzip, gzip, zstdDecompress } from 'node:zlib';
import kafkajs from 'kafkajs';
import { MessagingError, errorText } from '../../../platform/errors.ts';

const gzipAsync = promisify(gzip);
const gunzipAsync = promisify(gunzip);
const zstdDecompressAsync = promisify(zstdDecompress);

const KIB = 1_024;
const MIB = KIB * KIB;

/** For a schedule of 360 instalments, level 1 takes half the time of kafkajs' level 6 and produces 14 % more bytes. */
const GZIP_LEVEL = constants.Z_BEST_SPEED;

/**
 * Largest decompressed record batch: 16 times the largest batch that our topics allow (8 MiB). Decompressing a larger one, an
 * attack or a mistake, fails before it exhausts the memory of the process.
 */
const MAX_DECOMPRESSED_BYTES = 128 * MIB;

/** Schedules in Avro are compressed to about a quarter of their bytes. */
const USUAL_COMPRESSED_SHARE = 0.25;
/** zlib returns its output in chunks; each takes a round trip to another thread. */
const MIN_CHUNK_BYTES = 16 * KIB;
const MAX_CHUNK_BYTES = 512 * KIB;

/** The chunk size with which the expected output fits into one chunk, within limits. */
function chunkSize(expectedBytes: number): number {
  return Math.min(MAX_CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, Math.ceil(expectedBytes * 1.25)));
}

/** Node does not detect the codecs as named exports of kafkajs' CommonJS module. */
const { CompressionCodecs, CompressionTypes } = kafkajs;

/** Input of a codec: an encoder with the written bytes. */
interface Encoded {
  readonly buffer: Buffer;
}

/**
 * Replaces the codecs of kafkajs for the whole process: gzip at the fastest level, limited decompression, and zstd for batches
 * of other producers. This project never writes zstd, snappy or lz4, which not every client reads. It does not read snappy and
 * lz4 either: on our topics the broker recompresses such batches (topic-settings.ts). Decompressing an unreadable batch
 * rejects with MessagingError `batch-unreadable`.
 */
export function installCodecs(): void {
  CompressionCodecs[CompressionTypes.GZIP] = () => ({
    compress: ({ buffer }: Encoded) =>
      gzipAsync(buffer, { level: GZIP_LEVEL, chunkSize: chunkSize(buffer.length * USUAL_COMPRESSED_SHARE) }),
    decompress: (buffer: Buffer) =>
      gunzipAsync(buffer, {
        maxOutputLength: MAX_DECOMPRESSED_BYTES,
        chunkSize: chunkSize(buffer.length / USUAL_COMPRESSED_SHARE),
      }).catch(refuseUnreadable),
  });
  CompressionCodecs[CompressionTypes.ZSTD] = () => ({
    compress: () => Promise.reject(new Error('zstd is only read, never written')),
    decompress: (buffer: Buffer) =>
      zstdDecompressAsync(buffer, { maxOutputLength: MAX_DECOMPRESSED_BYTES }).catch(refuseUnreadable),
  });
  CompressionCodecs[CompressionTypes.Snappy] = () => unsupportedCodec('snappy');
  CompressionCodecs[CompressionTypes.LZ4] = () => unsupportedCodec('lz4');
}

function unsupportedCodec(name: string) {
  return {
    compress: () => Promise.reject(new Error(`${name} is not written`)),
    decompress: () => Promise.reject(unreadable(`${name} compression is not read`)),
  };
}

/** A batch that is too large or corrupt stays unreadable; a lack of memory is temporary. */
function refuseUnreadable(error: unknown): never {
  const { code } = error as { code?: unknown };
  const isPermanent =
    typeof code === 'string' && !/MEM/i.test(code) && /^(ERR_BUFFER_TOO_LARGE|Z_|ZSTD_)/.test(code);
  if (!isPermanent) throw error;
  throw unreadable(errorText(error), error);
}

function unreadable(text: string, cause?: unknown): MessagingError {
  return new MessagingError('batch-unreadable', text, { canRetry: false, cause });
}
