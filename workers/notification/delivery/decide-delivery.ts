/**
 * Decides what happens to a copy of a command, by what the delivery log says of its notification, whose status changes only so
 * (a notification that may have been sent ends as parked, never as failed):
 *
 *     nothing ──► sending ──► sent
 *                    ├──────► retrying ──► sending   next copy from a retry tier
 *                    ├──────► failed ────► sending   redrive by an operator
 *                    └──────► parked ────► sending   redrive that accepts a second send
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
import { planRetry, tierFor, type RetryPlan } from '../retry/retry-plan.ts';
import type { LogEntry } from '../state/delivery-log.ts';
import type { Failure, RoundResult } from './provider-round.ts';

export interface DeliveryContext {
  readonly copy: DeliveryCopy;
  readonly plan: RetryPlan;
  /** Policy for unknown outcomes: park the notification, or resend and accept that it may be delivered twice. */
  readonly unknownPolicy: 'park' | 'resend';
}

/** The wall clock in epoch milliseconds, and the time since the start of the time limit. */
export interface Times {
  readonly nowMs: number;
  readonly ageMs: number;
}

export interface Situation {
  readonly known: LogEntry | undefined;
  readonly channel: NotificationState['channel'];
  /** Undefined: the copy has not been decoded. */
  readonly text?: CommandText | undefined;
  readonly self: string;
  readonly elapsedMs: number;
  readonly times: Times;
  readonly isInProgress: boolean;
  /** Whether a round of this process has called a provider and its outcome is not on the log. */
  readonly hasBegun: boolean;
  readonly isDeadlineOver: boolean;
  /** The quota that a new notification would exceed (N6). */
  readonly quota?: string | undefined;
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
  | FinalFailure;

interface FinalFailure {
  readonly status: 'failed' | 'parked';
  readonly code: string;
}

export interface NextCopy {
  readonly attempt: number;
  readonly dueAtMs: number;
  readonly tierMs: number;
  readonly attempts: readonly AttemptRecord[];
}

export type Decision =
  | { readonly kind: 'end'; readonly outcome: Outcome }
  | { readonly kind: 'dead-letter'; readonly code: string }
  | { readonly kind: 'retry-copy'; readonly next: NextCopy }
  | {
      readonly kind: 'conclude';
      readonly conclusion: Conclusion;
      readonly attempts: readonly AttemptRecord[];
      /** False: the round belongs to another process, which may still write its outcome; the order of the log decides. */
      readonly isOwnRound: boolean;
    }
  | { readonly kind: 'begin-round'; readonly isOverdue: boolean };

const TIME_LIMIT_EXCEEDED = 'time-limit-exceeded';
const LEASE_OVER = 'lease-over';

/** For a notification that another process is sending: its outcome usually arrives long before its lease expires. */
const LEASED_RETRY_MS = 1_000;
const IN_PROGRESS_RETRY_MS = 250;
/** Without a provider; or after a lost claim, when the outcome of the other process may arrive soon. */
export const SOON_RETRY_MS = 100;

const WAITS = createProblem('not-ready', { detail: 'the notification waits' });
export const PARKED: FinalFailure = { status: 'parked', code: OUTCOME_UNKNOWN };

/** After a crash, missing records are written. If the message may have been sent, its outcome is recorded as unknown. */
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
      return isRedrive(delivery.copy, known)
        ? beginRound(delivery, situation)
        : deadLetter(known.code ?? known.status);
    default:
      return assertNever(known.status);
  }
}

/** Whether another text was sent, or is being sent, under the id. An operator may have edited the text of a later round. */
function isOtherText({ attempt }: DeliveryCopy, known: LogEntry, text: CommandText | undefined): boolean {
  const textHash = text?.textHash;
  if (textHash === undefined || known.textHash === undefined || known.textHash === textHash) return false;
  return known.status === 'sent' || attempt <= known.attempt;
}

/** A later round is a redrive, which must accept a second send if the message may have been sent. */
function isRedrive({ attempt, redriveUnknown }: DeliveryCopy, known: LogEntry): boolean {
  return attempt > known.attempt && (known.status === 'failed' || redriveUnknown);
}

/** An intent of this process may be renewed only if no provider was called. */
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

