import { execFile } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCatalogueCommand, type CommandReport } from '../../scripts/catalogue/catalogue-command.ts';
import { readCatalogueArguments } from '../../scripts/catalogue/command-arguments.ts';
import { createLibraryCalendars } from '../../shared/lending/calendars/library/library-calendars.ts';
import { CatalogueTable } from '../../shared/product/storage/catalogue-table.ts';
import type { CalendarDate } from '../../shared/lending/dates/calendar-date.ts';
import type { KafkaBroker } from '../../shared/messaging/kafka/kafka-broker.ts';
import { topicDifferences, topicSpecs, topicName } from '../../shared/messaging/topics/topic-list.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { catalogueCodec, day, productValue } from '../support/worlds/catalogue-world.ts';
import { eventually } from '../support/conformance/wait.ts';
import { openKafkaScope, type KafkaScope } from '../support/kafka/scope.ts';
import { kafkaOrSkip } from '../support/kafka/suite.ts';
import { systemPorts } from '../../shared/platform/system-ports.ts';
import { createKafkaBroker, KAFKA_CLIENT } from '../support/kafka/broker.ts';

const STEP_MS = 15_000;
const COMMAND_LIMIT_MS = 60_000;
/** Time limit for a change to reach a table. */
const SEEN_WITHIN_MS = 1_000;
const BROKER_EXIT = 3;
const DAY_MS = 86_400_000;
const root = path.resolve(import.meta.dirname, '../..');
const EXAMPLE = path.join(root, 'shared/product/example-catalogue');
const TODAY = day('2026-06-01');
const { kafka, suite } = kafkaOrSkip();

let scope: KafkaScope;
let broker: KafkaBroker;
let topic: string;

beforeAll(async () => {
  if (kafka.brokers.length === 0) return;
  scope = await openKafkaScope(kafka.brokers);
  broker = createKafkaBroker({ brokers: kafka.brokers, clientId: 'catalogue-test', log: silentLog });
  topic = topicName(scope.prefix, 'catalogueRecords');
});
afterAll(async () => {
  if (kafka.brokers.length === 0) return;
  await broker.close();
  await scope.close();
});

/** Runs a command of `npm run catalogue` on the Kafka of the test, in this process. */
function run(...line: readonly string[]): Promise<CommandReport> {
  const { command } = readCatalogueArguments(line)!;
  const connection = { broker, codec: catalogueCodec(), topic, log: silentLog };
  const connect = () => Promise.resolve(connection);
  const today = Math.floor(Date.now() / DAY_MS) as CalendarDate;
  return runCatalogueCommand(command, { connect, today, otherCalendars: createLibraryCalendars() });
}

/** Runs `npm run catalogue` on the Kafka of the test in a process, and parses its JSON output. */
function catalogue(
  ...args: string[]
): Promise<{ code: number; output: Record<string, unknown>; text: string }> {
  const env = {
    ...process.env,
    KAFKA_CLIENT,
    KAFKA_BROKERS: kafka.brokers.join(','),
    KAFKA_TOPIC_PREFIX: scope.prefix,
    SCHEMA_REGISTRY_URL: '',
    LOG_LEVEL: 'error',
  };
  const all = ['scripts/catalogue.ts', ...args, '--json'];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      all,
      { cwd: root, env, timeout: COMMAND_LIMIT_MS },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : Number(error.code ?? 1);
        const output = stdout === '' ? {} : (JSON.parse(stdout) as Record<string, unknown>);
        resolve({ code, output, text: stdout + stderr });
      },
    );
  });
}

async function startedTable(): Promise<CatalogueTable> {
  const table = new CatalogueTable({
    ...systemPorts,
    broker,
    topic,
    codec: catalogueCodec(),
    log: silentLog,
    clientId: 'catalogue-test-table',
  });
  await table.start();
  return table;
}

async function messages(): Promise<number> {
  return (await broker.admin.offsets(topic)).reduce((sum, { high }) => sum + high, 0);
}

suite('the catalogue on Kafka', () => {
  it('requires its topic, and accepts it once it is created', async () => {
    const { code, text } = await catalogue('list');
    expect(code).toBe(BROKER_EXIT);
    expect(text).toContain('npm run topics -- create');
    const [spec] = topicSpecs(scope.prefix, ['catalogueRecords']);
    await broker.admin.createTopics([spec!]);
    const state = (await broker.admin.topicStates([topic])).get(topic);
    expect(topicDifferences(spec!, state!)).toEqual([]);
  });

  it('can be published once, read by a table within a second, approved, closed and reverted', async () => {
    const table = await startedTable();
    expect(table.health()).toEqual({ status: 'ready' });
    expect(await catalogue('publish', EXAMPLE)).toMatchObject({ code: 0, output: { ok: true } });
    await table.caughtUp(STEP_MS);
    expect(table.product('tl-personal', TODAY)?.Version).toBe(2);
    const count = await messages();
    expect(await run('publish', EXAMPLE)).toMatchObject({ ok: true, result: { added: [], changed: [] } });
    expect(await messages()).toBe(count);
    expect(await run('diff', EXAMPLE)).toMatchObject({ ok: true, result: { changed: [], missing: [] } });

    expect(await run('approve', 'TL-PERSONAL', '3')).toMatchObject({ ok: false });
    expect(await run('close', 'TL-PERSONAL', '2')).toMatchObject({ ok: true });
    await eventually('the closed version', STEP_MS, () => table.product('TL-PERSONAL', TODAY) === undefined);
    expect(await catalogue('diff', EXAMPLE)).toMatchObject({
      code: 1,
      output: { changed: [{ key: 'product/tl-personal/2', members: [{ path: 'Status' }] }] },
    });
    expect(await run('publish', EXAMPLE)).toMatchObject({
      result: { changed: ['product/tl-personal/2'] },
    });
    await eventually('the version', STEP_MS, () => table.product('TL-PERSONAL', TODAY) !== undefined);
    await table.stop();
  });

  it('is complete after a restart, and includes records that others write in JSON', async () => {
    const table = await startedTable();
    expect(table.product('TL-PERSONAL', TODAY)?.Version).toBe(2);
    expect(table.lending.periodicities.length).toBeGreaterThan(10);
    const producer = scope.createClient().producer();
    await producer.connect();
    const value = JSON.stringify({ kind: 'product', body: productValue('BY-HAND') });
    // The first send of a producer also fetches metadata, which is not part of the measured time.
    await producer.send({ topic, messages: [{ key: 'product/never-there/1', value: null }] });
    const sentAt = performance.now();
    await producer.send({
      topic,
      messages: [{ key: 'product/by-hand/1', value, headers: { 'plat-message-type': 'CatalogueRecord' } }],
    });
    await eventually('the record', STEP_MS, () => table.product('BY-HAND', TODAY) !== undefined);
    expect(performance.now() - sentAt).toBeLessThan(SEEN_WITHIN_MS);
    await producer.send({ topic, messages: [{ key: 'product/by-hand/1', value: null }] });
    await eventually('the deletion', STEP_MS, () => table.product('BY-HAND', TODAY) === undefined);
    await producer.disconnect();
    await table.stop();
  });
});
