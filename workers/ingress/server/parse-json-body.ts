import { isAscii, isUtf8 } from 'node:buffer';
import type { BodyFaultCode } from '../../../shared/contract/json/body-faults.ts';
import { createProblem, type Problem } from '../../../shared/platform/problem.ts';
import { exceedsJsonDepth, MAX_JSON_DEPTH } from '../../../shared/platform/json-depth.ts';

export type ParsedBody =
  | { readonly kind: 'parsed'; readonly body: unknown }
  | { readonly kind: 'refused'; readonly problem: Problem };

const BYTE_ORDER_MARK = 0xfeff;
const TOO_DEEP = `Objects and arrays are nested deeper than ${MAX_JSON_DEPTH} levels.`;

/**
 * Bytes to a JSON value. Refused as 400: no bytes, not UTF-8, not JSON, nested deeper than the limit. Of members sent
 * twice the last counts; a member `__proto__` becomes a plain own member. The problem never repeats the body: it may
 * hold a token.
 */
export function parseJsonBody(bytes: Buffer): ParsedBody {
  if (bytes.length === 0) {
    return refused(createProblem('empty-body', { detail: 'Send a JSON object as the body.' }));
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) return malformed('not-utf8', 'The body is not valid UTF-8.');
  if (exceedsJsonDepth(bytes)) return malformed('too-deep', TOO_DEEP);
  try {
    const body = JSON.parse(text) as unknown;
    return hasDeepData(body) ? malformed('too-deep', TOO_DEEP, 'Data') : { kind: 'parsed', body };
  } catch (error) {
    return malformed('malformed-json', `The body is not valid JSON${position(error)}.`);
  }
}

/** The generic form may carry its input as JSON text (E2), which the outer depth says nothing of. */
function hasDeepData(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || !('Data' in body)) return false;
  return typeof body.Data === 'string' && exceedsJsonDepth(Buffer.from(body.Data));
}

function decodeUtf8(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

/** Where the parser stopped; the rest of its message quotes the body. */
function position(error: unknown): string {
  const found = error instanceof Error ? /at position (\d+)/.exec(error.message) : null;
  return found === null ? '' : ` (at character ${found[1]})`;
}

function malformed(code: BodyFaultCode, message: string, path = 'body'): ParsedBody {
  return refused(createProblem('malformed-json', { detail: message, errors: [{ path, code, message }] }));
}

function refused(problem: Problem): ParsedBody {
  return { kind: 'refused', problem };
}
