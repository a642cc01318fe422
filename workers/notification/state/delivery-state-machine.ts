/**
 * The delivery of notifications as one state machine. Pure: time, ledger and providers are part of the events.
 * delivery/command-delivery.ts runs the machine: it performs the effects and passes their results back as events.
 *
 * The status of a notification on the log (the outcome topic) changes only in these ways; `supersedes`
 * (shared/notification/state-precedence.ts) decides between two records, so that all processes agree on it:
 *
 *     nothing ──► sending ──► sent
 *                    ├──────► retrying ──► sending   next copy from a retry tier
 *                    ├──────► failed ────► sending   redrive by an operator
 *                    └──────► parked ────► sending   redrive that accepts a second send
 *
 * What one process does with one copy of a command; every effect is on the log before the next state is entered:
 *
 * | state     | event                                  | next state   | effects                                  |
 * |-----------|----------------------------------------|--------------|------------------------------------------|
 * | received  | copy-read: without the proof of its id and text | following-up | dead letter `foreign-id`        |
 * |           | sent, or a later round known           | ended        | commit                                   |
 * |           | in progress here, or leased elsewhere  | ended        | retry later                              |
 * |           | this round ended in a retry            | following-up | retry copy, once more                    |
 * |           | failed or parked, no redrive           | following-up | dead letter, once more                   |
 * |           | id of the other channel or another text | following-up | dead letter `duplicate-id`              |
 * |           | intent without outcome, lease over     | recording    | outcome parked or retrying, by log order |
 * |           | deadline passed, never seen before     | ended        | refuse                                   |
 * |           | deadline or time limit passed          | recording    | outcome failed                           |
 * |           | copy that cannot return, or be decoded | recording    | outcome failed                           |
 * |           | new, and a quota is used up            | recording    | outcome failed                           |
 * |           | else                                   | queueing     | check the order of the receiver          |
 * | queueing  | queued                                 | ended        | commit: it is kept on the hold topic     |
 * |           | first-in-line                          | acquiring    | acquire a send slot and a provider       |
 * | acquiring | no-send-slot                           | ended        | retry later                              |
 * |           | no-provider                            | ended        | retry later                              |
 * |           | no-provider for the whole time limit   | recording    | outcome failed                           |
 * |           | no-eligible-provider                   | recording    | outcome parked                           |
 * |           | eligible-unavailable: others are not   | following-up | retry copy of the same attempt           |
 * |           | the same, and the time limit passed    | recording    | outcome parked                           |
 * |           | provider-acquired                      | claiming     | write the intent and read it back        |
 * | claiming  | claim-lost: another intent came first  | ended        | retry later                              |
 * |           | claimed                                | sending      | call the providers                       |
 * | sending   | nothing-sent: lease too short          | ended        | retry later                              |
 * |           | round-ended: sent                      | recording    | outcome sent                             |
 * |           | round-ended: rejected                  | recording    | outcome failed                           |
 * |           | round-ended: transient                 | recording    | outcome retrying, or failed: no time left |
 * |           | round-ended: outcome unknown           | recording    | outcome parked; retrying if repeatable   |
 * | recording | outcome-superseded                     | ended        | retry later                              |
 * |           | outcome-recorded: sent                 | ended        | commit                                   |
 * |           | outcome-recorded: retrying             | following-up | retry copy                               |
 * |           | outcome-recorded: failed, parked       | following-up | dead letter                              |
 * |           | the same, after its dead letter        | ended        | commit                                   |
 * | following-up | follow-up-written                   | ended        | commit                                   |
 * |           | retry-copy-rejected: it is too large   | recording    | dead letter, outcome of its round        |
 *
 * When an effect fails because the infrastructure is unavailable, the run ends without a commit: the copy is received again,
 * and its earlier records are found on the log. A notification that may have been sent ends as parked, never as failed.
 */

