import { onTestFinished } from 'vitest';
import { createEmbeddedBroker } from '../../../shared/messaging/embedded/embedded-broker.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import {
  systemClock,
  type Clock,
  type MonotonicClock,
  systemPorts,
} from '../../../shared/platform/system-ports.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { createMetrics } from '../../../shared/platform/metrics.ts';
import type { RunningWorker, StartWorker } from '../../../workers/runtime/worker.ts';
import { createCodec } from '../../../workers/create-codec.ts';

/** An embedded broker with all topics, each with this number of partitions. */
export async function createSharedBroker(partitions: number): Promise<Broker> {
  const broker = createEmbeddedBroker();
  await broker.admin.createTopics(Object.values(TOPIC).map((topic) => ({ topic, partitions })));
  onTestFinished(() => broker.close());
  return broker;
}

/** A clock stopped at the time of the call, so that rate limits do not refill during a slow test. */
export function standingClock(): Clock {
  const nowMs = Date.now();
  return { now: () => nowMs };
}

/**
 * Starts a worker over a broker on a free port, as in a separate process, and stops it at the end of the test. A clock
 * without elapsed time has that of the system.
 */
export async function startOn(
  broker: Broker,
  start: StartWorker,
  env: Record<string, string> = {},
  clock: Clock & Partial<MonotonicClock> = systemClock,
): Promise<RunningWorker & { url: string }> {
  const config = loadConfig({ DATA_DIR: 'memory', PORT: '0', RATE_LIMIT_PER_SECOND: '0', ...env });
  const worker = await start({
    ...systemPorts,
    config,
    codec: await createCodec(config, clock),
    broker,
    log: silentLog,
    clock,
    monotonic: { elapsedMs: () => clock.elapsedMs?.() ?? systemPorts.monotonic.elapsedMs() },
    metrics: createMetrics(),
    processHealth: () => ({}),
  });
  onTestFinished(() => worker.stop(0));
  return { ...worker, url: worker.url ?? '' };
}
