import { gzipSync, zstdCompressSync } from 'node:zlib';
import { compressionsAlgorithms } from '@platformatic/kafka';
import { describe, expect, it } from 'vitest';
import { decompress } from '../../../../../../shared/messaging/kafka/platformatic/consuming/compression.ts';

const KIB = 1_024;
const BYTES = 100 * KIB;
/** The largest block of LZ4; a frame counts as full blocks. */
const LZ4_BLOCK_BYTES = 4 * KIB * KIB;

describe('decompress()', () => {
  it.each([
    ['gzip', 1, gzipSync],
    ['snappy', 2, (data: Buffer) => compressionsAlgorithms.snappy.compressSync(data)],
    ['lz4', 3, (data: Buffer) => compressionsAlgorithms.lz4.compressSync(data)],
    ['zstd', 4, zstdCompressSync],
  ])('fails for %s of more bytes than allowed', (_, compression, compress) => {
    const packed = compress(Buffer.alloc(BYTES, 7));
    expect(decompress(compression, packed, LZ4_BLOCK_BYTES)).toHaveLength(BYTES);
    expect(() => decompress(compression, packed, BYTES - 1)).toThrow(RangeError);
  });

  it('decompresses large input in another thread, with the same limit', async () => {
    const data = Buffer.from(Array.from({ length: 60 * KIB }, () => Math.random().toString(36)).join(''));
    for (const [compression, compress] of [
      [1, gzipSync],
      [4, zstdCompressSync],
    ] as const) {
      const packed = compress(data);
      const pending = decompress(compression, packed, data.length);
      expect(pending).toBeInstanceOf(Promise);
      expect((await pending).equals(data)).toBe(true);
      await expect(decompress(compression, packed, data.length - 1)).rejects.toThrow(RangeError);
    }
  });
});
