import { createLibraryCalendars } from '../calendars/library-calendars.ts';
import type { OtherCalendars } from '../lending/calendars/business-calendar.ts';
import type { Codec } from '../messaging/codec.ts';
import type { Broker } from '../messaging/ports.ts';
import { topicName } from '../messaging/topics/topics.ts';
import type { Config } from '../platform/load-config.ts';
import type { Health } from '../platform/health.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Timers } from '../platform/timers.ts';
import type { CatalogueView } from '../product/catalogue/catalogue-view.ts';
import { CatalogueTable } from './catalogue-table.ts';

/** The parts of a worker's context that the catalogue uses. */
export interface CatalogueContext {
  readonly config: Pick<Config, 'topicPrefix' | 'lending'>;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly broker: Pick<Broker, 'createTail'>;
  readonly codec: Codec;
  readonly timers: Timers;
}

/** The catalogue of a worker, which has been read completely and follows the topic. */
export interface WorkerCatalogue {
  readonly view: CatalogueView;
  health(): Health;
  stop(timeoutMs: number): Promise<void>;
}

/**
 * Opens the catalogue for the worker with that name. `otherCalendars` finds countries that are not built in, on which
 * calendars of the catalogue are based; default: the countries of the holiday library.
 */
export type OpenCatalogue = (
  context: CatalogueContext,
  worker: string,
  otherCalendars?: OtherCalendars,
) => Promise<WorkerCatalogue>;

/**
 * Follows the catalogue topic, and resolves when all records that are on it at the time of the call have been read. Rejects
 * after the time limit and leaves nothing running.
 */
export async function openCatalogue(
  context: CatalogueContext,
  worker: string,
  otherCalendars?: OtherCalendars,
): Promise<WorkerCatalogue> {
  const { broker, codec, config, log, metrics, timers } = context;
  const table = new CatalogueTable({
    broker,
    codec,
    log,
    metrics,
    timers,
    topic: topicName(config.topicPrefix, 'catalogueRecords'),
    clientId: `${worker}-catalogue`,
    otherCalendars: otherCalendars ?? createLibraryCalendars(),
  });
  try {
    await table.start();
  } catch (error) {
    await table.stop(0);
    throw error;
  }
  return { view: table, health: () => table.health(), stop: (timeoutMs) => table.stop(timeoutMs) };
}
