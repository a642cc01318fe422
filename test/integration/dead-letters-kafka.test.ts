import { execFile } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HEADER } from '../../shared/messaging/header-names.ts';
import { headerText } from '../../shared/messaging/headers.ts';
import type { KafkaBroker } from '../../shared/messaging/kafka/common/kafka-broker.ts';
import type { LogMessage } from '../../shared/messaging/message.ts';
import { topicSpecs } from '../../shared/messaging/topics/topic-settings.ts';
import { topicName, type TopicKey } from '../../shared/messaging/topics/topics.ts';
import { loadConfig } from '../../shared/platform/load-config.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { startWorkers, type RunningSystem } from '../../workers/start-workers.ts';
import { eventually } from '../support/conformance/wait.ts';
import { openKafkaScope, type KafkaScope } from '../support/kafka/scope.ts';
import { kafkaOrSkip } from '../support/kafka/suite.ts';
import { createKafkaBroker, KAFKA_CLIENT } from '../support/kafka/broker.ts';

const STEP_MS = 30_000;
const COMMAND_LIMIT_MS = 60_000;
const LETTERS = 24;
const TOPICS: readonly TopicKey[] = [
  'scheduleRequests',
  'scheduleBulkRequests',
  'scheduleDeadLetters',
  'catalogueRecords',
];
const root = path.resolve(import.meta.dirname, '../..');
const { kafka, suite } = kafkaOrSkip();

let scope: KafkaScope;
let broker: KafkaBroker;
let system: RunningSystem;

const name = (key: TopicKey): string => topicName(scope.prefix, key);
const settings = () => ({
  KAFKA_CLIENT,
  KAFKA_BROKERS: kafka.brokers.join(','),
  KAFKA_TOPIC_PREFIX: scope.prefix,
  LOG_LEVEL: 'error',
});

beforeAll(async () => {
  if (kafka.brokers.length === 0) return;
  scope = await openKafkaScope(kafka.brokers);
  broker = createKafkaBroker({ brokers: kafka.brokers, clientId: 'dead-letters-test', log: silentLog });
  await broker.admin.createTopics(topicSpecs(scope.prefix, TOPICS));
  system = await startWorkers({ config: loadConfig(settings()), names: ['schedule'], log: silentLog });
});
afterAll(async () => {
  if (kafka.brokers.length === 0) return;
  await system.stop(0);
  await broker.close();
  await scope.close();
});

interface CommandEnd {
  readonly code: number;
  readonly output: Record<string, unknown>;
  readonly text: string;
}

/** Runs `npm run dead-letters` on the Kafka of the test, and parses its JSON output. */
const deadLetters = (...args: string[]): Promise<CommandEnd> => {
  const env = { ...process.env, SCHEMA_REGISTRY_URL: '', ...settings() };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['scripts/dead-letters.ts', ...args, '--json'],
      { cwd: root, env, timeout: COMMAND_LIMIT_MS },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : Number(error.code ?? 1);
        const output = stdout === '' ? {} : (JSON.parse(stdout) as Record<string, unknown>);
        resolve({ code, output, text: stdout + stderr });
      },
    );
  });
};

async function written(key: TopicKey): Promise<number> {
  return (await broker.admin.offsets(name(key))).reduce((sum, { high }) => sum + high, 0);
}

async function readAll(key: TopicKey): Promise<LogMessage[]> {
  const messages: LogMessage[] = [];
  const offsets = await broker.admin.offsets(name(key));
  const ranges = offsets.map(({ partition, low, high }) => ({
    topic: name(key),
    partition,
    from: low,
    to: high,
  }));
  await broker.readRanges(ranges, (message) => {
    messages.push(message);
    return 'more';
  });
  return messages;
}

async function sendRefused(): Promise<void> {
  const publisher = broker.createPublisher({ clientId: 'upstream' });
  await publisher.start();
  await publisher.publish(
    Array.from({ length: LETTERS }, (_, index) => ({
      topic: name('scheduleRequests'),
      key: `contract-${index}`,
      value: Buffer.from(JSON.stringify({ jsonParam: { InstallmentsNo: `${index}` } })),
      headers: { [HEADER.messageType]: 'CalculatePMTRequest' },
    })),
  );
  await publisher.stop();
  await eventually(
    'all dead letters',
    STEP_MS,
    async () => (await written('scheduleDeadLetters')) === LETTERS,
  );
}

suite('dead letters on Kafka', () => {
  it('requires the audit topic, then lists the dead letters of the workers', async () => {
    const { code, text } = await deadLetters('list');
    expect(code).toBe(1);
    expect(text).toContain('npm run topics -- create');
    await broker.admin.createTopics(topicSpecs(scope.prefix, ['deadLetterAudit']));
    await sendRefused();
    expect(await deadLetters('list', '--topic', 'schedule')).toMatchObject({
      code: 0,
      output: { count: LETTERS, codes: { 'invalid-request': LETTERS } },
    });
  });

  it('shows a dead letter, redrives it once, and then redrives the others once', async () => {
    const key = 'contract-7';
    const shown = await deadLetters('show', '--key', key);
    expect(shown.output).toMatchObject({ letters: [{ status: 'open', key, payload: { format: 'json' } }] });
    expect(await deadLetters('redrive', '--topic', 'schedule', '--dry-run')).toMatchObject({
      output: { counts: { 'would-redrive': LETTERS } },
    });
    expect(await written('deadLetterAudit')).toBe(0);
    expect(await deadLetters('redrive', '--key', key)).toMatchObject({ output: { counts: { redriven: 1 } } });
    await eventually(
      'the redriven dead letter',
      STEP_MS,
      async () => (await written('scheduleDeadLetters')) === LETTERS + 1,
    );
    const rest = ['redrive', '--topic', 'schedule', '--until', new Date().toISOString(), '--rate', '1000'];
    // The redriven message failed again and is a new dead letter.
    const counts = { skipped: 1, redriven: LETTERS };
    expect(await deadLetters(...rest)).toMatchObject({ code: 0, output: { counts } });
    await eventually(
      'all redriven dead letters',
      STEP_MS,
      async () => (await written('scheduleDeadLetters')) === 2 * LETTERS + 1,
    );
    expect(await deadLetters(...rest)).toMatchObject({ output: { counts: { skipped: LETTERS + 1 } } });
    expect(await written('scheduleRequests')).toBe(2 * LETTERS + 1);
    expect(await written('deadLetterAudit')).toBe(2 * (LETTERS + 1));
    const requests = await readAll('scheduleRequests');
    const counted = requests.map(({ headers }) => headerText(headers, HEADER.redriveCount) ?? '0');
    expect(counted.toSorted()).toEqual([
      ...Array.from({ length: LETTERS }, () => '0'),
      ...Array.from({ length: LETTERS }, () => '1'),
      '2',
    ]);
  });
});