import { done, refused, retry, type Outcome } from '../../../shared/messaging/outcome.ts';
import {
  OUTCOME_UNKNOWN,
  type AttemptRecord,
  type NotificationState,
} from '../../../shared/notification/notification-state.ts';
import type { CommandText } from '../../../shared/notification/command-proof.ts';
import type { GuardedProvider } from '../../../shared/notification/provider.ts';
import { createProblem } from '../../../shared/platform/problem.ts';
import { assertNever } from '../../../shared/platform/errors.ts';
import { addAttempts, isUnknown } from '../../../shared/notification/attempt-history.ts';
import { isOfOtherChannel } from '../../../shared/notification/state-precedence.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import { planRetry, tierFor, type RetryPlan } from './retry-plan.ts';

/** The constant part of the delivery of one copy. */
export interface DeliveryContext {
  readonly copy: DeliveryCopy;
  readonly plan: RetryPlan;
  /** Policy for unknown outcomes: park the notification, or resend and accept that it may be delivered twice. */
  readonly unknownPolicy: 'park' | 'resend';
}

/** The properties of a command copy on which decisions depend. */
export interface DeliveryCopy {
  /** Round of delivery to start, counted from 1. */
  readonly attempt: number;
  /** Whether it is the original command, not a copy written by this worker. */
  readonly isOriginal: boolean;
  /** Whether an operator accepts that it may be sent twice. */
  readonly redriveUnknown: boolean;
  /** Start of its time limit in epoch milliseconds: when the command was written, or redriven. */
  readonly timeLimitFromMs: number;
  readonly history: readonly AttemptRecord[];
}

/** The wall clock in epoch milliseconds, and the time since the start of the time limit. */
export interface Times {
  readonly nowMs: number;
  readonly ageMs: number;
}

/** The state of the process when a copy is read. */
export interface Situation {
  readonly known: LedgerEntry | undefined;
  readonly channel: NotificationState['channel'];
  /** Undefined: the copy has not been decoded. */
  readonly text?: CommandText | undefined;
  /** This process, as owner of intents. */
  readonly self: string;
  /** The monotonic clock of this process. */
  readonly elapsedMs: number;
  readonly times: Times;
  /** Whether this process is delivering another copy of the notification. */
  readonly isInProgress: boolean;
  /** Whether a round of this process has called a provider and its outcome is not on the log. */
  readonly hasBegun: boolean;
  readonly isDeadlineOver: boolean;
  /** The quota that a new notification would exceed (N6). */
  readonly quota?: string | undefined;
  /** Why no round can begin with this copy. */
  readonly rejection?: string | undefined;
  /** Identities of the configured providers that recognise repeated ids, as in `repeatableBy`. */
  readonly repeatable: readonly string[];
}

/** How a round of delivery failed. */
export type Failure =
  | { readonly kind: 'transient'; readonly code: string; readonly retryAfterMs?: number }
  | { readonly kind: 'permanent'; readonly code: string }
  | { readonly kind: 'unknown'; readonly code: string };

/** How a round of delivery ended. */
export type RoundResult =
  | {
      readonly kind: 'sent';
      readonly attempts: readonly AttemptRecord[];
      readonly providerMessageId: string | undefined;
    }
  | {
      readonly kind: 'not-sent';
      readonly attempts: readonly AttemptRecord[];
      readonly failure: Failure;
      /** Whether the last provider recognises the id, so that calling it again delivers once. */
      readonly isRepeatable: boolean;
    };

/** The providers that a round may call, and the index of the first one. */
export interface ProviderTurn {
  readonly providers: readonly GuardedProvider[];
  readonly first: number;
}

/** The next status of a notification after a round. */
export type Conclusion =
  | { readonly status: 'sent'; readonly providerMessageId: string | undefined }
  | {
      readonly status: 'retrying';
      readonly code: string;
      /** Epoch milliseconds. */
      readonly nextAttemptAt: number;
      /** Delay of the tier on which its next copy waits. */
      readonly tierMs: number;
    }
  | FinalFailure;

interface FinalFailure {
  readonly status: 'failed' | 'parked';
  readonly code: string;
}

export type DeliveryState =
  | { readonly step: 'received' }
  | { readonly step: 'queueing' | 'acquiring'; readonly isOverdue: boolean }
  | { readonly step: 'claiming'; readonly turn: ProviderTurn }
  | { readonly step: 'sending' }
  | {
      readonly step: 'recording';
      readonly conclusion: Conclusion;
      readonly attempts: readonly AttemptRecord[];
      /** Whether its dead letter is on the log already. */
      readonly isBuried?: true;
    }
  | { readonly step: 'following-up' }
  | { readonly step: 'ended'; readonly outcome: Outcome };

