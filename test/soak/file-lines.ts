import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1_024 * 1_024;

/** Reads the lines of a file without their line endings. The last line may lack one. */
export async function* linesOf(file: string): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const part of createReadStream(file, { highWaterMark: CHUNK_BYTES })) {
    const chunk = part as Buffer;
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, end);
      yield rest.length === 0 ? piece : Buffer.concat([...rest, piece]);
      rest = [];
      from = end + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

/** Counts the lines of a growing file incrementally, and starts again when the file was truncated. */
export function createLineCounter(file: string): () => Promise<number> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let position = 0;
  let lines = 0;
  return async () => {
    const handle = await open(file).catch(() => undefined);
    if (handle === undefined) return 0;
    try {
      if ((await handle.stat()).size < position) {
        position = 0;
        lines = 0;
      }
      for (;;) {
        const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, position);
        if (bytesRead === 0) return lines;
        position += bytesRead;
        const read = chunk.subarray(0, bytesRead);
        for (let at = read.indexOf(NEWLINE); at >= 0; at = read.indexOf(NEWLINE, at + 1)) lines += 1;
      }
    } finally {
      await handle.close();
    }
  };
}
