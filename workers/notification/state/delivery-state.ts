/**
 * The delivery of notifications as one state machine. Pure: time, ledger and providers arrive in the events.
 * delivery/command-delivery.ts runs the machine: it performs the effects and feeds their results back as events.
 *
 * The status of a notification on the log (the outcome topic) changes only in these ways; `supersedes` (ledger-entry.ts)
 * decides between two records, so that all processes agree on it:
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
 * | received  | copy-read: sent, or a later round known | ended        | commit                                   |
 * |           | in progress here, or leased elsewhere  | ended        | look again                               |
 * |           | this round ended in a retry            | following-up | retry copy, once more                    |
 * |           | failed or parked, no redrive           | following-up | dead letter, once more                   |
 * |           | id belongs to the other channel        | following-up | dead letter `duplicate-id`               |
 * |           | intent without outcome, lease over     | recording    | outcome parked or retrying, by log order |
 * |           | deadline passed, never seen before     | ended        | refuse                                   |
 * |           | deadline or time limit passed          | recording    | outcome failed                           |
 * |           | else                                   | queueing     | check the order of the receiver          |
 * | queueing  | queued                                 | ended        | commit: it is kept on the hold topic     |
 * |           | queue-full                             | recording    | outcome failed                           |
 * |           | first-in-line                          | acquiring    | acquire a send slot and a provider       |
 * | acquiring | no-send-slot                           | ended        | look again                               |
 * |           | no-provider                            | ended        | look again                               |
 * |           | no-provider for the whole time limit   | recording    | outcome failed                           |
 * |           | no-eligible-provider                   | recording    | outcome parked                           |
 * |           | provider-acquired                      | claiming     | write the intent and read it back        |
 * | claiming  | claim-lost: another intent came first  | ended        | look again                               |
 * |           | claimed                                | sending      | call the providers                       |
 * | sending   | nothing-sent: lease too short          | ended        | look again                               |
 * |           | round-ended: sent                      | recording    | outcome sent                             |
 * |           | round-ended: rejected                  | recording    | outcome failed                           |
 * |           | round-ended: transient                 | recording    | outcome retrying, or failed: no time left |
 * |           | round-ended: outcome unknown           | recording    | outcome parked; retrying if repeatable   |
 * | recording | outcome-superseded                     | ended        | look again                               |
 * |           | outcome-recorded: sent                 | ended        | commit                                   |
 * |           | outcome-recorded: retrying             | following-up | retry copy                               |
 * |           | outcome-recorded: failed, parked       | following-up | dead letter                              |
 * | following-up | follow-up-written                   | ended        | commit                                   |
 *
 * An effect that fails for lack of infrastructure ends the run without a commit: the copy is received again, and what was
 * written by then is found on the log. A notification that may have been sent once never ends as failed, but as parked.
 */

import { done, refused, retry, type Outcome } from '../../../shared/messaging/outcome.ts';
import type { AttemptRecord, NotificationState } from '../../../shared/notification/notification-state.ts';
import type { GuardedProvider } from '../../../shared/notification/provider.ts';
import { createProblem } from '../../../shared/platform/problem.ts';
import { assertNever } from '../../../shared/platform/errors.ts';
import { isUnknown } from './attempt-history.ts';
import { isOfOtherChannel, type LedgerEntry } from './ledger-entry.ts';
import { planRetry, tierFor, type RetryPlan } from './retry-plan.ts';

/** What stays the same during the delivery of one copy. */
export interface DeliveryContext {
  readonly copy: DeliveryCopy;
  readonly plan: RetryPlan;
  /** What to do with unknown outcomes: park them, or accept that a message is sent twice. */
  readonly unknownPolicy: 'park' | 'resend';
}

/** What decisions need of a copy of a command. */
export interface DeliveryCopy {
  /** Round of delivery that it asks for, counted from 1. */
  readonly attempt: number;
  /** As it was sent to us, not one of our own copies. */
  readonly isOriginal: boolean;
  /** An operator accepts that it may be sent twice. */
  readonly redriveUnknown: boolean;
  /** Epoch milliseconds from which its time limit counts: its origin, or its redrive by an operator. */
  readonly timeLimitFromMs: number;
  readonly history: readonly AttemptRecord[];
}

