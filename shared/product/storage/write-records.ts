/** Writes catalogue records to their topic. */

import type { Codec } from '../../messaging/codec.ts';
import type { OutgoingMessage } from '../../messaging/message.ts';
import type { Broker } from '../../messaging/ports.ts';
import {
  type CatalogueRecord,
  identifyRecord,
  type RecordIdentity,
  type RecordKind,
} from '../catalogue/catalogue-record.ts';
import { CATALOGUE_RECORD, encodeRecord } from './catalogue-message.ts';

/** Messages per batch: encoding one batch blocks the event loop for some hundred milliseconds. */
const BATCH_SIZE = 200;

/** Referenced kinds come before those that refer to them, so that a reader never sees a product without its lists. */
const WRITING_ORDER: readonly RecordKind[] = [
  'calendar',
  'periodicity',
  'schedule-type',
  'custom-list',
  'interest-list',
  'commission-list',
  'insurance-list',
  'discount-list',
  'product',
];

export interface RecordChanges {
  readonly put: readonly CatalogueRecord[];
  readonly remove: readonly string[];
}

export interface RecordTarget {
  readonly broker: Pick<Broker, 'createPublisher'>;
  readonly codec: Codec;
  readonly topic: string;
  readonly clientId: string;
}

/** Writes records, then tombstones. Referenced records are written first and removed last. Rejects with MessagingError. */
export async function writeRecords(target: RecordTarget, { put, remove }: RecordChanges): Promise<void> {
  const { broker, codec, topic, clientId } = target;
  await codec.prepare([CATALOGUE_RECORD]);
  const publisher = broker.createPublisher({ clientId });
  try {
    await publisher.start();
    const entries = put
      .map((entry) => ({ entry, identity: identifyRecord(entry) }))
      .toSorted(compareForWriting);
    for (let from = 0; from < entries.length; from += BATCH_SIZE) {
      const some = entries.slice(from, from + BATCH_SIZE);
      await publisher.publish(await Promise.all(some.map(({ entry }) => encodeRecord(codec, topic, entry))));
    }
    const keys = remove.toSorted((one, other) => writingPosition(other) - writingPosition(one));
    for (let from = 0; from < keys.length; from += BATCH_SIZE) {
      const some = keys.slice(from, from + BATCH_SIZE);
      await publisher.publish(some.map((key): OutgoingMessage => ({ topic, key, value: null })));
    }
  } finally {
    await publisher.stop();
  }
}

interface PlacedRecord {
  readonly entry: CatalogueRecord;
  readonly identity: RecordIdentity;
}

/** By kind; within a kind active versions and later ones first, so that a reader always finds one. */
function compareForWriting({ identity: one }: PlacedRecord, { identity: other }: PlacedRecord): number {
  return (
    writingPosition(`${one.kind}/`) - writingPosition(`${other.kind}/`) ||
    Number(isActive(other)) - Number(isActive(one)) ||
    other.version - one.version
  );
}

function isActive({ status }: RecordIdentity): boolean {
  return status === 'Approved' || status === 'Active';
}

function writingPosition(key: string): number {
  return WRITING_ORDER.findIndex((kind) => key.startsWith(`${kind}/`));
}
