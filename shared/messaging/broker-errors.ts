import { MessagingError } from '../platform/errors.ts';
import type { BrokerErrorCode } from './ports.ts';

/** With `partition`, the error says that the topic lacks this partition. */
export function topicUnknown(topic: string, partition?: number): MessagingError {
  const text =
    partition === undefined ? `there is no topic ${topic}` : `topic ${topic} has no partition ${partition}`;
  return failure('topic-unknown', text);
}

/** `send-unknown` if `isMaybeStored` (records were sent, and the result is unknown), otherwise `not-sent`. */
export function publishFailed(
  clientId: string,
  reason: string,
  { isMaybeStored = false, cause }: { readonly isMaybeStored?: boolean; readonly cause?: unknown } = {},
): MessagingError {
  const result = isMaybeStored ? 'messages may have been stored' : 'nothing was stored';
  const text = `publisher ${clientId}: ${reason}; ${result}`;
  return failure(isMaybeStored ? 'send-unknown' : 'not-sent', text, { canRetry: true, cause });
}

export function consumerUsed(clientId: string): MessagingError {
  return failure('consumer-used', `consumer ${clientId} was started or stopped before`);
}

export function tailStopped(clientId: string): MessagingError {
  return failure('tail-stopped', `tail ${clientId} is not running`);
}

export function tailBehind(clientId: string, timeoutMs: number): MessagingError {
  const text = `tail ${clientId} did not catch up within ${timeoutMs} ms`;
  return failure('tail-behind', text, { canRetry: true });
}

function failure(
  code: BrokerErrorCode,
  text: string,
  options: { readonly canRetry: boolean; readonly cause?: unknown } = { canRetry: false },
): MessagingError {
  return new MessagingError(code, text, options);
}
