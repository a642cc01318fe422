import type {
  NotificationState,
  NotificationStatus,
} from '../../../shared/notification/notification-state.ts';
import { assertNever } from '../../../shared/platform/errors.ts';

/** What is known of a notification; as much of its state as decisions need. */
export type LedgerEntry = Pick<NotificationState, 'status' | 'attempt'> &
  Partial<
    Pick<
      NotificationState,
      | 'channel'
      | 'owner'
      | 'leaseUntil'
      | 'nextAttemptAt'
      | 'code'
      | 'attempts'
      | 'providers'
      | 'repeatableBy'
    >
  > & {
    /** While sending: when its lease is over, on this process's monotonic clock. */
    readonly leaseEndsMs?: number;
  };

/** A copy of a command that has come to be handled. */
export interface Arrival {
  /** Round of delivery that it asks for, counted from 1. */
  readonly attempt: number;
  /** An operator accepts that it may be sent twice. */
  readonly redriveUnknown: boolean;
}

export interface Situation {
  /** Now, on this process's monotonic clock. */
  readonly elapsedMs: number;
  /** This process, as owner of intents. */
  readonly self: string;
  /** This process has begun a round of this notification that has not ended. */
  readonly isRunning: boolean;
  /** A round of it by this process has come to a provider, and its end is not on the log. */
  readonly hasBegun?: boolean;
}

export type Decision =
  /** Begin this round. */
  | { readonly kind: 'go' }
  /** It was dealt with: nothing is left to do. */
  | { readonly kind: 'skip' }
  /** Somebody may be sending it at this moment. */
  | { readonly kind: 'wait'; readonly afterMs: number }
  /** Whoever was sending it never told what became of it. */
  | { readonly kind: 'unknown' }
  /** Its round ended in a retry: see that the next copy waits on its tier. */
  | { readonly kind: 'retry-again' }
  /** It ended: see that its dead letter is there. */
  | { readonly kind: 'bury-again'; readonly code: string };

/** Whoever sends is looked at again so often: usually its outcome comes long before the end of its lease. */
const LOOK_AGAIN_MS = 1_000;
const LOOK_SOON_MS = 250;

const GO: Decision = { kind: 'go' };
const UNKNOWN: Decision = { kind: 'unknown' };
const SKIP: Decision = { kind: 'skip' };
const RETRY_AGAIN: Decision = { kind: 'retry-again' };

/**
 * What is to be done with a copy, by what the ledger knows. Pure. Whatever was written before a crash is written again or
 * passed over, so that nothing is lost; and no round is begun whose sending may have been begun before, but for a round of
 * unknown outcome, which is told apart.
 */
export function decide(arrival: Arrival, known: LedgerEntry | undefined, situation: Situation): Decision {
  if (situation.isRunning) return { kind: 'wait', afterMs: LOOK_SOON_MS };
  if (known === undefined) return GO;
  if (known.status === 'sent' || arrival.attempt < known.attempt) return SKIP;
  switch (known.status) {
    case 'sending':
      return decideWhileSending(known, situation);
    case 'retrying':
      return arrival.attempt === known.attempt ? RETRY_AGAIN : GO;
    case 'failed':
    case 'parked':
      return decideAfterEnd(arrival, known);
    default:
      return assertNever(known.status);
  }
}

/** An intent of this process is free only where nothing was handed to a provider with it. */
function decideWhileSending(known: LedgerEntry, { elapsedMs, self, hasBegun = false }: Situation): Decision {
  if (known.owner === self) return hasBegun ? UNKNOWN : GO;
  const leftMs = (known.leaseEndsMs ?? 0) - elapsedMs;
  return leftMs < 0 ? UNKNOWN : { kind: 'wait', afterMs: Math.min(leftMs + 1, LOOK_AGAIN_MS) };
}

/** A later attempt after the end is an operator's; where it is not known whether it was sent, he has to say so. */
function decideAfterEnd(arrival: Arrival, known: LedgerEntry): Decision {
  const isRedrive = arrival.attempt > known.attempt;
  if (isRedrive && (known.status === 'failed' || arrival.redriveUnknown)) return GO;
  return { kind: 'bury-again', code: known.code ?? known.status };
}

/** Whether the id is that of a notification of the other channel. */
export function isOfOtherChannel(channel: LedgerEntry['channel'], known: LedgerEntry | undefined): boolean {
  return channel !== undefined && known?.channel !== undefined && known.channel !== channel;
}

/** Of two states of one round, which one knows more: a guess that the outcome is unknown gives way to an outcome. */
const RANK: Readonly<Record<NotificationStatus, number>> = {
  sending: 0,
  parked: 1,
  retrying: 2,
  failed: 3,
  sent: 4,
};

/**
 * Whether a state that comes in replaces the known one. Pure; whatever the order in which states come in, all readers end
 * with the same. `sent` is never replaced and replaces everything; else the later round counts, and within a round the
 * outcome. Of two intents of one round by different processes the first on the log counts, and the other must not send. An
 * id belongs to the channel that had it first.
 */
export function supersedes(next: LedgerEntry, known: LedgerEntry | undefined): boolean {
  if (known === undefined) return true;
  if (isOfOtherChannel(next.channel, known)) return false;
  if (known.status === 'sent') return false;
  if (next.status === 'sent') return true;
  if (next.attempt !== known.attempt) return next.attempt > known.attempt;
  if (next.status === 'sending' && known.status === 'sending') return next.owner === known.owner;
  return RANK[next.status] > RANK[known.status];
}
