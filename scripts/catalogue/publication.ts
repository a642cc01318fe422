/** Reads the catalogue topic, compares a folder with it, and validates the catalogue that a publication would leave. */

import type { Codec } from '../../shared/messaging/codec.ts';
import type { Broker } from '../../shared/messaging/ports.ts';
import { MessagingError } from '../../shared/platform/errors.ts';
import type { Log } from '../../shared/platform/log.ts';
import { systemPorts } from '../../shared/platform/system-ports.ts';
import { CatalogueTable } from '../../shared/product/storage/catalogue-table.ts';
import type { CatalogueFault } from '../../shared/lending/schedule-types/lending-catalogue.ts';
import type { OtherCalendars } from '../../shared/lending/calendars/business-calendar.ts';
import type { CalendarDate } from '../../shared/lending/dates/calendar-date.ts';
import { buildCatalogue } from '../../shared/product/check/check-catalogue.ts';
import { checkSimulations } from '../../shared/product/check/simulate-at-bounds.ts';
import {
  codeKey,
  identifyRecord,
  recordKey,
  type CatalogueRecord,
  type RecordIdentity,
} from '../../shared/product/catalogue/catalogue-record.ts';
import { selectEntries } from '../../shared/product/catalogue/catalogue-view.ts';
import type { ProductRecord } from '../../shared/product/catalogue/product-record.ts';
import { asJson, compareFields, type FieldDifference } from './field-differences.ts';

export interface CatalogueConnection {
  readonly broker: Broker;
  readonly codec: Codec;
  /** The full name of the catalogue topic. */
  readonly topic: string;
  readonly log: Log;
}

export interface TopicRecords {
  /** Every version on the topic, in the order of the keys, even if its record cannot be read. */
  readonly identities: readonly (RecordIdentity & { readonly key: string })[];
  /** The records that can be read, by key such as `periodicity/every 10 days/1`. */
  readonly records: ReadonlyMap<string, CatalogueRecord>;
  /** Number of messages that were skipped because they are not valid catalogue records. */
  readonly unreadable: number;
  /** {@link countWritten} before the topic was read. */
  readonly written: number;
}

export const CLIENT_ID = 'catalogue-command';

/** Rejects with MessagingError, with the code `topic-unknown` if the topic does not exist. */
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

/** Number of messages ever written to the topic: each write changes it, compaction does not. */
export async function countWritten({ broker, topic }: CatalogueConnection): Promise<number> {
  return (await broker.admin.offsets(topic)).reduce((sum, { high }) => sum + high, 0);
}

/** Keys of records; `missing` are only on the topic. `members` is empty if the record on the topic cannot be read. */
export interface FolderDifference {
  readonly added: readonly string[];
  readonly changed: readonly { readonly key: string; readonly members: readonly FieldDifference[] }[];
  readonly missing: readonly string[];
  readonly unchanged: number;
}

export function compareWithTopic(
  folder: ReadonlyMap<string, CatalogueRecord>,
  topic: TopicRecords,
): FolderDifference {
  const known = new Set(topic.identities.map(({ key }) => key));
  const changed: { key: string; members: readonly FieldDifference[] }[] = [];
  const added: string[] = [];
  for (const [key, entry] of folder) {
    const present = topic.records.get(key);
    if (!known.has(key)) added.push(key);
    else if (present === undefined) changed.push({ key, members: [] });
    else {
      const members = compareFields(asJson(present.record), asJson(entry.record));
      if (members.length > 0) changed.push({ key, members });
    }
  }
  const missing = [...known].filter((key) => !folder.has(key));
  return { added, changed, missing, unchanged: folder.size - added.length - changed.length };
}

interface Outcome {
  readonly put: ReadonlyMap<string, CatalogueRecord>;
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** `today` is the day on which products that are already valid are simulated. */
export interface ValidationContext {
  readonly otherCalendars?: OtherCalendars | undefined;
  readonly today: CalendarDate;
}

/** The faults of the catalogue after a publication. Only products that the `changed` keys affect are simulated. */
export function validateResult(
  { put, removed, changed }: Outcome,
  topic: TopicRecords,
  context: ValidationContext,
): readonly CatalogueFault[] {
  const deleted = new Set(removed);
  const stays = (key: string): boolean => !put.has(key) && !deleted.has(key);
  const kept = [...topic.records].flatMap(([key, entry]): readonly CatalogueRecord[] =>
    stays(key) ? [{ ...entry, source: `topic ${key}` }] : [],
  );
  const unreadable = topic.identities
    .filter(({ key }) => stays(key) && !topic.records.has(key))
    .map(({ key, code }) => ({
      source: `topic ${key}`,
      record: code,
      message: 'cannot be read: publish it again, or delete it with --delete-missing',
    }));
  const records = [...put.values(), ...kept];
  const outcome = buildCatalogue(records, context.otherCalendars);
  if (outcome.kind === 'refused') return [...unreadable, ...outcome.faults];
  const affected = selectEntries(records, 'product').filter(({ record }) => isAffected(record, changed));
  return [...unreadable, ...checkSimulations(affected, { ...context, catalogue: outcome.catalogue })];
}

/** Whether a change concerns the product or one of its lists. Records of other kinds may affect every product. */
function isAffected(product: ProductRecord, changed: readonly string[]): boolean {
  const own = new Set([
    `product/${codeKey(product.Code)}`,
    ...product.InterestsAndCommissions.flatMap(({ InterestList, CommissionList }) => [
      `interest-list/${codeKey(InterestList ?? '')}`,
      `commission-list/${codeKey(CommissionList ?? '')}`,
    ]),
    ...product.Insurances.map(({ InsuranceList }) => `insurance-list/${codeKey(InsuranceList)}`),
    ...product.Discounts.map((code) => `discount-list/${codeKey(code)}`),
    `limit-list/${codeKey(product.LimitList ?? '')}`,
  ]);
  return changed.some(
    (key) =>
      own.has(key.slice(0, key.lastIndexOf('/'))) ||
      !/^(?:product|(?:interest|commission|insurance|discount|limit)-list)\//.test(key),
  );
}

/** A fault for each record whose kind, code and version an earlier record has too. */
export function findSharedKeys(records: readonly CatalogueRecord[]): readonly CatalogueFault[] {
  const first = new Map<string, CatalogueRecord>();
  return records.flatMap((entry) => {
    const { kind, code, version } = identifyRecord(entry);
    const key = recordKey({ kind, code, version });
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, entry);
    const message = `must have another code or version: ${earlier?.source} has a ${kind} with the same ones`;
    return earlier === undefined ? [] : [{ source: entry.source, record: code, message }];
  });
}
