import { afterAll, beforeAll, expect, it } from 'vitest';
import { HEADER } from '../../shared/messaging/headers.ts';
import type { KafkaBroker } from '../../shared/messaging/kafka/kafka-broker.ts';
import { topicSpecs, TOPIC, topicName, type TopicKey } from '../../shared/messaging/topics/topic-list.ts';
import { loadConfig } from '../../shared/platform/load-config.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { startWorkers, type RunningSystem } from '../../workers/start-workers.ts';
import { eventually } from '../support/conformance/wait.ts';
import { createKafkaBroker, KAFKA_CLIENT } from '../support/kafka/broker.ts';
import { openKafkaScope, withFewPartitions, type KafkaScope } from '../support/kafka/scope.ts';
import { kafkaOrSkip } from '../support/kafka/suite.ts';
import { operationsOf } from '../support/worlds/operations-calls.ts';

const STEP_MS = 30_000;
const LETTERS = 24;
const { kafka, suite } = kafkaOrSkip();

let scope: KafkaScope;
let broker: KafkaBroker;
let system: RunningSystem;

const name = (key: TopicKey): string => topicName(scope.prefix, key);

beforeAll(async () => {
  if (kafka.brokers.length === 0) return;
  scope = await openKafkaScope(kafka.brokers);
  broker = createKafkaBroker({ brokers: kafka.brokers, clientId: 'operations-test', log: silentLog });
  await broker.admin.createTopics(
    withFewPartitions(topicSpecs(scope.prefix, Object.keys(TOPIC) as TopicKey[])),
  );
  const config = loadConfig({
    KAFKA_CLIENT,
    KAFKA_BROKERS: kafka.brokers.join(','),
    KAFKA_TOPIC_PREFIX: scope.prefix,
    PORT: '0',
    DATA_DIR: 'memory',
    LOG_LEVEL: 'error',
  });
  system = await startWorkers({ config, names: ['schedule', 'ingress'], log: silentLog });
});
afterAll(async () => {
  if (kafka.brokers.length === 0) return;
  await system.stop(0);
  await broker.close();
  await scope.close();
});

async function written(key: TopicKey): Promise<number> {
  return (await broker.admin.offsets(name(key))).reduce((sum, { high }) => sum + high, 0);
}

suite('dead letters over HTTP on Kafka', () => {
  it('are listed in pages over all partitions, shown, and redriven once', async () => {
    const { get, post } = operationsOf(system.url ?? '');
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
    const areWritten = async () => (await written('scheduleDeadLetters')) === LETTERS;
    await eventually('all dead letters', STEP_MS, areWritten);

    const seen = new Set<string>();
    let cursor = '';
    do {
      const { body } = await get(`/dead-letters?topic=schedule&limit=10${cursor}`);
      expect(body).toMatchObject({ count: LETTERS, codes: { 'invalid-request': LETTERS }, isComplete: true });
      for (const { id } of body['letters'] as { id: string }[]) seen.add(id);
      const next = body['nextCursor'];
      cursor = typeof next === 'string' ? `&cursor=${encodeURIComponent(next)}` : '';
    } while (cursor !== '');
    expect(seen.size).toBe(LETTERS);

    const { body: found } = await get('/dead-letters?key=contract-7');
    const [letter] = found['letters'] as { id: string }[];
    expect((await get(`/dead-letters/${letter?.id}`)).body).toMatchObject({
      key: 'contract-7',
      payload: {
        type: 'CalculatePMTRequest',
        format: 'json',
        content: { jsonParam: { InstallmentsNo: '7' } },
      },
      audit: [],
    });
    const selection = { ids: [letter?.id ?? ''] };
    const dry = await post('/dead-letters/redrive', { selection, dryRun: true });
    expect(dry.body).toMatchObject({ counts: { 'would-redrive': 1 } });
    expect(await written('deadLetterAudit')).toBe(0);
    const done = await post('/dead-letters/redrive', { selection, reason: 'a test' });
    expect(done.body).toMatchObject({ counts: { redriven: 1 } });
    const isBack = async () => (await written('scheduleDeadLetters')) === LETTERS + 1;
    await eventually('the redriven dead letter', STEP_MS, isBack);
    const repeated = await post('/dead-letters/redrive', { selection, reason: 'a test' });
    expect(repeated.body).toMatchObject({ counts: { skipped: 1 } });
    const rest = { selection: { topics: ['schedule'] }, reason: 'load test' };
    expect((await post('/dead-letters/discard', rest)).body).toMatchObject({
      counts: { skipped: 1, discarded: LETTERS },
    });
    expect((await get('/dead-letters')).body).toMatchObject({ letters: [], handled: LETTERS + 1 });
  });
});
