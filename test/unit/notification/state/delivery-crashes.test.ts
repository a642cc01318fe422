/** Tests all interruptions of the delivery of one command, with the state machine over an in-memory log. */

import { expect, it } from 'vitest';
import type { AttemptRecord } from '../../../../shared/notification/notification-state.ts';
import { assertNever } from '../../../../shared/platform/errors.ts';
import { addAttempts, isUnknown } from '../../../../shared/notification/attempt-history.ts';
import { withLedgerAttempts, type CommandCopy } from '../../../../workers/notification/state/command-copy.ts';
import {
  acceptsSecondSend,
  advance,
  RECEIVED,
  type DeliveryContext,
  type DeliveryEffect,
  type DeliveryEvent,
  type RoundResult,
} from '../../../../workers/notification/state/delivery-state-machine.ts';
import { supersedes } from '../../../../shared/notification/state-precedence.ts';
import type { LedgerEntry } from '../../../../workers/notification/state/ledger-entry.ts';

const NOW = 1_700_000_000_000;
const PLAN = { tiersMs: [10_000], timeLimitMs: 600_000 };
/** Maximum number of crashes, lost connections and rounds without a call in one scenario. */
const MAX_DISTURBANCES = 2;
const RESULTS = ['sent', 'transient', 'permanent', 'unknown'] as const;

class Interrupted extends Error {}

type Choose = (options: number) => number;

/** Runs every sequence of choices, where `choose` returns 0 to `options` - 1. Returns the number of runs. */
function runAll(run: (choose: Choose) => void): number {
  let choices: number[] = [];
  for (let runs = 1; ; runs += 1) {
    const taken: { readonly choice: number; readonly options: number }[] = [];
    run((options) => {
      const choice = choices[taken.length] ?? 0;
      taken.push({ choice, options });
      return choice;
    });
    while (taken.length > 0 && taken.at(-1)?.choice === (taken.at(-1)?.options ?? 0) - 1) taken.pop();
    const last = taken.pop();
    if (last === undefined) return runs;
    choices = [...taken.map(({ choice }) => choice), last.choice + 1];
  }
}

interface Conditions {
  readonly isIdempotent: boolean;
  readonly policy: DeliveryContext['unknownPolicy'];
  /** Whether the retry tiers take no copy. */
  readonly isRetryRejected: boolean;
}

/** One command from its first copy to the end of the last one, with the records on the log. */
class Scenario {
  readonly calls: (typeof RESULTS)[number][] = [];
  readonly #choose: Choose;
  readonly #isIdempotent: boolean;
  readonly #policy: DeliveryContext['unknownPolicy'];
  readonly #isRetryRejected: boolean;
  readonly #copies: CommandCopy[];
  entry: LedgerEntry | undefined;
  deadLetters = 0;
  #disturbances = 0;
  #process = 1;
  #hasBegun = false;

  constructor(choose: Choose, { isIdempotent, policy, isRetryRejected }: Conditions) {
    this.#choose = choose;
    this.#isIdempotent = isIdempotent;
    this.#policy = policy;
    this.#isRetryRejected = isRetryRejected;
    const first = { id: 'id', attempt: 1, isOriginal: true, redriveUnknown: false, history: [] };
    this.#copies = [{ ...first, timeLimitFromMs: NOW } as unknown as CommandCopy];
  }

  /** Delivers all copies, each repeatedly until it is committed. */
  run(): void {
    for (const copy of this.#copies) {
      let isCommitted = false;
      for (let looks = 0; !isCommitted; looks += 1) {
        if (looks > 20) throw new Error('a copy is never committed');
        isCommitted = this.#deliver(copy);
      }
    }
  }

  #deliver(given: CommandCopy): boolean {
    const copy = withLedgerAttempts(given, this.entry, NOW);
    const delivery = { copy, plan: PLAN, unknownPolicy: this.#policy };
    try {
      let step = advance(delivery, RECEIVED, this.#copyRead(copy));
      for (;;) {
        let event: DeliveryEvent | undefined;
        for (const effect of step.effects) event = this.#perform(delivery, effect);
        if (step.state.step === 'ended') return step.state.outcome.kind === 'done';
        if (event === undefined) throw new Error('no event follows');
        step = advance(delivery, step.state, event);
      }
    } catch (error) {
      if (error instanceof Interrupted) return false;
      throw error;
    }
  }

  /** The second round is the last one within the time limit. Leases of other processes have expired. */
  #times({ attempt }: CommandCopy) {
    return { nowMs: NOW, ageMs: attempt === 1 ? 0 : PLAN.timeLimitMs };
  }

