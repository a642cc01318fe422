import type { DeadLetters } from '../../../shared/messaging/handler/dead-letter.ts';
import { isExpired } from '../../../shared/messaging/handler/request-deadline.ts';
import { type Request, readRequest } from '../../../shared/messaging/handler/request.ts';
import { formatOf } from '../../../shared/api/notification/state-record.ts';
import { CONTENT_TYPE } from '../../../shared/messaging/codec/message-codec.ts';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { MessageHeaders } from '../../../shared/messaging/message.ts';
import { done, type Outcome, isTransientFailure } from '../../../shared/messaging/outcome.ts';
import type { BrokerErrorCode, Publisher } from '../../../shared/messaging/ports.ts';
import type { Channel, Outbound, Priority } from '../../../shared/notification/notification-command.ts';
import type { CommandText, createCommandCheck } from '../../../shared/notification/command-proof.ts';
import type { VerifyRequests } from '../verification/verify-requests.ts';
import {
  BLANK_STATE,
  OUTCOME_UNKNOWN,
  type AttemptRecord,
  type NotificationState,
  type NotificationStatus,
} from '../../../shared/notification/notification-state.ts';
import type { createReceiverHashes } from '../../../shared/notification/party-hashes.ts';
import type { Providers } from '../../../shared/notification/provider.ts';
import { openDeadline, sleep } from '../../../shared/platform/system-ports.ts';
import { assertNever, InfrastructureError, MessagingError } from '../../../shared/platform/errors.ts';
import { warningsList } from '../../../shared/messaging/header-text.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { DeliveryLog } from '../state/delivery-log.ts';
import type { ReceiverOrder } from '../order/receiver-order.ts';
import { UPSTREAM } from '../../../shared/quotas/usage-record.ts';
import type { Quota, Quotas } from '../../../shared/quotas/quotas.ts';
import type { Suppressions } from '../../../shared/suppressions/suppressions.ts';
import { addAttempts } from '../../../shared/notification/attempt-history.ts';
import { deadCopy, retryCopy, withLoggedAttempts, type CommandCopy } from '../retry/command-copy.ts';
import {
  acceptsSecondSend,
  decideAfterRound,
  decideOnCopy,
  decideWithoutProvider,
  fail,
  SOON_RETRY_MS,
  waitFor,
  type Concluding,
  type Decision,
  type DeliveryContext,
  type NextCopy,
  type NoProvider,
  type Situation,
  type Times,
} from './decide-delivery.ts';
import { PrioritySlots } from '../providers/provider-connections.ts';
import type { RetryPlan } from '../retry/retry-plan.ts';
import {
  brokenRound,
  callProviders,
  eligibleProviders,
  leaseMs,
  repeatableBy,
  takeTurn,
  type ProviderTurn,
  type RoundDeps,
  type RoundResult,
} from './provider-round.ts';

export interface CommandDeliveryOptions extends RoundDeps {
  readonly channel: Channel;
  readonly deliveryLog: DeliveryLog;
  readonly orders: Readonly<Record<Priority, Pick<ReceiverOrder, 'enqueue' | 'setFirst'>>>;
  readonly providers: Providers;
  readonly copies: Publisher;
  readonly deadLetters: Readonly<Record<Priority, DeadLetters>>;
  readonly checkText: ReturnType<typeof createCommandCheck>;
  readonly receiverHash?: ReturnType<typeof createReceiverHashes>['hashOf'] | undefined;
  readonly quotas?: Quotas | undefined;
  readonly suppressions: Pick<Suppressions, 'faultsOf' | 'unsubscribeUrl' | 'isKeyed'>;
  /** Puts codes into texts, as late as possible, and learns the outcomes of their messages (N10). */
  readonly verification?: Pick<VerifyRequests, 'codes' | 'settled'> | undefined;
  readonly plan: RetryPlan;
  readonly unknownPolicy: DeliveryContext['unknownPolicy'];
  readonly tierTopic: (delayMs: number, priority: Priority) => string;
  readonly self: string;
  readonly closing: AbortSignal;
  readonly onOutcome: (channel: Channel, status: NotificationStatus, code: string | undefined) => void;
  readonly onDeadLetter: (code: string, priority: Priority) => void;
  readonly log: Log;
}

