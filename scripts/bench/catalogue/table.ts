/**
 * Child process that measures the cost of a catalogue with many products in a worker on the embedded broker. Prints one
 * line of JSON. `node --expose-gc scripts/bench/catalogue/table.ts [PRODUCTS]`; the default is 10,000.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CatalogueTable } from '../../../shared/catalogue/catalogue-table.ts';
import { writeRecords } from '../../../shared/catalogue/write-records.ts';
import { MESSAGE_FORMS } from '../../../shared/contract/actions/message-forms.ts';
import { readWholeCatalogue } from '../../../shared/contract/catalogue-files/read-folder.ts';
import { readCatalogueRecord } from '../../../shared/contract/catalogue-files/read-record.ts';
import { toCalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import { createEmbeddedBroker } from '../../../shared/messaging/embedded/broker.ts';
import { createMessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import { topicSpecs } from '../../../shared/messaging/topics/topic-settings.ts';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import type { CatalogueRecord } from '../../../shared/product/catalogue/catalogue-record.ts';
import { lookUpProduct } from '../../../shared/product/look-up/product-by-code.ts';
import { median } from '../load.ts';
import type { TableFigures } from './scenarios.ts';
import { ALL_SECTIONS } from '../samples.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';

const DEFAULT_PRODUCTS = 10_000;
const RECORD_BYTES = 20_000;
const HOT_PRODUCTS = 100;
const HOT_LOOK_UPS = 30_000;
/** Number of tables that are opened one after another to measure first look-ups of products. */
const COLD_ROUNDS = 12;
const MIB = 1_024 * 1_024;
const DAY = toCalendarDate(2026, 6, 1);
const FOLDER = fileURLToPath(new URL('../../../shared/product/example-catalogue', import.meta.url));

const products = Number(process.argv[2] ?? DEFAULT_PRODUCTS);
if (!Number.isInteger(products) || products < HOT_PRODUCTS) {
  process.stderr.write(`give a number of products from ${HOT_PRODUCTS}\n`);
  process.exit(2);
}
const topic = topicName('', 'catalogueRecords');
const broker = createEmbeddedBroker();
const codec = createMessageCodec({ shapes: MESSAGE_FORMS, clock: systemClock });
await broker.admin.createTopics(topicSpecs('', ['catalogueRecords']));
const example = readWholeCatalogue(FOLDER).records;

const before = await memory();
await writeInParts();
const written = await memory();
const startedAt = performance.now();
const table = await openTable();
const readyMs = performance.now() - startedAt;
const ready = await memory();
const hotUs = lookUps(table, HOT_LOOK_UPS);
useAll(table);
const used = await memory();
await table.stop();
const figures: TableFigures = {
  products,
  recordBytes: JSON.stringify(productOf(0).record).length,
  encodedMiB: table.stats().bytes / MIB,
  readyMs,
  logMiB: (written - before) / MIB,
  tableMiB: (ready - written) / MIB,
  allMiB: (used - before) / MIB,
  hotUs,
  coldUs: await coldLookUps(),
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
await broker.close();

async function openTable(): Promise<CatalogueTable> {
  const opened = new CatalogueTable({
    ...systemPorts,
    broker,
    codec,
    topic,
    log: silentLog,
    clientId: 'bench',
  });
  await opened.start();
  return opened;
}

/** Writes in parts, so that the decoded records of the writer are not part of the measurement. */
async function writeInParts(): Promise<void> {
  const target = { broker, codec, topic, clientId: 'bench-writer' };
  await writeRecords(target, { put: example, remove: [] });
  const atATime = 500;
  for (let from = 0; from < products; from += atATime) {
    const count = Math.min(atATime, products - from);
    const put = Array.from({ length: count }, (_, index) => productOf(from + index));
    await writeRecords(target, { put, remove: [] });
  }
}

/** A product of about 20 KB: one of the example catalogue with many additional documents. */
function productOf(index: number): CatalogueRecord {
  const found = example.find(({ kind, record }) => kind === 'product' && record.Code === 'TL-MARKET');
  const item = (place: number) => ({
    ReportId: randomUUID(),
    DisplayName: `Document ${index}-${place}`,
    IsMandatory: place % 2 === 0,
    IsAccord: false,
  });
  const base = { ...found?.record, Code: `BENCH-${index}`, Id: randomUUID() };
  const room = RECORD_BYTES - JSON.stringify(base).length;
  const Documents = Array.from({ length: Math.floor(room / JSON.stringify(item(0)).length) }, (_, place) =>
    item(place),
  );
  const read = readCatalogueRecord('product', { ...base, Documents }, 'bench');
  if (read.kind === 'invalid') throw new Error(read.faults.map(({ message }) => message).join('\n'));
  return read.entry;
}

/**
 * Mean microseconds of a look-up with all sections, alternating between {@link HOT_PRODUCTS} products that are spread
 * over the catalogue.
 */
function lookUps(from: CatalogueTable, count: number): number {
  const step = Math.floor(products / HOT_PRODUCTS);
  const lookUp = (index: number): void => {
    const BankingProductCode = `bench-${(index % HOT_PRODUCTS) * step}`;
    const found = lookUpProduct(
      { ...ALL_SECTIONS, BankingProductCode },
      { catalogue: from, requestDay: DAY },
    );
    if (found.kind !== 'found') throw new Error(found.kind);
  };
  const warmUp = count > HOT_PRODUCTS ? count / 2 : 0;
  for (let index = 0; index < warmUp; index += 1) lookUp(index);
  const since = performance.now();
  for (let index = 0; index < count; index += 1) lookUp(index);
  return ((performance.now() - since) * 1_000) / count;
}

/** The same for products that must be decoded first, measured by the first look-ups in new tables. */
async function coldLookUps(): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < COLD_ROUNDS; round += 1) {
    const fresh = await openTable();
    rounds.push(lookUps(fresh, HOT_PRODUCTS));
    await fresh.stop();
  }
  return median(rounds);
}

/** Looks up every product, so that the table caches as many decoded records as it can. */
function useAll(from: CatalogueTable): void {
  for (let index = 0; index < products; index += 1) from.product(`bench-${index}`, DAY);
}

/** Bytes of heap and buffers in use. The garbage collector frees buffers one turn after their owners. */
async function memory(): Promise<number> {
  for (let turn = 0; turn < 3; turn += 1) {
    globalThis.gc?.();
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
