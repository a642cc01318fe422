import type { AttemptRecord, NotificationState } from '../../../shared/notification/notification-state.ts';
import { readRequest } from '../../../shared/messaging/handler/request.ts';
import { done, type Outcome } from '../../../shared/messaging/outcome.ts';
import { addAttempts } from '../state/attempt-history.ts';
import { deadCopy, retryCopy, type CommandCopy } from '../state/command-copy.ts';
import { tierFor } from '../delivery/conclude-round.ts';
import type { DeliveryParts } from '../delivery/delivery-parts.ts';
import { holdKey } from '../ordering/hold-records.ts';

/** A state of a copy's notification; what is not given is absent. */
export function stateOf(
  copy: CommandCopy,
  parts: Pick<DeliveryParts, 'channel' | 'clock'>,
  given: Pick<NotificationState, 'status'> & Partial<NotificationState>,
  added: readonly AttemptRecord[] = [],
): NotificationState {
  return {
    notificationId: copy.id,
    channel: parts.channel,
    attempt: copy.attempt,
    attempts: addAttempts(copy.history, added),
    updatedAt: parts.clock.now(),
    nextAttemptAt: undefined,
    providerMessageId: undefined,
    code: undefined,
    owner: undefined,
    leaseUntil: undefined,
    ...given,
  };
}

/**
 * Puts the next copy onto its tier and makes the notification the head of its key, so that those behind it wait. May be
 * repeated: copies of one round are told apart by the ledger.
 */
export async function putOnTier(
  copy: CommandCopy,
  parts: DeliveryParts,
  next: {
    readonly attempt: number;
    readonly dueAtMs: number;
    readonly attempts: readonly AttemptRecord[];
    readonly tierMs?: number;
  },
): Promise<void> {
  const tierMs = next.tierMs ?? tierFor(parts.plan, next.dueAtMs - parts.clock.now());
  await parts.copies.publish([retryCopy(copy, { ...next, topic: parts.tierTopic(tierMs) })]);
  const key = holdKey(parts.channel, copy.message);
  if (key === undefined) return;
  const head = { id: copy.id, attempt: next.attempt, isDeferred: false, sinceMs: parts.clock.now() };
  await parts.hold.setHead(key, copy.message.partition, head);
}

/**
 * Makes the copy a dead letter, with all that is known of it. It does not count for the flood breaker: the end of one
 * notification must not keep those of others waiting, and what is wrong with a provider is for its own breaker.
 */
export async function bury(
  copy: CommandCopy,
  parts: DeliveryParts,
  code: string,
  attempts: readonly AttemptRecord[] = [],
): Promise<Outcome> {
  const { signal } = new AbortController();
  const request = {
    ...readRequest(deadCopy(copy, attempts), copy.attempt, signal),
    originTimestampMs: copy.originTimestampMs,
  };
  await parts.deadLetters.write(request, { code, text: `the notification was not sent: ${code}` });
  parts.observer.onDeadLetter(code);
  return done();
}
