import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { createEmbeddedBroker } from '../../../shared/messaging/embedded/embedded-broker.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { SCRATCH_ROOT } from '../scratch-root.ts';
import { readTopics } from './read-topics.ts';
import type { ConformanceTarget } from './target.ts';
import { eventually, sleep } from './wait.ts';

/** Members have no sessions; scenarios take their pace from this time. */
const SESSION_TIMEOUT_MS = 150;
const STEP_MS = 3_000;
const SWEEP_INTERVAL_MS = 200;

export function createEmbeddedTarget(): ConformanceTarget {
  return targetOf(createEmbeddedBroker({ sweepIntervalMs: SWEEP_INTERVAL_MS }));
}

export async function createDiskTarget(): Promise<ConformanceTarget> {
  const folder = await mkdtemp(path.join(SCRATCH_ROOT, 'conformance-'));
  const target = targetOf(createEmbeddedBroker({ sweepIntervalMs: SWEEP_INTERVAL_MS, dataFolder: folder }));
  return {
    ...target,
    /** Each waits for the disk, so that all take longer than members need to join and leave. */
    trafficMessages: 500,
    close: async () => {
      await target.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function targetOf(broker: Broker): ConformanceTarget {
  return {
    sessionTimeoutMs: SESSION_TIMEOUT_MS,
    stepMs: STEP_MS,
    slowMs: 600,
    trafficMessages: 2_000,
    broker,
    startKillableWorker: async (options) => {
      const { startEchoWorker } = await import('./echo-worker.ts');
      const worker = await startEchoWorker(broker, options);
      await eventually('assignment', STEP_MS, () => worker.consumer.health().status === 'ready');
      return { kill: () => worker.stop(0) };
    },
    // What a restart leaves is tested in data-folder.test.ts: all clients end with the broker.
    restart: () => Promise.reject(new Error('clients of the embedded broker do not outlast it')),
    leaveEmptyTail: (topic) => leaveEmptyTail(broker, topic),
    // Its tails have no group.
    forceRejoin: () => sleep(SESSION_TIMEOUT_MS),
    close: () => broker.close(),
  };
}

/** Writes tombstones at the end of each partition, which the next compaction removes. */
export async function leaveEmptyTail(broker: Broker, topic: string): Promise<void> {
  const publisher = broker.createPublisher({ clientId: 'compaction' });
  await publisher.start();
  const offsets = await broker.admin.offsets(topic);
  await publisher.publish(offsets.map(({ partition }) => ({ topic, partition, key: 'gone', value: null })));
  await publisher.stop();
  const isGone = async () => (await readTopics(broker, [topic])).every(({ key }) => String(key) !== 'gone');
  await eventually('compaction', STEP_MS, isGone);
}