/** Longest wait of a copy for a slot, and again for a provider, before the copy is received again. */
const MAX_PROVIDER_WAIT_MS = 10_000;
const NO_SLOT_RETRY_MS = 1_000;
/** Time limit for catching up with the delivery log (normally milliseconds). Afterwards the copy is received again. */
const LOG_READ_MS = 5_000;
const PROVIDER_CHECK_MS = 1_000;

/** Rounds for each concurrent call to a provider: one sends while the others write their intents and outcomes. */
const ROUNDS_PER_CALL = 3;
/** Further rounds for each call, reserved for urgent notifications, which then do not wait for normal ones. */
const URGENT_ROUNDS_PER_CALL = 1;

interface Run {
  readonly delivery: DeliveryContext & { readonly copy: CommandCopy };
  /** Undefined if the copy is rejected, so that it begins no round. */
  readonly message: Outbound | undefined;
  /** Headers of the notification's records: format, hash of its text, and the unknown members of its command. */
  readonly headers: MessageHeaders;
  readonly signal: AbortSignal;
  leave: () => void;
}

/**
 * Carries out the decisions of decide-delivery.ts. The intent is on the log before the call, the outcome before the
 * retry copy or dead letter, and these before the commit. If infrastructure fails, the copy is received again and finds
 * these records. Both priorities share one delivery, so that an id is recognised on either topic.
 */
export class CommandDelivery {
  /** Ids of notifications of which a copy is being handled. */
  readonly inProgress = new Set<string>();
  /** Notifications that may have reached a provider, without an outcome on the log. Their round is not begun again. */
  readonly #begun = new Set<string>();
  readonly #slots: PrioritySlots;
  readonly #options: CommandDeliveryOptions;
  /** When a provider of the channel was last available, on the monotonic clock. */
  #servedMs: number;

