import type { DeadLetters } from '../../../shared/messaging/handler/dead-letter.ts';
import { type Request, DEADLINE_SKEW_MS, readRequest } from '../../../shared/messaging/handler/request.ts';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { MessageHeaders } from '../../../shared/messaging/message.ts';
import { type Outcome, isTransientFailure } from '../../../shared/messaging/outcome.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';
import { isPromise, type SyncOrAsync } from '../../../shared/platform/sync-or-async.ts';
import type { Channel, Outbound, Priority } from '../../../shared/notification/command.ts';
import type { CommandText, createCommandCheck } from '../../../shared/notification/command-proof.ts';
import {
  OUTCOME_UNKNOWN,
  type AttemptRecord,
  type NotificationState,
  type NotificationStatus,
} from '../../../shared/notification/notification-state.ts';
import type { GuardedProvider, Providers } from '../../../shared/notification/provider.ts';
import { openDeadline } from '../../../shared/platform/deadline.ts';
import { assertNever, InfrastructureError, MessagingError } from '../../../shared/platform/errors.ts';
import { warningsList } from '../../../shared/platform/header-text.ts';
import type { Log } from '../../../shared/platform/log.ts';
import { sleep } from '../../../shared/platform/timers.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ReceiverOrder } from '../ordering/receiver-order.ts';
import { UPSTREAM } from '../../../shared/quotas/usage-record.ts';
import type { Quota, Quotas } from '../../../shared/quotas/quotas.ts';
import { addAttempts, isUnknown } from '../../../shared/notification/attempt-history.ts';
import { deadCopy, retryCopy, withLedgerAttempts, type CommandCopy } from '../state/command-copy.ts';
import {
  acceptsSecondSend,
  advance,
  PARKED,
  RECEIVED,
  type DeliveryContext,
  type DeliveryEffect,
  type DeliveryEvent,
  type DeliveryStep,
  type ProviderTurn,
  type Situation,
  type Times,
} from '../state/delivery-state-machine.ts';
import { PrioritySlots, type SlotLimits } from '../providers/common/priority-slots.ts';
import type { LedgerEntry } from '../state/ledger-entry.ts';
import type { RetryPlan } from '../state/retry-plan.ts';
import {
  brokenRound,
  callProviders,
  eligibleProviders,
  leaseMs,
  repeatableBy,
  takeTurn,
  type RoundDeps,
} from './provider-round.ts';

export interface CommandDeliveryOptions extends RoundDeps {
  readonly channel: Channel;
  readonly ledger: Ledger;
  /** The order of the receivers, which holds within a priority. */
  readonly orders: Readonly<Record<Priority, Pick<ReceiverOrder, 'enqueue' | 'setHead'>>>;
  readonly providers: Providers;
  /** Publishes copies to the retry tiers. */
  readonly copies: Publisher;
  readonly deadLetters: Readonly<Record<Priority, DeadLetters>>;
  readonly checkText: ReturnType<typeof createCommandCheck>;
  /** Undefined: no quota is configured. */
  readonly quotas?: Quotas | undefined;
  readonly plan: RetryPlan;
  readonly unknownPolicy: DeliveryContext['unknownPolicy'];
  /** Name of the tier topic for a delay. */
  readonly tierTopic: (delayMs: number, priority: Priority) => string;
  /** This process, as owner of intents. */
  readonly self: string;
  /** Aborted when the worker accepts no new work. */
  readonly closing: AbortSignal;
  readonly onOutcome: (channel: Channel, status: NotificationStatus, code: string | undefined) => void;
  readonly onDeadLetter: (code: string, priority: Priority) => void;
  readonly log: Log;
}

/** How long a copy waits for a send slot, and then for a provider, before it is received again. */
const MAX_PROVIDER_WAIT_MS = 10_000;
/** Reading what is on the ledger's topic takes milliseconds; after this time the copy is received again. */
const LEDGER_READ_MS = 5_000;
/** Interval between checks while it waits. */
const PROVIDER_CHECK_MS = 1_000;

