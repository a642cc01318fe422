import { promisify } from 'node:util';
import { constants, gunzip, gzip, zstdDecompress } from 'node:zlib';
import kafkajs from 'kafkajs';
import { MessagingError, errorText } from '../../../platform/errors.ts';

const gzipAsync = promisify(gzip);
const gunzipAsync = promisify(gunzip);
const zstdDecompressAsync = promisify(zstdDecompress);

const KIB = 1_024;
const MIB = KIB * KIB;

/** On a schedule of 360 rows level 1 takes half the time of kafkajs' level 6 and gives 14 % more bytes. */
const GZIP_LEVEL = constants.Z_BEST_SPEED;

/**
 * Largest decompressed record batch: 16 times the largest batch that our topics take (8 MiB). A batch that grows beyond
 * it is an attack or a mistake and must not take the memory of the process; reading it fails instead.
 */
const MAX_DECOMPRESSED_BYTES = 128 * MIB;

/** Schedules in Avro are packed to about a quarter of their bytes. */
const USUAL_PACKED_SHARE = 0.25;
/** zlib works in pieces of what it gives out; each is a way to another thread and back. */
const LEAST_CHUNK_BYTES = 16 * KIB;
const LARGEST_CHUNK_BYTES = 512 * KIB;

/** The size of pieces with which what is expected comes out in one, within bounds. */
function chunkSize(expectedBytes: number): number {
  return Math.min(LARGEST_CHUNK_BYTES, Math.max(LEAST_CHUNK_BYTES, Math.ceil(expectedBytes * 1.25)));
}

/** Node does not see the codecs among the names of kafkajs' CommonJS module, so they are taken from the whole. */
const { CompressionCodecs, CompressionTypes } = kafkajs;

/** What kafkajs hands to a codec: an encoder whose written bytes are `buffer`. */
interface Encoded {
  readonly buffer: Buffer;
}

/**
 * Replaces the codecs of kafkajs (they are global to the process): gzip at the fastest level, bounded decompression,
 * and zstd for reading what other producers wrote. We never write zstd, snappy or lz4: not every client reads them. Nor
 * are snappy and lz4 read: the topics have the broker repack them (topic-settings.ts). What cannot be decompressed
 * rejects with MessagingError `batch-unreadable`.
 */
export function installCodecs(): void {
  CompressionCodecs[CompressionTypes.GZIP] = () => ({
    compress: ({ buffer }: Encoded) =>
      gzipAsync(buffer, { level: GZIP_LEVEL, chunkSize: chunkSize(buffer.length * USUAL_PACKED_SHARE) }),
    decompress: (buffer: Buffer) =>
      gunzipAsync(buffer, {
        maxOutputLength: MAX_DECOMPRESSED_BYTES,
        chunkSize: chunkSize(buffer.length / USUAL_PACKED_SHARE),
      }).catch(refuseUnreadable),
  });
  CompressionCodecs[CompressionTypes.ZSTD] = () => ({
    compress: () => Promise.reject(new Error('zstd is only read, never written')),
    decompress: (buffer: Buffer) =>
      zstdDecompressAsync(buffer, { maxOutputLength: MAX_DECOMPRESSED_BYTES }).catch(refuseUnreadable),
  });
  CompressionCodecs[CompressionTypes.Snappy] = () => unreadCodec('snappy');
  CompressionCodecs[CompressionTypes.LZ4] = () => unreadCodec('lz4');
}

function unreadCodec(name: string) {
  return {
    compress: () => Promise.reject(new Error(`${name} is not written`)),
    decompress: () => Promise.reject(unreadable(`${name} compression is not read`)),
  };
}

/** Too large or damaged stays so, however often it is read; a lack of memory passes. */
function refuseUnreadable(error: unknown): never {
  const { code } = error as { code?: unknown };
  const isLasting =
    typeof code === 'string' && !/MEM/i.test(code) && /^(ERR_BUFFER_TOO_LARGE|Z_|ZSTD_)/.test(code);
  if (!isLasting) throw error;
  throw unreadable(errorText(error), error);
}

function unreadable(text: string, cause?: unknown): MessagingError {
  return new MessagingError('batch-unreadable', text, { canRetry: false, cause });
}
