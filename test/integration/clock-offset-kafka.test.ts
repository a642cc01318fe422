import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KafkaBroker } from '../../shared/messaging/kafka/common/kafka-broker.ts';
import { topicSpecs } from '../../shared/messaging/topics/topic-settings.ts';
import { TOPIC, topicName, type TopicKey } from '../../shared/messaging/topics/topics.ts';
import { errorText } from '../../shared/platform/errors.ts';
import { loadConfig, type Config } from '../../shared/platform/load-config.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { systemPorts } from '../../shared/platform/system-ports.ts';
import { startWorkers, type RunningSystem } from '../../workers/start-workers.ts';
import { openKafkaScope, type KafkaScope } from '../support/kafka/scope.ts';
import { kafkaOrSkip } from '../support/kafka/suite.ts';
import { scheduleRows } from '../support/builders/schedule-call.ts';
import { createKafkaBroker, KAFKA_CLIENT } from '../support/kafka/broker.ts';

const STOP_MS = 10_000;
const DAY_MS = 24 * 3_600_000;
/** The test and the broker share a machine, so their clocks differ only by the error of a reading on a busy machine. */
const SAME_MS = 1_000;
/** New topics have leaders, and these know it, within this time on a busy machine. */
const LEADERS = { timeout: 20_000 };
const KEYS = Object.keys(TOPIC) as TopicKey[];
const { kafka, suite } = kafkaOrSkip();

suite('clocks of processes over Kafka', () => {
  let scope: KafkaScope;
  let broker: KafkaBroker;
  let config: Config;
  const running: RunningSystem[] = [];

  const start = async (name: 'schedule' | 'ingress', aheadMs: number): Promise<RunningSystem> => {
    const ports = { ...systemPorts, clock: { now: () => Date.now() + aheadMs } };
    const system = await startWorkers({ config, names: [name], log: silentLog, ports });
    running.push(system);
    return system;
  };

  beforeAll(async () => {
    scope = await openKafkaScope(kafka.brokers);
    broker = createKafkaBroker({
      brokers: kafka.brokers,
      clientId: 'clock-test',
      log: silentLog,
      clockTopic: topicName(scope.prefix, 'clockReadings'),
    });
    config = loadConfig({
      DATA_DIR: 'memory',
      KAFKA_CLIENT,
      KAFKA_BROKERS: kafka.brokers.join(','),
      KAFKA_TOPIC_PREFIX: scope.prefix,
      PORT: '0',
      RATE_LIMIT_PER_SECOND: '0',
    });
    await broker.admin.createTopics(topicSpecs(scope.prefix, KEYS));
  });
  afterAll(async () => {
    for (const system of running.splice(0).toReversed()) await system.stop(STOP_MS);
    await broker.close();
    await scope.close();
  });

  it('read the time of the broker once the topic has a leader', async () => {
    await expect.poll(() => broker.time?.(), LEADERS).toBeGreaterThan(0);
  });

  it('read the time of the broker at a moment between request and response', async () => {
    for (let reading = 0; reading < 5; reading += 1) {
      const beforeMs = Date.now();
      const timeMs = (await broker.time?.()) ?? 0;
      expect(timeMs).toBeGreaterThanOrEqual(beforeMs - 1);
      expect(timeMs).toBeLessThanOrEqual(Date.now() + 1);
    }
  });

  it('name the setting that a topic without the time of the broker lacks', async () => {
    const clockTopic = topicName(scope.prefix, 'deadLetterAudit');
    const other = createKafkaBroker({
      brokers: kafka.brokers,
      clientId: 'clock-test',
      log: silentLog,
      clockTopic,
    });
    const read = async (): Promise<string> =>
      errorText(await other.time?.().catch((error: unknown) => error));
    await expect.poll(read, LEADERS).toContain('message.timestamp.type=LogAppendTime');
    await other.close();
  });

  it('are measured, and do not matter for calls, when two processes are a day ahead and a day behind', async () => {
    const worker = await start('schedule', DAY_MS);
    const ingress = await start('ingress', -DAY_MS);
    const { url = '' } = ingress;
    expect(await scheduleRows(url)).toHaveLength(6);
    for (const [system, far] of [
      [worker, "ahead of the broker's"],
      [ingress, "behind the broker's"],
    ] as const) {
      const { clock } = system.health();
      expect(clock?.status).toBe('starting');
      expect(clock?.reason).toContain(far);
    }
    expect((await fetch(`${url}/health/ready`)).status).toBe(503);
    expect(await worker.metrics.text()).toMatch(/^plat_clock_offset_seconds -(?:86399\.|8640[01]\.?)/m);
    expect(await ingress.metrics.text()).toMatch(/^plat_clock_offset_seconds (?:86399\.|8640[01]\.?)/m);
  });

  it('write records with the time of the broker, which its retention expects', async () => {
    const times: number[] = [];
    for (const key of ['scheduleRequests', 'ingressReplies'] as const) {
      const topic = topicName(scope.prefix, key);
      const ranges = (await broker.admin.offsets(topic)).map(({ partition, low, high }) => ({
        topic,
        partition,
        from: low,
        to: high,
      }));
      await broker.readRanges(ranges, ({ timestampMs }) => {
        times.push(timestampMs);
        return 'more';
      });
    }
    expect(times).toHaveLength(2);
    for (const timeMs of times) {
      expect(timeMs).toBeLessThan(Date.now() + SAME_MS);
      expect(timeMs).toBeGreaterThan(Date.now() - 5 * 60_000);
    }
  });
});
