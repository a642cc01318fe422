import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KafkaBroker } from '../../shared/messaging/kafka/common/kafka-broker.ts';
import { topicSpecs } from '../../shared/messaging/topics/topic-settings.ts';
import { TOPIC, topicName, type TopicKey } from '../../shared/messaging/topics/topics.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { loadConfig, type Config } from '../../shared/platform/load-config.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { createCodec } from '../../workers/create-codec.ts';
import { publishCatalogue } from '../../workers/publish-catalogue.ts';
import { startWorkers, type RunningSystem } from '../../workers/start-workers.ts';
import {
  changesOf,
  expectDeletion,
  expectNewVersion,
  expectSeamlessUpdate,
} from '../support/worlds/catalogue-changes.ts';
import { operationsOf } from '../support/worlds/operations-calls.ts';
import { openKafkaScope, type KafkaScope } from '../support/kafka/scope.ts';
import { kafkaOrSkip } from '../support/kafka/suite.ts';
import { createKafkaBroker, KAFKA_CLIENT } from '../support/kafka/broker.ts';

const STOP_MS = 10_000;
const { kafka, suite } = kafkaOrSkip();

suite('product look-ups on Kafka', () => {
  let scope: KafkaScope;
  let broker: KafkaBroker;
  let config: Config;
  const running: RunningSystem[] = [];

  const start = async (name: 'product' | 'ingress'): Promise<RunningSystem> => {
    const system = await startWorkers({ config, names: [name], log: silentLog });
    running.push(system);
    return system;
  };

  beforeAll(async () => {
    scope = await openKafkaScope(kafka.brokers);
    broker = createKafkaBroker({ brokers: kafka.brokers, clientId: 'look-ups-test', log: silentLog });
    config = loadConfig({
      DATA_DIR: 'memory',
      KAFKA_CLIENT,
      KAFKA_BROKERS: kafka.brokers.join(','),
      KAFKA_TOPIC_PREFIX: scope.prefix,
      PORT: '0',
      RATE_LIMIT_PER_SECOND: '0',
    });
    await broker.admin.createTopics(topicSpecs(scope.prefix, Object.keys(TOPIC) as TopicKey[]));
    await publishCatalogue(broker, await createCodec(config, systemClock), config);
  });
  afterAll(async () => {
    for (const system of running.splice(0).toReversed()) await system.stop(STOP_MS);
    await broker.close();
    await scope.close();
  });

  it('follow the log without a gap, also after a restart, and omit deleted records', async () => {
    const first = await start('product');
    const { url = '' } = await start('ingress');
    const world = { url, change: changesOf(broker, topicName(scope.prefix, 'catalogueRecords')) };
    await expectSeamlessUpdate(world);
    // An ingress in a process of its own shows the same versions.
    const { get } = operationsOf(url);
    const found = await get('/products?search=changing');
    expect(found.body).toMatchObject({ isComplete: true, products: [{ versionCount: 2 }] });
    await first.stop(STOP_MS);
    const second = await start('product');
    await expectNewVersion(world);
    await expectDeletion(world, 'TL-PERSONAL');
    await expect.poll(async () => (await get('/products/changing')).body).toMatchObject({ versionCount: 1 });
    expect(second.health()).toEqual({ product: { status: 'ready' } });
  });
});
