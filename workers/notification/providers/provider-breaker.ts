import type { SendResult } from '../../../shared/notification/provider.ts';
import type { MonotonicClock } from '../../../shared/platform/clock.ts';
import { assertNever } from '../../../shared/platform/errors.ts';

/** When the breaker of a provider opens, and for how long. */
export interface ProviderBreakerSettings {
  /** Consecutive transient or unknown results that open it. */
  readonly failureThreshold: number;
  /** First open time, in milliseconds; doubled each time that the probe after it fails. */
  readonly openMs: number;
  readonly maxOpenMs: number;
}

export const PROVIDER_BREAKER_DEFAULTS: ProviderBreakerSettings = {
  failureThreshold: 5,
  openMs: 5_000,
  maxOpenMs: 300_000,
};

export type ProviderBreakerState = 'closed' | 'open' | 'half-open';

/** Longer waits that a provider asks for (Retry-After) are cut to this. */
const MAX_RETRY_AFTER_MS = 3_600_000;
/** Wait before the next check while all probes are in progress. */
const PROBE_POLL_MS = 500;
/**
 * Concurrent probes: a single one that fails because of its message or receiver must not keep the breaker open; and as a
 * probe may end as an unknown outcome, which an operator has to check, there are few.
 */
const PROBES = 3;

export interface ProviderBreaker {
  /** Whether a call may go now; changes nothing. */
  check():
    | { readonly kind: 'go' }
    | { readonly kind: 'open'; readonly afterMs: number; readonly code: string };
  /** A call is about to be made: a probe, if the breaker is open. */
  admit(): void;
  /** A call begins; the returned function takes its result. */
  begin(): (result: SendResult) => void;
  /** The code that opened it, until a probe succeeds. */
  openCode(): string | undefined;
}

interface Open {
  code: string;
  /** Consecutive open times; 1 for the first. */
  rests: number;
  /** End of the open time, on the monotonic clock. */
  untilMs: number;
  readonly probes: Set<Probe>;
}

interface Probe {
  /** The open time that it followed. */
  readonly rests: number;
  isRunning: boolean;
  /** When another probe takes its place, on the monotonic clock. */
  givenUpMs: number;
}

/**
 * Circuit breaker of one provider. It opens after `failureThreshold` consecutive transient or unknown results, at once when
 * the provider is misconfigured (repeating a wrong password does not help), and for as long as a provider asks
 * (Retry-After). After the open time up to three concurrent calls are allowed, the probes; callers make one call per
 * receiver at a time, so that they are of different receivers. The success of any probe closes the breaker; the first
 * failure doubles the open time, and those still in progress may close it nevertheless. Any result about the message itself
 * (a rejection, or a failure of this receiver alone, such as a full mailbox) shows that the provider works. Results of calls
 * that began before it opened change nothing.
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
    const rests = (open?.rests ?? 0) + 1;
    const openMs = Math.min(settings.maxOpenMs, settings.openMs * 2 ** Math.min(rests - 1, 30));
    const untilMs = monotonic.elapsedMs() + Math.max(openMs, requestedWaitMs(result));
    open ??= { code: '', rests: 0, untilMs: 0, probes: new Set() };
    Object.assign(open, { code: result.code, rests, untilMs });
    onChange('open', result.code);
  };

  const endProbe = (begunIn: Open, probe: Probe, result: SendResult): void => {
    begunIn.probes.delete(probe);
    if (open !== begunIn) return;
    if (isFailure(result)) {
      if (probe.rests === begunIn.rests) return openFor(result);
      begunIn.untilMs = Math.max(begunIn.untilMs, monotonic.elapsedMs() + requestedWaitMs(result));
      return;
    }
    open = undefined;
    failures = 0;
    onChange('closed', undefined);
  };

  const settleClosed = (result: SendResult): void => {
    if (!isFailure(result)) {
      failures = 0;
      return;
    }
    failures += 1;
    const isAtOnce = result.kind === 'misconfigured' || requestedWaitMs(result) > 0;
    if (isAtOnce || failures >= settings.failureThreshold) openFor(result);
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
      probe.givenUpMs = monotonic.elapsedMs() + settings.maxOpenMs;
      return (result) => endProbe(begunIn, probe, result);
    },
    openCode: () => open?.code,
  };
}

/** How long no call may be made, in milliseconds: the open time, or until a probe has ended or was given up. */
function waitMs({ untilMs, probes }: Open, nowMs: number): number {
  if (nowMs < untilMs) return untilMs - nowMs;
  const waitsMs = [...probes].map(({ givenUpMs }) => givenUpMs - nowMs).filter((ms) => ms > 0);
  return waitsMs.length < PROBES ? 0 : Math.min(PROBE_POLL_MS, ...waitsMs);
}

/** A probe that its caller never begins is given up after another first open time. */
function addProbe({ probes, rests }: Open, nowMs: number, openMs: number): void {
  for (const probe of probes) if (probe.givenUpMs <= nowMs) probes.delete(probe);
  probes.add({ rests, isRunning: false, givenUpMs: nowMs + openMs });
}

type FailedResult = Exclude<SendResult, { readonly kind: 'sent' | 'permanent' }>;

/** Whether a result counts against the provider, not only against this message. */
function isFailure(result: SendResult): result is FailedResult {
  switch (result.kind) {
    case 'transient':
      return result.isAboutReceiver !== true;
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

/** The wait that a provider asks for, in milliseconds. */
function requestedWaitMs(result: FailedResult): number {
  return result.kind === 'transient' ? Math.min(MAX_RETRY_AFTER_MS, result.retryAfterMs ?? 0) : 0;
}
