/**
 * Reads JSON of other parties within limits, refuses repeated members, and keeps the digits of numbers (M1).
 * A number whose digits a binary number cannot hold becomes a raw JSON value, which `JSON.stringify` writes unchanged.
 */

import { Decimal } from 'decimal.js';
import { createProblem, joinPath, type Fault, type Problem } from './problem.ts';

/** Maximum nesting depth of objects and arrays. The requests of the interface have five levels. */
export const MAX_JSON_DEPTH = 32;

/** Maximum number of members and elements of a text. They take more time to parse than other characters. */
export const MAX_JSON_VALUES = 10_000;

/** The same for requests of actions: 5,000 dated cash flows have 15,000 members and elements. */
export const MAX_REQUEST_VALUES = 20_000;

/** Maximum length of a number. No field takes more than 38 digits. The binary 0.1 written exactly has 55 decimals. */
const MAX_NUMBER_CHARACTERS = 100;
/** A decimal of at most this many significant digits survives the conversion to a binary number and back (IEEE 754). */
export const BINARY_DIGITS = 15;
const NOT_ZERO = /^[^eE]*[1-9]/;
const REPEATED = 'repeated-member';
const TOO_MANY = 'too-many-values';
/** A name counts as one more value for each 64 bytes, because names take longer to parse than texts. */
const LONG_NAME_BITS = 6;
/** A text counts as one more value for each 256 escapes, which take the parser five times as long as letters. */
const ESCAPES_BITS = 8;
const MAX_REPEATED = 100;
const MAX_SEARCHED_CHARACTERS = 1_024 * 1_024;
const IS_REPEATED = 'is repeated; each member of an object must be sent once';
const MAX_SHOWN_NAME = 60;

/** Why a text is refused. The path of the fault is that of the whole text, or of a repeated member in its first MiB. */
export type JsonFaultCode =
  | 'malformed-json'
  | 'not-utf8'
  | 'too-deep'
  | typeof TOO_MANY
  | 'number-too-long'
  | typeof REPEATED;

interface RawJson {
  readonly rawJSON: string;
}

type Reviver = (name: string, value: unknown, context?: { readonly source?: string }) => unknown;

declare global {
  interface JSON {
    isRawJSON(value: unknown): value is RawJson;
    rawJSON(text: string): RawJson;
    parse(text: string, reviver: Reviver | undefined): unknown;
  }
}

interface RefusedJson {
  readonly kind: 'refused';
  /** A message continues a sentence that begins with the path. It never quotes the text, which may hold secrets. */
  readonly faults: readonly Fault[];
}

type ParsedJson =
  | {
      readonly kind: 'parsed';
      readonly value: unknown;
      /** Number of members and elements; long names and many escapes count more. */
      readonly values: number;
    }
  | RefusedJson;

interface JsonOptions {
  /** Path of faults that concern the whole text. @default 'body' */
  readonly whole?: string | undefined;
  /** @default MAX_JSON_VALUES */
  readonly maxValues?: number | undefined;
}

/**
 * Parses text or UTF-8 bytes, with or without a byte order mark. A member `__proto__` is an own property. Never throws.
 * @example parseJson('{"Amount": 100, "Amount": 200}') // refused: the member Amount is repeated
 */
export function parseJson(sent: string | Uint8Array, options: JsonOptions = {}): ParsedJson {
  const { whole = 'body', maxValues = MAX_JSON_VALUES } = options;
  const bytes = typeof sent === 'string' ? ENCODER.encode(sent) : sent;
  const found = scan(bytes, maxValues);
  if (typeof found === 'string') {
    const messages = {
      'too-deep': `is nested too deeply; objects and arrays may have at most ${MAX_JSON_DEPTH} levels`,
      [TOO_MANY]: `has more than ${maxValues} members and elements`,
      'number-too-long': `contains a number of more than ${MAX_NUMBER_CHARACTERS} characters`,
    };
    return refuseJson(whole, found, messages[found]);
  }
  let text: string;
  try {
    text = DECODER.decode(bytes);
  } catch {
    return refuseJson(whole, 'not-utf8', 'is not valid UTF-8');
  }
  let value: unknown;
  try {
    value = JSON.parse(text, found.hasLongNumber ? keepDigits : undefined);
  } catch (error) {
    return refuseJson(whole, 'malformed-json', `is not valid JSON${describePosition(error)}`);
  }
  if (countMembers(value) === found.members) return { kind: 'parsed', value, values: found.values };
  const paths = repeatedMembers(text);
  if (paths.length === 0) return refuseJson(whole, REPEATED, 'must have each member of an object once');
  return { kind: 'refused', faults: paths.map((path) => ({ path, code: REPEATED, message: IS_REPEATED })) };
}

/** The problem of a refused text (E1): status 413 for too many values, otherwise 400. `subject` begins the detail. */
export function jsonProblem(refused: RefusedJson, subject = 'The body'): Problem {
  const fault = refused.faults[0]?.code;
  const others = fault === TOO_MANY ? 'body-too-large' : 'malformed-json';
  return createProblem(fault === REPEATED ? 'invalid-request' : others, {
    detail: `${refusalText(refused, subject)}.`,
    errors: refused.faults,
  });
}