  constructor(options: CommandDeliveryOptions) {
    this.#options = options;
    this.#servedMs = options.monotonic.elapsedMs();
    const { providers, channel } = options;
    // The provider with the most concurrent calls sets the number of slots. Without slots, all deliveries would write
    // intents and then wait inside the provider, and a crash would leave all their outcomes unknown.
    this.#slots = new PrioritySlots(() => {
      const most = Math.max(0, ...providers.of(channel).map(({ concurrency = Infinity }) => concurrency));
      const calls = most === 0 ? Infinity : most;
      return { normal: calls * ROUNDS_PER_CALL, all: calls * (ROUNDS_PER_CALL + URGENT_ROUNDS_PER_CALL) };
    });
  }

  /** Delivers a copy. Rejects if infrastructure is unavailable; the copy is then received again. */
  async deliver(read: CommandCopy, message: Outbound, context: Request): Promise<Outcome> {
    // The time limit does not begin before sendAt.
    const given = { ...read, timeLimitFromMs: Math.max(read.timeLimitFromMs, message.sendAt ?? 0) };
    const { signal, deadlineMs, warnings = [] } = context;
    const text = this.#textOf(given, message);
    const { channel, receiverHash, suppressions } = this.#options;
    const about = {
      ...given.about,
      category: message.category ?? 'transactional',
      receiverHash: receiverHash?.(channel, message.receiver),
    };
    const list = warningsList(warnings, undefined);
    const headers = {
      ...(text.textHash === undefined ? {} : { [HEADER.textHash]: text.textHash }),
      ...(list === undefined ? {} : { [HEADER.warnings]: list }),
    };
    try {
      const [{ code: suppression } = {}] = suppressions.faultsOf(message);
      const quota = suppression === undefined ? await this.#exceededQuota(given, message) : undefined;
      const unsubscribeUrl = suppressions.unsubscribeUrl(message);
      const missing = channel === 'email' && unsubscribeUrl === undefined ? 'public-url-missing' : undefined;
      const isCampaign = message.category === 'campaign';
      const rejection = isCampaign ? (suppressions.isKeyed ? missing : 'secret-missing') : undefined;
      const sent = { message: { ...message, unsubscribeUrl }, headers, signal };
      const isDeadlineOver = isExpired(deadlineMs, this.#options.clock);
      const limits = { quota, suppression, rejection, isDeadlineOver, text };
      return await this.#run({ ...given, about }, sent, limits);
    } catch (error) {
      const failure = asTransient(error);
      if (!isTransientFailure(failure)) await this.#recordUnexpected(given);
      throw failure;
    }
  }

  /** Ends a notification with the code `rejection`. If `command` lacks a required proof, only writes a dead letter. */
  async reject(
    given: CommandCopy,
    rejection: string,
    signal: AbortSignal,
    command?: Outbound,
  ): Promise<Outcome> {
    const text = command === undefined ? undefined : this.#textOf(given, command);
    const limits = { rejection, text, isDeadlineOver: false };
    try {
      return await this.#run(given, { message: undefined, headers: {}, signal }, limits);
    } catch (error) {
      throw asTransient(error);
    }
  }

  #textOf({ id, message: { headers } }: CommandCopy, command: Outbound): CommandText {
    const text = this.#options.checkText(id, command, headerText(headers, HEADER.commandProof));
    // If a template was filled in, the hash is that of its fields.
    return { ...text, textHash: headerText(headers, HEADER.textHash) ?? text.textHash };
  }

  /** Returns the quota that a new upstream command would exceed (N6). The ingress counts its own commands. */
  async #exceededQuota(copy: CommandCopy, command: Outbound): Promise<Quota | undefined> {
    const { quotas, deliveryLog, copies, channel } = this.#options;
    const { id, message } = copy;
    if (quotas === undefined || !copy.isOriginal || deliveryLog.find(id) !== undefined) return undefined;
    if (headerText(message.headers, HEADER.quotaCounted) === 'true') return undefined;
    const caller = headerText(message.headers, HEADER.quotaCaller) ?? UPSTREAM;
    const decision = quotas.admit(id, { caller, channel, command });
    if (decision.kind === 'refused') return decision.quota;
    if (decision.kind === 'unknown')
      throw new InfrastructureError('quotas-unknown', 'the usage topic is not being read');
    if (decision.record !== undefined) await copies.publish([decision.record]);
    return undefined;
  }

  async #run(
    given: CommandCopy,
    about: Pick<Run, 'message' | 'headers' | 'signal'>,
    limits: Pick<Situation, 'quota' | 'suppression' | 'rejection' | 'text' | 'isDeadlineOver'>,
  ): Promise<Outcome> {
    const { deliveryLog, clock, monotonic, plan, unknownPolicy, self, channel, providers } = this.#options;
    if (isLogBehind(given, deliveryLog)) await deliveryLog.caughtUp(LOG_READ_MS);
    const { id, attempt, originTimestampMs, redriveUnknown } = given;
    // A lost entry may be the intent of a round that was sent, so the outcome is unknown.
    const mayMiss = !redriveUnknown && deliveryLog.mayMiss(originTimestampMs);
    const known = deliveryLog.find(id) ?? (mayMiss ? { ...LOST_ENTRY, attempt } : undefined);
    const copy = withLoggedAttempts(given, known, clock.now());
    const headers = { ...formatHeader(given), ...about.headers };
    const run: Run = { ...about, headers, delivery: { copy, plan, unknownPolicy }, leave: () => undefined };
    const decision = decideOnCopy(run.delivery, {
      ...limits,
      known,
      channel,
      self,
      elapsedMs: monotonic.elapsedMs(),
      times: this.#times(copy),
      isInProgress: this.inProgress.has(id),
      hasBegun: this.#begun.has(id),
      sendAt: run.message?.sendAt,
      repeatable: providers.of(channel).flatMap((provider) => repeatableBy(provider) ?? []),
    });
    // Another copy of the notification may be in progress: its entry in `inProgress` must stay.
    if (decision.kind === 'end') return decision.outcome;
    this.inProgress.add(id);
    try {
      return await this.#perform(run, decision);
    } finally {
      run.leave();
      this.inProgress.delete(id);
    }
  }

  #times({ timeLimitFromMs }: CommandCopy): Times {
    const nowMs = this.#options.clock.now();
    return { nowMs, ageMs: nowMs - timeLimitFromMs };
  }

  async #perform(run: Run, decision: Decision): Promise<Outcome> {
    switch (decision.kind) {
      case 'end':
        return decision.outcome;
      case 'dead-letter':
        await this.#writeDeadLetter(run.delivery.copy, decision.code, []);
        return done();
      case 'retry-copy':
        run.leave();
        return this.#writeRetryCopy(run, decision.next);
      case 'conclude':
        run.leave();
        return this.#conclude(run, decision);
      case 'begin-round':
        return this.#runRound(run, decision.isOverdue);
      default:
        return assertNever(decision);
    }
  }

  async #runRound(run: Run, isOverdue: boolean): Promise<Outcome> {
    const { orders, clock } = this.#options;
    const { delivery } = run;
    const { copy } = delivery;
    if ((await orders[copy.priority].enqueue(copy)) === 'queued') return done();
    const leave = await this.#enterSlot(copy.priority);
    if (leave === undefined) return waitFor(NO_SLOT_RETRY_MS);
    run.leave = leave;
    const turn = await this.#acquireProvider(delivery, isOverdue);
    if ('kind' in turn) {
      const nowMs = clock.now();
      return this.#perform(run, decideWithoutProvider(delivery, turn, { nowMs, isOverdue }));
    }
    const leaseEndsMs = await this.#claim(run, turn);
    const round = leaseEndsMs === undefined ? undefined : await this.#callProviders(run, turn, leaseEndsMs);
    if (round === undefined) return waitFor(SOON_RETRY_MS);
    return this.#perform(run, decideAfterRound(delivery, round, this.#times(copy)));
  }

  async #enterSlot(priority: Priority): Promise<(() => void) | undefined> {
    using deadline = openDeadline(this.#options.closing, MAX_PROVIDER_WAIT_MS, this.#options.timers);
    return await this.#slots.enter(priority, deadline.signal);
  }

  /**
   * A copy that only some providers may send does not wait here for their circuit breakers: other providers can send
   * the copies behind it. An overdue copy tries only once if no provider has been available for the whole time limit.
   */
  async #acquireProvider(delivery: Run['delivery'], isOverdue: boolean): Promise<ProviderTurn | NoProvider> {
    const { providers, channel, closing, monotonic, timers, plan } = this.#options;
    const { history, priority, message } = delivery.copy;
    const nowMs = monotonic.elapsedMs();
    const isCode = message.headers[HEADER.codeDigits] !== undefined;
    const own = () => providers.of(channel).filter(({ codes }) => isCode || codes === undefined);
    const isServed = own().some((provider) => provider.health().status === 'ready');
    if (isServed) this.#servedMs = nowMs;
    const isUnserved = nowMs - this.#servedMs > plan.timeLimitMs;
    const untilMs = nowMs + (isUnserved && isOverdue ? 0 : MAX_PROVIDER_WAIT_MS);
    while (!closing.aborted) {
      const all = own();
      const eligible = eligibleProviders(all, history, acceptsSecondSend(delivery));
      if (all.length > 0 && eligible.length === 0) return { kind: 'not-eligible' };
      const taken = takeTurn(eligible, priority);
      if (taken.kind === 'go') return { providers: eligible, first: taken.index };
      const { afterMs } = taken;
      const isOver = monotonic.elapsedMs() >= untilMs;
      if (eligible.length < all.length && (isOver || taken.kind === 'open')) {
        return { kind: 'eligible-unavailable', afterMs };
      }
      if (isOver) break;
      await sleep(timers, Math.min(afterMs, PROVIDER_CHECK_MS), closing);
    }
    return { kind: 'none-available', isUnserved };
  }

  /** Writes the intent. Returns the end of its lease (monotonic clock), or undefined if another process was first. */
  async #claim({ delivery, headers }: Run, { providers, first }: ProviderTurn): Promise<number | undefined> {
    const { copy } = delivery;
    const { deliveryLog, clock, monotonic, self, sendTimeoutMs } = this.#options;
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
    return (await deliveryLog.claim(intent, copy.priority, headers)) ? leaseEndsMs : undefined;
  }

  /** Returns undefined if the lease was too short for a call, so that nothing was sent. */
  async #callProviders(
    { delivery, message: given, signal }: Run,
    turn: ProviderTurn,
    leaseEndsMs: number,
  ): Promise<RoundResult | undefined> {
    const { clock, log, verification } = this.#options;
    const { id, attempt, priority } = delivery.copy;
    if (given === undefined) throw new Error('a rejected copy cannot be sent');
    const digits = headerText(delivery.copy.message.headers, HEADER.codeDigits);
    const message = verification?.codes.withCode(given, digits) ?? given;
    this.#begun.add(id);
    const call = { message, priority, attempt, turn, leaseEndsMs, signal };
    const round = await callProviders(call, this.#options).catch((error: unknown) => {
      log.error({ err: error }, 'a round of delivery failed unexpectedly; its outcome is unknown');
      return brokenRound(attempt, clock.now());
    });
    if (round === undefined) this.#begun.delete(id);
    return round;
  }

  async #conclude(run: Run, decision: Concluding): Promise<Outcome> {
    if (!(await this.#writeOutcome(run, decision))) return waitFor(SOON_RETRY_MS);
    const { copy } = run.delivery;
    const { conclusion, attempts } = decision;
    switch (conclusion.status) {
      case 'sent':
      case 'suppressed':
        return done();
      case 'scheduled':
      case 'retrying': {
        const { nextAttemptAt: dueAtMs, tierMs } = conclusion;
        const isScheduled = conclusion.status === 'scheduled';
        const attempt = isScheduled ? copy.attempt : copy.attempt + 1;
        return this.#writeRetryCopy(run, { attempt, dueAtMs, tierMs, attempts, isScheduled });
      }
      case 'failed':
      case 'parked':
        await this.#writeDeadLetter(copy, conclusion.code, attempts);
        return done();
      default:
        return assertNever(conclusion);
    }
  }

  /** Resolves when the outcome is on the log, with false if another outcome supersedes it. */
  async #writeOutcome(
    { delivery: { copy }, headers }: Pick<Run, 'delivery' | 'headers'>,
    { conclusion, attempts, isOwnRound }: Omit<Concluding, 'kind'>,
    isCounted = true,
  ): Promise<boolean> {
    const { deliveryLog, channel, onOutcome, verification } = this.#options;
    const { status } = conclusion;
    const code = 'code' in conclusion ? conclusion.code : undefined;
    const shown = 'tierMs' in conclusion ? { ...conclusion, tierMs: undefined } : conclusion;
    const state = this.#stateOf(copy, attempts, shown);
    if (verification !== undefined) await this.#tell(verification, copy, state);
    if (isOwnRound) await deliveryLog.settle(state, headers);
    else if (!(await deliveryLog.declare(state, headers))) return false;
    this.#begun.delete(copy.id);
    if (isCounted && status !== 'scheduled') onOutcome(channel, status, code);
    return true;
  }

  /** Retries like the delivery log: if it failed now, the outcome would be unknown although a provider has said it. */
  async #tell(
    verification: NonNullable<CommandDeliveryOptions['verification']>,
    copy: CommandCopy,
    state: NotificationState,
  ): Promise<void> {
    const { timers, closing } = this.#options;
    for (;;) {
      try {
        return await verification.settled(copy, state);
      } catch (error) {
        if (closing.aborted || !isTransientFailure(error)) throw error;
        await sleep(timers, SOON_RETRY_MS, closing);
      }
    }
  }

  /** A second copy does no harm: the delivery log shows that its round has already ended. */
  async #writeRetryCopy(run: Run, next: NextCopy): Promise<Outcome> {
    const { copies, tierTopic, orders } = this.#options;
    const { copy } = run.delivery;
    const topic = tierTopic(next.tierMs, copy.priority);
    try {
      await copies.publish([retryCopy(copy, { ...next, topic })]);
    } catch (error) {
      if (!isCausedByMessage(error)) throw error;
      return this.#endWithoutCopy(run, error.code, next);
    }
    if (next.isScheduled !== true) await orders[copy.priority].setFirst(copy);
    return done();
  }

  /** Writes the outcome of the next round, to replace `retrying`. A repeated copy then ends without a dead letter. */
  async #endWithoutCopy(run: Run, code: string, { attempt, attempts }: NextCopy): Promise<Outcome> {
    const copy = { ...run.delivery.copy, attempt };
    const conclusion = fail({ history: addAttempts(copy.history, attempts) }, code);
    await this.#writeDeadLetter(copy, conclusion.code, attempts);
    const next = { ...run, delivery: { ...run.delivery, copy } };
    const isWritten = await this.#writeOutcome(next, { conclusion, attempts, isOwnRound: false });
    return isWritten ? done() : waitFor(SOON_RETRY_MS);
  }

  async #writeDeadLetter(copy: CommandCopy, code: string, attempts: readonly AttemptRecord[]): Promise<void> {
    const { deadLetters, onDeadLetter } = this.#options;
    const { signal } = new AbortController();
    const request = {
      ...readRequest(deadCopy(copy, attempts), copy.attempt, signal),
      originTimestampMs: copy.originTimestampMs,
    };
    const text = DEAD_LETTER_TEXTS[code] ?? `the notification was not sent: ${code}`;
    await deadLetters[copy.priority].write(request, { code, text });
    onDeadLetter(code, copy.priority);
  }

  /** Ends a notification whose delivery failed unexpectedly. The request handling writes the dead letter. */
  async #recordUnexpected(given: CommandCopy): Promise<void> {
    const { deliveryLog, clock, log, plan, unknownPolicy } = this.#options;
    try {
      const copy = withLoggedAttempts(given, deliveryLog.find(given.id), clock.now());
      const attempts = this.#begun.has(copy.id) ? brokenRound(copy.attempt, clock.now()).attempts : [];
      const conclusion = fail({ history: [...copy.history, ...attempts] }, 'unexpected');
      const run = { delivery: { copy, plan, unknownPolicy }, headers: formatHeader(given) };
      await this.#writeOutcome(run, { conclusion, attempts, isOwnRound: false }, false);
    } catch (error) {
      if (isTransientFailure(error)) throw error;
      log.error(
        { err: error },
        'the end of a notification whose delivery failed unexpectedly was not recorded',
      );
    }
  }

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
      ...BLANK_STATE,
      ...copy.about,
      ...given,
    };
  }
}

