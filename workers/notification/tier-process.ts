import type { DeadLetters } from '../../shared/messaging/dead-letter.ts';
import { isPassingFailure, type Process } from '../../shared/messaging/disposition.ts';
import { HEADER } from '../../shared/messaging/header-names.ts';
import { headerNumber, headerText } from '../../shared/messaging/headers.ts';
import type { LogMessage, MessageHeaders, OutgoingMessage } from '../../shared/messaging/message.ts';
import type { Publisher } from '../../shared/messaging/ports.ts';
import { readRequest } from '../../shared/messaging/request.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { errorText, InfrastructureError } from '../../shared/platform/errors.ts';

export interface TierParts {
  /** Topics that a copy may go back to. */
  readonly origins: ReadonlySet<string>;
  readonly copies: Publisher;
  readonly deadLetters: DeadLetters;
  readonly clock: Clock;
  readonly onDeadLetter: (code: string) => void;
}

/**
 * Lets each copy of a retry tier wait until it is due, never less, and then puts it back onto the topic and partition that
 * it came from. A copy that says no such place is nobody's: it becomes a dead letter.
 */
export function createTierProcess(parts: TierParts): Process {
  return async (message, attempt, signal) => {
    const origin = originOf(message, parts.origins);
    if (origin === undefined) {
      await parts.deadLetters.write(readRequest(message, attempt, signal), {
        code: 'undecodable-message',
        text: 'the copy on a retry tier names no place to go back to',
      });
      parts.onDeadLetter('undecodable-message');
      return 'dead-lettered';
    }
    const leftMs = (headerNumber(message.headers, HEADER.dueAt) ?? 0) - parts.clock.now();
    if (leftMs > 0) return { retryAfterMs: leftMs };
    await putBack(origin, parts.copies);
    return 'settled';
  };
}

/** Whatever the command topic refuses is mended there: until then the copy waits where it is, and so do those behind it. */
async function putBack(copy: OutgoingMessage, copies: Publisher): Promise<void> {
  try {
    await copies.publish([copy]);
  } catch (error) {
    if (isPassingFailure(error)) throw error;
    const what = `a copy cannot be put back onto ${copy.topic}: ${errorText(error)}`;
    throw new InfrastructureError('copy-not-put-back', what, error);
  }
}

function originOf(message: LogMessage, origins: ReadonlySet<string>): OutgoingMessage | undefined {
  const topic = headerText(message.headers, HEADER.retryTopic);
  const partition = headerNumber(message.headers, HEADER.retryPartition);
  if (topic === undefined || partition === undefined || !origins.has(topic)) return undefined;
  const headers: Record<string, MessageHeaders[string]> = { ...message.headers };
  for (const name of [HEADER.retryTopic, HEADER.retryPartition, HEADER.dueAt]) delete headers[name];
  return { topic, partition, key: message.key, value: message.value, headers };
}
