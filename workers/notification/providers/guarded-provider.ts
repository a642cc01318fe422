import type { Outbound } from '../../../shared/notification/command.ts';
import type {
  Admission,
  GuardedProvider,
  Provider,
  SendResult,
} from '../../../shared/notification/provider.ts';
import type { MonotonicClock } from '../../../shared/platform/clock.ts';
import {
  type BreakerState,
  type ProviderBreakerSettings,
  createProviderBreaker,
} from './provider-breaker.ts';
import { sanitiseCode } from './http/result-code.ts';
import { createTokenBucket } from './token-bucket.ts';

export interface GuardOptions {
  /** Calls per second; absent: no limit. */
  readonly ratePerSecond?: number | undefined;
  /** Calls that may come at once after a rest; the calls of one second (at least one) if absent. */
  readonly burst?: number | undefined;
  readonly breaker?: Partial<ProviderBreakerSettings> | undefined;
  readonly hooks?: GuardHooks | undefined;
  /** Of the provider's settings; the provider's own if absent. */
  readonly identity?: string | undefined;
}

/** Told what happens, for metrics and logs. They must not throw. */
export interface GuardHooks {
  /** A call has ended, after so many milliseconds. */
  readonly settled?: ((result: SendResult, elapsedMs: number) => void) | undefined;
  /** The breaker has changed; `code` says what opened it. */
  readonly changed?: ((state: BreakerState, code: string | undefined) => void) | undefined;
}

/**
 * Puts a provider behind its rate limit and its circuit breaker. admit() answers `open` before it looks at the rate limit,
 * so that a provider that is down costs no allowance. A provider that rejects although it must not has an unknown outcome.
 * Result codes are cleaned here once more: whatever a provider answers, nothing but [A-Za-z0-9._-]{1,64} passes.
 */
export function guard(provider: Provider, options: GuardOptions, monotonic: MonotonicClock): GuardedProvider {
  const { ratePerSecond, hooks, identity = provider.identity } = options;
  const bucket =
    ratePerSecond === undefined
      ? undefined
      : createTokenBucket({ ratePerSecond, burst: options.burst }, monotonic);
  const breaker = createProviderBreaker(options.breaker ?? {}, monotonic, hooks?.changed);

  const admit = (): Admission => {
    const closed = breaker.check();
    if (closed.kind === 'open') return closed;
    const waitMs = bucket?.take() ?? 0;
    if (waitMs > 0) return { kind: 'wait', afterMs: waitMs };
    breaker.admit();
    return { kind: 'go' };
  };

  const send = async (message: Outbound, signal: AbortSignal): Promise<SendResult> => {
    const startedAt = monotonic.elapsedMs();
    const settle = breaker.begin();
    const result = clean(await sendSafely(provider, message, signal));
    settle(result);
    hooks?.settled?.(result, monotonic.elapsedMs() - startedAt);
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

async function sendSafely(provider: Provider, message: Outbound, signal: AbortSignal): Promise<SendResult> {
  try {
    return await provider.send(message, signal);
  } catch {
    return { kind: 'unknown', code: 'provider-fault' };
  }
}

function clean(result: SendResult): SendResult {
  return result.code === undefined ? result : { ...result, code: sanitiseCode(result.code) };
}