export type DeliveryEvent =
  | { readonly kind: 'copy-read'; readonly situation: Situation }
  | { readonly kind: 'first-in-line' | 'queued' }
  | { readonly kind: 'provider-acquired'; readonly turn: ProviderTurn }
  | { readonly kind: 'no-send-slot' | 'no-eligible-provider' }
  /** `isUnserved`: no provider of the channel has been available for the whole time limit. */
  | { readonly kind: 'no-provider'; readonly isUnserved: boolean }
  /** Only some of the channel's providers may be called after an unknown outcome, and these are not available now. */
  | { readonly kind: 'eligible-unavailable'; readonly afterMs: number; readonly nowMs: number }
  /** `leaseEndsMs`: on the monotonic clock. */
  | { readonly kind: 'claimed'; readonly leaseEndsMs: number }
  | { readonly kind: 'claim-lost' | 'nothing-sent' }
  | { readonly kind: 'round-ended'; readonly round: RoundResult; readonly times: Times }
  | { readonly kind: 'outcome-recorded' | 'outcome-superseded' | 'follow-up-written' }
  /** No retry tier can take the copy, which was to begin the round `attempt`. */
  | {
      readonly kind: 'retry-copy-rejected';
      readonly code: string;
      readonly attempt: number;
      readonly attempts: readonly AttemptRecord[];
    };

export type DeliveryEffect =
  | { readonly kind: 'check-order' }
  | { readonly kind: 'acquire-provider'; readonly isOverdue: boolean }
  | { readonly kind: 'write-intent'; readonly turn: ProviderTurn }
  | { readonly kind: 'call-providers'; readonly turn: ProviderTurn; readonly leaseEndsMs: number }
  /** Comes before the effect that writes the outcome, which does not need a provider. */
  | { readonly kind: 'release-send-slot' }
  | {
      readonly kind: 'write-outcome';
      /** The round that it concludes; undefined: that of the copy. */
      readonly attempt?: number;
      readonly conclusion: Conclusion;
      readonly attempts: readonly AttemptRecord[];
      /** False: the round belongs to another process, which may still write its outcome; the log order decides. */
      readonly isOwnRound: boolean;
    }
  | { readonly kind: 'count-outcome'; readonly conclusion: Conclusion }
  | {
      readonly kind: 'write-retry-copy';
      readonly attempt: number;
      readonly dueAtMs: number;
      readonly tierMs: number;
      readonly attempts: readonly AttemptRecord[];
    }
  | {
      readonly kind: 'write-dead-letter';
      /** The last round of the notification; undefined: that of the copy. */
      readonly attempt?: number;
      readonly code: string;
      readonly attempts: readonly AttemptRecord[];
    };

/** A state with its effects in order. The result of the last effect is the next event. */
export interface DeliveryStep {
  readonly state: DeliveryState;
  readonly effects: readonly DeliveryEffect[];
}

const TIME_LIMIT_EXCEEDED = 'time-limit-exceeded';
/** Code of a round without an outcome whose lease has expired. */
const LEASE_OVER = 'lease-over';

/** For a notification that another process is sending: its outcome usually arrives long before its lease expires. */
const LEASED_RETRY_MS = 1_000;
const IN_PROGRESS_RETRY_MS = 250;
/** After a lost claim, when the outcome of the other process may arrive soon; or without a provider. */
const SOON_RETRY_MS = 100;
const NO_SLOT_RETRY_MS = 1_000;

const WAITS = createProblem('not-ready', { detail: 'the notification waits' });
/** The end of a notification that may have been sent. */
export const PARKED: FinalFailure = { status: 'parked', code: OUTCOME_UNKNOWN };
const RELEASE: DeliveryEffect = { kind: 'release-send-slot' };

/** The initial state of a delivery. */
export const RECEIVED: DeliveryState = { step: 'received' };

