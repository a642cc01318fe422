/** Decompresses gzip member by member (RFC 1952), so that damage does not affect the data before it. */

import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib';

/** Maximum number of bytes passed to the inflater in one call, which bounds its output. */
const SLICE_BYTES = 16_384;
const CHUNK_BYTES = 65_536;
const MAGIC_AND_DEFLATE = Buffer.from([0x1f, 0x8b, 8]);
const FIXED_HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
/** A longer name or comment is treated as corrupt. */
const MAX_TEXT_BYTES = 65_536;
const UNSIGNED = 2 ** 32;
const CUT_OFF = 'unexpected end of file';
const FLAG = { headerCrc: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 } as const;

/**
 * The decompressed bytes of all members, one after the other; zeros after a member are padding. Throws if the data is
 * truncated or corrupt, after yielding everything before the damage.
 */
export async function* gunzipMembers(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const source = createSource(blocks);
  do {
    await skipHeader(source);
    yield* memberBytes(source);
  } while (await isFollowed(source));
}

/** Reads bytes on demand. */
interface Source {
  /** At most `most` bytes; empty at the end. */
  some(most: number): Promise<Buffer>;
  /** Exactly `count` bytes. */
  exactly(count: number): Promise<Buffer>;
  unread(bytes: Buffer): void;
}

function createSource(blocks: AsyncIterable<Buffer>): Source {
  const iterator = blocks[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  const some = async (most: number): Promise<Buffer> => {
    while (held.length === 0) {
      const next = await iterator.next();
      if (next.done === true) return held;
      held = next.value;
    }
    const taken = held.subarray(0, most);
    held = held.subarray(taken.length);
    return taken;
  };
  return {
    some,
    exactly: async (count) => {
      const parts: Buffer[] = [];
      for (let missing = count; missing > 0; missing -= parts.at(-1)?.length ?? 0) {
        const part = await some(missing);
        if (part.length === 0) throw new Error(CUT_OFF);
        parts.push(part);
      }
      return Buffer.concat(parts);
    },
    unread: (bytes) => {
      if (bytes.length === 0) return;
      held = held.length === 0 ? bytes : Buffer.concat([bytes, held]);
    },
  };
}

async function skipHeader(source: Source): Promise<void> {
  const header = await source.exactly(FIXED_HEADER_BYTES);
  const flags = header[3] ?? 0;
  const isKnown = header.subarray(0, MAGIC_AND_DEFLATE.length).equals(MAGIC_AND_DEFLATE);
  if (!isKnown || (flags & FLAG.reserved) !== 0) throw new Error('incorrect header check');
  if ((flags & FLAG.extra) !== 0) await source.exactly((await source.exactly(2)).readUInt16LE());
  if ((flags & FLAG.name) !== 0) await skipText(source);
  if ((flags & FLAG.comment) !== 0) await skipText(source);
  if ((flags & FLAG.headerCrc) !== 0) await source.exactly(2);
}

async function skipText(source: Source): Promise<void> {
  for (let length = 0; length < MAX_TEXT_BYTES; length += 1) {
    if ((await source.exactly(1))[0] === 0) return;
  }
  throw new Error('incorrect header check');
}

async function* memberBytes(source: Source): AsyncGenerator<Buffer, void> {
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
  const output: Buffer[] = [];
  inflate.on('data', (bytes: Buffer) => output.push(bytes));
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  inflate.once('error', failed.reject);
  let crc = 0;
  let length = 0;
  try {
    for (let isAtEnd = false; !isAtEnd;) {
      const slice = await source.some(SLICE_BYTES);
      if (slice.length === 0) throw new Error(CUT_OFF);
      const before = inflate.bytesWritten;
      const filled = await Promise.allSettled([Promise.race([fill(inflate, slice), failed.promise])]);
      for (const bytes of output.splice(0)) {
        crc = crc32(bytes, crc);
        length += bytes.length;
        yield bytes;
      }
      if (filled[0].status === 'rejected') throw filled[0].reason;
      // The rest of the slice follows the member.
      const used = inflate.bytesWritten - before;
      isAtEnd = used < slice.length;
      source.unread(slice.subarray(used));
    }
  } finally {
    inflate.destroy();
  }
  const trailer = await source.exactly(TRAILER_BYTES);
  if (trailer.readUInt32LE(0) !== crc) throw new Error('incorrect data check');
  if (trailer.readUInt32LE(4) !== length % UNSIGNED) throw new Error('incorrect length check');
}

/** Resolves when these bytes are decompressed. */
function fill(inflate: InflateRaw, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    inflate.write(bytes, () => resolve());
  });
}

/** Whether another member follows after padding. */
async function isFollowed(source: Source): Promise<boolean> {
  for (;;) {
    const bytes = await source.some(SLICE_BYTES);
    if (bytes.length === 0) return false;
    const start = bytes.findIndex((byte) => byte !== 0);
    if (start === -1) continue;
    source.unread(bytes.subarray(start));
    return true;
  }
}
