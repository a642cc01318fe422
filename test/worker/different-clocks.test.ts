/** Processes whose clocks differ, over one broker: each takes the time of the broker, whatever its own clock says. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEmbeddedBroker } from '../../shared/messaging/embedded/broker.ts';
import { HEADER } from '../../shared/messaging/header-names.ts';
import type { MessageHeaders } from '../../shared/messaging/message.ts';
import type { Broker } from '../../shared/messaging/ports.ts';
import { TOPIC } from '../../shared/messaging/topics/topics.ts';
import { allTopicSpecs } from '../../shared/messaging/topics/topic-settings.ts';
import type { Health } from '../../shared/platform/health.ts';
import { loadConfig, type Config } from '../../shared/platform/load-config.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { systemPorts } from '../../shared/platform/system-ports.ts';
import { start as startNotificationWorker } from '../../workers/notification/main.ts';
import { createCodec } from '../../workers/create-codec.ts';
import { startWorkers } from '../../workers/start-workers.ts';
import type { WorkerName } from '../../workers/worker-list.ts';
import {
  post,
  PROOF_REQUEST,
  scheduleRows,
  submitSchedule,
  waitForResult,
} from '../support/builders/schedule-call.ts';
import { idOf, recordsOf, send, SMS, statusOf } from '../support/builders/notification-call.ts';
import { scriptedProviders, SENT, transient } from '../support/fakes/scripted-providers.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const TIER_MS = 500;
const REPLY_TIMEOUT_MS = 5_000;
const SKEWS = [-DAY_MS, -HOUR_MS, -MINUTE_MS, MINUTE_MS, HOUR_MS, DAY_MS];

/** A broker with the right time, and processes on it whose clocks are ahead by any time. */
async function setUp() {
  const loaded = loadConfig({
    DATA_DIR: 'memory',
    RESULT_ID_SECRET: 'a secret of all processes',
    PORT: '0',
    RATE_LIMIT_PER_SECOND: '0',
    REPLY_TIMEOUT_MS: String(REPLY_TIMEOUT_MS),
  });
  const config: Config = { ...loaded, notification: { ...loaded.notification, retryTiersMs: [TIER_MS] } };
  const broker = createEmbeddedBroker();
  onTestFinished(() => broker.close());
  await broker.admin.createTopics(allTopicSpecs('', [TIER_MS]));
  const providers = scriptedProviders();
  const starters = {
    notification: (context: Parameters<typeof startNotificationWorker>[0]) =>
      startNotificationWorker(context, () => Promise.resolve(providers)),
  };
  /** Starts a process; the test may set its clock later. */
  const start = async (name: WorkerName, aheadMs = 0, on: Broker = broker) => {
    const local = { aheadMs };
    const ports = { ...systemPorts, clock: { now: () => Date.now() + local.aheadMs } };
    const options = { config, names: [name], log: silentLog, broker: on, ports, starters };
    const system = await startWorkers(options);
    onTestFinished(() => system.stop(0));
    return Object.assign(system, { url: system.url ?? '', local });
  };
  const codec = await createCodec(config, systemPorts.clock);
  const upstream = broker.createPublisher({ clientId: 'upstream' });
  await upstream.start();
  /** A command of an upstream system. */
  const publishSms = async (more: MessageHeaders): Promise<void> => {
    const payload = { notificationId: undefined, sender: undefined, ...SMS };
    const { value, headers } = await codec.encode('SendSmsCommand', payload, 'avro');
    await upstream.publish([{ topic: TOPIC.smsCommands, key: 'a', value, headers: { ...headers, ...more } }]);
  };
  return { broker, providers, start, publishSms };
}

