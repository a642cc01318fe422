/** Writes catalogue records to their topic. */

import type { Codec } from '../messaging/codec.ts';
import type { OutgoingMessage } from '../messaging/message.ts';
import type { Broker } from '../messaging/ports.ts';
import {
  type CatalogueRecord,
  identifyRecord,
  type RecordIdentity,
  type RecordKind,
} from '../product/catalogue/catalogue-record.ts';
import { CATALOGUE_RECORD, encodeRecord } from '../contract/catalogue-files/catalogue-message.ts';

/** Messages that are made and sent at a time: packing that many holds the process for some hundred milliseconds. */
const MESSAGES_AT_A_TIME = 200;

/** What is named comes before what names it, so that a reader does not meet a product without its lists. */
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
  /** Records to be written. */
  readonly put: readonly CatalogueRecord[];
  /** Keys of records to be deleted. */
  readonly remove: readonly string[];
}

export interface RecordTarget {
  readonly broker: Pick<Broker, 'createPublisher'>;
  readonly codec: Codec;
  readonly topic: string;
  readonly clientId: string;
}

/**
 * Writes the changes: first what is put, then what is removed; what is named before what names it, and in removals the
 * other way round. Resolves when all is on the log; rejects with MessagingError when it is not known to be.
 */
export async function writeRecords(target: RecordTarget, { put, remove }: RecordChanges): Promise<void> {
  const { broker, codec, topic, clientId } = target;
  await codec.prepare([CATALOGUE_RECORD]);
  const publisher = broker.createPublisher({ clientId });
  try {
    await publisher.start();
    const entries = put.map((entry) => ({ entry, identity: identifyRecord(entry) })).toSorted(inWritingOrder);
    for (let from = 0; from < entries.length; from += MESSAGES_AT_A_TIME) {
      const some = entries.slice(from, from + MESSAGES_AT_A_TIME);
      await publisher.publish(await Promise.all(some.map(({ entry }) => encodeRecord(codec, topic, entry))));
    }
    const keys = remove.toSorted((one, other) => placeOf(other) - placeOf(one));
    await publisher.publish(keys.map((key): OutgoingMessage => ({ topic, key, value: null })));
  } finally {
    await publisher.stop();
  }
}

interface PlacedRecord {
  readonly entry: CatalogueRecord;
  readonly identity: RecordIdentity;
}

/**
 * By kind; of one kind what answers before what does not, and later versions before earlier ones. So the version that
 * takes over is there before the former one ends, and no reader finds neither: while there are two the later answers.
 */
function inWritingOrder({ identity: one }: PlacedRecord, { identity: other }: PlacedRecord): number {
  return (
    placeOf(`${one.kind}/`) - placeOf(`${other.kind}/`) ||
    Number(answers(other)) - Number(answers(one)) ||
    other.version - one.version
  );
}

function answers({ status }: RecordIdentity): boolean {
  return status === 'Approved' || status === 'Active';
}

/** Place of a key's kind in the writing order. */
function placeOf(key: string): number {
  return WRITING_ORDER.findIndex((kind) => key.startsWith(`${kind}/`));
}
