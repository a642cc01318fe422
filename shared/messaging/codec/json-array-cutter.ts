import { endOfJsonString } from '../../platform/json.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** The position of an item. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the items of a JSON array without parsing them, in steps. The structural characters of JSON are single bytes that
 * do not occur in multi-byte characters, so that invalid text in one item does not affect the others.
 */
export class JsonArrayCutter {
  readonly spans: Span[] = [];
  readonly #bytes: Buffer;
  readonly #maxItems: number;
  #at: number;
  #start: number;
  #isInText = false;
  /** Whether the current item has anything but whitespace so far. */
  #hasContent = false;
  /** 1 between the items, 0 after the array. */
  #depth = 1;

  /** The array starts at the first opening bracket of the bytes. */
  constructor(bytes: Buffer, maxItems: number) {
    this.#bytes = bytes;
    this.#maxItems = maxItems;
    this.#at = bytes.indexOf(OPEN_ARRAY) + 1;
    this.#start = this.#at;
  }

  /**
   * Scans the next `budget` bytes. `cut`: `spans` is complete, or has one item more than allowed; `malformed`: the bytes are
   * not an array.
   */
  step(budget: number): 'more' | 'cut' | 'malformed' {
    const { length } = this.#bytes;
    const bytes = this.#bytes.subarray(0, Math.min(length, this.#at + budget));
    while (this.#at < bytes.length) {
      if (this.#isInText) this.#passText(bytes);
      else if (this.#depth > 1) this.#passNested(bytes);
      else if (isBlank(bytes[this.#at])) this.#passBlanks(bytes);
      else if (!this.#passByte(bytes[this.#at])) return 'malformed';
      if (this.spans.length > this.#maxItems) return 'cut';
    }
    if (this.#at < length) return 'more';
    return this.#depth === 0 ? 'cut' : 'malformed';
  }

  #passText(bytes: Buffer): void {
    const end = endOfJsonString(bytes, this.#at);
    this.#isInText = end >= bytes.length;
    this.#at = this.#isInText ? end : end + 1;
  }

  #passBlanks(bytes: Buffer): void {
    let at = this.#at + 1;
    while (isBlank(bytes[at])) at += 1;
    this.#at = at;
  }

  /** Scans within an item, where most bytes are. */
  #passNested(bytes: Buffer): void {
    const { length } = bytes;
    let at = this.#at;
    let depth = this.#depth;
    for (; at < length && depth > 1; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        at = endOfJsonString(bytes, at + 1);
        this.#isInText = at >= length;
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
    }
    // When the string continues beyond the bytes, the loop has advanced one byte too far.
    this.#at = this.#isInText ? at - 1 : at;
    this.#depth = depth;
  }

  /** Reads a byte outside nested values; returns false if it is invalid there. */
  #passByte(byte: number | undefined): boolean {
    this.#at += 1;
    if (this.#depth === 0) return false;
    switch (byte) {
      case COMMA:
        return this.#endItem();
      case CLOSE_ARRAY:
        this.#depth = 0;
        return (!this.#hasContent && this.spans.length === 0) || this.#endItem();
      case CLOSE_OBJECT:
        return false;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        this.#depth = 2;
        break;
      case undefined:
      default:
        this.#isInText = byte === QUOTE;
    }
    this.#hasContent = true;
    return true;
  }

  #endItem(): boolean {
    if (!this.#hasContent) return false;
    this.spans.push({ start: this.#start, end: this.#at - 1 });
    this.#start = this.#at;
    this.#hasContent = false;
    return true;
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;
}
