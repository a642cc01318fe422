/**
 * Decides what happens to a copy of a command, by the state of its notification in the delivery log. `supersedes`
 * decides between two records, so that all processes agree. A notification that may have been sent never ends as
 * failed. The usual changes of the state are:
 *
 *     nothing ──► sending ──► sent ──► undelivered, delivered, bounced, complained   receipts, in this precedence
 *        │           ├──────► retrying ──► sending   next copy from a retry tier
 *        │           ├──────► failed ────► sending   redrive by an operator
 *        │           └──────► parked ────► sending   redrive that accepts a second send; or a receipt
 *        ├──► suppressed                             the receiver is on the suppression list
 *        └──► scheduled ──► sending or cancelled     sendAt
 */

import { done, refused, retry, type Outcome } from '../../../shared/messaging/outcome.ts';
import {
  OUTCOME_UNKNOWN,
  type AttemptRecord,
  type NotificationState,
} from '../../../shared/notification/notification-state.ts';
import type { CommandText } from '../../../shared/notification/command-proof.ts';
import { createProblem } from '../../../shared/platform/problem.ts';
import { assertNever } from '../../../shared/platform/errors.ts';
import { isUnknown } from '../../../shared/notification/attempt-history.ts';
import { isOfOtherChannel } from '../../../shared/notification/state-precedence.ts';
import type { DeliveryCopy } from '../retry/command-copy.ts';
import { planRetry, tierFor, tierWithin, type RetryPlan } from '../retry/retry-plan.ts';
import type { LogEntry } from '../state/delivery-log.ts';
import type { RoundEnd, RoundResult } from './provider-round.ts';

export interface DeliveryContext {
  readonly copy: DeliveryCopy;
  readonly plan: RetryPlan;
  /** After an unknown outcome: park the notification, or send again and accept a second delivery. */
  readonly unknownPolicy: 'park' | 'resend';
}

/** The wall clock in epoch milliseconds, and the milliseconds since the start of the time limit. */
export interface Times {
  readonly nowMs: number;
  readonly ageMs: number;
}

export interface Situation {
  readonly known: LogEntry | undefined;
  readonly channel: NotificationState['channel'];
  /** Undefined if the copy has not been decoded. */
  readonly text?: CommandText | undefined;
  readonly self: string;
  readonly elapsedMs: number;
  readonly times: Times;
  readonly isInProgress: boolean;
  /** True if a round of this process may have called a provider and its outcome is not on the log. */
  readonly hasBegun: boolean;
  readonly isDeadlineOver: boolean;
  /** Epoch milliseconds before which it is not sent (N11). */
  readonly sendAt?: number | undefined;
  /** The quota that a new notification would exceed (N6). */
  readonly quota?: string | undefined;
  /** Why an address of the command gets no such messages (N8). */
  readonly suppression?: string | undefined;
  /** Code with which the command was refused. */
  readonly rejection?: string | undefined;
  /** Identities of the configured providers that recognise repeated ids, as in `repeatableBy`. */
  readonly repeatable: readonly string[];
}

export type Conclusion =
  | { readonly status: 'sent'; readonly providerMessageId: string | undefined }
  | {
      readonly status: 'retrying';
      readonly code: string;
      /** Epoch milliseconds. */
      readonly nextAttemptAt: number;
      readonly tierMs: number;
    }
  | { readonly status: 'scheduled'; readonly nextAttemptAt: number; readonly tierMs: number }
  | FinalFailure;

interface FinalFailure {
  readonly status: 'failed' | 'parked' | 'suppressed';
  readonly code: string;
}

export interface NextCopy {
  readonly attempt: number;
  /** Epoch milliseconds. */
  readonly dueAtMs: number;
  readonly tierMs: number;
  readonly attempts: readonly AttemptRecord[];
  /** True if it waits for its sendAt: later notifications to its receiver do not wait for it. */
  readonly isScheduled?: boolean;
}

export interface Concluding {
  readonly kind: 'conclude';
  readonly conclusion: Conclusion;
  readonly attempts: readonly AttemptRecord[];
  /** False if another process may still write an outcome of this round. `supersedes` then decides between them. */
  readonly isOwnRound: boolean;
}

export type Decision =
  | { readonly kind: 'end'; readonly outcome: Outcome }
  | { readonly kind: 'dead-letter'; readonly code: string }
  | { readonly kind: 'retry-copy'; readonly next: NextCopy }
  | Concluding
  | { readonly kind: 'begin-round'; readonly isOverdue: boolean };

const TIME_LIMIT_EXCEEDED = 'time-limit-exceeded';
const LEASE_OVER = 'lease-over';

/** Delay while another process sends. Its outcome usually arrives long before its lease ends. */
const LEASED_RETRY_MS = 1_000;
const IN_PROGRESS_RETRY_MS = 250;
/** Delay while no provider is available, or while the outcome of another process that claimed the round may arrive. */
export const SOON_RETRY_MS = 100;

