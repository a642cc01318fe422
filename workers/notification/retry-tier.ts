import type { DeadLetters } from '../../shared/messaging/handler/dead-letter.ts';
import { isPassingFailure, type Process } from '../../shared/messaging/processing-result.ts';
import { HEADER } from '../../shared/messaging/header-names.ts';
import { headerNumber, headerText } from '../../shared/messaging/headers.ts';
import type { LogMessage, MessageHeaders, OutgoingMessage } from '../../shared/messaging/message.ts';
import type { Publisher } from '../../shared/messaging/ports.ts';
import { readRequest } from '../../shared/messaging/handler/request.ts';
import type { Clock, MonotonicClock } from '../../shared/platform/clock.ts';
import { errorText, InfrastructureError } from '../../shared/platform/errors.ts';

export interface TierParts {
  /** Topics that a copy may go back to. */
  readonly origins: ReadonlySet<string>;
  readonly copies: Publisher;
  readonly deadLetters: DeadLetters;
  /** The delay of the tier, in milliseconds. */
  readonly delayMs: number;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly onDeadLetter: (code: string) => void;
}

/**
 * A clock ahead of the writer's makes every copy due at once. With this wait a notification that fails again and again, or
 * that waits behind others, comes back once a second then, not as often as the broker can carry it round.
 */
const SHORTEST_WAIT_MS = 1_000;

/**
 * Lets each copy of a retry tier wait until it is due, and then puts it back onto the topic and partition that it came from.
 * A copy without such a place cannot be put back: it becomes a dead letter.
 */
export function createTierProcess(parts: TierParts): Process {
  return async (message, attempt, signal, receivedMs = parts.monotonic.elapsedMs()) => {
    const origin = originOf(message, parts.origins);
    if (origin === undefined) {
      await parts.deadLetters.write(readRequest(message, attempt, signal), {
        code: 'undecodable-message',
        text: 'the copy on a retry tier names no place to go back to',
      });
      parts.onDeadLetter('undecodable-message');
      return 'settled';
    }
    const leftMs = waitLeftMs(message, receivedMs, parts);
    if (leftMs > 0) return { retryAfterMs: leftMs };
    await putBack(origin, parts.copies);
    return 'settled';
  };
}

/**
 * How long a copy still has to wait. The due time and the timestamp of a record are both dated by the clock of its writer,
 * which may be hours ahead of or behind this one. So they count only between two bounds on the monotonic clock, from when
 * this process was delivered the copy: none waits longer than the delay of its tier, and none shorter than a second (or the
 * delay, where that is shorter). Copies of one key wait one after another, but their times run side by side.
 */
function waitLeftMs(
  { headers, timestampMs }: LogMessage,
  receivedMs: number,
  { delayMs, clock, monotonic }: Pick<TierParts, 'delayMs' | 'clock' | 'monotonic'>,
): number {
  const waitedMs = monotonic.elapsedMs() - receivedMs;
  const dueMs = headerNumber(headers, HEADER.dueAt) ?? 0;
  const byClockMs = Math.min(dueMs, timestampMs + delayMs) - clock.now();
  return Math.min(Math.max(byClockMs, SHORTEST_WAIT_MS - waitedMs), delayMs - waitedMs);
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