/** The next state and its effects, as in the table above. Throws if the event is impossible in the state, which is a bug. */
export function advance(delivery: DeliveryContext, state: DeliveryState, event: DeliveryEvent): DeliveryStep {
  const next = transition(delivery, state, event);
  if (next === undefined) throw new Error(`event ${event.kind} is impossible in state ${state.step}`);
  return next;
}

function transition(
  delivery: DeliveryContext,
  state: DeliveryState,
  event: DeliveryEvent,
): DeliveryStep | undefined {
  switch (state.step) {
    case 'received':
      return event.kind === 'copy-read' ? afterReading(delivery, event.situation) : undefined;
    case 'queueing':
      return afterQueueing(state.isOverdue, event);
    case 'acquiring':
      return afterAcquiring(delivery, state.isOverdue, event);
    case 'claiming':
      return afterClaiming(state.turn, event);
    case 'sending':
      return afterSending(delivery, event);
    case 'recording':
      return afterRecording(delivery, state, event);
    case 'following-up':
      if (event.kind === 'retry-copy-rejected') return concludeRejectedCopy(delivery, event);
      return event.kind === 'follow-up-written' ? ended(done()) : undefined;
    case 'ended':
      return undefined;
    default:
      return assertNever(state);
  }
}

/**
 * After a crash, missing records are written and existing ones are skipped. If the message may already have been sent, no
 * round is started, and the outcome is recorded as unknown.
 */
function afterReading(delivery: DeliveryContext, situation: Situation): DeliveryStep {
  const { known, channel, isInProgress, text } = situation;
  const { attempt } = delivery.copy;
  if (isInProgress) return retryLater(IN_PROGRESS_RETRY_MS);
  if (text?.isForeign === true) return deadLetter('foreign-id', []);
  if (isOfOtherChannel(channel, known)) return deadLetter('duplicate-id', []);
  if (known === undefined) return beginRound(delivery, situation);
  if (isOtherText(delivery.copy, known, text)) return deadLetter('duplicate-id', []);
  if (known.status === 'sent' || attempt < known.attempt) return ended(done());
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
        : deadLetter(known.code ?? known.status, []);
    default:
      return assertNever(known.status);
  }
}

/** Whether another text was sent, or is being sent, under the id. An operator may have edited the text of a later round. */
function isOtherText({ attempt }: DeliveryCopy, known: LedgerEntry, text: CommandText | undefined): boolean {
  const textHash = text?.textHash;
  if (textHash === undefined || known.textHash === undefined || known.textHash === textHash) return false;
  return known.status === 'sent' || attempt <= known.attempt;
}

/** A later round is a redrive, which must accept a second send if the message may have been sent. */
function isRedrive({ attempt, redriveUnknown }: DeliveryCopy, known: LedgerEntry): boolean {
  return attempt > known.attempt && (known.status === 'failed' || redriveUnknown);
}

/** An intent of this process may be renewed only if no provider was called. */
function afterIntent(delivery: DeliveryContext, known: LedgerEntry, situation: Situation): DeliveryStep {
  const { self, hasBegun, elapsedMs } = situation;
  if (known.owner === self) {
    return hasBegun ? concludeLostRound(delivery, known, situation) : beginRound(delivery, situation);
  }
  const leftMs = (known.leaseEndsMs ?? 0) - elapsedMs;
  return leftMs < 0
    ? concludeLostRound(delivery, known, situation)
    : retryLater(Math.min(leftMs + 1, LEASED_RETRY_MS));
}

/**
 * Concludes a round without an outcome. It is repeated only if the intent names a single provider that recognises ids and
 * whose settings are unchanged.
 */
function concludeLostRound(
  delivery: DeliveryContext,
  { providers, repeatableBy }: LedgerEntry,
  { times, repeatable }: Situation,
): DeliveryStep {
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
  return record(conclusion, [lost], { isOwnRound: false });
}

/** Repeats the retry copy after a crash between the outcome and its follow-up. */
function repeatRetryCopy(
  { copy, plan }: DeliveryContext,
  known: LedgerEntry,
  { nowMs }: Times,
): DeliveryStep {
  const dueAtMs = known.nextAttemptAt ?? nowMs;
  const attempts = (known.attempts ?? []).filter(
    (one) => one.attempt === copy.attempt && !copy.history.includes(one),
  );
  return retryCopy(copy, { dueAtMs, tierMs: tierFor(plan, dueAtMs - nowMs), attempts });
}

