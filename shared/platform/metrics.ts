import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** Latency buckets in seconds: from the embedded broker to the longest reply timeout. */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The metrics of the process. Labels are names and codes, never ids, amounts or personal data. */
export interface Metrics {
  counter(name: string, help: string, labelNames?: readonly string[]): Counter;
  gauge(name: string, help: string, labelNames?: readonly string[]): Gauge;
  /** A histogram in seconds with the standard latency buckets. */
  duration(name: string, help: string, labelNames?: readonly string[]): Histogram;
  /** Calls `collect` before each scrape, to set gauges that are only needed then. */
  onScrape(collect: () => void): void;
  /** Prometheus text exposition. */
  text(): Promise<string>;
  readonly contentType: string;
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
    text: async () => {
      for (const collect of collectors) collect();
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}
