/** What the readers of both formats share: records before they are read, and what is said of those that cannot be. */

import { isUtf8 } from 'node:buffer';
import { createProblem, type ErrorCode, type Problem } from '../../../shared/platform/problem.ts';
import { exceedsJsonDepth, MAX_JSON_DEPTH } from '../../../shared/platform/json-depth.ts';
import type { InputRecord } from './records.ts';
import { MAX_LINE_BYTES, type RawLine } from './lines.ts';

/** One contract's bytes: a line, or the lines of a record whose cells hold line breaks. */
export interface RawRecord {
  /** Line at which it begins. */
  readonly line: number;
  /** What the digest is made of. */
  readonly bytes: Buffer;
  /** Set where nothing can be read. */
  readonly problem?: Problem;
}

/** How one format is read. */
export interface RecordFormat {
  /** The records that end with these lines; blank lines are left out. */
  group(lines: readonly RawLine[]): readonly RawRecord[];
  /** The records that the end of the input ends. */
  end(): readonly RawRecord[];
  /** One for each record; undefined where it says nothing. */
  read(raws: readonly RawRecord[]): Iterable<InputRecord | undefined>;
}

/** JSON text as a value, or what is wrong with it. */
export type ParsedJson =
  | { readonly kind: 'parsed'; readonly value: unknown }
  | { readonly kind: 'malformed'; readonly message: string };

/** Reads JSON within the nesting that HTTP callers have. The message never repeats the text. */
export function parseJson(text: string, bytes: Uint8Array): ParsedJson {
  if (exceedsJsonDepth(bytes)) {
    return { kind: 'malformed', message: `nests objects and arrays deeper than ${MAX_JSON_DEPTH} levels` };
  }
  try {
    return { kind: 'parsed', value: JSON.parse(text) as unknown };
  } catch (error) {
    return { kind: 'malformed', message: `is not valid JSON${position(error)}` };
  }
}

/** Where the parser stopped; the rest of its message quotes the text. */
function position(error: unknown): string {
  const found = error instanceof Error ? /at position (\d+)/.exec(error.message) : null;
  return found === null ? '' : ` (at character ${found[1]})`;
}

/** The text of a record; undefined where it is not UTF-8. */
export function textOf(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** The problem of a line that cannot be read. */
export function lineProblem(code: ErrorCode, faultCode: string, message: string): Problem {
  const errors = [{ path: 'line', code: faultCode, message }];
  return createProblem(code, { detail: `The line ${message}.`, errors });
}

/** The problem of a line that is no UTF-8. */
export function notUtf8(code: ErrorCode): Problem {
  return lineProblem(code, 'not-utf8', 'is not valid UTF-8');
}

/** The problem of a line beyond the longest one. */
export const TOO_LONG: Problem = lineProblem(
  'body-too-large',
  'too-long',
  `is longer than ${MAX_LINE_BYTES} bytes`,
);
