import type { RequestContext } from '../../../shared/messaging/handler/handle-by-type.ts';
import { done, refused, retry, type Outcome } from '../../../shared/messaging/outcome.ts';
import { DEADLINE_SKEW_MS } from '../../../shared/messaging/handler/refuse-expired.ts';
import type { Outbound } from '../../../shared/notification/command.ts';
import type { RetryPlan } from '../../../shared/notification/retry-plan.ts';
import { createProblem } from '../../../shared/platform/problem.ts';
import { assertNever } from '../../../shared/platform/errors.ts';
import { isUnknown, knownAttempts, wasTried } from '../state/attempt-history.ts';
import { acceptsTwice, awaitTurn, TURN_LIMIT_MS, TURN_LOOK_MS, type Turn } from '../ordering/await-turn.ts';
import type { CommandCopy } from '../state/command-copy.ts';
import {
  lostAttempt,
  nextStep,
  OUTCOME_UNKNOWN,
  type ConcludeOptions,
  type NextStep,
} from './conclude-round.ts';
import type { DeliveryParts } from './delivery-parts.ts';
import { repeatableBy } from './eligible-providers.ts';
import { holdUp } from './hold-up.ts';
import { leaseMs } from './lease-length.ts';
import { decide, isOfOtherChannel, type LedgerEntry } from '../state/delivery-state.ts';
import { queueBehindHead } from '../ordering/queue-behind-head.ts';
import { brokenRound, runRound, type RoundEnd } from './provider-round.ts';
import { withinLease } from './within-lease.ts';
import { RunningRounds } from './deliveries-in-progress.ts';
import { SendGate } from './send-gate.ts';
import { bury, putOnTier, stateOf } from '../ledger/write-states.ts';

/** Somebody else's intent came first; by then his outcome may be there. */
const LOST_CLAIM_MS = 100;

const TIME_LIMIT_EXCEEDED = 'time-limit-exceeded';
const WAITS = createProblem('not-ready', { detail: 'the notification waits' });
const PARKED: NextStep = { status: 'parked', code: OUTCOME_UNKNOWN, nextAttemptAt: undefined };

/**
 * Delivers one command by the ledger: decides what is left to do, and does it so that it may be done again after a crash at
 * any point. Every step is on the log before the next one; nothing is sent before the intent was read back.
 */
