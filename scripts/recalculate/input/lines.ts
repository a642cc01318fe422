/** Bytes to lines, wherever the blocks of bytes begin and end. */

/** Longest line of an input, in bytes: a request with its former schedule of 1,200 rows has a third of it. */
export const MAX_LINE_BYTES = 1_048_576;

/** A line as it stands in the input. */
export interface RawLine {
  /** Counted from 1. */
  readonly line: number;
  /** With its line end; of a line that is too long only the first {@link MAX_LINE_BYTES}. */
  readonly bytes: Buffer;
  readonly isTooLong: boolean;
}

/** Cuts blocks of bytes into lines, and counts them. */
export interface LineSplitter {
  /** The lines that end in this block. */
  push(block: Buffer): readonly RawLine[];
  /** The line that has no line end, if there is one. */
  end(): readonly RawLine[];
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;
const TAB = 0x09;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const NO_BYTES = Buffer.alloc(0);
/** Beyond the longest line and its two line ends nothing is kept: more cannot change what becomes of the line. */
const MAX_HELD_BYTES = MAX_LINE_BYTES + BYTE_ORDER_MARK.length + 2;

/** Lines end in `\n` or `\r\n`; a byte order mark at the beginning is left out. Holds at most one line in memory. */
export function createLineSplitter(): LineSplitter {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let line = 0;
  const hold = (part: Buffer): void => {
    const kept = part.subarray(0, MAX_HELD_BYTES - heldBytes);
    if (kept.length > 0) held.push(kept);
    heldBytes += kept.length;
  };
  const finish = (lastPart: Buffer): RawLine => {
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
      const lines: RawLine[] = [];
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

function rawLine(line: number, sent: Buffer): RawLine {
  const hasMark = line === 1 && sent.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const bytes = hasMark ? sent.subarray(BYTE_ORDER_MARK.length) : sent;
  if (bytes.length <= MAX_LINE_BYTES || withoutLineEnd(bytes).length <= MAX_LINE_BYTES) {
    return { line, bytes, isTooLong: false };
  }
  return { line, bytes: bytes.subarray(0, MAX_LINE_BYTES), isTooLong: true };
}

/** The bytes before `\n` or `\r\n`. */
export function withoutLineEnd(bytes: Buffer): Buffer {
  let end = bytes.length;
  if (bytes[end - 1] === LINE_FEED) end -= 1;
  if (bytes[end - 1] === CARRIAGE_RETURN) end -= 1;
  return end === bytes.length ? bytes : bytes.subarray(0, end);
}

/** True for a line of nothing but blanks. */
export function isBlankLine({ bytes }: RawLine): boolean {
  for (const byte of bytes) {
    if (byte !== BLANK && byte !== TAB && byte !== CARRIAGE_RETURN && byte !== LINE_FEED) return false;
  }
  return true;
}
