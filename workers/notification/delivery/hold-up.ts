import { isPassingFailure } from '../../../shared/messaging/processing-result.ts';
import { InfrastructureError, MessagingError } from '../../../shared/platform/errors.ts';

/** What the message itself is at fault for: waiting does not mend it. */
const OF_THE_MESSAGE: ReadonlySet<string> = new Set(['message-too-large', 'invalid-message']);

/**
 * What is thrown on instead: a broker that refuses for any reason but the message is lost infrastructure here. Then the
 * notification waits in its place with all that the ledger says of it, and does not end as a bug.
 */
export function holdUp(error: unknown): unknown {
  if (!(error instanceof MessagingError) || isPassingFailure(error)) return error;
  return OF_THE_MESSAGE.has(error.code) ? error : new InfrastructureError(error.code, error.message, error);
}
