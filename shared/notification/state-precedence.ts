import type { Channel } from './notification-command.ts';
import { RECEIPT_STATUSES, type DeliveryStatus, type NotificationState } from './notification-state.ts';

type ComparedState = Pick<NotificationState, 'status' | 'attempt'> &
  Partial<Pick<NotificationState, 'channel' | 'owner'>>;

/** True if the id belongs to a notification of the other channel. */
export function isOfOtherChannel(channel: Channel | undefined, known: ComparedState | undefined): boolean {
  return channel !== undefined && known?.channel !== undefined && known.channel !== channel;
}

/** Precedence within a round. `parked` means that the outcome is unknown, so any known outcome replaces it. */
const RANK: Readonly<Record<Exclude<DeliveryStatus, 'sent'>, number>> = {
  scheduled: 0,
  sending: 1,
  parked: 2,
  retrying: 3,
  failed: 4,
  suppressed: 5,
  cancelled: 6,
};

/** Precedence of what shows that a provider accepted the message. Each replaces all of RANK, in any round. */
const ACCEPTED: readonly string[] = ['sent', ...RECEIPT_STATUSES];

/**
 * True if `next` replaces `known`. Readers agree, whatever the order of outcomes: `sent` replaces any state for good,
 * and receipts replace it by their rank; otherwise the later round wins, and within a round the higher rank. If two
 * processes write intents for a round, the first one on the log wins, and only its owner may send. A scheduled
 * notification is cancelled or begun, whichever is first on the log. An id belongs to the channel that used it first.
 */
export function supersedes(next: ComparedState, known: ComparedState | undefined): boolean {
  if (known === undefined) return true;
  if (isOfOtherChannel(next.channel, known)) return false;
  const [accepted, knownAccepted] = [ACCEPTED.indexOf(next.status), ACCEPTED.indexOf(known.status)];
  if (accepted >= 0 || knownAccepted >= 0) return accepted > knownAccepted;
  if (next.status === 'cancelled') return known.status === 'scheduled';
  if (known.status === 'cancelled') return false;
  if (next.attempt !== known.attempt) return next.attempt > known.attempt;
  if (next.status === 'sending' && known.status === 'sending') return next.owner === known.owner;
  // A scheduled state is written again each day, so that it does not expire.
  return rankOf(next) > rankOf(known) || (next.status === 'scheduled' && known.status === 'scheduled');
}

function rankOf({ status }: ComparedState): number {
  return (RANK as Readonly<Record<string, number>>)[status] ?? 0;
}
