import { PROBLEM_TYPE } from '../../../schemas/messages.ts';
import { createProblem, ERROR_CODES, type ErrorCode, type Problem } from '../../platform/problem.ts';
import { safeHeaderText } from '../header-text.ts';
import type { Codec, Decoded, EncodedMessage } from '../codec.ts';
import { HEADER, headerText, headerValue } from '../headers.ts';
import type { Reply } from '../outcome.ts';
import { andThen, type SyncOrAsync } from '../../platform/sync-or-async.ts';

/** Reads the payload or the problem that a worker sent. A reply that cannot be decoded becomes `unexpected`. */
export function readReply(codec: Codec, message: EncodedMessage): SyncOrAsync<Reply> {
  return andThen(codec.decode(message), (decoded) => toReply(message, decoded));
}

function toReply({ headers }: EncodedMessage, decoded: Decoded): Reply {
  if (decoded.kind === 'decoded' && decoded.type === PROBLEM_TYPE) {
    return { kind: 'problem', problem: decoded.payload as Problem };
  }
  const errorCode = headerText(headers, HEADER.errorCode);
  if (errorCode !== undefined || headerValue(headers, HEADER.nestError) !== undefined) {
    return { kind: 'problem', problem: createProblem(knownCode(errorCode)) };
  }
  if (decoded.kind === 'undecodable') {
    return { kind: 'problem', problem: createProblem('unexpected', { detail: 'the reply cannot be read' }) };
  }
  const { type, payload } = decoded;
  const warnings = headerText(headers, HEADER.warnings);
  const calendar = headerText(headers, HEADER.holidayCalendar) ?? '';
  const versions = headerText(headers, HEADER.versions) ?? '';
  return {
    kind: 'reply',
    type,
    payload,
    ...(warnings === undefined ? {} : { warnings }),
    ...(calendar === '' ? {} : { holidayCalendar: safeHeaderText(calendar) }),
    ...(versions === '' ? {} : { versions: safeHeaderText(versions) }),
  };
}

/** The code of an error reply without a problem document, as other systems send it; `unexpected` for unknown codes. */
function knownCode(code: string | undefined): ErrorCode {
  return code !== undefined && Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : 'unexpected';
}
