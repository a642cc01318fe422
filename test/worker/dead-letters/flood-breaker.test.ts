import { expect, it, onTestFinished } from 'vitest';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import { TOPIC } from '../../../shared/messaging/topics/topics.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';
import { createMetrics } from '../../../shared/platform/metrics.ts';
import { createCodec } from '../../../workers/create-codec.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { createSharedBroker } from '../../support/worlds/ingress-system.ts';

const LANES = 4;
const MESSAGES = 1_000;
/** Consecutive dead letters that open the breaker, plus those in progress at that time, at most ten. */
const OPENS_AT = 20;

async function startWorld() {
  const broker = await createSharedBroker(1);
  const config = loadConfig({ LANES: String(LANES) });
  const metrics = createMetrics();
  const codec = await createCodec(config, systemClock);
  const context = { ...systemPorts, config, codec, broker, log: silentLog, metrics };
  const worker = await startScheduleWorker({ ...context, processHealth: () => ({}) });
  onTestFinished(() => worker.stop(0));
  const publisher = broker.createPublisher({ clientId: 'upstream' });
  await publisher.start();
  const flood = (topic: string) =>
    publisher.publish(
      Array.from({ length: MESSAGES }, (_, index) => ({
        topic,
        key: `contract-${index}`,
        value: Buffer.from('{"jsonParam": {}}'),
        headers: { [HEADER.messageType]: 'CalculatePMTRequest' },
      })),
    );
  const letters = async () => (await broker.admin.offsets(TOPIC.scheduleDeadLetters))[0]?.high ?? 0;
  return { worker, metrics, flood, letters };
}

it('a bulk consumer that dead-letters most of its records stops, and reports it in health and metrics', async () => {
  const { worker, metrics, flood, letters } = await startWorld();
  await flood(TOPIC.scheduleBulkRequests);
  await expect.poll(() => worker.health().status).toBe('degraded');
  const { reason = '' } = worker.health();
  expect(reason).toContain('group plat.schedule.bulk on plat.schedule.requests.bulk.v1');
  expect(reason).toMatch(/open since \d{4}-\d\d-\d\dT.*npm run dead-letters/);
  await expect.poll(letters).toBeGreaterThanOrEqual(OPENS_AT);
  expect(await letters()).toBeLessThan(MESSAGES / 2);
  const text = await metrics.text();
  expect(text).toContain('plat_breaker_open{worker="schedule-bulk"} 1');
  expect(text).toContain('plat_breaker_opened_total{worker="schedule-bulk"} 1');
  expect(text).toMatch(/plat_dead_letters_total\{worker="schedule-bulk",code="invalid-request"\} \d\d/);
});

it('interactive requests that fail do not stop the consumer for other callers', async () => {
  const { worker, metrics, flood, letters } = await startWorld();
  await flood(TOPIC.scheduleRequests);
  await expect.poll(letters).toBe(MESSAGES);
  expect(worker.health().status).toBe('ready');
  expect(await metrics.text()).toContain('plat_breaker_opened_total{worker="schedule-interactive"} 0');
});