/** Rounds per call that a provider can serve: one is being sent while the intents and outcomes of the others are written. */
const ROUNDS_PER_CALL = 3;
/** As many more are reserved for urgent rounds, which therefore do not wait for normal ones. */
const URGENT_ROUNDS_PER_CALL = 1;

/** One run of the state machine. */
interface Run {
  readonly delivery: DeliveryContext & { readonly copy: CommandCopy };
  /** Undefined: no round begins. */
  readonly message: Outbound | undefined;
  /** What the records of the notification say besides its state: the hash of its text, and the unknown members of its command. */
  readonly headers: MessageHeaders;
  readonly signal: AbortSignal;
  holdsSlot: boolean;
}

/**
 * Runs the state machine (state/delivery-state-machine.ts) for the copies of one channel's commands. Both priorities share it, so that
 * commands with the same id are recognised whatever their topics.
 */
export class CommandDelivery {
  /** Ids of the notifications that are being delivered. */
  readonly inProgress = new Set<string>();
  /** Notifications that reached a provider and whose outcome is not on the log: no other round of them is started. */
  readonly #begun = new Set<string>();
  readonly #slots: PrioritySlots;
  readonly #options: CommandDeliveryOptions;
  /** When a provider of the channel was last available, on the monotonic clock. */
  #servedMs: number;

  constructor(options: CommandDeliveryOptions) {
    this.#options = options;
    this.#servedMs = options.monotonic.elapsedMs();
    const { providers, channel } = options;
    this.#slots = new PrioritySlots(() => roundLimits(providers.of(channel)));
  }

  /** Delivers a copy. Rejects when the infrastructure is unavailable: the same copy is then received again. */
  async deliver(given: CommandCopy, message: Outbound, context: Request): Promise<Outcome> {
    const { signal, deadlineMs, warnings = [] } = context;
    const text = this.#textOf(given, message);
    const list = warningsList(warnings, undefined);
    const headers = {
      ...(text.textHash === undefined ? {} : { [HEADER.textHash]: text.textHash }),
      ...(list === undefined ? {} : { [HEADER.warnings]: list }),
    };
    try {
      const quota = await this.#exceededQuota(given, message);
      return await this.#run(given, { message, headers, signal }, { quota, deadlineMs, text });
    } catch (error) {
      const failure = asTransient(error);
      if (!isTransientFailure(failure)) await this.#recordUnexpected(given);
      throw failure;
    }
  }

  /**
   * Ends the notification of a copy with which no round can begin, as failed or parked, unless it is the `command` of another
   * system under an id of the ingress. Rejects like `deliver`.
   */
  async reject(
    given: CommandCopy,
    rejection: string,
    signal: AbortSignal,
    command?: Outbound,
  ): Promise<Outcome> {
    const text = command === undefined ? undefined : this.#textOf(given, command);
    try {
      return await this.#run(given, { message: undefined, headers: {}, signal }, { rejection, text });
    } catch (error) {
      throw asTransient(error);
    }
  }