const DEAD_LETTER_TEXTS: Readonly<Record<string, string>> = {
  [OUTCOME_UNKNOWN]: 'the notification may have been sent: a provider was called and its answer is not known',
  'duplicate-id': 'this notification was not sent: its id is that of another one',
  'foreign-id':
    'this notification was not sent: its id (version 8) belongs to the ingress, which did not write it or has another RESULT_ID_SECRET',
};

/** Makes the states of a notification have the format of its command (N13). */
function formatHeader({ message }: CommandCopy): MessageHeaders {
  return { [HEADER.contentType]: CONTENT_TYPE[formatOf(message.value)] };
}

/** True if the outcome of the previous round may not have been read, although it was written before this copy. */
function isLogBehind({ id, attempt }: CommandCopy, deliveryLog: DeliveryLog): boolean {
  const known = attempt > 1 ? deliveryLog.find(id) : undefined;
  const mayBeReplaced = known?.status === 'sending' || known?.status === 'parked';
  return mayBeReplaced && known.attempt < attempt;
}

const LOST_ENTRY = { status: 'sending', owner: '-', leaseEndsMs: Number.NEGATIVE_INFINITY } as const;

/** Makes a rejection by the broker transient, unless the message causes it, so that the notification does not end. */
function asTransient(error: unknown): unknown {
  if (isCausedByMessage(error) || isTransientFailure(error)) return error;
  return error instanceof MessagingError ? new InfrastructureError(error.code, error.message, error) : error;
}

/** True if the broker rejects the message itself, so that a retry cannot succeed. */
export function isCausedByMessage(error: unknown): error is MessagingError {
  const codes: readonly string[] = ['message-too-large', 'invalid-message'] satisfies BrokerErrorCode[];
  return error instanceof MessagingError && codes.includes(error.code);
}
