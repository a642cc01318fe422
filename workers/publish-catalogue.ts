import { fileURLToPath } from 'node:url';
import { createLibraryCalendars } from '../shared/calendars/library-calendars.ts';
import { writeRecords } from '../shared/catalogue/write-records.ts';
import { catalogueError, readWholeCatalogue } from '../shared/contract/catalogue-files/read-folder.ts';
import type { Codec } from '../shared/messaging/codec.ts';
import type { Broker } from '../shared/messaging/ports.ts';
import { topicName } from '../shared/messaging/topics/topics.ts';
import type { Config } from '../shared/platform/load-config.ts';

/** The default catalogue: example products. */
const EXAMPLE_CATALOGUE = fileURLToPath(new URL('../shared/product/example-catalogue', import.meta.url));

/**
 * Publishes the catalogue folder to an embedded broker, which other processes cannot reach. Does nothing when the topic is
 * not empty (several systems with one broker). Rejects with a ConfigError that lists all faults.
 */
export async function publishCatalogue(broker: Broker, codec: Codec, config: Config): Promise<void> {
  const topic = topicName(config.topicPrefix, 'catalogueRecords');
  const offsets = await broker.admin.offsets(topic);
  if (offsets.some(({ high }) => high > 0)) return;
  const folder = config.lending.catalogueFolder ?? EXAMPLE_CATALOGUE;
  const { records, faults } = readWholeCatalogue(folder, createLibraryCalendars());
  if (faults.length > 0) throw catalogueError(folder, faults);
  await writeRecords({ broker, codec, topic, clientId: 'catalogue-folder' }, { put: records, remove: [] });
}
