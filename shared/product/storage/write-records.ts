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

/** Messages per batch. Encoding a batch blocks the event loop for a few hundred milliseconds. */
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
  'limit-list',
  'notification-template',
  'product',
];

export interface RecordChanges {
  readonly put: readonly CatalogueRecord[];
  /** Message keys. */
  readonly remove: readonly string[];
}

export interface RecordTarget {
  readonly broker: Pick<Broker, 'createPublisher'>;
  readonly codec: Codec;
  readonly topic: string;
  readonly clientId: string;
}

/** Writes records (referenced ones first), then tombstones (referenced ones last). Rejects as codec and broker do. */
export async function writeRecords(target: RecordTarget, { put, remove }: RecordChanges): Promise<void> {
  const { broker, codec, topic, clientId } = target;
  await codec.prepare([CATALOGUE_RECORD]);
  const publisher = broker.createPublisher({ clientId });
  try {
    await publisher.start();
    const entries = put.toSorted((one, other) =>
      compareForWriting(identifyRecord(one), identifyRecord(other)),
    );
    const keys = remove.toSorted((one, other) => writingPosition(other) - writingPosition(one));
    for (const batch of batchesOf(entries)) {
      await publisher.publish(await Promise.all(batch.map((entry) => encodeRecord(codec, topic, entry))));
    }
    // Nothing is removed before all records have been acknowledged.
    for (const batch of batchesOf(keys)) {
      await publisher.publish(batch.map((key): OutgoingMessage => ({ topic, key, value: null })));
    }
  } finally {
    await publisher.stop();
  }
}

function batchesOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / BATCH_SIZE);
  return Array.from({ length: count }, (_, index) =>
    items.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE),
  );
}

/**
 * Orders by kind, then active versions first, then higher versions first. So a new version is written before the
 * previous one ends; readers select the higher of two active versions.
 */
function compareForWriting(one: RecordIdentity, other: RecordIdentity): number {
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
