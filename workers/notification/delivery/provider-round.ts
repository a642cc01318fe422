import type { Outbound, Priority } from '../../../shared/notification/notification-command.ts';
import type { AttemptRecord } from '../../../shared/notification/notification-state.ts';
import type {
  GuardedProvider,
  ProviderAdmission,
  SendResult,
} from '../../../shared/notification/provider.ts';
import { openDeadline, type SystemPorts, sleep } from '../../../shared/platform/system-ports.ts';
import { CONNECTION_WAIT_SHARE } from '../providers/provider-connections.ts';
import { isUnknown } from '../../../shared/notification/attempt-history.ts';

/** Providers that may be called, from index `first` on; the one at `first` has been admitted. */
export interface ProviderTurn {
  readonly providers: readonly GuardedProvider[];
  readonly first: number;
}

export interface RoundResult {
  readonly attempts: readonly AttemptRecord[];
  readonly end: RoundEnd;
}

export type RoundEnd =
  | { readonly kind: 'sent'; readonly providerMessageId: string | undefined }
  | { readonly kind: 'transient'; readonly code: string; readonly retryAfterMs?: number }
  | { readonly kind: 'permanent'; readonly code: string }
  /** `isRepeatable`: the provider recognises the id, so calling it again delivers once. */
  | { readonly kind: 'unknown'; readonly code: string; readonly isRepeatable: boolean };

export interface ProviderRound {
  readonly message: Outbound;
  readonly priority: Priority;
  readonly attempt: number;
  readonly turn: ProviderTurn;
  /** On the monotonic clock. No call is made that could still be in progress then. */
  readonly leaseEndsMs: number;
  readonly signal: AbortSignal;
}

export interface RoundDeps extends Pick<SystemPorts, 'clock' | 'monotonic' | 'timers'> {
  /** Time limit of a call, from when it has a connection. */
  readonly sendTimeoutMs: number;
  readonly onAttempt: (provider: GuardedProvider, result: SendResult) => void;
}

const GO: ProviderAdmission = { kind: 'go' };
const MAX_RATE_LIMIT_WAIT_MS = 2_000;
/** Longest wait for a provider whose circuit breaker is open. */
const MAX_OPEN_WAIT_MS = 30_000;
/** Time of a round besides its calls, for writing the intent, reading it back and waiting for a rate limit. */
const LEASE_MARGIN_MS = 5_000;
/** Number of providers that is assumed if an intent names none. */
const MAX_PROVIDERS = 10;

/**
 * Calls the providers in order until one has sent the message, rejected it, or may have sent it. Returns undefined if
 * the lease is too short for a call. Calls are aborted when it ends: then other processes treat the outcome as unknown.
 */
export async function callProviders(round: ProviderRound, deps: RoundDeps): Promise<RoundResult | undefined> {
  const { message, priority, attempt, leaseEndsMs } = round;
  const { providers, first } = round.turn;
  const leftMs = Math.max(0, leaseEndsMs - deps.monotonic.elapsedMs());
  using lease = openDeadline(round.signal, leftMs, deps.timers);
  const attempts: AttemptRecord[] = [];
  const failures: Extract<SendResult, { kind: 'transient' | 'misconfigured' }>[] = [];
  for (const [index, provider] of providers.entries()) {
    if (index < first) continue;
    const admission = index > first ? await admitNext(provider, priority, lease.signal, deps) : GO;
    if (admission?.kind === 'wait')
      failures.push({ kind: 'transient', code: 'rate-limited', retryAfterMs: admission.afterMs });
    if (admission?.kind !== 'go') continue;
    if (deps.monotonic.elapsedMs() > leaseEndsMs - longestCallMs(deps.sendTimeoutMs)) break;
    const result = await provider.send(message, lease.signal, priority);
    deps.onAttempt(provider, result);
    const by = result.kind === 'unknown' ? repeatableBy(provider) : undefined;
    attempts.push({
      attempt,
      at: deps.clock.now(),
      provider: provider.name,
      result: result.kind,
      code: result.code,
      ...(by === undefined ? {} : { repeatableBy: by }),
    });
    if (result.kind === 'sent' || result.kind === 'permanent') return { attempts, end: result };
    if (result.kind === 'unknown') {
      const { kind, code } = result;
      return { attempts, end: { kind, code, isRepeatable: provider.isIdempotent } };
    }
    failures.push(result);
  }
  const last = failures.at(-1);
  if (last === undefined) return undefined;
  const waits = failures.map((failure) =>
    failure.kind === 'transient' ? (failure.retryAfterMs ?? 0) : Number.POSITIVE_INFINITY,
  );
  const shortestMs = Math.min(...waits);
  const retryAfterMs = Number.isFinite(shortestMs) ? shortestMs : 0;
  return { attempts, end: { kind: 'transient', code: last.code, retryAfterMs } };
}

