import type { SendResult } from '../../../shared/notification/provider.ts';
import type { Clock } from '../../../shared/platform/clock.ts';

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
/** How soon to ask again while a probe is under way. */
const PROBE_POLL_MS = 500;

export interface ProviderBreaker {
  /** Whether a call may go now; changes nothing. */
  check():
    | { readonly kind: 'go' }
    | { readonly kind: 'open'; readonly afterMs: number; readonly code: string };
  /** A call is about to be made: the probe, if the breaker was open. */
  admit(): void;
  /** A call begins; tell the function returned how it ended. */
  begin(): (result: SendResult) => void;
  /** What it is open for, until a probe succeeds. */
  openCode(): string | undefined;
}

interface Open {
  readonly code: string;
  /** Consecutive rests; 1 for the first. */
  readonly rests: number;
  until: number;
  probe: 'none' | 'admitted' | 'running';
}

/**
 * Circuit breaker of one provider. It opens after `failureThreshold` transient or unknown results in a row, at once when
 * the provider is misconfigured (a wrong password does not get better by repeating it), and for as long as a provider asks
 * (Retry-After). After the rest exactly one call goes, the probe: its success closes the breaker, its failure doubles the
 * rest. Any answer about the message itself (a refusal for good, or a fault of this receiver alone, such as a full mailbox)
 * shows that the provider works. Results of calls that began before it opened change nothing.
 */
export function createProviderBreaker(
  given: Partial<ProviderBreakerSettings>,
  clock: Clock,
  onChange: (state: BreakerState, code: string | undefined) => void = () => undefined,
): ProviderBreaker {
  const settings = { ...PROVIDER_BREAKER_DEFAULTS, ...given };
  let failures = 0;
  let open: Open | undefined;

  const rest = (result: FailedResult): void => {
    const rests = (open?.rests ?? 0) + 1;
    const restMs = Math.min(settings.maxOpenMs, settings.openMs * 2 ** Math.min(rests - 1, 30));
    const askedMs = Math.min(MAX_RETRY_AFTER_MS, retryAfterOf(result) ?? 0);
    open = { code: result.code, rests, until: clock.now() + Math.max(restMs, askedMs), probe: 'none' };
    onChange('open', result.code);
  };

  const endProbe = (result: SendResult): void => {
    if (isFailure(result)) return rest(result);
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
    const isAtOnce = result.kind === 'misconfigured' || (retryAfterOf(result) ?? 0) > 0;
    if (isAtOnce || failures >= settings.failureThreshold) rest(result);
  };

  return {
    check: () => {
      if (open === undefined) return { kind: 'go' };
      const now = clock.now();
      if (now >= open.until) return { kind: 'go' };
      const restMs = open.until - now;
      const afterMs = open.probe === 'none' ? restMs : Math.min(restMs, PROBE_POLL_MS);
      return { kind: 'open', afterMs, code: open.code };
    },
    admit: () => {
      if (open === undefined) return;
      open.probe = 'admitted';
      /** Others wait for the probe; one whose caller thought better of it is given up after another first rest. */
      open.until = clock.now() + settings.openMs;
      onChange('half-open', open.code);
    },
    begin: () => {
      const begunIn = open;
      if (begunIn === undefined) return (result) => (open === undefined ? settleClosed(result) : undefined);
      if (begunIn.probe !== 'admitted') return () => undefined;
      begunIn.probe = 'running';
      begunIn.until = clock.now() + settings.maxOpenMs;
      return (result) => (open === begunIn ? endProbe(result) : undefined);
    },
    openCode: () => open?.code,
  };
}

type FailedResult = Exclude<SendResult, { readonly kind: 'sent' | 'permanent' }>;

/** Whether a result speaks against the provider, not only against this message. */
function isFailure(result: SendResult): result is FailedResult {
  if (result.kind === 'transient') return result.isAboutReceiver !== true;
  return result.kind === 'misconfigured' || result.kind === 'unknown';
}

function retryAfterOf(result: SendResult): number | undefined {
  return result.kind === 'transient' ? result.retryAfterMs : undefined;
}