/** The first fault, or all repeated members, as a sentence without a full stop. */
export function refusalText({ faults }: RefusedJson, subject: string): string {
  const [first] = faults;
  if (first?.message !== IS_REPEATED) return `${subject} ${first?.message}`;
  return `${subject} repeats ${faults.map(({ path }) => path).join(', ')}`;
}

/** A number whose digits a binary number cannot hold becomes raw, even one near 0. One too large becomes Infinity. */
function readJsonNumber(text: string): number | RawJson {
  const value = Number(text);
  const isSame =
    value === 0 ? !NOT_ZERO.test(text) : !Number.isFinite(value) || new Decimal(text).equals(value);
  return isSame ? value : JSON.rawJSON(text);
}

const DECODER = new TextDecoder('utf-8', { fatal: true });
const ENCODER = new TextEncoder();
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LOWER_E = 0x65;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LOWER_CASE_BIT = 0x20;
const IN_NUMBER: ReadonlySet<number | undefined> = new Set(ENCODER.encode('+-.0123456789Ee'));

/** Counts what JSON.parse neither limits nor reports. If JSON.parse refuses the bytes, the counts mean nothing. */
function scan(bytes: Uint8Array, maxValues: number) {
  const { length } = bytes;
  let depth = 0;
  let members = 0;
  let values = 0;
  let stringBytes = 0;
  let hasLongNumber = false;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      let end = at + 1;
      let escapes = 0;
      while (end < length && bytes[end] !== QUOTE) {
        const escaped = bytes[end] === BACKSLASH ? 1 : 0;
        escapes += escaped;
        end += 1 + escaped;
      }
      values += escapes >> ESCAPES_BITS;
      stringBytes = end - at - 1;
      at = end;
    } else if (byte === COLON) {
      members++;
      values += stringBytes >> LONG_NAME_BITS;
    } else if (byte === COMMA || byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (byte !== COMMA && ++depth > MAX_JSON_DEPTH) return 'too-deep';
      if (++values > maxValues) return TOO_MANY;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--;
    else if (byte === MINUS || (byte >= ZERO && byte <= NINE)) {
      const start = at;
      for (; IN_NUMBER.has(bytes[at + 1]); at++)
        hasLongNumber ||= ((bytes[at + 1] ?? 0) | LOWER_CASE_BIT) === LOWER_E;
      const characters = at + 1 - start;
      if (characters > MAX_NUMBER_CHARACTERS) return 'number-too-long';
      hasLongNumber ||= characters > BINARY_DIGITS;
    }
  }
  return values > maxValues ? TOO_MANY : { members, values, hasLongNumber };
}

function refuseJson(path: string, code: JsonFaultCode, message: string): RefusedJson {
  return { kind: 'refused', faults: [{ path, code, message }] };
}

/** Makes `JSON.parse` keep the digits of numbers. Use it for JSON that this program wrote, which needs no limits. */
export const keepDigits: Reviver = (_name, value, { source } = {}) =>
  typeof value === 'number' && source !== undefined ? readJsonNumber(source) : value;

/** Counts the members that the parser kept: only the last one of those with the same name. */
function countMembers(value: unknown): number {
  // A raw number has no prototype.
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) === null) return 0;
  const isArray = Array.isArray(value);
  const content: readonly unknown[] = isArray ? value : Object.values(value);
  let count = isArray ? 0 : content.length;
  for (const item of content) if (typeof item === 'object') count += countMembers(item);
  return count;
}

interface Open {
  readonly path: string;
  /** Undefined for an array. */
  readonly names: Set<string> | undefined;
  current: string;
  index: number;
}

/** A string without its closing quote matches up to the end of the text, so that the search takes linear time. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],]/gs;

/** The paths of the repeated members in the first MiB of valid JSON, each once. */
function repeatedMembers(whole: string): readonly string[] {
  const text = whole.slice(0, MAX_SEARCHED_CHARACTERS);
  const repeated = new Set<string>();
  const open: Open[] = [];
  let isName = false;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    const inner = open.at(-1);
    if (token === '{' || token === '[') {
      isName = token === '{';
      const path = inner?.current ?? '';
      open.push({ path, names: isName ? new Set() : undefined, current: `${path}[0]`, index: 0 });
    } else if (token === '}' || token === ']') open.pop();
    else if (token === ',') {
      isName = inner?.names !== undefined;
      if (inner !== undefined && !isName) inner.current = `${inner.path}[${++inner.index}]`;
    } else if (inner?.names !== undefined && isName && index + token.length < text.length) {
      isName = false;
      const name = JSON.parse(token) as string;
      inner.current = joinPath(inner.path, name.slice(0, MAX_SHOWN_NAME));
      if (inner.names.has(name)) repeated.add(inner.current);
      inner.names.add(name);
      if (repeated.size === MAX_REPEATED) break;
    }
  }
  return [...repeated];
}

function describePosition(error: unknown): string {
  const found = /at position (\d+)(?: \(line (\d+) column (\d+)\))?/.exec(
    error instanceof Error ? error.message : '',
  );
  if (found === null) return '';
  const [, character, line, column] = found;
  return line === undefined || line === '1'
    ? ` (at character ${character})`
    : ` (at line ${line}, column ${column})`;
}