/**
 * Ends a notification whose next copy no retry tier can take. Only an outcome of the next round replaces `retrying` if the
 * message may have been sent. The dead letter comes first, since this copy is not processed again after that outcome.
 */
function concludeRejectedCopy(
  { copy }: DeliveryContext,
  { code, attempt, attempts }: Extract<DeliveryEvent, { kind: 'retry-copy-rejected' }>,
): DeliveryStep {
  const history = addAttempts(copy.history, attempts);
  const conclusion = fail({ copy: { ...copy, history } }, code);
  return {
    state: { step: 'recording', conclusion, attempts, isBuried: true },
    effects: [
      { kind: 'write-dead-letter', attempt, code: conclusion.code, attempts },
      { kind: 'write-outcome', attempt, conclusion, attempts, isOwnRound: false },
    ],
  };
}

/**
 * Starts a round. An overdue notification without an attempt is attempted once, since differing clocks may be the reason.
 */
function beginRound(delivery: DeliveryContext, situation: Situation): DeliveryStep {
  const { known, isDeadlineOver, quota, rejection, times } = situation;
  const { copy, plan } = delivery;
  if (rejection !== undefined) return record(fail(delivery, rejection), []);
  if (isDeadlineOver && copy.isOriginal && known === undefined) {
    return ended(refused(createProblem('deadline-exceeded')));
  }
  if (isDeadlineOver) return record(fail(delivery, 'deadline-exceeded'), []);
  if (quota !== undefined && known === undefined) return record(fail(delivery, quota), []);
  const isOverdue = times.ageMs > plan.timeLimitMs;
  const wasAttempted = copy.history.some(({ at }) => at >= copy.timeLimitFromMs);
  if (isOverdue && wasAttempted) return record(fail(delivery, TIME_LIMIT_EXCEEDED), []);
  return { state: { step: 'queueing', isOverdue }, effects: [{ kind: 'check-order' }] };
}

function afterQueueing(isOverdue: boolean, event: DeliveryEvent): DeliveryStep | undefined {
  if (event.kind === 'queued') return ended(done());
  if (event.kind !== 'first-in-line') return undefined;
  return { state: { step: 'acquiring', isOverdue }, effects: [{ kind: 'acquire-provider', isOverdue }] };
}

function afterAcquiring(
  delivery: DeliveryContext,
  isOverdue: boolean,
  event: DeliveryEvent,
): DeliveryStep | undefined {
  if (event.kind === 'no-send-slot') return retryLater(NO_SLOT_RETRY_MS);
  if (event.kind === 'no-eligible-provider') return record(PARKED, [], { holdsSlot: true });
  if (event.kind === 'no-provider') {
    return isOverdue && event.isUnserved
      ? record(fail(delivery, TIME_LIMIT_EXCEEDED), [], { holdsSlot: true })
      : retryLater(SOON_RETRY_MS, [RELEASE]);
  }
  if (event.kind === 'eligible-unavailable') {
    return isOverdue
      ? record(fail(delivery, TIME_LIMIT_EXCEEDED), [], { holdsSlot: true })
      : putBack(delivery, event);
  }
  if (event.kind !== 'provider-acquired') return undefined;
  const { turn } = event;
  return { state: { step: 'claiming', turn }, effects: [{ kind: 'write-intent', turn }] };
}

function afterClaiming(turn: ProviderTurn, event: DeliveryEvent): DeliveryStep | undefined {
  if (event.kind === 'claim-lost') return retryLater(SOON_RETRY_MS, [RELEASE]);
  if (event.kind !== 'claimed') return undefined;
  const { leaseEndsMs } = event;
  return { state: { step: 'sending' }, effects: [{ kind: 'call-providers', turn, leaseEndsMs }] };
}

function afterSending(delivery: DeliveryContext, event: DeliveryEvent): DeliveryStep | undefined {
  if (event.kind === 'nothing-sent') return retryLater(SOON_RETRY_MS, [RELEASE]);
  if (event.kind !== 'round-ended') return undefined;
  const { round, times } = event;
  const conclusion: Conclusion =
    round.kind === 'sent'
      ? { status: 'sent', providerMessageId: round.providerMessageId }
      : conclude(delivery, round.failure, { isRepeatable: round.isRepeatable, times });
  return record(conclusion, round.attempts, { holdsSlot: true });
}