  #textOf({ id, message: { headers } }: CommandCopy, command: Outbound): CommandText {
    return this.#options.checkText(id, command, headerText(headers, HEADER.commandProof));
  }

  async #run(
    given: CommandCopy,
    run: Pick<Run, 'message' | 'headers' | 'signal'>,
    limits: Pick<Situation, 'quota' | 'rejection' | 'text'> & { readonly deadlineMs?: number | undefined },
  ): Promise<Outcome> {
    const { ledger, clock, plan, unknownPolicy } = this.#options;
    if (isLedgerBehind(given, ledger)) await ledger.caughtUp(LEDGER_READ_MS);
    const known = ledger.find(given.id) ?? (isMissable(given, ledger) ? lostEntry(given) : undefined);
    const copy = withLedgerAttempts(given, known, clock.now());
    const delivery = { copy, plan, unknownPolicy };
    const event = this.#copyRead(copy, { known, ...limits });
    return await this.#finish({ ...run, delivery, holdsSlot: false }, advance(delivery, RECEIVED, event));
  }

  async #finish(run: Run, first: DeliveryStep): Promise<Outcome> {
    const { id } = run.delivery.copy;
    let { state, effects } = first;
    // Another copy of the notification may be in progress, so its entry must not be replaced.
    if (state.step === 'ended') return state.outcome;
    this.inProgress.add(id);
    try {
      for (;;) {
        let event: DeliveryEvent | undefined;
        for (const effect of effects) {
          const result = this.#perform(run, effect);
          event = isPromise(result) ? await result : result;
        }
        if (state.step === 'ended') return state.outcome;
        if (event === undefined) throw new Error(`no event follows the state ${state.step}`);
        ({ state, effects } = advance(run.delivery, state, event));
      }
    } finally {
      this.#releaseSlot(run);
      this.inProgress.delete(id);
    }
  }

  /**
   * The quota that a new command of an upstream system would exceed (N6); the ingress has counted those that it accepted.
   * Rejects when the counts cannot be read or written: the copy is then received again.
   */
  async #exceededQuota(copy: CommandCopy, command: Outbound): Promise<Quota | undefined> {
    const { quotas, ledger, copies, channel } = this.#options;
    const { id, message } = copy;
    if (quotas === undefined || !copy.isOriginal || ledger.find(id) !== undefined) return undefined;
    if (headerText(message.headers, HEADER.quotaCounted) === 'true') return undefined;
    const decision = quotas.admit(id, { caller: UPSTREAM, channel, command });
    switch (decision.kind) {
      case 'admitted':
        if (decision.record !== undefined) await copies.publish([decision.record]);
        return undefined;
      case 'refused':
        return decision.quota;
      case 'unknown':
        throw new InfrastructureError('quotas-unknown', 'the usage topic is not being read');
      default:
        return assertNever(decision);
    }
  }

  #copyRead(
    copy: CommandCopy,
    {
      deadlineMs,
      ...given
    }: Pick<Situation, 'known' | 'quota' | 'rejection' | 'text'> & {
      readonly deadlineMs?: number | undefined;
    },
  ): DeliveryEvent {
    const { monotonic, clock, self, channel, providers } = this.#options;
    const situation = {
      ...given,
      channel,
      self,
      elapsedMs: monotonic.elapsedMs(),
      times: this.#times(copy),
      isInProgress: this.inProgress.has(copy.id),
      hasBegun: this.#begun.has(copy.id),
      isDeadlineOver: deadlineMs !== undefined && clock.now() > deadlineMs + DEADLINE_SKEW_MS,
      repeatable: providers.of(channel).flatMap((provider) => repeatableBy(provider) ?? []),
    };
    return { kind: 'copy-read', situation };
  }

  #times({ timeLimitFromMs }: CommandCopy): Times {
    const nowMs = this.#options.clock.now();
    return { nowMs, ageMs: nowMs - timeLimitFromMs };
  }

  #perform(run: Run, effect: DeliveryEffect): SyncOrAsync<DeliveryEvent | undefined> {
    const { copy } = run.delivery;
    switch (effect.kind) {
      case 'check-order':
        return this.#options.orders[copy.priority].enqueue(copy).then((kind) => ({ kind }));
      case 'acquire-provider':
        return this.#acquireProvider(run, effect.isOverdue);
      case 'write-intent':
        return this.#claim(run, effect.turn);
      case 'call-providers':
        return this.#callProviders(run, effect);
      case 'release-send-slot':
        this.#releaseSlot(run);
        return undefined;
      case 'write-outcome':
        return this.#writeOutcome(copy, effect, run.headers);
      case 'count-outcome': {
        const { conclusion } = effect;
        const code = conclusion.status === 'sent' ? undefined : conclusion.code;
        this.#options.onOutcome(this.#options.channel, conclusion.status, code);
        return undefined;
      }
      case 'write-retry-copy':
        return this.#writeRetryCopy(copy, effect);
      case 'write-dead-letter':
        return this.#writeDeadLetter(copy, effect);
      default:
        return assertNever(effect);
    }
  }

  /**
   * Waits for a send slot, then for a provider. An overdue notification checks only once when no provider has been
   * available for the whole time limit. One that only some of the providers may send does not wait here while these are
   * down, since notifications behind it can be sent by the others.
   */
  async #acquireProvider(run: Run, isOverdue: boolean): Promise<DeliveryEvent> {
    const { providers, channel, closing, clock, monotonic, timers } = this.#options;
    const { copy } = run.delivery;
    const { priority } = copy;
    run.holdsSlot = await this.#enterSlot(priority);
    if (!run.holdsSlot) return { kind: 'no-send-slot' };
    const isUnserved = this.#isUnserved();
    const untilMs = monotonic.elapsedMs() + (isUnserved && isOverdue ? 0 : MAX_PROVIDER_WAIT_MS);
    while (!closing.aborted) {
      const all = providers.of(channel);
      const eligible = eligibleProviders(all, copy.history, acceptsSecondSend(run.delivery));
      if (all.length > 0 && eligible.length === 0) return { kind: 'no-eligible-provider' };
      const taken = takeTurn(eligible, priority);
      if (taken.kind === 'go') {
        return { kind: 'provider-acquired', turn: { providers: eligible, first: taken.index } };
      }
      const isOver = monotonic.elapsedMs() >= untilMs;
      if (eligible.length < all.length && (isOver || taken.kind === 'open')) {
        return { kind: 'eligible-unavailable', afterMs: taken.afterMs, nowMs: clock.now() };
      }
      if (isOver) break;
      await sleep(timers, Math.min(taken.afterMs, PROVIDER_CHECK_MS), closing);
    }
    return { kind: 'no-provider', isUnserved };
  }

  async #enterSlot(priority: Priority): Promise<boolean> {
    using deadline = openDeadline(this.#options.closing, MAX_PROVIDER_WAIT_MS, this.#options.timers);
    return await this.#slots.enter(priority, deadline.signal);
  }

  /** Whether no provider has been available for the whole time limit. */
  #isUnserved(): boolean {
    const { providers, channel, monotonic, plan } = this.#options;
    const nowMs = monotonic.elapsedMs();
    if (providers.of(channel).some((provider) => provider.health().status === 'ready'))
      this.#servedMs = nowMs;
    return nowMs - this.#servedMs > plan.timeLimitMs;
  }

  #releaseSlot(run: Run): void {
    if (!run.holdsSlot) return;
    run.holdsSlot = false;
    this.#slots.leave(run.delivery.copy.priority);
  }

  /** The intent names the providers that may be called, and the one that may be called again if no outcome follows. */
  async #claim({ delivery, headers }: Run, { providers, first }: ProviderTurn): Promise<DeliveryEvent> {
    const { copy } = delivery;
    const { ledger, clock, monotonic, self, sendTimeoutMs } = this.#options;
    const callable = providers.slice(first);
    const [only] = callable;
    const lengthMs = leaseMs(callable.length, sendTimeoutMs);
    const leaseEndsMs = monotonic.elapsedMs() + lengthMs;
    const intent = this.#stateOf(copy, [], {
      status: 'sending',
      owner: self,
      leaseUntil: clock.now() + lengthMs,
      providers: callable.map(({ name }) => name),
      repeatableBy: only !== undefined && callable.length === 1 ? repeatableBy(only) : undefined,
    });
    return (await ledger.claim(intent, copy.priority, headers))
      ? { kind: 'claimed', leaseEndsMs }
      : { kind: 'claim-lost' };
  }

  async #callProviders(
    { delivery, message, signal }: Run,
    { turn, leaseEndsMs }: Extract<DeliveryEffect, { kind: 'call-providers' }>,
  ): Promise<DeliveryEvent> {
    const { clock, log } = this.#options;
    const { id, attempt, priority } = delivery.copy;
    if (message === undefined) throw new Error('a rejected copy cannot be sent');
    this.#begun.add(id);
    const given = { message, priority, attempt, turn, leaseEndsMs, signal };
    const round = await callProviders(given, this.#options).catch((error: unknown) => {
      log.error({ err: error }, 'a round of delivery failed unexpectedly; its outcome is unknown');
      return brokenRound(attempt, clock.now());
    });
    if (round !== undefined) return { kind: 'round-ended', round, times: this.#times(delivery.copy) };
    this.#begun.delete(id);
    return { kind: 'nothing-sent' };
  }

  /** Resolves when the outcome is on the log; with `outcome-superseded` when another outcome precedes it. */
  async #writeOutcome(
    copy: CommandCopy,
    {
      conclusion,
      attempts,
      isOwnRound,
      attempt = copy.attempt,
    }: Extract<DeliveryEffect, { kind: 'write-outcome' }>,
    headers: MessageHeaders = {},
  ): Promise<DeliveryEvent> {
    const { ledger } = this.#options;
    const { status } = conclusion;
    const state = this.#stateOf(copy, attempts, {
      attempt,
      status,
      code: status === 'sent' ? undefined : conclusion.code,
      providerMessageId: status === 'sent' ? conclusion.providerMessageId : undefined,
      nextAttemptAt: status === 'retrying' ? conclusion.nextAttemptAt : undefined,
    });
    if (isOwnRound) await ledger.settle(state, headers);
    else if (!(await ledger.declare(state, headers))) return { kind: 'outcome-superseded' };
    this.#begun.delete(copy.id);
    return { kind: 'outcome-recorded' };
  }

  /** Can be repeated: the ledger recognises copies of the same round. A copy that its tier can never take ends the notification. */
  async #writeRetryCopy(
    copy: CommandCopy,
    { attempt, dueAtMs, tierMs, attempts }: Extract<DeliveryEffect, { kind: 'write-retry-copy' }>,
  ): Promise<DeliveryEvent> {
    const { copies, tierTopic, orders } = this.#options;
    const topic = tierTopic(tierMs, copy.priority);
    try {
      await copies.publish([retryCopy(copy, { topic, attempt, dueAtMs, attempts })]);
    } catch (error) {
      if (!isCausedByMessage(error)) throw error;
      return { kind: 'retry-copy-rejected', code: error.code, attempt, attempts };
    }
    await orders[copy.priority].setHead(copy, attempt);
    return { kind: 'follow-up-written' };
  }

  async #writeDeadLetter(
    copy: CommandCopy,
    { code, attempts, attempt = copy.attempt }: Extract<DeliveryEffect, { kind: 'write-dead-letter' }>,
  ): Promise<DeliveryEvent> {
    const { deadLetters, onDeadLetter } = this.#options;
    const { signal } = new AbortController();
    const request = {
      ...readRequest(deadCopy({ ...copy, attempt }, attempts), attempt, signal),
      originTimestampMs: copy.originTimestampMs,
    };
    await deadLetters[copy.priority].write(request, { code, text: deadLetterText(code) });
    onDeadLetter(code, copy.priority);
    return { kind: 'follow-up-written' };
  }

  /** Records the end of a notification whose delivery failed unexpectedly; its consumer writes the dead letter. */
  async #recordUnexpected(given: CommandCopy): Promise<void> {
    const { ledger, clock, log } = this.#options;
    try {
      const copy = withLedgerAttempts(given, ledger.find(given.id), clock.now());
      const attempts = this.#begun.has(copy.id) ? brokenRound(copy.attempt, clock.now()).attempts : [];
      const mayBeSent = [...copy.history, ...attempts].some(isUnknown);
      const conclusion = mayBeSent ? PARKED : ({ status: 'failed', code: 'unexpected' } as const);
      await this.#writeOutcome(copy, { kind: 'write-outcome', conclusion, attempts, isOwnRound: false });
    } catch (error) {
      if (isTransientFailure(error)) throw error;
      log.error(
        { err: error },
        'the end of a notification whose delivery failed unexpectedly was not recorded',
      );
    }
  }

  /** A state of the copy's notification; fields that are not given are undefined. */
  #stateOf(
    copy: CommandCopy,
    attempts: readonly AttemptRecord[],
    given: Pick<NotificationState, 'status'> & Partial<NotificationState>,
  ): NotificationState {
    return {
      notificationId: copy.id,
      channel: this.#options.channel,
      attempt: copy.attempt,
      attempts: addAttempts(copy.history, attempts),
      updatedAt: this.#options.clock.now(),
      nextAttemptAt: undefined,
      providerMessageId: undefined,
      code: undefined,
      owner: undefined,
      leaseUntil: undefined,
      ...given,
    };
  }
}

