/** Processes whose clocks differ by less than callers wait, over one broker. */
import { expect, it, onTestFinished } from 'vitest';
import { createEmbeddedBroker } from '../../shared/messaging/embedded/embedded-broker.ts';
import { TOPIC, allTopicSpecs } from '../../shared/messaging/topics/topic-list.ts';
import { loadConfig, type Config } from '../../shared/platform/load-config.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { systemPorts } from '../../shared/platform/system-ports.ts';
import { start as startNotificationWorker } from '../../workers/notification/main.ts';
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

/** Differences below the ten seconds that are warned about. */
const FAR_MS = 9_000;
const TIER_MS = 500;
const REPLY_TIMEOUT_MS = 10_000;
const SKEWS = [-FAR_MS, FAR_MS];

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
  const start = async (name: WorkerName, aheadMs = 0) => {
    const ports = { ...systemPorts, clock: { now: () => Date.now() + aheadMs } };
    const system = await startWorkers({ config, names: [name], log: silentLog, broker, ports, starters });
    onTestFinished(() => system.stop(0));
    return Object.assign(system, { url: system.url ?? '' });
  };
  return { broker, providers, start };
}

it.each(SKEWS)(
  'a worker and a second ingress ahead by %i ms answer calls and keep results for all',
  async (aheadMs) => {
    const { start } = await setUp();
    await start('schedule', aheadMs);
    const one = await start('ingress');
    const other = await start('ingress', aheadMs);
    expect(await scheduleRows(one.url)).toHaveLength(6);
    const submitted = await submitSchedule(one.url);
    const rows = await waitForResult(one.url, submitted);
    expect(rows).toHaveLength(6);
    expect(await waitForResult(other.url, submitted)).toEqual(rows);
  },
);

it.each(SKEWS)(
  'a second ingress ahead by %i ms gets replies, and accepts an Idempotency-Key once',
  async (aheadMs) => {
    const { start, broker } = await setUp();
    await start('schedule');
    const [one, other] = [await start('ingress'), await start('ingress', aheadMs)];
    expect(await scheduleRows(other.url)).toHaveLength(6);
    const key = { headers: { 'idempotency-key': 'a' } };
    const id = await idOf(send(one.url, 'sms', SMS, key));
    await expect.poll(async () => (await statusOf(other.url, id)).status).toBe(200);
    expect(await idOf(send(other.url, 'sms', SMS, key))).toBe(id);
    expect(await recordsOf(broker, TOPIC.smsCommands)).toHaveLength(1);
  },
);

it.each(SKEWS)('workers ahead by %i ms and not at all retry in time and send once', async (aheadMs) => {
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
});

it.each([
  [1_500, 200],
  [2_500, 504],
])('clocks that differ by %i ms more than a caller waits lead to %i', async (aheadMs, status) => {
  const { start } = await setUp();
  await start('schedule', REPLY_TIMEOUT_MS + aheadMs);
  const { url } = await start('ingress');
  const response = await post(url, { jsonParam: PROOF_REQUEST });
  expect(response.status).toBe(status);
});