describe('processes with different clocks', () => {
  it.each(SKEWS)('answer a call when the clock of the worker is ahead by %i ms', async (aheadMs) => {
    const { start } = await setUp();
    await start('schedule', aheadMs);
    const { url } = await start('ingress');
    expect(await scheduleRows(url)).toHaveLength(6);
  });

  it.each(SKEWS)('answer a call when the clock of the ingress is ahead by %i ms', async (aheadMs) => {
    const { start } = await setUp();
    await start('schedule');
    const { url } = await start('ingress', aheadMs);
    expect(await scheduleRows(url)).toHaveLength(6);
  });

  it.each([-2 * DAY_MS, 2 * DAY_MS])(
    'keep a result for any instance when the clocks of worker and second ingress are ahead by %i ms',
    async (aheadMs) => {
      const { start } = await setUp();
      await start('schedule', aheadMs);
      const one = await start('ingress');
      const other = await start('ingress', aheadMs);
      const submitted = await submitSchedule(one.url);
      const rows = await waitForResult(one.url, submitted);
      expect(rows).toHaveLength(6);
      expect(await waitForResult(other.url, submitted)).toEqual(rows);
    },
  );

  it.each([-2 * DAY_MS, 2 * DAY_MS])(
    'accept an Idempotency-Key once when the clock of the second ingress is ahead by %i ms',
    async (aheadMs) => {
      const { start, broker } = await setUp();
      const [one, other] = [await start('ingress'), await start('ingress', aheadMs)];
      const key = { headers: { 'idempotency-key': 'a' } };
      const id = await idOf(send(one.url, 'sms', SMS, key));
      await expect.poll(async () => (await statusOf(other.url, id)).status).toBe(200);
      expect(await idOf(send(other.url, 'sms', SMS, key))).toBe(id);
      expect(await recordsOf(broker, TOPIC.smsCommands)).toHaveLength(1);
    },
  );

  it.each([-DAY_MS, DAY_MS])(
    'retry a notification in time and send it once when two workers are ahead by %i ms and not at all',
    async (aheadMs) => {
      const { start, providers, broker } = await setUp();
      let attempts = 0;
      providers.add('only').answer = () => {
        attempts += 1;
        return attempts < 3 ? transient() : SENT;
      };
      const { url } = await start('ingress');
      const first = await start('notification', aheadMs);
      const id = await idOf(send(url, 'sms', SMS));
      await expect.poll(() => attempts).toBe(1);
      await start('notification');
      await first.stop(2_000);
      await expect.poll(() => providers.delivered.get(id), { timeout: 15_000 }).toBe(1);
      expect(attempts).toBe(3);
      expect(await recordsOf(broker, TOPIC.notificationDeadLetters)).toEqual([]);
    },
  );

  it.each([
    [-DAY_MS, 3_000, 1, 0],
    [DAY_MS, 3_000, 1, 0],
    [-DAY_MS, -3_000, 0, 1],
    [DAY_MS, -3_000, 0, 1],
  ])(
    'decide by the time of the broker, with a clock that is ahead by %i ms, whether a deadline in %i ms is over',
    async (aheadMs, deadlineInMs, sent, dead) => {
      const { start, broker, providers, publishSms } = await setUp();
      providers.add('only');
      await start('notification', aheadMs);
      await publishSms({ [HEADER.deadline]: String(Date.now() + deadlineInMs) });
      await expect
        .poll(async () => [
          providers.delivered.size,
          (await recordsOf(broker, TOPIC.notificationDeadLetters)).length,
        ])
        .toEqual([sent, dead]);
    },
  );

  it.each([
    [1_500, true],
    [2_500, false],
  ])(
    'tolerate clocks that differ by %i ms more than the time a caller waits, if the broker does not tell its time: %s',
    async (aheadMs, isAnswered) => {
      const { start, broker } = await setUp();
      const mute = { ...broker };
      delete mute.time;
      await start('schedule', REPLY_TIMEOUT_MS + aheadMs, mute);
      const { url } = await start('ingress', 0, mute);
      const response = await post(url, { jsonParam: PROOF_REQUEST });
      expect(response.status).toBe(isAnswered ? 200 : 504);
    },
  );

  it('are ready up to a second, degraded up to the limit, and not ready beyond it', async () => {
    const { start } = await setUp();
    const expected = [
      [900, 200, 'ready'],
      [-1_100, 200, 'degraded'],
      [59_000, 200, 'degraded'],
      [-61_000, 503, 'starting'],
    ] as const;
    for (const [aheadMs, httpStatus, status] of expected) {
      const ingress = await start('ingress', aheadMs);
      const { url } = ingress;
      const ready = await fetch(`${url}/health/ready`);
      const { parts } = (await ready.json()) as { parts: Record<string, Health> };
      expect([ready.status, parts['clock']?.status]).toEqual([httpStatus, status]);
      expect((await fetch(`${url}/health/live`)).status).toBe(200);
      expect(ingress.health()['clock']?.status).toBe(status);
    }
  });

  it('show how far the clock is from that of the broker in the metrics', async () => {
    const { start } = await setUp();
    const { url } = await start('ingress', MINUTE_MS);
    const text = await (await fetch(`${url}/metrics`)).text();
    const [, offset] = /^plat_clock_offset_seconds (\S+)/m.exec(text) ?? [];
    const [, error] = /^plat_clock_offset_error_seconds (\S+)/m.exec(text) ?? [];
    expect(Math.abs(Number(offset) + 60)).toBeLessThanOrEqual(Number(error) + 0.002);
  });
});
