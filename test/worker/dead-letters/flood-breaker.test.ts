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

async function startWorld() {
  const broker = await createSharedBroker(1);
  const config = { ...loadConfig({}), lanes: LANES };
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

it.each([
  ['interactive', TOPIC.scheduleRequests],
  ['bulk', TOPIC.scheduleBulkRequests],
])(
  '%s requests without a reply address become dead letters and do not stop the consumer',
  async (lane, topic) => {
    const { worker, metrics, flood, letters } = await startWorld();
    await flood(topic);
    await expect.poll(letters).toBe(MESSAGES);
    expect(worker.health().status).toBe('ready');
    const text = await metrics.text();
    expect(text).toContain(`plat_breaker_opened_total{worker="schedule-${lane}"} 0`);
    expect(text).toContain(
      `plat_dead_letters_total{worker="schedule-${lane}",code="invalid-request"} ${MESSAGES}`,
    );
  },
);
