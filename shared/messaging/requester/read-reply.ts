import { createProblem, ERROR_CODES, type ErrorCode, type Problem } from '../../platform/problem.ts';
import { readAnswerHeaders } from '../answer-headers.ts';
import type { Codec, Decoded, EncodedMessage } from '../codec.ts';
import { HEADER } from '../header-names.ts';
import { headerText } from '../headers.ts';
import { isPromise, type MaybePromise } from '../sync-or-async.ts';
import { PROBLEM_TYPE } from '../handler/reply-message.ts';
import type { Reply } from './requester.ts';

/**
 * Reads a reply: the typed payload with its warnings and headers, or the worker's problem. A reply that cannot be read is the
 * problem `unexpected`: the fault is not the caller's. Rejects with lost infrastructure.
 */
export function readReply(codec: Codec, message: EncodedMessage): MaybePromise<Reply> {
  const decoded = codec.decode(message);
  return isPromise(decoded) ? decoded.then((late) => toReply(message, late)) : toReply(message, decoded);
}

function toReply(message: EncodedMessage, decoded: Decoded): Reply {
  const code = headerText(message.headers, HEADER.errorCode);
  const isError = code !== undefined || message.headers[HEADER.nestError] !== undefined;
  if (decoded.kind === 'decoded' && decoded.type === PROBLEM_TYPE) {
    return { kind: 'problem', problem: decoded.payload as Problem };
  }
  if (isError) return { kind: 'problem', problem: createProblem(knownCode(code)) };
  if (decoded.kind === 'undecodable') {
    return { kind: 'problem', problem: createProblem('unexpected', { detail: 'the reply cannot be read' }) };
  }
  const { type, payload } = decoded;
  const warnings = headerText(message.headers, HEADER.warnings);
  const headers = readAnswerHeaders(message.headers);
  return {
    kind: 'reply',
    type,
    payload,
    ...(warnings === undefined ? {} : { warnings }),
    ...(headers === undefined ? {} : { headers }),
  };
}

/** The code of an error reply without a problem document (not one of our workers). */
function knownCode(code: string | undefined): ErrorCode {
  return code !== undefined && Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : 'unexpected';
}
