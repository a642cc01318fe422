import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import kafkajs from 'kafkajs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HEADER } from '../../shared/messaging/headers.ts';
import type { KafkaBroker } from '../../shared/messaging/kafka/kafka-broker.ts';
import { topicSpecs, TOPIC, topicName, type TopicKey } from '../../shared/messaging/topics/topic-list.ts';
import { loadConfig, type Config } from '../../shared/platform/load-config.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { startWorkers, type RunningSystem } from '../../workers/start-workers.ts';
import { readTopics } from '../support/conformance/read-topics.ts';
import { eventually } from '../support/conformance/wait.ts';
import { produceCompressed, type ForeignCompression } from '../support/foreign-batches.ts';
import { openKafkaScope, withFewPartitions, type KafkaScope } from '../support/kafka/scope.ts';
import { kafkaOrSkip } from '../support/kafka/suite.ts';
import { scheduleRows } from '../support/builders/schedule-call.ts';
import { createKafkaBroker, KAFKA_CLIENT } from '../support/kafka/broker.ts';

const STEP_MS = 30_000;
const PARTITIONS = 3;
const LIMIT_MS = 60_000;
const STOP_MS = 10_000;
const COMPRESSIONS: readonly ForeignCompression[] = ['lz4', 'snappy'];
const SCHEDULE_TOPICS = ['scheduleRequests', 'scheduleBulkRequests', 'scheduleDeadLetters'] as const;
const READ: readonly TopicKey[] = ['ingressReplies', 'ingressResults', ...SCHEDULE_TOPICS];
const root = path.resolve(import.meta.dirname, '../..');
const { kafka, suite } = kafkaOrSkip();

/** Neither client reads lz4 and snappy: one batch on a topic of replies once stopped every ingress. */
suite('batches in lz4 and snappy', () => {
  let scope: KafkaScope;
  let broker: KafkaBroker;
  let config: Config;
  let env: Record<string, string>;
  let system: RunningSystem;
  const name = (key: TopicKey): string => topicName(scope.prefix, key);

  const setCompression = async (value: string): Promise<void> => {
    const settings = { configEntries: [{ name: 'compression.type', value }] };
    const type = kafkajs.ConfigResourceTypes.TOPIC;
    const resources = READ.map((key) => ({ type, name: name(key), ...settings }));
    await scope.admin.alterConfigs({ validateOnly: false, resources });
    // The broker may answer before it describes the topics with the new settings.
    await eventually('the settings of the topics', STEP_MS, async () => {
      const states = [...(await broker.admin.topicStates(READ.map(name))).values()];
      return states.every((state) => state.config.get('compression.type') === value);
    });
  };
  const writeForeignBatches = async (): Promise<void> => {
    for (const key of READ) {
      const partitions = (await broker.admin.partitionCounts([name(key)])).get(name(key)) ?? 0;
      const messages = Array.from({ length: partitions }, (_, partition) => ({ partition, value: 'x' }));
      for (const compression of COMPRESSIONS)
        await produceCompressed(scope.createClient(), name(key), compression, messages);
    }
  };
  const passedOver = async (): Promise<number> => {
    const lines = (await system.metrics.text()).matchAll(/^plat_unreadable_batches_total\{.*\} (\d+)$/gm);
    return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const listedLetters = async (): Promise<number> => {
    const command = ['scripts/dead-letters.ts', 'list', '--json', '--url', system.url ?? ''];
    const own = { ...process.env, SCHEMA_REGISTRY_URL: '', ...env };
    const options = { cwd: root, env: own, timeout: LIMIT_MS };
    const { stdout } = await promisify(execFile)(process.execPath, command, options);
    return (JSON.parse(stdout) as { letters: unknown[] }).letters.length;
  };

  beforeAll(async () => {
    scope = await openKafkaScope(kafka.brokers);
    broker = createKafkaBroker({ brokers: kafka.brokers, clientId: 'compression-test', log: silentLog });
    env = {
      DATA_DIR: 'memory',
      KAFKA_CLIENT,
      KAFKA_BROKERS: kafka.brokers.join(','),
      KAFKA_TOPIC_PREFIX: scope.prefix,
      PORT: '0',
      RATE_LIMIT_PER_SECOND: '0',
      LOG_LEVEL: 'error',
    };
    config = loadConfig(env);
    const topics = topicSpecs(scope.prefix, Object.keys(TOPIC) as TopicKey[]);
    await broker.admin.createTopics(withFewPartitions(topics));
  });
  afterAll(async () => {
    await system.stop(STOP_MS);
    await broker.close();
    await scope.close();
  });

  it('are recompressed by the broker on topics with the specified settings, and can be read', async () => {
    const [letters, results] = [name('scheduleDeadLetters'), name('ingressResults')];
    await produceCompressed(scope.createClient(), letters, 'lz4', [{ value: 'a letter' }]);
    await produceCompressed(scope.createClient(), results, 'snappy', [{ value: 'a result' }]);
    const read = await readTopics(broker, [letters, results], STEP_MS);
    expect(read.map(({ value }) => String(value)).toSorted()).toEqual(['a letter', 'a result']);
  });

  it('are skipped without losing other messages, both before and after the consumers start', async () => {
    await setCompression('producer');
    await writeForeignBatches();
    await setCompression('uncompressed');
    system = await startWorkers({ config, names: ['schedule', 'ingress'], log: silentLog });
    const url = system.url ?? '';
    expect((await scheduleRows(url, { Amount: 100 }))[0]?.RemainingValue).toBe(100);
    await setCompression('producer');
    await writeForeignBatches();
    const amounts = Array.from({ length: 24 }, (_, index) => 200 + index);
    const answers = await Promise.all(amounts.map((Amount) => scheduleRows(url, { Amount })));
    expect(answers.map((rows) => rows[0]?.RemainingValue)).toEqual(amounts);
    // An ingress reads one partition of the replies from its current end; only the list of dead letters reads them.
    const stored = COMPRESSIONS.length * 3 * PARTITIONS;
    const skipped = 2 * stored + COMPRESSIONS.length;
    await eventually('all skipped batches', STEP_MS, async () => (await passedOver()) >= skipped);
    expect(system.health()).toMatchObject({ schedule: { status: 'ready' }, ingress: { status: 'ready' } });
  });

  it('do not hide the dead letters before and after them', async () => {
    const publisher = broker.createPublisher({ clientId: 'upstream' });
    await publisher.start();
    const headers = { [HEADER.messageType]: 'CalculatePMTRequest' };
    const value = Buffer.from('{"jsonParam":{"InstallmentsNo":"x"}}');
    await publisher.publish([{ topic: name('scheduleRequests'), key: 'contract-1', value, headers }]);
    await publisher.stop();
    await expect.poll(listedLetters, { timeout: STEP_MS }).toBe(2);
  });
});
