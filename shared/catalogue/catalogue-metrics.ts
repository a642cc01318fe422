import type { Metrics } from '../platform/metrics.ts';
import type { CatalogueStats } from './catalogue-table.ts';

/** Shows the figures of a catalogue table at each scrape; `worker` and `figure` are the only labels. */
export function followCatalogue(metrics: Metrics, worker: string, stats: () => CatalogueStats): void {
  const gauge = metrics.gauge(
    'plat_catalogue_state',
    'Records, bytes and faults of the catalogue in memory',
    ['worker', 'figure'],
  );
  metrics.onScrape(() => {
    for (const [figure, value] of Object.entries(stats())) gauge.set({ worker, figure }, value as number);
  });
}
