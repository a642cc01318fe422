import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry, type MetricValue } from 'prom-client';
import type { Timers } from './system-ports.ts';

/** Latency buckets in seconds: from the embedded broker to the longest reply timeout. */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** One value of a metric: of a counter, a gauge, or one bucket of a histogram. */
export interface Sample {
  /** As in the Prometheus text format: with `_bucket`, `_sum` or `_count` for those of a histogram. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The metrics of the process. Labels are names and codes, never ids, amounts or personal data. */
export interface Metrics {
  counter(name: string, help: string, labelNames?: readonly string[]): Counter;
  gauge(name: string, help: string, labelNames?: readonly string[]): Gauge;
  /** A histogram in seconds with the standard latency buckets. */
  duration(name: string, help: string, labelNames?: readonly string[]): Histogram;
  /** Calls `collect` before each scrape, to set gauges that are only needed then. */
  onScrape(collect: () => void): void;
  /** Prometheus text exposition, of all metrics or of those with these names, as `samples` reads them. */
  text(names?: readonly string[]): Promise<string>;
  /**
   * The values of the metrics with these names. Does not call the collectors of `onScrape`, some of which begin a new
   * period for the next scrape.
   */
  samples(names: readonly string[]): Promise<readonly Sample[]>;
  readonly contentType: string;
}

/** Distinct codes of one metric; each makes a series, which stays in memory. */
const MAX_CODES = 500;

/**
 * Returns a function that passes on the first 500 distinct codes and replaces further ones by `other`: a provider may answer with a
 * new number each time.
 */
export function limitCodes(): (code: string) => string {
  const first = new Set<string>();
  return (code) => {
    if (first.size < MAX_CODES) first.add(code);
    return first.has(code) ? code : 'other';
  };
}

/** Creates an empty registry; a name that is requested again returns the same metric. */
export function createMetrics(options: { processMetrics: boolean } = { processMetrics: false }): Metrics {
  const registry = new Registry();
  const collectors: (() => void)[] = [];
  if (options.processMetrics) collectDefaultMetrics({ register: registry });
  const base = (name: string, help: string, labelNames: readonly string[]) => ({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
  });
  return {
    counter: (name, help, labelNames = []) =>
      (registry.getSingleMetric(name) as Counter | undefined) ?? new Counter(base(name, help, labelNames)),
    gauge: (name, help, labelNames = []) =>
      (registry.getSingleMetric(name) as Gauge | undefined) ?? new Gauge(base(name, help, labelNames)),
    duration: (name, help, labelNames = []) =>
      (registry.getSingleMetric(name) as Histogram | undefined) ??
      new Histogram({ ...base(name, help, labelNames), buckets: DURATION_BUCKETS }),
    onScrape: (collect) => collectors.push(collect),
    text: async (names) => {
      if (names !== undefined) return namedText(registry, names);
      for (const collect of collectors) collect();
      return registry.metrics();
    },
    samples: async (names) => {
      const found = await Promise.all(known(registry, names).map((metric) => metric.get()));
      return found.flatMap(({ name, values }) => values.map((value) => toSample(name, value)));
    },
    contentType: registry.contentType,
  };
}

/** The text of the metrics with these names, or of all. */
export type ScrapeText = (names?: readonly string[]) => Promise<string>;

/** How old the values of a scrape may be: a twentieth of the processor time then suffices for all scrapes. */
const SHARED_MS = 25;
/** The text of names that are unknown. */
const NOTHING = '\n';

/**
 * The text of scrapes over HTTP, which need no token. Those within `SHARED_MS` share the text of each metric and of all: making it
 * takes a millisecond, and a caller may send thousands of requests at once, which are handled in many turns of the event loop.
 */
export function shareScrapeTexts(
  metrics: Pick<Metrics, 'text'>,
  timers: Pick<Timers, 'schedule'>,
): ScrapeText {
  const shared = new Map<string | undefined, Promise<string>>();
  const textOf = (name: string | undefined): Promise<string> => {
    const made = shared.get(name);
    if (made !== undefined) return made;
    if (shared.size === 0) timers.schedule(() => shared.clear(), SHARED_MS, 'background');
    const text = metrics.text(name === undefined ? undefined : [name]);
    shared.set(name, text);
    return text;
  };
  return async (names) => {
    if (names === undefined) return textOf(undefined);
    const texts = await Promise.all(names.map(textOf));
    return texts.filter((text) => text !== NOTHING).join('\n') || NOTHING;
  };
}

type Known = Counter | Gauge | Histogram;

function known(registry: Registry, names: readonly string[]): readonly Known[] {
  return names.flatMap((name) => findMetric(registry, name) ?? []);
}

/** The metric of a name that a caller chose: prom-client keeps its metrics in an object that inherits names such as `constructor`. */
function findMetric(registry: Registry, name: string): Known | undefined {
  return name in Object.prototype ? undefined : (registry.getSingleMetric(name) as Known | undefined);
}

async function namedText(registry: Registry, names: readonly string[]): Promise<string> {
  const texts = names
    .filter((name) => findMetric(registry, name) !== undefined)
    .map((name) => registry.getSingleMetricAsString(name));
  return `${(await Promise.all(texts)).join('\n\n')}\n`;
}

function toSample(
  name: string,
  { labels, value, ...rest }: MetricValue<string> & { readonly metricName?: string },
): Sample {
  const texts = Object.entries(labels).map(([label, text]) => [label, String(text)]);
  return { name: rest.metricName ?? name, labels: Object.fromEntries(texts) as Sample['labels'], value };
}
