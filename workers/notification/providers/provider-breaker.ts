import type { SendResult } from '../../../shared/notification/provider.ts';
import type { MonotonicClock } from '../../../shared/platform/clock.ts';
import { assertNever } from '../../../shared/platform/errors.ts';

/** When the breaker of a provider opens, and for how long. */
export interface ProviderBreakerSettings {
  /** Number of consecutive transient or unknown results that opens it. */
  readonly failureThreshold: number;
  /** First open time, in milliseconds; doubled each time that a probe fails. */
  readonly openMs: number;
  readonly maxOpenMs: number;
}

export const PROVIDER_BREAKER_DEFAULTS: ProviderBreakerSettings = {
  failureThreshold: 5,
  openMs: 5_000,
  maxOpenMs: 300_000,
};

export type ProviderBreakerState = 'closed' | 'open' | 'half-open';

/** Maximum of a provider's Retry-After; a longer one counts as this. */
const MAX_RETRY_AFTER_MS = 3_600_000;
/** Interval between checks while all probes are in progress. */
const PROBE_POLL_MS = 500;
/**
 * Concurrent probes. More than one, since a failure that is caused by one message or receiver must not keep the breaker open;
 * few, since a probe may end with an unknown outcome, which an operator has to check.
 */
const PROBES = 3;

export interface ProviderBreaker {
  /** Whether a call may be made now, without side effects. */
  check():
    | { readonly kind: 'go' }
    | { readonly kind: 'open'; readonly afterMs: number; readonly code: string };
  /** Registers the next call as a probe if the breaker is open. */
  admit(): void;
  /** Registers the start of a call; the returned function reports its result. */
  begin(): (result: SendResult) => void;
  /** The code that opened it, until a probe succeeds. */
  openCode(): string | undefined;
}

interface Open {
  code: string;
  /** Number of consecutive open times; 1 for the first. */
  openings: number;
  /** End of the open time, on the monotonic clock. */
  untilMs: number;
  readonly probes: Set<Probe>;
}

interface Probe {
  /** The number of the open time that it followed. */
  readonly openings: number;
  isRunning: boolean;
  /** When another probe may replace it, on the monotonic clock. */
  expiresMs: number;
}

/**
 * Circuit breaker of one provider. It opens after `failureThreshold` consecutive transient or unknown results, immediately
 * when the provider is misconfigured (repeating a wrong password does not help), and for at least a provider's Retry-After.
 * After the open time it allows three concurrent calls, the probes. Callers make one call per receiver at a time, so that
 * the probes have different receivers. The success of any probe closes the breaker. The first failure doubles the open time;
 * probes still in progress may close it nevertheless. A result about the message itself (a rejection, or a failure of this
 * receiver only, such as a full mailbox) counts as success. Results of calls that started before it opened are ignored, and
 * those of messages for which the provider was not called.
 */
export function createProviderBreaker(
  given: Partial<ProviderBreakerSettings>,
  monotonic: MonotonicClock,
  onChange: (state: ProviderBreakerState, code: string | undefined) => void = () => undefined,
): ProviderBreaker {
  const settings = { ...PROVIDER_BREAKER_DEFAULTS, ...given };
  let failures = 0;
  let open: Open | undefined;

  const openFor = (result: FailedResult): void => {
    const openings = (open?.openings ?? 0) + 1;
    const openMs = Math.min(settings.maxOpenMs, settings.openMs * 2 ** Math.min(openings - 1, 30));
    const untilMs = monotonic.elapsedMs() + Math.max(openMs, requestedWaitMs(result));
    open ??= { code: '', openings: 0, untilMs: 0, probes: new Set() };
    Object.assign(open, { code: result.code, openings, untilMs });
    onChange('open', result.code);
  };

  const endProbe = (begunIn: Open, probe: Probe, result: SendResult): void => {
    begunIn.probes.delete(probe);
    if (open !== begunIn || isUncalled(result)) return;
    if (isFailure(result)) {
      if (probe.openings === begunIn.openings) return openFor(result);
      begunIn.untilMs = Math.max(begunIn.untilMs, monotonic.elapsedMs() + requestedWaitMs(result));
      return;
    }
    open = undefined;
    failures = 0;
    onChange('closed', undefined);
  };

  const settleClosed = (result: SendResult): void => {
    if (!isFailure(result)) {
      if (!isUncalled(result)) failures = 0;
      return;
    }
    failures += 1;
    const isImmediate = result.kind === 'misconfigured' || requestedWaitMs(result) > 0;
    if (isImmediate || failures >= settings.failureThreshold) openFor(result);
  };

  return {
    check: () => {
      if (open === undefined) return { kind: 'go' };
      const afterMs = waitMs(open, monotonic.elapsedMs());
      return afterMs === 0 ? { kind: 'go' } : { kind: 'open', afterMs, code: open.code };
    },
    admit: () => {
      if (open === undefined) return;
      addProbe(open, monotonic.elapsedMs(), settings.openMs);
      onChange('half-open', open.code);
    },
    begin: () => {
      const begunIn = open;
      if (begunIn === undefined) return (result) => (open === undefined ? settleClosed(result) : undefined);
      const probe = [...begunIn.probes].find(({ isRunning }) => !isRunning);
      if (probe === undefined) return () => undefined;
      probe.isRunning = true;
      probe.expiresMs = monotonic.elapsedMs() + settings.maxOpenMs;
      return (result) => endProbe(begunIn, probe, result);
    },
    openCode: () => open?.code,
  };
}

/** Time until the next call may be made, in milliseconds: the open time, or until a probe has ended or expired. */
function waitMs({ untilMs, probes }: Open, nowMs: number): number {
  if (nowMs < untilMs) return untilMs - nowMs;
  const waitsMs = [...probes].map(({ expiresMs }) => expiresMs - nowMs).filter((ms) => ms > 0);
  return waitsMs.length < PROBES ? 0 : Math.min(PROBE_POLL_MS, ...waitsMs);
}

/** A probe that its caller never starts expires after another first open time. */
function addProbe({ probes, openings }: Open, nowMs: number, openMs: number): void {
  for (const probe of probes) if (probe.expiresMs <= nowMs) probes.delete(probe);
  probes.add({ openings, isRunning: false, expiresMs: nowMs + openMs });
}

type FailedResult = Exclude<SendResult, { readonly kind: 'sent' | 'permanent' }>;

function isUncalled(result: SendResult): boolean {
  return result.kind === 'transient' && result.isUncalled === true;
}

/** Whether a result is a failure of the provider, not only of this message. */
function isFailure(result: SendResult): result is FailedResult {
  switch (result.kind) {
    case 'transient':
      return result.isAboutReceiver !== true && result.isUncalled !== true;
    case 'unknown':
      return result.isAboutMessage !== true;
    case 'misconfigured':
      return true;
    case 'sent':
    case 'permanent':
      return false;
    default:
      return assertNever(result);
  }
}

/** The provider's Retry-After in milliseconds, or 0. */
function requestedWaitMs(result: FailedResult): number {
  return result.kind === 'transient' ? Math.min(MAX_RETRY_AFTER_MS, result.retryAfterMs ?? 0) : 0;
}
