import type { Outbound, Priority } from '../../../shared/notification/command.ts';
import type {
  ProviderAdmission,
  GuardedProvider,
  Provider,
  SendResult,
} from '../../../shared/notification/provider.ts';
import type { MonotonicClock } from '../../../shared/platform/clock.ts';
import {
  type ProviderBreakerState,
  type ProviderBreakerSettings,
  createProviderBreaker,
} from './provider-breaker.ts';
import { sanitiseCode } from './common/sanitise-provider-text.ts';

export interface GuardOptions {
  /** Calls per second; absent: no limit. */
  readonly ratePerSecond?: number | undefined;
  readonly breaker?: Partial<ProviderBreakerSettings> | undefined;
  readonly hooks?: GuardHooks | undefined;
  /** Identifies the provider's settings. */
  readonly identity?: string | undefined;
}

/** Observers for metrics and logs. They must not throw. */
export interface GuardHooks {
  /** A call has ended after `elapsedMs` milliseconds. */
  readonly settled: (elapsedMs: number) => void;
  /** The circuit breaker has changed its state; `code` is the result that opened it. */
  readonly changed: (state: ProviderBreakerState, code: string | undefined) => void;
}

/**
 * Puts a provider behind its rate limit and its circuit breaker. admit() checks the breaker first, so that a provider that
 * is down does not consume its rate limit. A provider that rejects, which breaks its contract, has an unknown outcome.
 * Codes are sanitised again, so that only [A-Za-z0-9._-]{1,64} passes, regardless of what a provider returns.
 */
export function guard(provider: Provider, options: GuardOptions, monotonic: MonotonicClock): GuardedProvider {
  const { ratePerSecond, hooks, identity } = options;
  const bucket = ratePerSecond === undefined ? undefined : createTokenBucket(ratePerSecond, monotonic);
  const breaker = createProviderBreaker(options.breaker ?? {}, monotonic, hooks?.changed);

  const admit = (priority: Priority = 'normal'): ProviderAdmission => {
    const closed = breaker.check();
    if (closed.kind === 'open') return closed;
    const waitMs = bucket?.take(priority) ?? 0;
    if (waitMs > 0) return { kind: 'wait', afterMs: waitMs };
    breaker.admit();
    return { kind: 'go' };
  };

  const send = async (
    message: Outbound,
    signal: AbortSignal,
    priority: Priority = 'normal',
  ): Promise<SendResult> => {
    const startedAt = monotonic.elapsedMs();
    const settle = breaker.begin();
    const result = clean(await sendSafely(provider, message, signal, priority));
    settle(result);
    hooks?.settled(monotonic.elapsedMs() - startedAt);
    return result;
  };

  return {
    name: provider.name,
    channel: provider.channel,
    isIdempotent: provider.isIdempotent,
    ...(identity === undefined ? {} : { identity }),
    ...(provider.concurrency === undefined ? {} : { concurrency: provider.concurrency }),
    admit,
    send,
    health: () => {
      const code = breaker.openCode();
      return code === undefined
        ? { status: 'ready' }
        : { status: 'degraded', reason: `circuit-open:${code}` };
    },
    close: () => provider.close(),
  };
}

async function sendSafely(
  provider: Provider,
  message: Outbound,
  signal: AbortSignal,
  priority: Priority,
): Promise<SendResult> {
  try {
    return await provider.send(message, signal, priority);
  } catch {
    return { kind: 'unknown', code: 'provider-fault' };
  }
}

function clean(result: SendResult): SendResult {
  return result.code === undefined ? result : { ...result, code: sanitiseCode(result.code) };
}

const SECOND = 1_000;
/**
 * Part of the calls of one second that only urgent messages may use, so that they find one even while normal messages use up
 * the limit. It fills up again before normal messages get further calls; the calls of a whole minute are the same.
 */
const URGENT_SHARE = 0.2;
/** A call that an urgent message was told to wait for is kept for it for this long, while it is waking up. */
const CLAIM_MS = 100;

interface TokenBucket {
  /** 0 when a call may be made, which is then counted; otherwise the milliseconds until the next one may. */
  take(priority: Priority): number;
}

/**
 * A rate limit whose tokens refill steadily, up to the calls of one second (at least one). Of two calls or more, a fifth and
 * at least one are reserved for urgent messages. An urgent message that has to wait gets the next call.
 */
function createTokenBucket(ratePerSecond: number, monotonic: MonotonicClock): TokenBucket {
  const capacity = Math.max(1, ratePerSecond);
  const reserve = capacity < 2 ? 0 : Math.max(1, Math.floor(capacity * URGENT_SHARE));
  let tokens = capacity;
  let filledAt = monotonic.elapsedMs();
  let claimedUntilMs = Number.NEGATIVE_INFINITY;
  return {
    take: (priority) => {
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
