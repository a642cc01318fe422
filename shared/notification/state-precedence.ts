import type { Channel } from './notification-command.ts';
import type { NotificationState, NotificationStatus } from './notification-state.ts';

/** What decides which of two states of a notification holds. */
type ComparedState = Pick<NotificationState, 'status' | 'attempt'> &
  Partial<Pick<NotificationState, 'channel' | 'owner'>>;

/** Whether the id belongs to a notification of the other channel. */
export function isOfOtherChannel(channel: Channel | undefined, known: ComparedState | undefined): boolean {
  return channel !== undefined && known?.channel !== undefined && known.channel !== channel;
}

/** Precedence of the states of one round: a known outcome replaces the assumption that it is unknown. */
const RANK: Readonly<Record<NotificationStatus, number>> = {
  sending: 0,
  parked: 1,
  retrying: 2,
  failed: 3,
  sent: 4,
};

/**
 * Whether a state that was read from the log replaces the known one. All readers end with the same state, whatever the
 * order of the outcomes. `sent` replaces any state and is never replaced; otherwise the later round wins, and within a
 * round the state of the higher rank, such as an outcome over an intent. Of two intents of one round by different processes
 * the first on the log wins, and the other process must not send. An id belongs to the channel that used it first.
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