/**
 * The concurrent rounds of a channel, by the concurrency of its largest provider; unlimited if one declares none, or if there is no
 * provider. Without a limit, all deliveries would write intents and then queue inside the provider, and a crash of the process
 * would leave all their outcomes unknown.
 */
function roundLimits(providers: readonly GuardedProvider[]): SlotLimits {
  const most = Math.max(0, ...providers.map(({ concurrency = Infinity }) => concurrency));
  const calls = most === 0 ? Infinity : most;
  return { normal: calls * ROUNDS_PER_CALL, all: calls * (ROUNDS_PER_CALL + URGENT_ROUNDS_PER_CALL) };
}

/** What is known about the sending of a dead letter's notification. */
function deadLetterText(code: string): string {
  switch (code) {
    case OUTCOME_UNKNOWN:
      return 'the notification may have been sent: a provider was called and its answer is not known';
    case 'duplicate-id':
      return 'this notification was not sent: its id is that of another one';
    case 'foreign-id':
      return 'this notification was not sent: it was not written by the ingress, to which ids of version 8 belong, or with another RESULT_ID_SECRET';
    default:
      return `the notification was not sent: ${code}`;
  }
}

/**
 * Whether this process has not read the outcome of the round before that of the copy: its copy is written after it. What it
 * knows, such as its own assumption that the outcome is unknown, may be replaced by it. A redrive has no such outcome.
 */