/** The result of a round that failed unexpectedly; `at` is in epoch milliseconds. */
export function brokenRound(attempt: number, at: number): RoundResult {
  const code = 'round-broken';
  const attempts = [{ attempt, at, provider: '-', result: 'unknown', code } as const];
  return { attempts, end: { kind: 'unknown', code, isRepeatable: false } };
}

/** The index of the provider to call, or the milliseconds to wait for one. `open`: all circuit breakers are open. */
export type TurnTaken =
  | { readonly kind: 'go'; readonly index: number }
  | { readonly kind: 'wait' | 'open'; readonly afterMs: number };

/** Takes the first provider (N2) whose breaker is not open, even if its rate limit is used up. `go` counts a call. */
export function takeTurn(providers: readonly GuardedProvider[], priority: Priority = 'normal'): TurnTaken {
  let soonestMs = MAX_OPEN_WAIT_MS;
  for (const [index, provider] of providers.entries()) {
    const admission = provider.admit(priority);
    if (admission.kind === 'go') return { kind: 'go', index };
    if (admission.kind === 'wait') return admission;
    soonestMs = Math.min(soonestMs, admission.afterMs);
  }
  return { kind: 'open', afterMs: soonestMs };
}

type Recognising = Pick<GuardedProvider, 'name' | 'identity' | 'isIdempotent'>;

/** Returns the identity under which a provider may be called again after an unknown outcome, or undefined. */
export function repeatableBy({ name, identity, isIdempotent }: Recognising): string | undefined {
  return isIdempotent ? (identity ?? name) : undefined;
}

/** After an unknown outcome only the provider that was called recognises the id, and only with unchanged settings. */
export function eligibleProviders<P extends Recognising>(
  providers: readonly P[],
  history: readonly AttemptRecord[],
  acceptsSecondSend: boolean,
): readonly P[] {
  const unknown = history.filter(isUnknown);
  if (acceptsSecondSend || unknown.length === 0) return providers;
  return providers.filter((provider) => {
    const by = repeatableBy(provider);
    return by !== undefined && unknown.every((attempt) => attempt.repeatableBy === by);
  });
}

/** Returns the lease of a round with this number of providers. Undefined means an unknown number. */
export function leaseMs(providers: number | undefined, sendTimeoutMs: number): number {
  return (providers ?? MAX_PROVIDERS) * longestCallMs(sendTimeoutMs) + LEASE_MARGIN_MS;
}

/** A call waits for a connection before its time limit begins. */
function longestCallMs(sendTimeoutMs: number): number {
  return sendTimeoutMs * (1 + CONNECTION_WAIT_SHARE);
}

/** Waits at most 2 s for the rate limit of the next provider. Returns undefined if `signal` aborts meanwhile. */
async function admitNext(
  provider: GuardedProvider,
  priority: Priority,
  signal: AbortSignal,
  { monotonic, timers }: RoundDeps,
): Promise<ProviderAdmission | undefined> {
  const untilMs = monotonic.elapsedMs() + MAX_RATE_LIMIT_WAIT_MS;
  for (;;) {
    const admission = provider.admit(priority);
    if (admission.kind !== 'wait' || monotonic.elapsedMs() + admission.afterMs > untilMs) return admission;
    await sleep(timers, admission.afterMs, signal);
    if (signal.aborted) return undefined;
  }
}
