import type { SystemRate } from '../../../../shared/api/operations/system-state.ts';
import type { Sample } from '../../../../shared/platform/metrics.ts';

/** Rates and durations of one process, from histograms that only ever grow. */
export interface Rates {
  /** Those since the oldest observation of the last minute, or since the start of the process if there is none. */
  observe(
    samples: readonly Sample[],
    nowMs: number,
    startedMs: number,
  ): readonly Omit<SystemRate, 'process'>[];
}

/** The histograms with durations, and what distinguishes their failures. */
const HISTOGRAMS: Readonly<
  Record<
    string,
    {
      readonly kind: SystemRate['kind'];
      readonly nameOf: (labels: Sample['labels']) => string | undefined;
      readonly isFailed: (labels: Sample['labels']) => boolean;
    }
  >
> = {
  plat_http_request_duration_seconds: {
    kind: 'request',
    nameOf: ({ action = '' }) => (WATCHING.some((label) => label === action) ? undefined : action),
    isFailed: ({ status = '' }) => status.startsWith('5'),
  },
  plat_handler_duration_seconds: {
    kind: 'message',
    nameOf: ({ worker }) => worker,
    isFailed: ({ result }) => result === 'unexpected',
  },
  plat_notification_provider_seconds: {
    kind: 'provider',
    nameOf: ({ channel, provider }) => `${channel}/${provider}`,
    isFailed: () => false,
  },
};

/** The metrics that `observe` needs. */
export const RATE_METRICS: readonly string[] = Object.keys(HISTOGRAMS);
/** Labels of requests that are no work of the system: those of its own addresses and the pages of the workbench. */
export const WATCHING = ['system', 'system-settings', 'workbench'] as const;

const WINDOW_MS = 60_000;
/** Observations in between are not kept: a minute needs no more than thirteen. */
const STEP_MS = 5_000;
/** Actions, workers and providers of one process; ours has fewer than forty. */
const MAX_NAMES = 100;
const MILLIS = 1_000;
const MEDIAN = 0.5;
const ALMOST_ALL = 0.99;

interface Durations {
  readonly kind: SystemRate['kind'];
  readonly name: string;
  count: number;
  failed: number;
  /** How many took no longer than a bound in seconds, by bound. */
  readonly upTo: Map<number, number>;
}

interface Observation {
  readonly atMs: number;
  readonly durations: ReadonlyMap<string, Durations>;
}

export function createRates(): Rates {
  let kept: Observation[] = [];
  return {
    observe: (samples, nowMs, startedMs) => {
      const durations = readDurations(samples);
      kept = kept.filter(({ atMs }) => nowMs - atMs < WINDOW_MS + STEP_MS);
      // After a restart of the process its counts begin anew.
      if (kept.some((earlier) => isLess(durations, earlier.durations))) kept = [];
      const [oldest] = kept;
      const since = oldest ?? { atMs: startedMs, durations: new Map() };
      const last = kept.at(-1);
      if (last === undefined || nowMs - last.atMs >= STEP_MS) kept.push({ atMs: nowMs, durations });
      return [...durations.values()].map((now) => toRate(now, since, nowMs));
    },
  };
}

function readDurations(samples: readonly Sample[]): ReadonlyMap<string, Durations> {
  const found = new Map<string, Durations>();
  for (const { name: metric, labels, value } of samples) {
    const [, base = '', part] = /^(.*)_(bucket|count)$/.exec(metric) ?? [];
    const histogram = Object.hasOwn(HISTOGRAMS, base) ? HISTOGRAMS[base] : undefined;
    const name = histogram?.nameOf(labels);
    if (histogram === undefined || name === undefined) continue;
    const { kind } = histogram;
    const key = `${kind} ${name}`;
    const durations = found.get(key) ?? { kind, name, count: 0, failed: 0, upTo: new Map<number, number>() };
    if (found.size < MAX_NAMES) found.set(key, durations);
    if (part === 'count') {
      durations.count += value;
      if (histogram.isFailed(labels)) durations.failed += value;
    } else {
      const bound = labels['le'] === '+Inf' ? Infinity : Number(labels['le']);
      durations.upTo.set(bound, (durations.upTo.get(bound) ?? 0) + value);
    }
  }
  return found;
}

function isLess(now: ReadonlyMap<string, Durations>, earlier: ReadonlyMap<string, Durations>): boolean {
  return [...earlier].some(([key, { count }]) => (now.get(key)?.count ?? 0) < count);
}

function toRate(now: Durations, since: Observation, nowMs: number): Omit<SystemRate, 'process'> {
  const { kind, name } = now;
  const before = since.durations.get(`${kind} ${name}`);
  const count = now.count - (before?.count ?? 0);
  const windowSeconds = Math.max(0, nowMs - since.atMs) / MILLIS;
  const upTo = [...now.upTo]
    .map(([bound, total]) => [bound, total - (before?.upTo.get(bound) ?? 0)] as const)
    .toSorted(([one], [other]) => one - other);
  return {
    kind,
    name,
    count,
    perSecond: windowSeconds === 0 ? 0 : toDigits(count / windowSeconds),
    failed: now.failed - (before?.failed ?? 0),
    ...(count === 0
      ? {}
      : {
          p50Ms: toDigits(quantile(upTo, MEDIAN) * MILLIS),
          p99Ms: toDigits(quantile(upTo, ALMOST_ALL) * MILLIS),
        }),
    windowSeconds: Math.round(windowSeconds),
  };
}

/** As histogram_quantile of Prometheus: linear within a bucket; beyond the last bound that bound. In seconds. */
function quantile(upTo: readonly (readonly [bound: number, count: number])[], share: number): number {
  const total = upTo.at(-1)?.[1] ?? 0;
  const rank = share * total;
  let lower = 0;
  let below = 0;
  for (const [bound, count] of upTo) {
    if (count >= rank && count > below) {
      return bound === Infinity ? lower : lower + ((bound - lower) * (rank - below)) / (count - below);
    }
    if (bound !== Infinity) lower = bound;
    below = count;
  }
  return lower;
}

/** Three significant digits: more would change with every observation without meaning anything. */
function toDigits(value: number): number {
  return Number(value.toPrecision(3));
}
