import { MessagingError, errorText } from '../../../platform/errors.ts';
import { brokerErrorType } from '../connection/errors.ts';

const TOO_LARGE: ReadonlySet<string> = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);

/** Answers that speak of a record or its topic and will be the same next time. */
const REFUSED: ReadonlySet<string> = new Set([
  'INVALID_RECORD',
  'INVALID_TIMESTAMP',
  'CORRUPT_MESSAGE',
  'UNSUPPORTED_FOR_MESSAGE_FORMAT',
  'UNSUPPORTED_COMPRESSION_TYPE',
  'POLICY_VIOLATION',
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
]);

/**
 * The error for the record that made a request fail, or undefined when the failure is none of a record: then the request
 * is repeated. A broker names the partition and no record: the caller finds the culprit.
 */
export function refusedRecord(error: unknown): MessagingError | undefined {
  const type = brokerErrorType(error) ?? '';
  if (TOO_LARGE.has(type)) {
    return new MessagingError('message-too-large', errorText(error), { canRetry: false, cause: error });
  }
  // An encoder that throws on a value can only mean that value.
  const isUnwritable = error instanceof TypeError || error instanceof RangeError;
  if (!REFUSED.has(type) && !isUnwritable) return undefined;
  const text = `the broker refuses the message: ${errorText(error)}`;
  return new MessagingError('not-sent', text, { canRetry: false, cause: error });
}

/** The error for a record beyond what any topic takes. */
export function tooLarge(topic: string): MessagingError {
  const text = `a message for ${topic} is larger than any topic takes`;
  return new MessagingError('message-too-large', text, { canRetry: false });
}
