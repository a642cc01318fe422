import { fileURLToPath } from 'node:url';
import { createLibraryCalendars } from '../shared/calendars/library-calendars.ts';
import { writeRecords, type RecordChanges } from '../shared/catalogue/write-records.ts';
import { CATALOGUE_RECORD, encodeRecord } from '../shared/contract/catalogue-files/catalogue-message.ts';
import { catalogueError, readWholeCatalogue } from '../shared/contract/catalogue-files/read-folder.ts';
import type { Codec } from '../shared/messaging/codec.ts';
import type { Broker } from '../shared/messaging/ports.ts';
import { topicName } from '../shared/messaging/topics/topics.ts';
import type { Config } from '../shared/platform/load-config.ts';

/** The default catalogue: example products. */
const EXAMPLE_CATALOGUE = fileURLToPath(new URL('../shared/product/example-catalogue', import.meta.url));

/**
 * Publishes the catalogue folder to an embedded broker, which other processes cannot reach: what is new or changed since the
 * last start, and tombstones for what is gone. Does nothing when the topic of a shared broker is not empty (several systems
 * with one broker). Rejects with a ConfigError that lists all faults.
 */
export async function publishCatalogue(
  broker: Broker,
  codec: Codec,
  config: Config,
  { isShared }: { readonly isShared: boolean } = { isShared: false },
): Promise<void> {
  const topic = topicName(config.topicPrefix, 'catalogueRecords');
  const stored = await latestValues(broker, topic);
  if (isShared && stored.size > 0) return;
  const folder = config.lending.catalogueFolder ?? EXAMPLE_CATALOGUE;
  const { records, faults } = readWholeCatalogue(folder, createLibraryCalendars());
  if (faults.length > 0) throw catalogueError(folder, faults);
  const changes = await changesOf(records, stored, { codec, topic });
  if (changes.put.length + changes.remove.length === 0) return;
  await writeRecords({ broker, codec, topic, clientId: 'catalogue-folder' }, changes);
}

/** The encoded records on the topic by key. */
async function latestValues(broker: Broker, topic: string): Promise<ReadonlyMap<string, Buffer>> {
  const values = new Map<string, Buffer>();
  const offsets = await broker.admin.offsets(topic);
  const ranges = offsets.map(({ partition, low, high }) => ({ topic, partition, from: low, to: high }));
  await broker.readRanges(ranges, ({ key, value }) => {
    if (value === null) values.delete(String(key));
    else values.set(String(key), value);
    return 'more';
  });
  return values;
}

async function changesOf(
  records: RecordChanges['put'],
  stored: ReadonlyMap<string, Buffer>,
  { codec, topic }: { readonly codec: Codec; readonly topic: string },
): Promise<RecordChanges> {
  await codec.prepare([CATALOGUE_RECORD]);
  const gone = new Set(stored.keys());
  const put: RecordChanges['put'][number][] = [];
  for (const entry of records) {
    const { key, value } = await encodeRecord(codec, topic, entry);
    gone.delete(String(key));
    if (value !== null && stored.get(String(key))?.equals(value) !== true) put.push(entry);
  }
  return { put, remove: [...gone] };
}
