import { toDateParts, type CalendarDate } from '../../lending/dates/calendar-date.ts';
import { formatMinorUnits } from '../../lending/numbers/money.ts';

/** JSON text that is written often, such as `,"interest":`, in words of eight bytes; the last one is padded. */
export interface Label {
  readonly words: BigInt64Array;
  /** Length in bytes, without the padding. */
  readonly length: number;
}

/** JSON text that one answer contains several times. */
export interface Passage {
  readonly json: string;
  /** Where it was written first; both are 0 before that. */
  start: number;
  end: number;
}

const WORD_BYTES = 8;
/** Sufficient for schedules of about 150 rows. */
const INITIAL_BYTES = 64 * 1_024;
/** A larger buffer is not kept, so that one large answer does not occupy memory permanently. */
const MAX_KEPT_BYTES = 1_024 * 1_024;
/** Upper bound for the UTF-8 bytes of one UTF-16 code unit. */
const MAX_UNIT_BYTES = 3;
/** Upper bound for the bytes of a number or date: a sign, 16 digits, and up to 20 more for its decimals. */
const MAX_NUMBER_BYTES = 40;

/** Longer strings are faster written by the functions of the runtime. */
const MAX_SHORT_TEXT = 128;

const SPACE = 0x20;
const TILDE = 0x7e;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const POINT = 0x2e;
const HYPHEN = 0x2d;
const CENTURY = 100;

/** The two digits of 0 to 99 as characters, in the byte order of a little-endian word. */
const DIGIT_PAIRS = Uint16Array.from(
  { length: 100 },
  (_, number) => ((ZERO + (number % 10)) << 8) | (ZERO + Math.trunc(number / 10)),
);

export function createLabel(text: string): Label {
  const bytes = Buffer.from(text);
  const words = new BigInt64Array(Math.ceil(bytes.length / WORD_BYTES));
  bytes.copy(new Uint8Array(words.buffer));
  return { words, length: bytes.length };
}

/**
 * Writes JSON text as bytes. Each amount, date and label is written once, into its place: answers of hundreds of rows have
 * thousands of them, and strings of their own would be allocated, joined and encoded afterwards.
 */
export class JsonBytes {
  #bytes: Buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #view = viewOf(this.#bytes);
  #at = 0;

  /** Discards what was written. */
  restart(): void {
    this.#at = 0;
  }

  /** Ends the text and returns it. */
  takeText(): string {
    const text = this.#bytes.toString('utf8', 0, this.#at);
    if (this.#bytes.length > MAX_KEPT_BYTES) this.#use(Buffer.allocUnsafeSlow(INITIAL_BYTES));
    return text;
  }

  /** Ends the text and returns its bytes: copied, or, of a large text, the buffer itself. */
  takeBytes(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#at);
    if (this.#bytes.length <= MAX_KEPT_BYTES) return Buffer.from(bytes);
    this.#use(Buffer.allocUnsafeSlow(INITIAL_BYTES));
    return bytes;
  }

  label({ words, length }: Label): void {
    this.#reserve(length);
    const view = this.#view;
    const at = this.#at;
    for (let index = 0; index < words.length; index += 1) {
      view.setBigInt64(at + index * WORD_BYTES, words[index] ?? 0n, true);
    }
    this.#at = at + length;
  }

  /** Writes text that is JSON already. */
  text(json: string): void {
    this.#reserve(json.length * MAX_UNIT_BYTES);
    this.#at += this.#bytes.write(json, this.#at, 'utf8');
  }

  /** Writes a passage of the current text: encodes it the first time, and copies it afterwards. */
  passage(passage: Passage): void {
    const { json, start, end } = passage;
    if (start === end) {
      passage.start = this.#at;
      this.text(json);
      passage.end = this.#at;
      return;
    }
    this.#reserve(end - start);
    this.#bytes.copyWithin(this.#at, start, end);
    this.#at += end - start;
  }

  /** Writes a string with its quotes and escapes. */
  string(value: string): void {
    const { length } = value;
    if (length > MAX_SHORT_TEXT) return this.text(JSON.stringify(value));
    this.#reserve(length + 2);
    const bytes = this.#bytes;
    let at = this.#at;
    bytes[at++] = QUOTE;
    for (let index = 0; index < length; index += 1) {
      const unit = value.charCodeAt(index);
      if (unit < SPACE || unit > TILDE || unit === QUOTE || unit === BACKSLASH) {
        return this.text(JSON.stringify(value));
      }
      bytes[at++] = unit;
    }
    bytes[at++] = QUOTE;
    this.#at = at;
  }

  /** Writes a whole number. */
  integer(value: number): void {
    if (value < 0 || value !== (value | 0)) return this.text(String(value));
    this.#reserve(MAX_NUMBER_BYTES);
    this.#at = this.#digits(value);
  }

  /** Writes a label and whole minor units with exactly `digits` decimals. Throws RangeError unless they are a safe integer. */
  money(label: Label, minor: number, digits: number): void {
    this.label(label);
    if (digits !== 2 || minor < 0 || minor !== (minor | 0)) return this.text(moneyText(minor, digits));
    this.#reserve(MAX_NUMBER_BYTES);
    const units = (minor / DIGIT_PAIRS.length) | 0;
    const at = this.#digits(units);
    this.#view.setUint8(at, POINT);
    this.#pair(at + 1, minor - units * DIGIT_PAIRS.length);
    this.#at = at + 3;
  }

  /** Writes `yyyy-mm-dd`. The year has four digits in every date of a request and of its schedule. */
  date(date: CalendarDate): void {
    const { year, month, day } = toDateParts(date);
    this.integer(year);
    const at = this.#at;
    this.#view.setUint8(at, HYPHEN);
    this.#pair(at + 1, month);
    this.#view.setUint8(at + 3, HYPHEN);
    this.#pair(at + 4, day);
    this.#at = at + 6;
  }

  /** Makes room for some bytes and for the padding of a word. */
  #reserve(bytes: number): void {
    const needed = this.#at + bytes + WORD_BYTES;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * needed);
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#use(larger);
  }

  #use(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }

  #pair(at: number, number: number): void {
    this.#view.setUint16(at, DIGIT_PAIRS[number] ?? 0, true);
  }

  /** Writes the digits of a whole number, two at a time from the last one; returns their end. */
  #digits(value: number): number {
    const end = this.#at + digitCount(value);
    let at = end;
    let rest = value;
    while (rest >= CENTURY) {
      const hundreds = (rest / CENTURY) | 0;
      at -= 2;
      this.#pair(at, rest - hundreds * CENTURY);
      rest = hundreds;
    }
    if (rest >= 10) this.#pair(at - 2, rest);
    else this.#view.setUint8(at - 1, ZERO + rest);
    return end;
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Number of decimal digits of a whole number of at most 31 bits. */
function digitCount(value: number): number {
  if (value < 1e4) {
    if (value < 100) return value < 10 ? 1 : 2;
    return value < 1e3 ? 3 : 4;
  }
  if (value < 1e7) {
    if (value < 1e5) return 5;
    return value < 1e6 ? 6 : 7;
  }
  if (value < 1e8) return 8;
  return value < 1e9 ? 9 : 10;
}

function moneyText(minor: number, digits: number): string {
  if (!Number.isSafeInteger(minor)) throw new RangeError('an amount must be a safe integer of minor units');
  return formatMinorUnits(minor, digits);
}
