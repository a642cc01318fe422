import type { Outbound } from '../../../shared/notification/command.ts';
import type { AttemptRecord } from '../../../shared/notification/notification-state.ts';
import type { GuardedProvider, SendResult } from '../../../shared/notification/provider.ts';
import type { Failure } from '../../../shared/notification/retry-plan.ts';
import type { Clock, MonotonicClock } from '../../../shared/platform/clock.ts';
import { assertNever } from '../../../shared/platform/errors.ts';
import { repeatableBy } from './eligible-providers.ts';

/** What a round needs beside the message. */
export interface RoundParts {
  /** Dates the attempts. */
  readonly clock: Clock;
  /** Measures lease and waits. */
  readonly monotonic: MonotonicClock;
  /** Longest time that a provider takes. */
  readonly sendTimeoutMs: number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly onAttempt: (provider: GuardedProvider, result: SendResult) => void;
}

export interface Round {
  readonly message: Outbound;
  /** Round of delivery, counted from 1. */
  readonly attempt: number;
  readonly providers: readonly GuardedProvider[];
  /** The one whose turn was taken. */
  readonly first: number;
  /** On the monotonic clock; nothing is sent that could still be under way then. */
  readonly leaseEndsMs: number;
  readonly signal: AbortSignal;
}

/** How a round of delivery ended. */
export type RoundEnd =
  | {
      readonly kind: 'sent';
      readonly attempts: readonly AttemptRecord[];
      readonly providerMessageId: string | undefined;
    }
  | {
      readonly kind: 'not-sent';
      readonly attempts: readonly AttemptRecord[];
      readonly failure: Failure;
      /** The provider that answered last knows the id again: asking it once more delivers once. */
      readonly isRepeatable: boolean;
    };

/** A rate limit that is used up for no longer than this is waited for within the round. */
const MAX_WAIT_MS = 2_000;

type Passing = Extract<SendResult, { kind: 'transient' | 'misconfigured' }>;

/**
 * Hands the message to the providers in their order until one has sent it, has refused it for good, or may have sent it;
 * other failures are surely not sent, and the next provider is asked. Answers undefined when not even the first may be asked
 * any more, because the lease is running out: nothing was sent then.
 */
export async function runRound(round: Round, parts: RoundParts): Promise<RoundEnd | undefined> {
  const attempts: AttemptRecord[] = [];
  const failures: Passing[] = [];
  for (let index = round.first; index < round.providers.length; index += 1) {
    const provider = round.providers[index];
    if (provider === undefined) break;
    if (index > round.first && !(await mayAsk(provider, round, parts, failures))) continue;
    if (parts.monotonic.elapsedMs() > round.leaseEndsMs - parts.sendTimeoutMs) break;
    const result = await provider.send(round.message, round.signal);
    parts.onAttempt(provider, result);
    attempts.push(recordOf(round.attempt, provider, result, parts.clock.now()));
    const end = endOf(result, attempts, provider);
    if (end !== undefined) return end;
    if (result.kind === 'transient' || result.kind === 'misconfigured') failures.push(result);
  }
  return attempts.length === 0 ? undefined : notSent(attempts, passingFailure(failures), false);
}

/** The end of a round that broke off by a fault of this program: somebody may have got the message. */
export function brokenRound(attempt: number, at: number): RoundEnd {
  const code = 'round-broken';
  return notSent([{ attempt, at, provider: '-', result: 'unknown', code }], { kind: 'unknown', code }, false);
}

/** Whether the next provider's turn could be taken; a short wait for its rate limit is waited here. */
async function mayAsk(
  provider: GuardedProvider,
  round: Round,
  parts: RoundParts,
  failures: Passing[],
): Promise<boolean> {
  const untilMs = parts.monotonic.elapsedMs() + MAX_WAIT_MS;
  for (;;) {
    const admission = provider.admit();
    if (admission.kind === 'go') return true;
    if (admission.kind === 'open') return false;
    if (parts.monotonic.elapsedMs() + admission.afterMs > untilMs) {
      failures.push({ kind: 'transient', code: 'rate-limited', retryAfterMs: admission.afterMs });
      return false;
    }
    await parts.sleep(admission.afterMs, round.signal);
  }
}

function recordOf(attempt: number, provider: GuardedProvider, result: SendResult, at: number): AttemptRecord {
  const record = { attempt, at, provider: provider.name, result: result.kind, code: result.code };
  const by = result.kind === 'unknown' ? repeatableBy(provider) : undefined;
  return by === undefined ? record : { ...record, repeatableBy: by };
}

/** What ends the round at once; undefined: the next provider is asked. */
function endOf(
  result: SendResult,
  attempts: readonly AttemptRecord[],
  { isIdempotent }: GuardedProvider,
): RoundEnd | undefined {
  switch (result.kind) {
    case 'sent':
      return { kind: 'sent', attempts, providerMessageId: result.providerMessageId };
    case 'permanent':
      return notSent(attempts, { kind: 'permanent', code: result.code }, false);
    case 'unknown':
      return notSent(attempts, { kind: 'unknown', code: result.code }, isIdempotent);
    case 'transient':
    case 'misconfigured':
      return undefined;
    default:
      return assertNever(result);
  }
}

function notSent(attempts: readonly AttemptRecord[], failure: Failure, isRepeatable: boolean): RoundEnd {
  return { kind: 'not-sent', attempts, failure, isRepeatable };
}

/** The last one's code; it is worth trying again as soon as the first of the providers may be asked. */
function passingFailure(failures: readonly Passing[]): Failure {
  const asked = failures.map((failure) =>
    failure.kind === 'transient' ? (failure.retryAfterMs ?? 0) : Number.POSITIVE_INFINITY,
  );
  const soonestMs = Math.min(...asked);
  const code = failures.at(-1)?.code ?? 'no-provider';
  const hasWish = Number.isFinite(soonestMs) && soonestMs > 0;
  return { kind: 'transient', code, ...(hasWish ? { retryAfterMs: soonestMs } : {}) };
}