function afterRecording(
  { copy }: DeliveryContext,
  { conclusion, attempts, isBuried }: Extract<DeliveryState, { step: 'recording' }>,
  event: DeliveryEvent,
): DeliveryStep | undefined {
  if (event.kind === 'outcome-superseded') return retryLater(SOON_RETRY_MS);
  if (event.kind !== 'outcome-recorded') return undefined;
  const counted: DeliveryEffect = { kind: 'count-outcome', conclusion };
  switch (conclusion.status) {
    case 'sent':
      return ended(done(), [counted]);
    case 'retrying': {
      const { nextAttemptAt: dueAtMs, tierMs } = conclusion;
      return retryCopy(copy, { dueAtMs, tierMs, attempts }, [counted]);
    }
    case 'failed':
    case 'parked':
      return isBuried ? ended(done(), [counted]) : deadLetter(conclusion.code, attempts, [counted]);
    default:
      return assertNever(conclusion);
  }
}

/** The conclusion of a failed round. */
function conclude(
  delivery: DeliveryContext,
  failure: Failure,
  { isRepeatable, times }: { readonly isRepeatable: boolean; readonly times: Times },
): Conclusion {
  switch (failure.kind) {
    case 'permanent':
      return fail(delivery, failure.code);
    case 'transient':
      return planNextRound(delivery, failure, times) ?? fail(delivery, TIME_LIMIT_EXCEEDED);
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

/** Fails the notification; parks it if it may have been sent in an earlier round. */
function fail({ copy }: Pick<DeliveryContext, 'copy'>, code: string): FinalFailure {
  return copy.history.some(isUnknown) ? PARKED : { status: 'failed', code };
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

function record(
  conclusion: Conclusion,
  attempts: readonly AttemptRecord[],
  {
    isOwnRound = true,
    holdsSlot = false,
  }: { readonly isOwnRound?: boolean; readonly holdsSlot?: boolean } = {},
): DeliveryStep {
  const write: DeliveryEffect = { kind: 'write-outcome', conclusion, attempts, isOwnRound };
  return {
    state: { step: 'recording', conclusion, attempts },
    effects: holdsSlot ? [RELEASE, write] : [write],
  };
}

function retryCopy(
  { attempt }: DeliveryCopy,
  next: Pick<Extract<DeliveryEffect, { kind: 'write-retry-copy' }>, 'dueAtMs' | 'tierMs' | 'attempts'>,
  before: readonly DeliveryEffect[] = [],
): DeliveryStep {
  const write: DeliveryEffect = { kind: 'write-retry-copy', attempt: attempt + 1, ...next };
  return { state: { step: 'following-up' }, effects: [...before, write] };
}

/** The copy waits on a tier for its provider, which consumes no attempt, so that others of its partition are sent. */
function putBack(
  { copy, plan }: DeliveryContext,
  { afterMs, nowMs }: Extract<DeliveryEvent, { kind: 'eligible-unavailable' }>,
): DeliveryStep {
  const tierMs = tierFor(plan, afterMs);
  const { attempt } = copy;
  const write = { kind: 'write-retry-copy', attempt, dueAtMs: nowMs + tierMs, tierMs, attempts: [] } as const;
  return { state: { step: 'following-up' }, effects: [RELEASE, write] };
}

function deadLetter(
  code: string,
  attempts: readonly AttemptRecord[],
  before: readonly DeliveryEffect[] = [],
): DeliveryStep {
  const write: DeliveryEffect = { kind: 'write-dead-letter', code, attempts };
  return { state: { step: 'following-up' }, effects: [...before, write] };
}

function retryLater(afterMs: number, effects: readonly DeliveryEffect[] = []): DeliveryStep {
  return ended(retry(afterMs, WAITS), effects);
}

function ended(outcome: Outcome, effects: readonly DeliveryEffect[] = []): DeliveryStep {
  return { state: { step: 'ended', outcome }, effects };
}
