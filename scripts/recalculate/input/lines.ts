/** Splits blocks of bytes into lines. */

import type { Problem } from '../../../shared/platform/problem.ts';
import { lineProblem, type RawRecord } from './records.ts';

/** Maximum length of a line in bytes; a request with a previous schedule of 1,200 instalments takes a third of it. */
export const MAX_LINE_BYTES = 1_048_576;

/** The problem of a line that is longer than this. */
const TOO_LONG: Problem = lineProblem('body-too-large', 'too-long', `is longer than ${MAX_LINE_BYTES} bytes`);

/** Splits blocks of bytes into lines with their line ends, and counts them. */
export interface LineSplitter {
  /** Returns the lines that end in this block. */
  push(block: Buffer): readonly RawRecord[];
  /** Returns the last line if it has no line end. */
  end(): readonly RawRecord[];
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;
const TAB = 0x09;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const NO_BYTES = Buffer.alloc(0);
/** Bytes above the maximum length are dropped, since they cannot change the result. */
const MAX_HELD_BYTES = MAX_LINE_BYTES + BYTE_ORDER_MARK.length + 2;

/**
 * Lines end in `\n` or `\r\n`; a leading byte order mark is removed. Keeps at most one line in memory, and of an
 * overlong line only the first {@link MAX_LINE_BYTES}.
 */
export function createLineSplitter(): LineSplitter {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let line = 0;
  const hold = (part: Buffer): void => {
    const kept = part.subarray(0, MAX_HELD_BYTES - heldBytes);
    if (kept.length > 0) held.push(kept);
    heldBytes += kept.length;
  };
  const finish = (lastPart: Buffer): RawRecord => {
    line += 1;
    if (heldBytes === 0) return rawLine(line, lastPart);
    hold(lastPart);
    const whole = Buffer.concat(held, heldBytes);
    held = [];
    heldBytes = 0;
    return rawLine(line, whole);
  };
  return {
    push: (block) => {
      const lines: RawRecord[] = [];
      let start = 0;
      for (let at = block.indexOf(LINE_FEED); at !== -1; at = block.indexOf(LINE_FEED, start)) {
        lines.push(finish(block.subarray(start, at + 1)));
        start = at + 1;
      }
      if (start < block.length) hold(block.subarray(start));
      return lines;
    },
    end: () => (heldBytes === 0 ? [] : [finish(NO_BYTES)]),
  };
}

function rawLine(line: number, sent: Buffer): RawRecord {
  const hasMark = line === 1 && sent.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const bytes = hasMark ? sent.subarray(BYTE_ORDER_MARK.length) : sent;
  if (bytes.length <= MAX_LINE_BYTES || withoutLineEnd(bytes).length <= MAX_LINE_BYTES) {
    return { line, bytes };
  }
  return { line, bytes: bytes.subarray(0, MAX_LINE_BYTES), problem: TOO_LONG };
}

/** The bytes before `\n` or `\r\n`. */
export function withoutLineEnd(bytes: Buffer): Buffer {
  let end = bytes.length;
  if (bytes[end - 1] === LINE_FEED) end -= 1;
  if (bytes[end - 1] === CARRIAGE_RETURN) end -= 1;
  return end === bytes.length ? bytes : bytes.subarray(0, end);
}

/** Whether a line contains only blanks. */
export function isBlankLine({ bytes }: RawRecord): boolean {
  for (const byte of bytes) {
    if (byte !== BLANK && byte !== TAB && byte !== CARRIAGE_RETURN && byte !== LINE_FEED) return false;
  }
  return true;
}