export class CommandDelivery {
  readonly running: RunningRounds;
  /** Notifications that were handed to a provider and whose outcome is not on the log: no round of them is begun again. */
  readonly #begun = new Set<string>();
  readonly #gate = new SendGate();
  readonly #parts: DeliveryParts;
  /** When a provider of the channel was last seen in order, on the monotonic clock. */
  #servedMs: number;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#servedMs = parts.monotonic.elapsedMs();
    this.running = new RunningRounds(parts.monotonic);
  }

  /** What becomes of a copy. Rejects with lost infrastructure: the same copy is tried again. */
  async deliver(given: CommandCopy, message: Outbound, context: RequestContext): Promise<Outcome> {
    const { ledger, clock } = this.#parts;
    const known = ledger.find(given.id);
    const copy = { ...given, history: knownAttempts(given.history, known, clock.now()) };
    try {
      return await this.#deliver(copy, message, known, context);
    } catch (error) {
      throw holdUp(error);
    }
  }

  async #deliver(
    copy: CommandCopy,
    message: Outbound,
    known: LedgerEntry | undefined,
    context: RequestContext,
  ): Promise<Outcome> {
    const { monotonic, self, channel } = this.#parts;
    if (isOfOtherChannel(channel, known)) return bury(copy, this.#parts, 'duplicate-id');
    const isRunning = this.running.has(copy.id);
    const hasBegun = this.#begun.has(copy.id);
    const decision = decide(copy, known, { elapsedMs: monotonic.elapsedMs(), self, isRunning, hasBegun });
    switch (decision.kind) {
      case 'skip':
        return done();
      case 'wait':
        return retry(decision.afterMs, WAITS);
      case 'retry-again':
        await this.#retryAgain(copy, known);
        return done();
      case 'bury-again':
        return bury(copy, this.#parts, decision.code);
      case 'unknown':
        return this.#concludeLost(copy, known ?? {});
      case 'go':
        return this.running.during(copy.id, () => this.#go(copy, message, known, context));
      default:
        return assertNever(decision);
    }
  }

  /** The steps before a round: what forbids it, the order of its key, a provider's turn, the intent. */
  async #go(
    copy: CommandCopy,
    message: Outbound,
    known: LedgerEntry | undefined,
    context: RequestContext,
  ): Promise<Outcome> {
    const { plan, ageClock } = this.#parts;
    const isLate = context.deadlineMs !== undefined && ageClock.now() > context.deadlineMs + DEADLINE_SKEW_MS;
    if (isLate && copy.isOriginal && known === undefined) return refused(createProblem('deadline-exceeded'));
    if (isLate) return this.#fail(copy, 'deadline-exceeded');
    // Its age may be no more than a difference of clocks: one that was never tried is tried once.
    const isOverdue = ageClock.now() > copy.timeLimitFromMs + plan.timeLimitMs;
    if (isOverdue && wasTried(copy)) return this.#fail(copy, TIME_LIMIT_EXCEEDED);
    const queued = await queueBehindHead(copy, this.#parts);
    if (queued === 'full') return this.#fail(copy, 'too-many-waiting');
    if (queued !== undefined) return queued;
    return this.#throughGate(copy, message, { signal: context.signal, isOverdue });
  }

  /** Whether no provider has been in order for as long as the time limit: nothing is gained by waiting for one then. */
  #isUnserved(): boolean {
    const { providers, channel, monotonic, plan } = this.#parts;
    const nowMs = monotonic.elapsedMs();
    if (providers.of(channel).some((provider) => provider.health().status === 'ready'))
      this.#servedMs = nowMs;
    return nowMs - this.#servedMs > plan.timeLimitMs;
  }

  /** The gate is left when nothing is sent any more: writing the outcome needs no provider. */
  async #throughGate(
    copy: CommandCopy,
    message: Outbound,
    { signal, isOverdue }: { readonly signal: AbortSignal; readonly isOverdue: boolean },
  ): Promise<Outcome> {
    const { providers, channel, closing } = this.#parts;
    if (!(await this.#gate.enter(providers.of(channel), TURN_LIMIT_MS, closing)))
      return retry(TURN_LOOK_MS, WAITS);
    this.running.touch(copy.id);
    const isHopeless = this.#isUnserved() && isOverdue;
    const limitMs = isHopeless ? 0 : TURN_LIMIT_MS;
    let turn: Turn | 'parked' | undefined;
    let end: RoundEnd | 'parked' | undefined;
    try {
      turn = await awaitTurn(copy, this.#parts, () => this.running.touch(copy.id), limitMs);
      end =
        turn === undefined || turn === 'parked'
          ? turn
          : await this.#claimAndSend(copy, message, turn, signal);
    } finally {
      this.#gate.leave(providers.of(channel));
    }
    if (turn === undefined && isHopeless) return this.#fail(copy, TIME_LIMIT_EXCEEDED);
    if (end === undefined) return retry(LOST_CLAIM_MS, WAITS);
    return end === 'parked' ? this.#end(copy, PARKED, []) : this.#conclude(copy, end);
  }

  /** Undefined: nothing was sent, and the copy is looked at again. */
  async #claimAndSend(
    copy: CommandCopy,
    message: Outbound,
    { providers, first }: Turn,
    signal: AbortSignal,
  ): Promise<RoundEnd | undefined> {
    const { ledger, clock, monotonic, self, sendTimeoutMs, sleep, observer, log } = this.#parts;
    const asked = providers.slice(first);
    const [only] = asked;
    const lengthMs = leaseMs(asked.length, sendTimeoutMs);
    const leaseEndsMs = monotonic.elapsedMs() + lengthMs;
    const intent = stateOf(copy, this.#parts, {
      status: 'sending',
      owner: self,
      leaseUntil: clock.now() + lengthMs,
      providers: asked.map(({ name }) => name),
      repeatableBy: only !== undefined && asked.length === 1 ? repeatableBy(only) : undefined,
    });
    if (!(await ledger.claim(intent))) return undefined;
    this.running.touch(copy.id);
    const round = { message, attempt: copy.attempt, providers, first, leaseEndsMs };
    const parts = { clock, monotonic, sendTimeoutMs, sleep, onAttempt: observer.onAttempt };
    this.#begun.add(copy.id);
    const end = await withinLease(leaseEndsMs - monotonic.elapsedMs(), signal, (bound) =>
      runRound({ ...round, signal: bound }, parts),
    ).catch((error: unknown) => {
      log.error({ err: error }, 'a round of delivery broke off: its outcome is unknown');
      return brokenRound(copy.attempt, clock.now());
    });
    if (end === undefined) this.#begun.delete(copy.id);
    return end;
  }

  async #conclude(copy: CommandCopy, end: RoundEnd): Promise<Outcome> {
    const { channel, ledger, plan, observer } = this.#parts;
    if (end.kind === 'not-sent') {
      const options = this.#concluding(copy, plan);
      const step = nextStep(end, options);
      return this.#end(copy, step, end.attempts);
    }
    const { providerMessageId } = end;
    await ledger.settle(stateOf(copy, this.#parts, { status: 'sent', providerMessageId }, end.attempts));
    this.#begun.delete(copy.id);
    observer.onOutcome(channel, 'sent', undefined);
    return done();
  }

  /** The time limit is judged by the notification's age, the next attempt is dated by the wall clock. */
  #concluding(copy: CommandCopy, plan: RetryPlan): ConcludeOptions {
    const { clock, ageClock } = this.#parts;
    const nowMs = clock.now();
    const times = { firstSeenMs: nowMs - (ageClock.now() - copy.timeLimitFromMs), nowMs };
    return { plan, attempt: copy.attempt, acceptsTwice: acceptsTwice(copy, this.#parts), times };
  }

  #fail(copy: CommandCopy, code: string): Promise<Outcome> {
    return this.#end(copy, { status: 'failed', code, nextAttemptAt: undefined }, []);
  }

  /**
   * Writes the outcome first, then what follows from it. What may have been sent in an earlier round has not failed,
   * whatever became of this one.
   */
  async #end(
    copy: CommandCopy,
    step: NextStep,
    attempts: Extract<RoundEnd, { kind: 'not-sent' }>['attempts'],
  ): Promise<Outcome> {
    const end = step.status === 'failed' && copy.history.some(isUnknown) ? PARKED : step;
    const { tierMs: _tier, ...state } = end;
    await this.#parts.ledger.settle(stateOf(copy, this.#parts, state, attempts));
    this.#begun.delete(copy.id);
    return this.#follow(copy, end, attempts);
  }

  async #follow(
    copy: CommandCopy,
    step: NextStep,
    attempts: Extract<RoundEnd, { kind: 'not-sent' }>['attempts'],
  ): Promise<Outcome> {
    const { channel, observer } = this.#parts;
    observer.onOutcome(channel, step.status, step.code);
    if (step.nextAttemptAt === undefined) {
      return bury(copy, this.#parts, step.code ?? step.status, attempts);
    }
    const next = { attempt: copy.attempt + 1, dueAtMs: step.nextAttemptAt, attempts };
    await putOnTier(copy, this.#parts, step.tierMs === undefined ? next : { ...next, tierMs: step.tierMs });
    return done();
  }

  /** After a crash between the outcome and what follows from it. */
  async #retryAgain(copy: CommandCopy, known: LedgerEntry | undefined): Promise<void> {
    const dueAtMs = known?.nextAttemptAt ?? this.#parts.clock.now();
    const added = (known?.attempts ?? []).filter(
      (one) => one.attempt === copy.attempt && !copy.history.includes(one),
    );
    await putOnTier(copy, this.#parts, { attempt: copy.attempt + 1, dueAtMs, attempts: added });
  }

  /**
   * Whoever was sending it is gone: whether it was sent is not known, and the log decides who says so. It is repeated only by
   * what was true when it was begun and still is.
   */
  async #concludeLost(copy: CommandCopy, intent: Partial<LedgerEntry>): Promise<Outcome> {
    const { ledger, plan, clock, providers, channel } = this.#parts;
    const lost = lostAttempt(copy.attempt, clock.now(), intent);
    const isRepeatable = providers
      .of(channel)
      .some((provider) => lost.repeatableBy !== undefined && repeatableBy(provider) === lost.repeatableBy);
    const failure = { kind: 'unknown', code: 'lease-over' } as const;
    const options = this.#concluding(copy, plan);
    const step = nextStep({ failure, isRepeatable }, options);
    const { tierMs: _tier, ...state } = step;
    if (!(await ledger.declare(stateOf(copy, this.#parts, state, [lost])))) {
      return retry(LOST_CLAIM_MS, WAITS);
    }
    this.#begun.delete(copy.id);
    return this.#follow(copy, step, [lost]);
  }
}
