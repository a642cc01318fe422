import type { Priority } from '../../../shared/notification/notification-command.ts';
import type { GuardedProvider, Provider, SendResult } from '../../../shared/notification/provider.ts';
import type { ProviderSettings } from '../../../shared/notification/provider-settings.ts';
import type { MonotonicClock } from '../../../shared/platform/system-ports.ts';
import { sanitiseCode } from './sanitise-provider-text.ts';

/** An open breaker probes at least this often, unless the provider's Retry-After is longer. */
const MAX_OPEN_MS = 300_000;
/** A longer Retry-After of a provider counts as this long. */
const MAX_RETRY_AFTER_MS = 3_600_000;

export type GuardOptions = Omit<ProviderSettings['limits'], 'timeoutMs'> & {
  readonly hooks?: GuardHooks | undefined;
  readonly identity?: string | undefined;
};

/** Observers for metrics and logs. They must not throw. */
export interface GuardHooks {
  /** A call has ended after `elapsedMs` milliseconds. */
  readonly settled: (elapsedMs: number) => void;
  /** The circuit breaker has changed its state. `code` is that of the result that opened it. */
  readonly changed: (state: 'open' | 'closed', code: string | undefined) => void;
}

/**
 * Puts a circuit breaker and a rate limit before a provider. Calls that the breaker stops do not use up the rate limit.
 * If `send` of the provider rejects, against its contract, the outcome is unknown. Codes are sanitised again.
 */
export function guard(provider: Provider, options: GuardOptions, monotonic: MonotonicClock): GuardedProvider {
  const { ratePerSecond, hooks, identity } = options;
  const bucket = ratePerSecond === undefined ? undefined : createTokenBucket(ratePerSecond, monotonic);
  const breaker = createBreaker(options, monotonic);

  return {
    ...provider,
    identity,
    admit: (priority = 'normal') => {
      const { code, leftMs } = breaker.state();
      if (code !== undefined && leftMs > 0) return { kind: 'open', afterMs: leftMs, code };
      const waitMs = bucket?.take(priority) ?? 0;
      if (waitMs > 0) return { kind: 'wait', afterMs: waitMs };
      breaker.admit();
      return { kind: 'go' };
    },
    send: async (message, signal, priority = 'normal') => {
      const startedAt = monotonic.elapsedMs();
      const settle = breaker.begin();
      let given: SendResult = { kind: 'unknown', code: 'provider-fault' };
      try {
        given = await provider.send(message, signal, priority);
      } catch {
        // The result stays unknown.
      }
      const result = given.code === undefined ? given : { ...given, code: sanitiseCode(given.code) };
      settle(result);
      hooks?.settled(monotonic.elapsedMs() - startedAt);
      return result;
    },
    health: () => {
      const { code } = breaker.state();
      return code === undefined
        ? { status: 'ready' }
        : { status: 'degraded', reason: `circuit-open:${code}` };
    },
  };
}

/**
 * Opens after consecutive transient or unknown results, and at once after a misconfigured one or a Retry-After, which
 * is then the shortest open time. Then one message probes, and after each further `openMs` another one until a probe
 * has ended. A failed probe doubles the open time. Any other result closes the breaker, even if it is only about the
 * message or its receiver. Results of calls that began before it opened, or that were not made, are ignored.
 */
function createBreaker({ breaker, hooks }: GuardOptions, monotonic: MonotonicClock) {
  // `most` consecutive failures open the breaker. `firstMs` is the first open time.
  const { failures: most = 5, openMs: firstMs = 5_000 } = breaker ?? {};
  let failures = 0;
  /** Number of times that it has opened since it was last closed. */
  let openings = 0;
  let generation = 0;
  /** Code of the result that opened the breaker; undefined while it is closed. */
  let code: string | undefined;
  let untilMs = 0;
  const open = (result: FailedResult): void => {
    const openMs = Math.min(MAX_OPEN_MS, firstMs * 2 ** Math.min(openings, 30));
    openings += 1;
    generation += 1;
    ({ code } = result);
    untilMs = monotonic.elapsedMs() + Math.max(openMs, requestedWaitMs(result));
    hooks?.changed('open', code);
  };
  const close = (): void => {
    failures = 0;
    openings = 0;
    if (code !== undefined) hooks?.changed('closed', undefined);
    code = undefined;
  };
  return {
    state: () => ({ code, leftMs: untilMs - monotonic.elapsedMs() }),
    /** The next call is a probe if the breaker is open. */
    admit: (): void => {
      untilMs = monotonic.elapsedMs() + firstMs;
    },
    begin: () => {
      const begunIn = generation;
      return (result: SendResult): void => {
        const isUncalled = result.kind === 'transient' && result.isUncalled === true;
        if (begunIn !== generation || isUncalled) return;
        if (!isFailure(result)) return close();
        failures += 1;
        const isImmediate = result.kind === 'misconfigured' || requestedWaitMs(result) > 0;
        if (code !== undefined || isImmediate || failures >= most) open(result);
      };
    },
  };
}

type FailedResult = Exclude<SendResult, { readonly kind: 'sent' | 'permanent' }>;

function isFailure(result: SendResult): result is FailedResult {
  if (result.kind === 'transient') return result.isAboutReceiver !== true;
  if (result.kind === 'unknown') return result.isAboutMessage !== true;
  return result.kind === 'misconfigured';
}

function requestedWaitMs(result: FailedResult): number {
  return result.kind === 'transient' ? Math.min(MAX_RETRY_AFTER_MS, result.retryAfterMs ?? 0) : 0;
}

const SECOND = 1_000;
/** Share of a second's calls that is reserved for urgent messages and refilled first. */
const URGENT_SHARE = 0.2;
/** After its wait, an urgent message has this long to take the call that it waited for. */
const CLAIM_MS = 100;

/** Tokens refill steadily, up to the calls of one second. An urgent message that waits gets the next call. */
function createTokenBucket(ratePerSecond: number, monotonic: MonotonicClock) {
  const capacity = Math.max(1, ratePerSecond);
  const reserve = capacity < 2 ? 0 : Math.max(1, Math.floor(capacity * URGENT_SHARE));
  let tokens = capacity;
  let filledAt = monotonic.elapsedMs();
  let claimedUntilMs = Number.NEGATIVE_INFINITY;
  return {
    /** Counts the call and returns 0 if it may be made now. Otherwise returns the milliseconds until one may. */
    take: (priority: Priority): number => {
      const now = monotonic.elapsedMs();
      tokens = Math.min(capacity, tokens + ((now - filledAt) / SECOND) * ratePerSecond);
      filledAt = now;
      const isUrgent = priority === 'urgent';
      if (!isUrgent && now < claimedUntilMs) return Math.max(1, Math.ceil(claimedUntilMs - now));
      const needed = isUrgent ? 1 : 1 + reserve;
      // Binary fractions do not add up exactly, so slightly less than a whole token counts as one.
      const missing = needed - tokens - 1e-9;
      if (missing <= 0) {
        tokens = Math.max(0, tokens - 1);
        if (isUrgent) claimedUntilMs = Number.NEGATIVE_INFINITY;
        return 0;
      }
      const waitMs = Math.max(1, Math.ceil((missing / ratePerSecond) * SECOND));
      if (isUrgent) claimedUntilMs = now + waitMs + CLAIM_MS;
      return waitMs;
    },
  };
}
