import type { Metrics } from '../../../shared/platform/metrics.ts';

const MILLIS_PER_SECOND = 1_000;

export interface HttpMetrics {
  started(): void;
  /** `what` is an action's name or the kind of address: few values, never what a caller made up. */
  finished(what: string, status: number, startedAtMs: number): void;
  inFlight(): number;
}

/** Request figures: duration by action and status, and how many are in flight. */
export function createHttpMetrics(metrics: Metrics): HttpMetrics {
  const duration = metrics.duration(
    'plat_http_request_duration_seconds',
    'HTTP requests by action and status',
    ['action', 'status'],
  );
  const gauge = metrics.gauge('plat_http_requests_in_flight', 'HTTP requests that wait for their answer');
  let inFlight = 0;
  metrics.onScrape(() => gauge.set(inFlight));
  const observers = new Map<string, { observe(seconds: number): void }>();
  const observerOf = (action: string, status: number): { observe(seconds: number): void } => {
    const key = `${status} ${action}`;
    const known = observers.get(key);
    if (known !== undefined) return known;
    const made = duration.labels(action, String(status));
    observers.set(key, made);
    return made;
  };
  return {
    started: () => {
      inFlight++;
    },
    finished: (what, status, startedAtMs) => {
      inFlight--;
      observerOf(what, status).observe((performance.now() - startedAtMs) / MILLIS_PER_SECOND);
    },
    inFlight: () => inFlight,
  };
}
