import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemReply, type SystemState } from '../../shared/api/operations/system-state.ts';
import type { KafkaBroker } from '../../shared/messaging/kafka/kafka-broker.ts';
import { allTopicSpecs, topicName } from '../../shared/messaging/topics/topic-list.ts';
import { systemClock, systemTimers } from '../../shared/platform/system-ports.ts';
import { startHealthServer, type HealthServer } from '../../shared/platform/health.ts';
import { loadConfig, type Config } from '../../shared/platform/load-config.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { createCodec } from '../../workers/create-codec.ts';
import { publishCatalogue } from '../../shared/product/storage/catalogue-folder.ts';
import { startWorkers, type RunningSystem } from '../../workers/start-workers.ts';
import { scheduleRows } from '../support/builders/schedule-call.ts';
import { createKafkaBroker, KAFKA_CLIENT } from '../support/kafka/broker.ts';
import { openKafkaScope, withFewPartitions, type KafkaScope } from '../support/kafka/scope.ts';
import { kafkaOrSkip } from '../support/kafka/suite.ts';

const STOP_MS = 10_000;
const STEP_MS = 30_000;
const PATH = '/api/operations/v1/system';
const { kafka, suite } = kafkaOrSkip();

suite('the state of the system on Kafka', () => {
  let scope: KafkaScope;
  let broker: KafkaBroker;
  let config: Config;
  let schedule: RunningSystem | undefined;
  let ingress: RunningSystem;
  let healthServer: HealthServer | undefined;

  beforeAll(async () => {
    scope = await openKafkaScope(kafka.brokers);
    broker = createKafkaBroker({ brokers: kafka.brokers, clientId: 'system-test', log: silentLog });
    const env = {
      DATA_DIR: 'memory',
      KAFKA_CLIENT,
      KAFKA_BROKERS: kafka.brokers.join(','),
      KAFKA_TOPIC_PREFIX: scope.prefix,
      PORT: '0',
      RATE_LIMIT_PER_SECOND: '0',
    };
    const plain = loadConfig(env);
    await broker.admin.createTopics(
      withFewPartitions(allTopicSpecs(scope.prefix, plain.notification.retryTiersMs)),
    );
    await publishCatalogue(broker, await createCodec(plain, systemClock), plain);
    schedule = await startWorkers({ config: plain, names: ['schedule'], log: silentLog });
    const { metrics } = schedule;
    healthServer = await startHealthServer({
      host: '127.0.0.1',
      allowedHosts: [],
      port: 0,
      metrics,
      timers: systemTimers,
      health: () => schedule?.health() ?? {},
    });
    config = loadConfig({ ...env, SYSTEM_PROCESS_URLS: healthServer.url });
    ingress = await startWorkers({ config, names: ['ingress'], log: silentLog });
  });
  afterAll(async () => {
    await ingress?.stop(STOP_MS);
    await schedule?.stop(STOP_MS);
    await healthServer?.stop();
    await broker.close();
    await scope.close();
  });

  const stateOf = async (): Promise<SystemState> =>
    systemReply.parse(await (await fetch(ingress.url + PATH)).json());
  const group = ({ groups }: SystemState, lane: string) =>
    groups.find(({ groupId }) => groupId === `${scope.prefix}plat.schedule.${lane}`);

  it('shows members, lag and the catalogue of other processes, and their end', async () => {
    await scheduleRows(ingress.url ?? '');
    await expect
      .poll(async () => group(await stateOf(), 'interactive'), { timeout: STEP_MS })
      .toMatchObject({ state: 'stable', lag: 0, members: [{ clientId: 'schedule-interactive' }] });
    const state = await stateOf();
    const [member] = group(state, 'interactive')?.members ?? [];
    expect(member?.host).toMatch(/^[\d.:]+$/);
    expect(member?.partitions).toHaveLength(3);
    const process = new URL(healthServer?.url ?? '').host;
    expect(state.processes[1]).toMatchObject({
      name: process,
      workers: [{ name: 'schedule', status: 'ready' }],
    });
    expect(state.catalogue?.version).toBeGreaterThan(10);
    expect(Date.parse(state.catalogue?.changedAt ?? '')).toBeGreaterThan(Date.now() - 600_000);
    // The other workers have never run here.
    expect(state.findings).toEqual([]);

    await schedule?.stop(STOP_MS);
    schedule = undefined;
    await healthServer?.stop();
    const publisher = broker.createPublisher({ clientId: 'upstream' });
    await publisher.start();
    const topic = topicName(scope.prefix, 'scheduleRequests');
    await publisher.publish([{ topic, key: null, partition: 2, value: Buffer.from('{}') }]);
    await publisher.stop();
    const findings = async () => (await stateOf()).findings.filter(({ severity }) => severity === 'critical');
    await expect
      .poll(async () => (await findings()).map(({ code, subject }) => `${code} ${subject}`), {
        timeout: STEP_MS,
      })
      .toEqual([
        `process-unreadable ${process}`,
        `group-without-members ${scope.prefix}plat.schedule.interactive`,
      ]);
    const last = await stateOf();
    expect(group(last, 'interactive')).toMatchObject({ state: 'empty', lag: 1, members: [] });
    expect(group(last, 'interactive')?.partitions[2]).toMatchObject({ lag: 1 });
  });
});