function isLedgerBehind({ id, attempt }: CommandCopy, ledger: Ledger): boolean {
  const known = attempt > 1 ? ledger.find(id) : undefined;
  const mayBeReplaced = known?.status === 'sending' || known?.status === 'parked';
  return mayBeReplaced && known.attempt < attempt;
}

/** Whether the ledger may have lost the entry of a copy for which no operator accepts a second send. */
function isMissable({ originTimestampMs, redriveUnknown }: CommandCopy, ledger: Ledger): boolean {
  return !redriveUnknown && ledger.mayMiss(originTimestampMs);
}

/** What is lost may be the intent of a round that was sent: its outcome is unknown. */
function lostEntry({ attempt }: CommandCopy): LedgerEntry {
  return { status: 'sending', attempt, owner: '-', leaseEndsMs: Number.NEGATIVE_INFINITY };
}

/** Codes of failures that the message itself causes, so that a retry cannot succeed. */
const CAUSED_BY_MESSAGE: ReadonlySet<string> = new Set(['message-too-large', 'invalid-message']);

/**
 * If the broker rejects a record for any reason other than the message itself, treats this as unavailable
 * infrastructure: the notification keeps its place and its state in the ledger, and does not end as an unexpected
 * failure.
 */
function asTransient(error: unknown): unknown {
  if (isCausedByMessage(error) || isTransientFailure(error)) return error;
  return error instanceof MessagingError ? new InfrastructureError(error.code, error.message, error) : error;
}

function isCausedByMessage(error: unknown): error is MessagingError {
  return error instanceof MessagingError && CAUSED_BY_MESSAGE.has(error.code);
}