const WAITS = createProblem('not-ready', { detail: 'the notification waits' });
export const PARKED: FinalFailure = { status: 'parked', code: OUTCOME_UNKNOWN };

/** Also completes what a crash interrupted: missing records are written; a send without an outcome becomes unknown. */
export function decideOnCopy(delivery: DeliveryContext, situation: Situation): Decision {
  const { known, channel, isInProgress, text } = situation;
  const { attempt } = delivery.copy;
  if (isInProgress) return retryLater(IN_PROGRESS_RETRY_MS);
  if (text?.isForeign === true) return deadLetter('foreign-id');
  if (isOfOtherChannel(channel, known)) return deadLetter('duplicate-id');
  if (known === undefined) return beginRound(delivery, situation);
  if (isOtherText(delivery.copy, known, text)) return deadLetter('duplicate-id');
  if (known.status === 'sent' || attempt < known.attempt) return end(done());
  switch (known.status) {
    case 'sending':
      return afterIntent(delivery, known, situation);
    case 'retrying':
      return attempt === known.attempt
        ? repeatRetryCopy(delivery, known, situation.times)
        : beginRound(delivery, situation);
    case 'failed':
    case 'parked':
      // A later round is a redrive, which must accept a second send if the message may have been sent.
      return attempt > known.attempt && (known.status === 'failed' || delivery.copy.redriveUnknown)
        ? beginRound(delivery, situation)
        : deadLetter(known.code ?? known.status);
    case 'scheduled':
      return beginRound(delivery, situation);
    case 'suppressed':
    case 'cancelled':
      return end(done());
    default:
      return assertNever(known.status);
  }
}

/** True if another text was or is being sent under the id. An operator may have edited the text of a later round. */
function isOtherText({ attempt }: DeliveryCopy, known: LogEntry, text: CommandText | undefined): boolean {
  const textHash = text?.textHash;
  if (textHash === undefined || known.textHash === undefined || known.textHash === textHash) return false;
  return known.status === 'sent' || attempt <= known.attempt;
}

/** A process may renew its own intent only if it has called no provider. */
function afterIntent(delivery: DeliveryContext, known: LogEntry, situation: Situation): Decision {
  const { self, hasBegun, elapsedMs } = situation;
  if (known.owner === self) {
    return hasBegun ? concludeLostRound(delivery, known, situation) : beginRound(delivery, situation);
  }
  const leftMs = (known.leaseEndsMs ?? 0) - elapsedMs;
  return leftMs < 0
    ? concludeLostRound(delivery, known, situation)
    : retryLater(Math.min(leftMs + 1, LEASED_RETRY_MS));
}

/** Repeats the round if a second send is accepted, or the intent names one unchanged provider that recognises ids. */
function concludeLostRound(
  delivery: DeliveryContext,
  { providers, repeatableBy }: LogEntry,
  { times, repeatable }: Situation,
): Decision {
  const provider = providers?.length === 1 ? providers[0] : undefined;
  const knownBy = provider === undefined ? undefined : repeatableBy;
  const lost: AttemptRecord = {
    attempt: delivery.copy.attempt,
    at: times.nowMs,
    provider: provider ?? '-',
    result: 'unknown',
    code: LEASE_OVER,
    ...(knownBy !== undefined && { repeatableBy: knownBy }),
  };
  const isRepeatable = knownBy !== undefined && repeatable.includes(knownBy);
  const conclusion = conclude(delivery, { kind: 'unknown', code: LEASE_OVER, isRepeatable }, times);
  return { kind: 'conclude', conclusion, attempts: [lost], isOwnRound: false };
}

function repeatRetryCopy({ copy, plan }: DeliveryContext, known: LogEntry, { nowMs }: Times): Decision {
  const dueAtMs = known.nextAttemptAt ?? nowMs;
  const attempts = (known.attempts ?? []).filter(
    (one) => one.attempt === copy.attempt && !copy.history.includes(one),
  );
  const tierMs = tierFor(plan, dueAtMs - nowMs);
  return { kind: 'retry-copy', next: { attempt: copy.attempt + 1, dueAtMs, tierMs, attempts } };
}

/** Attempts an overdue notification once if it has no attempt: it may only seem overdue because clocks differ. */
function beginRound(delivery: DeliveryContext, situation: Situation): Decision {
  const { known, isDeadlineOver, quota, rejection, suppression, times } = situation;
  const { copy, plan } = delivery;
  if (rejection !== undefined) return concluded(fail(copy, rejection));
  if (isDeadlineOver && copy.isOriginal && known === undefined) {
    return end(refused(createProblem('deadline-exceeded')));
  }
  if (isDeadlineOver) return concluded(fail(copy, 'deadline-exceeded'));
  if (suppression !== undefined) return concluded(fail(copy, suppression, 'suppressed'));
  if (quota !== undefined && known === undefined) return concluded(fail(copy, quota));
  if (situation.sendAt !== undefined && situation.sendAt > times.nowMs)
    return waitForSendAt(delivery, situation, situation.sendAt - times.nowMs);
  const isOverdue = times.ageMs > plan.timeLimitMs;
  const wasAttempted = copy.history.some(({ at }) => at >= copy.timeLimitFromMs);
  if (isOverdue && wasAttempted) return concluded(fail(copy, TIME_LIMIT_EXCEEDED));
  return { kind: 'begin-round', isOverdue };
}

