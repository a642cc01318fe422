import { compressionsAlgorithms } from '@platformatic/kafka';
import { decompressByZlib, LZ4, SNAPPY } from '../../common/batches/compression.ts';
import { MAX_BATCH_BYTES } from '../../common/batches/gzip-options.ts';

/**
 * The records of a compressed batch. Throws or rejects if they cannot be decompressed, could exceed `maxBytes`, or if the
 * compression is unknown.
 */
export function decompress(
  compression: number,
  bytes: Buffer,
  maxBytes: number = MAX_BATCH_BYTES,
): Buffer | Promise<Buffer> {
  // The library allocates what these formats ask for.
  if (compression === SNAPPY) {
    requireAtMost(maxBytes, snappyBytes(bytes));
    return compressionsAlgorithms.snappy.decompressSync(bytes);
  }
  if (compression === LZ4) {
    requireAtMost(maxBytes, lz4Bytes(bytes));
    return compressionsAlgorithms.lz4.decompressSync(bytes);
  }
  return decompressByZlib(compression, bytes, maxBytes);
}

function requireAtMost(maxBytes: number, decompressedBytes: number): void {
  if (decompressedBytes <= maxBytes) return;
  throw new RangeError(`the records may have ${decompressedBytes} bytes`);
}

/** The Java client frames snappy blocks: a magic number, two versions, and each block after its length. */
const XERIAL_MAGIC = Buffer.from('82534e4150505900', 'hex');
const XERIAL_HEAD_BYTES = 16;

/** The decompressed size that the blocks state. */
function snappyBytes(bytes: Buffer): number {
  if (!bytes.subarray(0, XERIAL_MAGIC.length).equals(XERIAL_MAGIC)) return snappyBlockBytes(bytes);
  let total = 0;
  for (let at = XERIAL_HEAD_BYTES; at < bytes.length;) {
    const end = at + 4 + bytes.readUInt32BE(at);
    total += snappyBlockBytes(bytes.subarray(at + 4, end));
    at = end;
  }
  return total;
}

/** A block begins with its decompressed size, in seven bits per byte. */
function snappyBlockBytes(block: Buffer): number {
  let size = 0;
  for (const [index, byte] of block.subarray(0, 5).entries()) {
    size += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return size;
  }
  throw new RangeError('a snappy block without its size');
}

const LZ4_MAGIC = 0x18_4d_22_04;
const LZ4_HEAD_BYTES = 7;
const LZ4_UNCOMPRESSED = 0x80_00_00_00;

/** An upper bound of the decompressed size of an LZ4 frame: full blocks, each of the size that the head of the frame states. */
function lz4Bytes(bytes: Buffer): number {
  if (bytes.readUInt32LE(0) !== LZ4_MAGIC) throw new RangeError('an LZ4 frame without its magic number');
  const flags = bytes.readUInt8(4);
  const blockBytes = 2 ** (8 + 2 * ((bytes.readUInt8(5) >>> 4) & 7));
  const blockTrailer = (flags & 0x10) === 0 ? 0 : 4;
  let at = LZ4_HEAD_BYTES + ((flags & 0x08) === 0 ? 0 : 8) + ((flags & 0x01) === 0 ? 0 : 4);
  let total = 0;
  for (let head = bytes.readUInt32LE(at); head !== 0; head = bytes.readUInt32LE(at)) {
    at += 4 + (head >= LZ4_UNCOMPRESSED ? head - LZ4_UNCOMPRESSED : head) + blockTrailer;
    total += blockBytes;
  }
  const end = at + 4 + ((flags & 0x04) === 0 ? 0 : 4);
  if (end !== bytes.length) throw new RangeError('bytes after an LZ4 frame');
  return total;
}
