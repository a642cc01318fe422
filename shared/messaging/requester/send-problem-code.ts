import type { ErrorCode } from '../../platform/problem.ts';
import { MessagingError } from '../../platform/errors.ts';
import { isPassingFailure } from '../processing-result.ts';

/**
 * What a failed send is to the caller (E1). `unknown`: the request may be on the log all the same. `bug`: nothing that
 * the caller or the broker did.
 */
export function sendProblemCode(error: unknown): ErrorCode | 'unknown' | 'bug' {
  if (error instanceof MessagingError && error.code === 'send-unknown') return 'unknown';
  if (error instanceof MessagingError && error.code === 'message-too-large') return 'body-too-large';
  if (error instanceof MessagingError || isPassingFailure(error)) return 'broker-unavailable';
  return 'bug';
}