/** The round is repeated only if its intent names a single provider that recognises ids and has the same settings. */
function concludeLostRound(
  delivery: DeliveryContext,
  { providers, repeatableBy }: LogEntry,
  { times, repeatable }: Situation,
): Decision {
  const provider = providers?.length === 1 ? providers[0] : undefined;
  const attempt = {
    attempt: delivery.copy.attempt,
    at: times.nowMs,
    provider: provider ?? '-',
    result: 'unknown',
    code: LEASE_OVER,
  } as const;
  const isKnown = provider !== undefined && repeatableBy !== undefined;
  const lost: AttemptRecord = isKnown ? { ...attempt, repeatableBy } : attempt;
  const isRepeatable = isKnown && repeatable.includes(repeatableBy);
  const conclusion = conclude(delivery, { kind: 'unknown', code: LEASE_OVER }, { isRepeatable, times });
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

/** An overdue notification without an attempt is attempted once, since differing clocks may be the reason. */
function beginRound(delivery: DeliveryContext, situation: Situation): Decision {
  const { known, isDeadlineOver, quota, rejection, times } = situation;
  const { copy, plan } = delivery;
  if (rejection !== undefined) return concluded(fail(copy, rejection));
  if (isDeadlineOver && copy.isOriginal && known === undefined) {
    return end(refused(createProblem('deadline-exceeded')));
  }
  if (isDeadlineOver) return concluded(fail(copy, 'deadline-exceeded'));
  if (quota !== undefined && known === undefined) return concluded(fail(copy, quota));
  const isOverdue = times.ageMs > plan.timeLimitMs;
  const wasAttempted = copy.history.some(({ at }) => at >= copy.timeLimitFromMs);
  if (isOverdue && wasAttempted) return concluded(fail(copy, TIME_LIMIT_EXCEEDED));
  return { kind: 'begin-round', isOverdue };
}

export type NoProvider =
  /** The providers that may repeat an unknown outcome are no longer configured. */
  | { readonly kind: 'not-eligible' }
  /** Only some of the channel's providers may be called after an unknown outcome, and these are not available now. */
  | { readonly kind: 'eligible-unavailable'; readonly afterMs: number }
  /** `isUnserved`: no provider of the channel has been available for the whole time limit. */
  | { readonly kind: 'none-available'; readonly isUnserved: boolean };

/** While only some providers may be called, the copy waits on a tier, so that others of its partition are sent. */
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

export function decideAfterRound(delivery: DeliveryContext, round: RoundResult, times: Times): Decision {
  const { attempts } = round;
  const conclusion: Conclusion =
    round.kind === 'sent'
      ? { status: 'sent', providerMessageId: round.providerMessageId }
      : conclude(delivery, round.failure, { isRepeatable: round.isRepeatable, times });
  return { kind: 'conclude', conclusion, attempts, isOwnRound: true };
}

function conclude(
  delivery: DeliveryContext,
  failure: Failure,
  { isRepeatable, times }: { readonly isRepeatable: boolean; readonly times: Times },
): Conclusion {
  const { copy } = delivery;
  switch (failure.kind) {
    case 'permanent':
      return fail(copy, failure.code);
    case 'transient':
      return planNextRound(delivery, failure, times) ?? fail(copy, TIME_LIMIT_EXCEEDED);
    case 'unknown': {
      const mayRepeat = isRepeatable || acceptsSecondSend(delivery);
      return (mayRepeat ? planNextRound(delivery, failure, times) : undefined) ?? PARKED;
    }
    default:
      return assertNever(failure);
  }
}

/** Whether any provider may send again after an unknown outcome: by policy, or because an operator accepts it. */
export function acceptsSecondSend({ copy, unknownPolicy }: DeliveryContext): boolean {
  return unknownPolicy === 'resend' || copy.redriveUnknown;
}

/** The end of a notification that fails; parked if it may have been sent in an earlier round. */
export function fail({ history }: Pick<DeliveryCopy, 'history'>, code: string): FinalFailure {
  return history.some(isUnknown) ? PARKED : { status: 'failed', code };
}

function planNextRound(
  { copy, plan }: DeliveryContext,
  failure: { readonly code: string; readonly retryAfterMs?: number },
  { nowMs, ageMs }: Times,
): Conclusion | undefined {
  const delayMs = planRetry(plan, copy.attempt, ageMs, failure.retryAfterMs);
  if (delayMs === undefined) return undefined;
  const { code } = failure;
  return { status: 'retrying', code, nextAttemptAt: nowMs + delayMs, tierMs: tierFor(plan, delayMs) };
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