  #copyRead(copy: CommandCopy): DeliveryEvent {
    const situation = {
      known: this.entry,
      channel: 'sms',
      self: `process-${this.#process}`,
      elapsedMs: 1,
      times: this.#times(copy),
      isInProgress: false,
      hasBegun: this.#hasBegun,
      isDeadlineOver: false,
      repeatable: this.#isIdempotent ? ['one'] : [],
    } as const;
    return { kind: 'copy-read', situation };
  }

  /** The process crashes before or after the work, or loses its connection before or after it. */
  #interruptible<T>(work: () => T, canLoseConnection: boolean): T {
    const options = this.#disturbances === MAX_DISTURBANCES ? 1 : canLoseConnection ? 5 : 3;
    const choice = this.#choose(options);
    if (choice > 0) this.#disturbances += 1;
    const result = choice % 2 === 1 ? undefined : work();
    if (choice === 1 || choice === 2) {
      this.#process += 1;
      this.#hasBegun = false;
    }
    if (choice > 0) throw new Interrupted();
    return result as T;
  }

  #perform(
    delivery: DeliveryContext & { readonly copy: CommandCopy },
    effect: DeliveryEffect,
  ): DeliveryEvent | undefined {
    const { copy } = delivery;
    switch (effect.kind) {
      case 'check-order':
        return { kind: 'first-in-line' };
      case 'acquire-provider': {
        const isOpen = acceptsSecondSend(delivery) || copy.history.every((one) => this.#isRepeatable(one));
        if (!isOpen) return { kind: 'no-eligible-provider' };
        return { kind: 'provider-acquired', turn: { providers: [], first: 0 } };
      }
      case 'write-intent':
        return this.#interruptible(() => this.#writeIntent(copy), true);
      case 'call-providers':
        return this.#interruptible(() => this.#callProviders(copy), false);
      case 'write-outcome':
        return this.#interruptible(() => this.#writeOutcome(copy, effect), true);
      case 'write-retry-copy': {
        const { attempt, attempts } = effect;
        if (this.#isRetryRejected) return { kind: 'retry-copy-rejected', code: 'code', attempt, attempts };
        const history = addAttempts(copy.history, attempts);
        const next = { ...copy, attempt, isOriginal: false, history };
        return this.#interruptible(() => this.#followUp(() => this.#copies.push(next)), true);
      }
      case 'write-dead-letter':
        return this.#interruptible(() => this.#followUp(() => (this.deadLetters += 1)), true);
      case 'release-send-slot':
      case 'count-outcome':
        return undefined;
      default:
        return assertNever(effect);
    }
  }

  #isRepeatable(attempt: AttemptRecord): boolean {
    return !isUnknown(attempt) || (this.#isIdempotent && attempt.repeatableBy === 'one');
  }

  #write(state: LedgerEntry): void {
    if (supersedes(state, this.entry)) this.entry = state;
  }

  #writeIntent({ attempt }: CommandCopy): DeliveryEvent {
    const owner = `process-${this.#process}`;
    const repeatableBy = this.#isIdempotent ? 'one' : undefined;
    const intent = { status: 'sending', owner, leaseEndsMs: 0, providers: ['one'], repeatableBy } as const;
    this.#write({ ...intent, attempt, channel: 'sms' });
    const isOurs = this.entry?.status === 'sending' && this.entry.owner === owner;
    return isOurs ? { kind: 'claimed', leaseEndsMs: 0 } : { kind: 'claim-lost' };
  }

  #callProviders(copy: CommandCopy): DeliveryEvent {
    const canDisturb = this.#disturbances < MAX_DISTURBANCES;
    const result = RESULTS[this.#choose(RESULTS.length + (canDisturb ? 1 : 0))];
    if (result === undefined) {
      this.#disturbances += 1;
      return { kind: 'nothing-sent' };
    }
    this.#hasBegun = true;
    this.calls.push(result);
    const code = result === 'sent' ? undefined : 'code';
    const record = { attempt: copy.attempt, at: NOW, provider: 'one', result, code };
    const isRepeatable = result === 'unknown' && this.#isIdempotent;
    const attempts = [isRepeatable ? { ...record, repeatableBy: 'one' } : record];
    const round: RoundResult =
      result === 'sent'
        ? { kind: 'sent', attempts, providerMessageId: undefined }
        : { kind: 'not-sent', attempts, failure: { kind: result, code: 'code' }, isRepeatable };
    return { kind: 'round-ended', round, times: this.#times(copy) };
  }

  #writeOutcome(
    copy: CommandCopy,
    { conclusion, attempts, attempt = copy.attempt }: Extract<DeliveryEffect, { kind: 'write-outcome' }>,
  ): DeliveryEvent {
    const { status } = conclusion;
    const all = addAttempts(copy.history, attempts);
    const nextAttemptAt = status === 'retrying' ? conclusion.nextAttemptAt : undefined;
    const code = status === 'sent' ? undefined : conclusion.code;
    this.#write({ status, attempt, channel: 'sms', attempts: all, nextAttemptAt, code });
    if (this.entry?.status !== status) return { kind: 'outcome-superseded' };
    this.#hasBegun = false;
    return { kind: 'outcome-recorded' };
  }

  #followUp(write: () => void): DeliveryEvent {
    write();
    return { kind: 'follow-up-written' };
  }
}

it.each([
  ['park', false, false],
  ['park', true, false],
  ['resend', false, false],
  ['park', false, true],
  ['park', true, true],
  ['resend', false, true],
] as const)(
  'with policy %s, recognised ids %s and rejected retry copies %s, an interrupted delivery is neither lost nor sent twice against the policy',
  (policy, isIdempotent, isRetryRejected) => {
    const ends = new Set<string>();
    const faults: unknown[] = [];
    const runs = runAll((choose) => {
      const scenario = new Scenario(choose, { isIdempotent, policy, isRetryRejected });
      scenario.run();
      const { calls, entry, deadLetters } = scenario;
      const risky = calls.filter((result) => result === 'sent' || result === 'unknown').length;
      const mayRepeat = isIdempotent || policy === 'resend';
      const isEnded = entry?.status === 'sent' || entry?.status === 'failed' || entry?.status === 'parked';
      const isTrue = entry?.status === 'sent' ? calls.includes('sent') : deadLetters > 0;
      const isSentOnce = risky <= 1 || mayRepeat;
      const isHonest = entry?.status !== 'failed' || risky === 0;
      if (!(isEnded && isTrue && isSentOnce && isHonest)) faults.push({ calls, entry, deadLetters });
      ends.add(String(entry?.status));
    });
    expect(faults).toEqual([]);
    expect(runs).toBeGreaterThan(isRetryRejected ? 400 : 1_000);
    expect([...ends]).toEqual(expect.arrayContaining(['sent', 'failed', 'parked']));
  },
);
