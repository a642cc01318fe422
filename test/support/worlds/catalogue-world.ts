import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import {
  CatalogueTable,
  type CatalogueTableOptions,
} from '../../../shared/product/storage/catalogue-table.ts';
import { writeRecords } from '../../../shared/product/storage/write-records.ts';
import { MESSAGE_FORMS } from '../../../shared/api/actions/message-forms.ts';
import { readCatalogueRecord } from '../../../shared/product/catalogue/read-record.ts';
import { createEmbeddedBroker } from '../../../shared/messaging/embedded/embedded-broker.ts';
import type { MessageHeaders } from '../../../shared/messaging/message.ts';
import { createMessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import { topicSpecs, topicName } from '../../../shared/messaging/topics/topic-list.ts';
import { systemClock, systemPorts } from '../../../shared/platform/system-ports.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { scratchFolder } from '../scratch-folder.ts';
import { guid as guidOf } from './simulated-product.ts';
import type { CatalogueRecord, RecordKind } from '../../../shared/product/catalogue/catalogue-record.ts';

export const CATALOGUE_TOPIC = topicName('', 'catalogueRecords');
const TABLE_STOP_MS = 1_000;

/** A codec of all messages with the local schema ids. */
export const catalogueCodec = () => createMessageCodec({ shapes: MESSAGE_FORMS, clock: systemClock });

export { date as day } from '../builders/lending-loan.ts';
export { guidOf };

/** Reads a record from the JSON of a file; throws on an invalid one. */
export function recordOf(kind: RecordKind, value: object): CatalogueRecord {
  const read = readCatalogueRecord(kind, value, 'test');
  if (read.kind === 'invalid') throw new Error(read.faults.map(({ message }) => message).join('\n'));
  return read.entry;
}

/** A list of one interest of 8.5 %. */
export function interestListValue(code: string, fields: object = {}): Record<string, unknown> {
  const Values = [{ Value: 8.5, ValidFrom: '2020-01-01', ValidTo: null }];
  const standard = { Id: guidOf(code.length + 600), Name: 'Standard', Code: 'STD', Type: 'Fixed', Values };
  return { Code: code, Id: guidOf(code.length + 500), Name: 'Interests', Interests: [standard], ...fields };
}

/** A product without references, which can only be looked up. */
export function productValue(code: string, fields: object = {}): Record<string, unknown> {
  return {
    Code: code,
    Id: guidOf(1),
    Name: `Product ${code}`,
    Status: 'Approved',
    StartDate: '2020-01-01',
    EndDate: null,
    BankingProductType: 'TL',
    Display: {},
    GeneralData: { PeriodicityType: 'Monthly' },
    Availability: { Currency: 'EUR', PeriodType: 'Months' },
    ...fields,
  };
}

/** Files by path within a folder; objects are written as JSON. */
export type Files = Readonly<Record<string, object | string>>;

/** Creates a folder with files such as `products/tl.json`; deleted when the test ends. */
export function createFolder(files: Files): string {
  const folder = scratchFolder();
  writeFiles(folder, files);
  return folder;
}

/** Writes files into a folder. */
export function writeFiles(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

export type CatalogueWorld = Awaited<ReturnType<typeof createCatalogueWorld>>;

/** An embedded broker with the catalogue topic, and its tables. */
export async function createCatalogueWorld() {
  const broker = createEmbeddedBroker();
  const codec = catalogueCodec();
  onTestFinished(() => broker.close());
  await broker.admin.createTopics(topicSpecs('', ['catalogueRecords']));
  const target = { broker, codec, topic: CATALOGUE_TOPIC, clientId: 'writer' };
  return {
    broker,
    codec,
    put: (...entries: readonly CatalogueRecord[]) => writeRecords(target, { put: entries, remove: [] }),
    remove: (...keys: readonly string[]) => writeRecords(target, { put: [], remove: keys }),
    /** Writes a message without encoding it. */
    write: async (key: string, value: Buffer | string, headers: MessageHeaders = {}) => {
      const publisher = broker.createPublisher({ clientId: 'by-hand' });
      await publisher.start();
      const bytes = typeof value === 'string' ? Buffer.from(value) : value;
      await publisher.publish([{ topic: CATALOGUE_TOPIC, key, value: bytes, headers }]);
      await publisher.stop();
    },
    /** A started table; stopped when the test ends. */
    table: async (options: Partial<Pick<CatalogueTableOptions, 'log' | 'codec' | 'timers'>> = {}) => {
      const own = { broker, codec, topic: CATALOGUE_TOPIC, log: silentLog, clientId: 'table' };
      const table = new CatalogueTable({ ...systemPorts, ...own, ...options });
      onTestFinished(() => table.stop(TABLE_STOP_MS));
      await table.start();
      return table;
    },
  };
}
