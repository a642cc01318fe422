import { promisify } from 'node:util';
import { gunzip, gzip, zstdDecompress } from 'node:zlib';
import kafkajs from 'kafkajs';
import { MessagingError, errorText } from '../../../../platform/errors.ts';
import { decompressionOptions, gzipOptions } from '../../common/batches/gzip-options.ts';

const gzipAsync = promisify(gzip);
const gunzipAsync = promisify(gunzip);
const zstdDecompressAsync = promisify(zstdDecompress);

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
    compress: ({ buffer }: Encoded) => gzipAsync(buffer, gzipOptions(buffer.length)),
    decompress: (buffer: Buffer) =>
      gunzipAsync(buffer, decompressionOptions(buffer.length)).catch(refuseUnreadable),
  });
  CompressionCodecs[CompressionTypes.ZSTD] = () => ({
    compress: () => Promise.reject(new Error('zstd is only read, never written')),
    decompress: (buffer: Buffer) =>
      zstdDecompressAsync(buffer, decompressionOptions(buffer.length)).catch(refuseUnreadable),
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