/** Epoch milliseconds by the wall clock, and how long ago the time limit began. */
export interface Times {
  readonly nowMs: number;
  readonly ageMs: number;
}

/** What is known when a copy has been read. */
export interface Situation {
  readonly known: LedgerEntry | undefined;
  /** The channel whose commands are handled. */
  readonly channel: NotificationState['channel'];
  /** This process, as owner of intents. */
  readonly self: string;
  /** Now, on this process's monotonic clock. */
  readonly elapsedMs: number;
  readonly times: Times;
  /** This process is delivering another copy of the notification. */
  readonly isInProgress: boolean;
  /** A round of this process has reached a provider, and its outcome is not on the log. */
  readonly hasBegun: boolean;
  readonly isDeadlineOver: boolean;
  /** Of the providers configured now, those that recognise repeated ids, by `repeatableBy`. */
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
      /** The provider that answered last recognises the id: asking it once more delivers once. */
      readonly isRepeatable: boolean;
    };

/** The providers that a round may call, and the one whose turn was taken. */
export interface ProviderTurn {
  readonly providers: readonly GuardedProvider[];
  readonly first: number;
}

/** How a notification goes on after a round. */
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
  | { readonly status: 'failed' | 'parked'; readonly code: string };

export type DeliveryState =
  | { readonly step: 'received' }
  | { readonly step: 'queueing' | 'acquiring'; readonly isOverdue: boolean }
  | { readonly step: 'claiming'; readonly turn: ProviderTurn }
  | { readonly step: 'sending' }
  | {
      readonly step: 'recording';
      readonly conclusion: Conclusion;
      readonly attempts: readonly AttemptRecord[];
    }
  | { readonly step: 'following-up' }
  | { readonly step: 'ended'; readonly outcome: Outcome };

export type DeliveryEvent =
  | { readonly kind: 'copy-read'; readonly situation: Situation }
  | { readonly kind: 'first-in-line' | 'queued' | 'queue-full' }
  | { readonly kind: 'provider-acquired'; readonly turn: ProviderTurn }
  | { readonly kind: 'no-send-slot' | 'no-eligible-provider' }
  /** `isUnserved`: no provider of the channel has been in order for as long as the time limit. */
  | { readonly kind: 'no-provider'; readonly isUnserved: boolean }
  /** `leaseEndsMs`: on the monotonic clock. */
  | { readonly kind: 'claimed'; readonly leaseEndsMs: number }
  | { readonly kind: 'claim-lost' | 'nothing-sent' }
  | { readonly kind: 'round-ended'; readonly round: RoundResult; readonly times: Times }
  | { readonly kind: 'outcome-recorded' | 'outcome-superseded' | 'follow-up-written' };

export type DeliveryEffect =
  | { readonly kind: 'check-order' }
  | { readonly kind: 'acquire-provider'; readonly isOverdue: boolean }
  | { readonly kind: 'write-intent'; readonly turn: ProviderTurn }
  | { readonly kind: 'call-providers'; readonly turn: ProviderTurn; readonly leaseEndsMs: number }
  /** Nothing is sent any more: writing the outcome needs no provider. */
  | { readonly kind: 'release-send-slot' }
  | {
      readonly kind: 'write-outcome';
      readonly conclusion: Conclusion;
      readonly attempts: readonly AttemptRecord[];
      /** False: the round was another process's, which may still report; the order of the log decides. */
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
      readonly code: string;
      readonly attempts: readonly AttemptRecord[];
    };

/** A state and what has to be done in it, in order. The result of the last effect is the next event. */
export interface DeliveryStep {
  readonly state: DeliveryState;
  readonly effects: readonly DeliveryEffect[];
}

/** Code of notifications that may or may not have been sent. */
export const OUTCOME_UNKNOWN = 'outcome-unknown';
const TIME_LIMIT_EXCEEDED = 'time-limit-exceeded';
/** A round whose process is gone, and whose lease is over. */
const LEASE_OVER = 'lease-over';

