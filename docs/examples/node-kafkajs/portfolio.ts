/** Reads a portfolio (docs/bulk-events.md): one contract a line, {"id": ..., "jsonParam": {...}}. */

export interface Contract {
  readonly line: number;
  readonly id: string | number;
  /** The line itself is an item of the message, so that no number is reformatted. */
  readonly text: string;
  readonly rows: number;
}

const LINE_FEED = 0x0a;
/** In UTF-16 code units, as counted by the engine. */
const MAX_ID_LENGTH = 200;
/** Skips the byte order mark that some editors write at the start of a file. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Splits a file into lines as it is read. Lines end only with \n (a preceding \r is whitespace in JSON): U+2028 and
 * U+2029 are allowed in JSON, but node:readline would split there.
 */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun: Buffer[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      yield Buffer.concat([...begun, chunk.subarray(start, end)]);
      begun = [];
      start = end + 1;
    }
    begun.push(chunk.subarray(start));
  }
  const last = Buffer.concat(begun);
  if (last.length > 0) yield last;
}

/** Undefined where the line is not JSON or has no usable id. The engine validates the request. */
export function readContract(bytes: Buffer, line: number): Contract | undefined {
  try {
    const text = utf8.decode(bytes);
    const { id, jsonParam } = JSON.parse(text);
    const isText = typeof id === 'string' && id !== '' && id.length <= MAX_ID_LENGTH;
    if (!isText && !Number.isSafeInteger(id)) return undefined;
    return { line, id, text, rows: Math.max(1, Number(jsonParam?.InstallmentsNo) || 1) };
  } catch {
    return undefined;
  }
}
