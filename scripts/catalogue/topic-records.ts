/** Reads the records that are currently on the topic. */

import { CatalogueTable } from '../../shared/product/storage/catalogue-table.ts';
import type { Codec } from '../../shared/messaging/codec.ts';
import type { Broker } from '../../shared/messaging/ports.ts';
import { MessagingError } from '../../shared/platform/errors.ts';
import type { Log } from '../../shared/platform/log.ts';
import type { CatalogueRecord, RecordIdentity } from '../../shared/product/catalogue/catalogue-record.ts';
import { systemPorts } from '../../shared/platform/system-ports.ts';

export interface CatalogueConnection {
  readonly broker: Broker;
  readonly codec: Codec;
  readonly topic: string;
  readonly log: Log;
}

export interface TopicRecords {
  /** Every version on the topic, unreadable ones included, in the order of the keys. */
  readonly identities: readonly (RecordIdentity & { readonly key: string })[];
  /** The records by key, in that order; `source` is the key. */
  readonly records: ReadonlyMap<string, CatalogueRecord>;
  readonly unreadable: number;
  /** Number of messages that had ever been written to the topic before it was read. */
  readonly written: number;
}

export const CLIENT_ID = 'catalogue-command';

/** Reads the whole topic. Rejects with MessagingError if the topic does not exist or cannot be read. */
export async function readTopicRecords(connection: CatalogueConnection): Promise<TopicRecords> {
  const { broker, topic } = connection;
  const counts = await broker.admin.partitionCounts([topic]);
  if (!counts.has(topic)) {
    const text = `the broker does not have the topic ${topic}; create it with: npm run topics -- create`;
    throw new MessagingError('topic-unknown', text, { canRetry: false });
  }
  const written = await countWritten(connection);
  const table = new CatalogueTable({ ...systemPorts, ...connection, clientId: CLIENT_ID });
  try {
    await table.start();
    const unreadable = table.stats().badRecords;
    const identities = table.identities().toSorted((one, other) => (one.key < other.key ? -1 : 1));
    const records = new Map<string, CatalogueRecord>();
    for (const { key } of identities) {
      const record = table.record(key);
      if (record !== undefined) records.set(key, record);
    }
    return { identities, records, unreadable, written };
  } finally {
    await table.stop();
  }
}

/** Number of messages that have ever been written to the topic. */
export async function countWritten({ broker, topic }: CatalogueConnection): Promise<number> {
  return (await broker.admin.offsets(topic)).reduce((sum, { high }) => sum + high, 0);
}
