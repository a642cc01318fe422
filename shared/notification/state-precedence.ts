import type { Channel } from './notification-command.ts';
import type { NotificationState, NotificationStatus } from './notification-state.ts';

type ComparedState = Pick<NotificationState, 'status' | 'attempt'> &
  Partial<Pick<NotificationState, 'channel' | 'owner'>>;

/** True if the id belongs to a notification of the other channel. */
export function isOfOtherChannel(channel: Channel | undefined, known: ComparedState | undefined): boolean {
  return channel !== undefined && known?.channel !== undefined && known.channel !== channel;
}

/** Precedence within a round. `parked` means that the outcome is unknown, so any known outcome replaces it. */
const RANK: Readonly<Record<NotificationStatus, number>> = {
  sending: 0,
  parked: 1,
  retrying: 2,
  failed: 3,
  sent: 4,
};

/**
 * True if `next` replaces `known`. Readers agree, whatever the order of outcomes: `sent` replaces any state for good;
 * otherwise the later round wins, and within a round the higher rank. If two processes write intents for a round, the
 * first one on the log wins, and only its owner may send. An id belongs to the channel that used it first.
 */
export function supersedes(next: ComparedState, known: ComparedState | undefined): boolean {
  if (known === undefined) return true;
  if (isOfOtherChannel(next.channel, known)) return false;
  if (known.status === 'sent') return false;
  if (next.status === 'sent') return true;
  if (next.attempt !== known.attempt) return next.attempt > known.attempt;
  if (next.status === 'sending' && known.status === 'sending') return next.owner === known.owner;
  return RANK[next.status] > RANK[known.status];
}
