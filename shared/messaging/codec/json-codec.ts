/** JSON messages: bytes to a value within limits, and what a value is by its headers. */

import { isUtf8 } from 'node:buffer';
import { createProblem, type Problem, type Warning } from '../../platform/problem.ts';
import { exceedsJsonDepth, MAX_JSON_DEPTH } from '../../platform/json-depth.ts';
import type { JsonShape } from './json-shapes.ts';

/** Largest JSON message that is parsed: parsing holds the process for about 10 ms a MiB, and 4,000 rows have 2 MiB. */
export const MAX_JSON_BYTES = 4 * 1_024 * 1_024;

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
  if (exceedsJsonDepth(bytes)) {
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

function malformed(detail: string): JsonDecoded {
  return invalid(createProblem('malformed-json', { detail }));
}

function invalid(problem: Problem): JsonDecoded {
  return { kind: 'invalid', problem };
}
