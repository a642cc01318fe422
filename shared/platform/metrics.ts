import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import METRICS from './metric-list.json' with { type: 'json' };
import type { Timers } from './system-ports.ts';

const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The metrics of the process. Labels are names and codes, never ids, amounts or personal data. */
export type Metrics = ReturnType<typeof createMetrics>;

const MAX_CODES = 500;

/** Returns a function that replaces all but the first 500 distinct codes by `other`, because each takes memory. */
export function limitCodes(): (code: string) => string {
  const first = new Set<string>();
  return (code) => {
    if (first.size < MAX_CODES) first.add(code);
    return first.has(code) ? code : 'other';
  };
}

type Name = keyof typeof METRICS;

/** Creates a registry. A name that is requested again returns its first metric. */
export function createMetrics(options: { processMetrics: boolean } = { processMetrics: false }) {
  const registry = new Registry();
  const collectors: (() => void)[] = [];
  if (options.processMetrics) collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const get = <Kind extends Counter | Gauge | Histogram>(
    name: Name,
    create: (one: {
      name: string;
      help: string;
      labelNames: readonly string[];
      registers: Registry[];
    }) => Kind,
  ): Kind =>
    (registry.getSingleMetric(name) as Kind | undefined) ?? create({ name, ...METRICS[name], registers });
  return {
    counter: (name: Name): Counter => get(name, (one) => new Counter(one)),
    gauge: (name: Name): Gauge => get(name, (one) => new Gauge(one)),
    /** A histogram of seconds, with buckets from 0.5 ms to 10 s. */
    duration: (name: Name): Histogram =>
      get(name, (one) => new Histogram({ ...one, buckets: DURATION_BUCKETS })),
    /** Calls `collect` before each scrape of all metrics, to set gauges that are only needed then. */
    onScrape: (collect: () => void): void => void collectors.push(collect),
    /** Prometheus text of all metrics, or of those in `names`, for which no function of `onScrape` is called. */
    text: async (names?: readonly string[]): Promise<string> => {
      if (names !== undefined) {
        const known = names.filter((name) => hasMetric(registry, name));
        const texts = await Promise.all(known.map((name) => registry.getSingleMetricAsString(name)));
        return `${texts.join('\n\n')}\n`;
      }
      for (const collect of collectors) collect();
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

type ScrapeText = (names?: readonly string[]) => Promise<string>;

/** Maximum age of the values of a scrape, so that scrapes take at most a twentieth of the processor time. */
const SHARED_MS = 25;
const NOTHING = '\n';

/** Scrapes need no token, and a caller may send thousands: those within 25 ms share the text of each metric. */
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

/** prom-client keeps its metrics in an object that inherits names such as `constructor`. */
function hasMetric(registry: Registry, name: string): boolean {
  return !(name in Object.prototype) && registry.getSingleMetric(name) !== undefined;
}