/** A notification that is being sent elsewhere: usually its outcome comes long before the end of its lease. */
const LEASED_LOOK_MS = 1_000;
const IN_PROGRESS_LOOK_MS = 250;
/** After a lost claim, by when the outcome of the other process may be there; or without a provider. */
const LOOK_SOON_MS = 100;
const NO_SLOT_LOOK_MS = 1_000;

const WAITS = createProblem('not-ready', { detail: 'the notification waits' });
const PARKED: Conclusion = { status: 'parked', code: OUTCOME_UNKNOWN };
const RELEASE: DeliveryEffect = { kind: 'release-send-slot' };

/** The state in which a delivery begins. */
export const RECEIVED: DeliveryState = { step: 'received' };

/** The next state and its effects, as in the table above. Throws for an event that cannot come in a state: a bug. */
export function advance(delivery: DeliveryContext, state: DeliveryState, event: DeliveryEvent): DeliveryStep {
  const next = transition(delivery, state, event);
  if (next === undefined) throw new Error(`event ${event.kind} cannot come in state ${state.step}`);
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
      return afterQueueing(delivery, state.isOverdue, event);
    case 'acquiring':
      return afterAcquiring(delivery, state.isOverdue, event);
    case 'claiming':
      return afterClaiming(state.turn, event);
    case 'sending':
      return afterSending(delivery, event);
    case 'recording':
      return afterRecording(delivery, state, event);
    case 'following-up':
      return event.kind === 'follow-up-written' ? ended(done()) : undefined;
    case 'ended':
      return undefined;
    default:
      return assertNever(state);
  }
}

/**
 * Whatever was written before a crash is written again or passed over, so that nothing is lost. No round is begun whose
 * message may have been sent already; it is concluded as one of unknown outcome.
 */
function afterReading(delivery: DeliveryContext, situation: Situation): DeliveryStep {
  const { known, channel, isInProgress } = situation;
  const { attempt } = delivery.copy;
  if (isInProgress) return lookAgain(IN_PROGRESS_LOOK_MS);
  if (isOfOtherChannel(channel, known)) return deadLetter('duplicate-id', []);
  if (known === undefined) return beginRound(delivery, situation);
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

/** A later round after the end is an operator's, who has to say so where the message may have been sent. */
function isRedrive({ attempt, redriveUnknown }: DeliveryCopy, known: LedgerEntry): boolean {
  return attempt > known.attempt && (known.status === 'failed' || redriveUnknown);
}

/** An intent of this process may be renewed only where no provider was called with it. */
function afterIntent(delivery: DeliveryContext, known: LedgerEntry, situation: Situation): DeliveryStep {
  const { self, hasBegun, elapsedMs } = situation;
  if (known.owner === self) {
    return hasBegun ? concludeLostRound(delivery, known, situation) : beginRound(delivery, situation);
  }
  const leftMs = (known.leaseEndsMs ?? 0) - elapsedMs;
  return leftMs < 0
    ? concludeLostRound(delivery, known, situation)
    : lookAgain(Math.min(leftMs + 1, LEASED_LOOK_MS));
}

/**
 * A round whose outcome was never reported. It is repeated only where the intent named one provider, which recognised ids
 * and is still configured the same.
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

/** After a crash between the outcome and its follow-up. */
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

/** The age may be no more than a difference of clocks: a notification that was never attempted is attempted once. */
function beginRound(delivery: DeliveryContext, { known, isDeadlineOver, times }: Situation): DeliveryStep {
  const { copy, plan } = delivery;
  if (isDeadlineOver && copy.isOriginal && known === undefined) {
    return ended(refused(createProblem('deadline-exceeded')));
  }
  if (isDeadlineOver) return record(fail(delivery, 'deadline-exceeded'), []);
  const isOverdue = times.ageMs > plan.timeLimitMs;
  const wasAttempted = copy.history.some(({ at }) => at >= copy.timeLimitFromMs);
  if (isOverdue && wasAttempted) return record(fail(delivery, TIME_LIMIT_EXCEEDED), []);
  return { state: { step: 'queueing', isOverdue }, effects: [{ kind: 'check-order' }] };
}

function afterQueueing(
  delivery: DeliveryContext,
  isOverdue: boolean,
  event: DeliveryEvent,
): DeliveryStep | undefined {
  if (event.kind === 'queued') return ended(done());
  if (event.kind === 'queue-full') return record(fail(delivery, 'too-many-waiting'), []);
  if (event.kind !== 'first-in-line') return undefined;
  return { state: { step: 'acquiring', isOverdue }, effects: [{ kind: 'acquire-provider', isOverdue }] };
}

function afterAcquiring(
  delivery: DeliveryContext,
  isOverdue: boolean,
  event: DeliveryEvent,
): DeliveryStep | undefined {
  if (event.kind === 'no-send-slot') return lookAgain(NO_SLOT_LOOK_MS);
  if (event.kind === 'no-eligible-provider') return record(PARKED, [], { holdsSlot: true });
  if (event.kind === 'no-provider') {
    return isOverdue && event.isUnserved
      ? record(fail(delivery, TIME_LIMIT_EXCEEDED), [], { holdsSlot: true })
      : lookAgain(LOOK_SOON_MS, [RELEASE]);
  }
  if (event.kind !== 'provider-acquired') return undefined;
  const { turn } = event;
  return { state: { step: 'claiming', turn }, effects: [{ kind: 'write-intent', turn }] };
}

function afterClaiming(turn: ProviderTurn, event: DeliveryEvent): DeliveryStep | undefined {
  if (event.kind === 'claim-lost') return lookAgain(LOOK_SOON_MS, [RELEASE]);
  if (event.kind !== 'claimed') return undefined;
  const { leaseEndsMs } = event;
  return { state: { step: 'sending' }, effects: [{ kind: 'call-providers', turn, leaseEndsMs }] };
}

function afterSending(delivery: DeliveryContext, event: DeliveryEvent): DeliveryStep | undefined {
  if (event.kind === 'nothing-sent') return lookAgain(LOOK_SOON_MS, [RELEASE]);
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
  { conclusion, attempts }: Extract<DeliveryState, { step: 'recording' }>,
  event: DeliveryEvent,
): DeliveryStep | undefined {
  if (event.kind === 'outcome-superseded') return lookAgain(LOOK_SOON_MS);
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
      return deadLetter(conclusion.code, attempts, [counted]);
    default:
      return assertNever(conclusion);
  }
}

