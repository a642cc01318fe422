/** JSON messages: bytes to a value within limits, and what a value is by its headers. */

import { isUtf8 } from 'node:buffer';
import { createProblem } from '../platform/create-problem.ts';
import type { Problem, Warning } from '../platform/problem.ts';
import type { JsonShape } from './json-shapes.ts';

/** Largest JSON message that is parsed: parsing holds the process for about 10 ms a MiB, and 4,000 rows have 2 MiB. */
export const MAX_JSON_BYTES = 4 * 1_024 * 1_024;
/** Deepest nesting of objects and arrays; the interface needs four. */
export const MAX_JSON_DEPTH = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** What JSON bytes were read as. */
export type JsonDecoded =
  | { readonly kind: 'valid'; readonly payload: unknown; readonly warnings: readonly Warning[] }
  | { readonly kind: 'invalid'; readonly problem: Problem };

/** Reads the bytes of a JSON message as its shape's payload; the problem never repeats what was sent. */
export function decodeJson(bytes: Buffer, shape: JsonShape): JsonDecoded {
  if (bytes.length > MAX_JSON_BYTES) {
    return invalid(
      createProblem('body-too-large', { detail: `A JSON message has at most ${MAX_JSON_BYTES} bytes.` }),
    );
  }
  if (!isUtf8(bytes)) return malformed('The message is not valid UTF-8.');
  if (exceedsDepth(bytes, MAX_JSON_DEPTH)) {
    return malformed(`Objects and arrays are nested deeper than ${MAX_JSON_DEPTH} levels.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return malformed('The message is not valid JSON.');
  }
  const parsed = shape.parse(value);
  if (parsed.kind === 'valid') return parsed;
  return invalid(createProblem(parsed.problem, { errors: parsed.faults }));
}

/** Bytes of a payload as JSON. */
export function encodeJson(payload: unknown, shape: JsonShape): Buffer {
  return Buffer.from(shape.render(payload), 'utf8');
}

/**
 * Whether JSON bytes nest deeper than a limit. One pass without parsing, so that hostile depth costs nothing; bytes
 * that are not JSON get some answer and fail in the parser. Multi-byte characters hold none of the bytes looked for.
 */
function exceedsDepth(bytes: Buffer, maxDepth: number): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at + 1);
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--;
    if (depth > maxDepth) return true;
  }
  return false;
}

/** Index of the quote that closes the string whose first byte is at `from`, or the end of the bytes. */
function endOfString(bytes: Buffer, from: number): number {
  let quote = bytes.indexOf(QUOTE, from);
  while (quote !== -1 && isEscaped(bytes, quote, from)) quote = bytes.indexOf(QUOTE, quote + 1);
  return quote === -1 ? bytes.length : quote;
}

/** A quote is part of the string when an odd number of backslashes stands before it. */
function isEscaped(bytes: Buffer, quote: number, from: number): boolean {
  let start = quote;
  while (start > from && bytes[start - 1] === BACKSLASH) start--;
  return (quote - start) % 2 === 1;
}

function malformed(detail: string): JsonDecoded {
  return invalid(createProblem('malformed-json', { detail }));
}

function invalid(problem: Problem): JsonDecoded {
  return { kind: 'invalid', problem };
}