const DAY_MS = 24 * 3_600_000;

/** The copy returns at sendAt, or when its tier is over. Each day the state is written again, since states expire. */
function waitForSendAt(
  { copy: { attempt }, plan }: DeliveryContext,
  { known, times }: Situation,
  waitMs: number,
): Decision {
  const tierMs = tierWithin(plan, waitMs);
  const isKnown = known?.status === 'scheduled' && known.attempt === attempt;
  const leftMs = Math.max(0, waitMs - tierMs);
  const isSameDay = Math.floor(waitMs / DAY_MS) === Math.floor(leftMs / DAY_MS);
  const sendAt = times.nowMs + waitMs;
  if (!isKnown || !isSameDay) return concluded({ status: 'scheduled', nextAttemptAt: sendAt, tierMs });
  return { kind: 'retry-copy', next: { attempt, dueAtMs: sendAt, tierMs, attempts: [], isScheduled: true } };
}

export type NoProvider =
  /** No configured provider may be called after the unknown outcome of an earlier round. */
  | { readonly kind: 'not-eligible' }
  /** After an unknown outcome only some providers may be called, and none of these is available now. */
  | { readonly kind: 'eligible-unavailable'; readonly afterMs: number }
  /** `isUnserved`: the channel has had no available provider for the whole time limit. */
  | { readonly kind: 'none-available'; readonly isUnserved: boolean };

/** If only some providers may be called, the copy keeps its round but waits on a retry tier, so others can pass. */
export function decideWithoutProvider(
  { copy, plan }: DeliveryContext,
  reason: NoProvider,
  { nowMs, isOverdue }: { readonly nowMs: number; readonly isOverdue: boolean },
): Decision {
  switch (reason.kind) {
    case 'not-eligible':
      return concluded(PARKED);
    case 'eligible-unavailable': {
      if (isOverdue) return concluded(fail(copy, TIME_LIMIT_EXCEEDED));
      const tierMs = tierFor(plan, reason.afterMs);
      const { attempt } = copy;
      return { kind: 'retry-copy', next: { attempt, dueAtMs: nowMs + tierMs, tierMs, attempts: [] } };
    }
    case 'none-available':
      return isOverdue && reason.isUnserved
        ? concluded(fail(copy, TIME_LIMIT_EXCEEDED))
        : retryLater(SOON_RETRY_MS);
    default:
      return assertNever(reason);
  }
}

export function decideAfterRound(
  delivery: DeliveryContext,
  { attempts, end: ended }: RoundResult,
  times: Times,
): Decision {
  return { kind: 'conclude', conclusion: conclude(delivery, ended, times), attempts, isOwnRound: true };
}

function conclude(delivery: DeliveryContext, round: RoundEnd, times: Times): Conclusion {
  const { copy, plan } = delivery;
  if (round.kind === 'sent') return { status: 'sent', providerMessageId: round.providerMessageId };
  const { kind, code } = round;
  if (kind === 'permanent') return fail(copy, code);
  const isUncertain = kind === 'unknown';
  const mayRepeat = !isUncertain || round.isRepeatable || acceptsSecondSend(delivery);
  const retryAfterMs = isUncertain ? undefined : round.retryAfterMs;
  const delayMs = mayRepeat ? planRetry(plan, copy.attempt, times.ageMs, retryAfterMs) : undefined;
  if (delayMs === undefined) return isUncertain ? PARKED : fail(copy, TIME_LIMIT_EXCEEDED);
  return {
    status: 'retrying',
    code,
    nextAttemptAt: times.nowMs + delayMs,
    tierMs: tierFor(plan, delayMs),
  };
}

/** True if any provider may send again after an unknown outcome, because the policy or an operator accepts it. */
export function acceptsSecondSend({ copy, unknownPolicy }: DeliveryContext): boolean {
  return unknownPolicy === 'resend' || copy.redriveUnknown;
}

/** Ends a notification as failed or suppressed, or as parked if an earlier round may have sent it. */
export function fail(
  { history }: Pick<DeliveryCopy, 'history'>,
  code: string,
  status: FinalFailure['status'] = 'failed',
): FinalFailure {
  return history.some(isUnknown) ? PARKED : { status, code };
}

function concluded(conclusion: Conclusion): Decision {
  return { kind: 'conclude', conclusion, attempts: [], isOwnRound: true };
}

function deadLetter(code: string): Decision {
  return { kind: 'dead-letter', code };
}

function end(outcome: Outcome): Decision {
  return { kind: 'end', outcome };
}

function retryLater(afterMs: number): Decision {
  return end(waitFor(afterMs));
}

export function waitFor(afterMs: number): Outcome {
  return retry(afterMs, WAITS);
}
