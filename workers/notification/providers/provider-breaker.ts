import type { SendResult } from '../../../shared/notification/provider.ts';
import type { MonotonicClock } from '../../../shared/platform/clock.ts';
import { assertNever } from '../../../shared/platform/errors.ts';

/** When a provider is set aside, and for how long. */
export interface ProviderBreakerSettings {
  /** Transient or unknown results in a row that set the provider aside. */
  readonly failureThreshold: number;
  /** First rest, in milliseconds; doubled each time that the probe after it fails. */
  readonly openMs: number;
  readonly maxOpenMs: number;
}

export const PROVIDER_BREAKER_DEFAULTS: ProviderBreakerSettings = {
  failureThreshold: 5,
  openMs: 5_000,
  maxOpenMs: 300_000,
};

export type BreakerState = 'closed' | 'open' | 'half-open';

/** A provider that asks for more patience than this (Retry-After) is asked again all the same. */
const MAX_RETRY_AFTER_MS = 3_600_000;
/** How soon to ask again while all probes are under way. */
const PROBE_POLL_MS = 500;
/**
 * Probes side by side. One that a single message or receiver makes fail must not keep the provider from all others; and
 * as a probe may be a sending of unknown outcome, which an operator has to look into, there are few.
 */
const PROBES = 3;

export interface ProviderBreaker {
  /** Whether a call may go now; changes nothing. */
  check():
    | { readonly kind: 'go' }
    | { readonly kind: 'open'; readonly afterMs: number; readonly code: string };
  /** A call is about to be made: a probe, if the breaker was open. */
  admit(): void;
  /** A call begins; tell the function returned how it ended. */
  begin(): (result: SendResult) => void;
  /** What it is open for, until a probe succeeds. */
  openCode(): string | undefined;
}

interface Open {
  code: string;
  /** Consecutive rests; 1 for the first. */
  rests: number;
  /** The rest ends then, on the monotonic clock. */
  untilMs: number;
  readonly probes: Set<Probe>;
}

interface Probe {
  /** The rest that it followed. */
  readonly rests: number;
  isRunning: boolean;
  /** Another one takes its place then. */
  givenUpMs: number;
}

/**
 * Circuit breaker of one provider. It opens after `failureThreshold` transient or unknown results in a row, at once when
 * the provider is misconfigured (a wrong password does not get better by repeating it), and for as long as a provider asks
 * (Retry-After). After the rest three calls go side by side, the probes; callers have one call per receiver under way, so
 * that they are of different receivers. The success of any closes the breaker; the first failure doubles the rest, and
 * those still under way may close it all the same. Any answer about the message itself (a refusal for good, or a fault of
 * this receiver alone, such as a full mailbox) shows that the provider works. Results of calls that began before it opened
 * change nothing.
 */
export function createProviderBreaker(
  given: Partial<ProviderBreakerSettings>,
  monotonic: MonotonicClock,
  onChange: (state: BreakerState, code: string | undefined) => void = () => undefined,
): ProviderBreaker {
  const settings = { ...PROVIDER_BREAKER_DEFAULTS, ...given };
  let failures = 0;
  let open: Open | undefined;

  const rest = (result: FailedResult): void => {
    const rests = (open?.rests ?? 0) + 1;
    const restMs = Math.min(settings.maxOpenMs, settings.openMs * 2 ** Math.min(rests - 1, 30));
    const untilMs = monotonic.elapsedMs() + Math.max(restMs, askedMs(result));
    open ??= { code: '', rests: 0, untilMs: 0, probes: new Set() };
    Object.assign(open, { code: result.code, rests, untilMs });
    onChange('open', result.code);
  };

  const endProbe = (begunIn: Open, probe: Probe, result: SendResult): void => {
    begunIn.probes.delete(probe);
    if (open !== begunIn) return;
    if (isFailure(result)) {
      if (probe.rests === begunIn.rests) return rest(result);
      begunIn.untilMs = Math.max(begunIn.untilMs, monotonic.elapsedMs() + askedMs(result));
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
    const isAtOnce = result.kind === 'misconfigured' || askedMs(result) > 0;
    if (isAtOnce || failures >= settings.failureThreshold) rest(result);
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

/** For how long no call may go, in milliseconds: the rest, or until a probe has ended or was given up. */
function waitMs({ untilMs, probes }: Open, nowMs: number): number {
  if (nowMs < untilMs) return untilMs - nowMs;
  const waitsMs = [...probes].map(({ givenUpMs }) => givenUpMs - nowMs).filter((ms) => ms > 0);
  return waitsMs.length < PROBES ? 0 : Math.min(PROBE_POLL_MS, ...waitsMs);
}

/** A probe that its caller never begins is given up after another first rest. */
function addProbe({ probes, rests }: Open, nowMs: number, openMs: number): void {
  for (const probe of probes) if (probe.givenUpMs <= nowMs) probes.delete(probe);
  probes.add({ rests, isRunning: false, givenUpMs: nowMs + openMs });
}

type FailedResult = Exclude<SendResult, { readonly kind: 'sent' | 'permanent' }>;

/** Whether a result speaks against the provider, not only against this message. */
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

/** The patience that a provider asks for, in milliseconds. */
function askedMs(result: FailedResult): number {
  return result.kind === 'transient' ? Math.min(MAX_RETRY_AFTER_MS, result.retryAfterMs ?? 0) : 0;
}