/** What comes after a failed round. */
function conclude(
  delivery: DeliveryContext,
  failure: Failure,
  { isRepeatable, times }: { readonly isRepeatable: boolean; readonly times: Times },
): Conclusion {
  switch (failure.kind) {
    case 'permanent':
      return fail(delivery, failure.code);
    case 'transient':
      return retryLater(delivery, failure, times) ?? fail(delivery, TIME_LIMIT_EXCEEDED);
    case 'unknown': {
      const mayRepeat = isRepeatable || acceptsSecondSend(delivery);
      return (mayRepeat ? retryLater(delivery, failure, times) : undefined) ?? PARKED;
    }
    default:
      return assertNever(failure);
  }
}

/** Whether an unknown outcome may be sent again by any provider: by policy, or because an operator accepts it. */
export function acceptsSecondSend({ copy, unknownPolicy }: DeliveryContext): boolean {
  return unknownPolicy === 'resend' || copy.redriveUnknown;
}

/** A notification that may have been sent in an earlier round has not failed, whatever the reason now. */
function fail({ copy }: DeliveryContext, code: string): Conclusion {
  return copy.history.some(isUnknown) ? PARKED : { status: 'failed', code };
}

function retryLater(
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

function deadLetter(
  code: string,
  attempts: readonly AttemptRecord[],
  before: readonly DeliveryEffect[] = [],
): DeliveryStep {
  const write: DeliveryEffect = { kind: 'write-dead-letter', code, attempts };
  return { state: { step: 'following-up' }, effects: [...before, write] };
}

function lookAgain(afterMs: number, effects: readonly DeliveryEffect[] = []): DeliveryStep {
  return ended(retry(afterMs, WAITS), effects);
}

function ended(outcome: Outcome, effects: readonly DeliveryEffect[] = []): DeliveryStep {
  return { state: { step: 'ended', outcome }, effects };
}
