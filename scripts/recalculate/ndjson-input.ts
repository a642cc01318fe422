/** Reads a portfolio in NDJSON, one JSON object per line. */

import { type InputRecord, lineProblem, type RawRecord, readContract, refuseLine } from './input-records.ts';
import { jsonProblem, parseJson } from '../../shared/platform/json.ts';
import { MAX_LINE_BYTES } from '../../shared/portfolio/csv-columns.ts';

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const BLANK = /^[ \t\r]*$/;
/** A line of this length is not blank. */
const MAX_BLANK_BYTES = 1_000;

/** The lines that are not blank. Each is read separately, so that a fault in one does not affect the others. */
export async function* ndjsonRecords(blocks: AsyncIterable<Buffer>): AsyncGenerator<RawRecord, void> {
  for await (const { line, bytes } of linesOf(blocks)) {
    if (bytes.length < MAX_BLANK_BYTES && BLANK.test(bytes.toString('latin1'))) continue;
    yield { line, text: bytes, read: () => readLine(line, bytes) };
  }
}

function readLine(line: number, bytes: Buffer): InputRecord {
  const isTooLong = bytes.length > MAX_LINE_BYTES;
  if (isTooLong) {
    const message = `is longer than ${MAX_LINE_BYTES} bytes`;
    return refuseLine(line, lineProblem('body-too-large', { code: 'too-long', message }));
  }
  // A line may hold a schedule of 1,200 rows.
  const parsed = parseJson(bytes, { whole: 'line', maxValues: Infinity });
  return parsed.kind === 'parsed'
    ? readContract(line, parsed.value)
    : refuseLine(line, jsonProblem(parsed, 'The line'));
}

/**
 * The lines without their ends, counted from 1. Keeps at most one in memory, and of one that is too long only what shows that
 * it is.
 */
async function* linesOf(blocks: AsyncIterable<Buffer>) {
  let held: Buffer = Buffer.alloc(0);
  let line = 0;
  const finish = (): { line: number; bytes: Buffer } => {
    line += 1;
    const hasMark = line === 1 && held.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    const bytes = hasMark ? held.subarray(BYTE_ORDER_MARK.length) : held;
    held = Buffer.alloc(0);
    return { line, bytes: bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes };
  };
  const hold = (part: Buffer): void => {
    const room = MAX_LINE_BYTES + BYTE_ORDER_MARK.length + 2 - held.length;
    if (held.length === 0) held = part.subarray(0, room);
    else if (part.length > 0 && room > 0) held = Buffer.concat([held, part.subarray(0, room)]);
  };
  for await (const block of blocks) {
    let start = 0;
    for (let at = block.indexOf(LINE_FEED); at !== -1; at = block.indexOf(LINE_FEED, start)) {
      hold(block.subarray(start, at));
      start = at + 1;
      yield finish();
    }
    hold(block.subarray(start));
  }
  if (held.length > 0) yield finish();
}
