import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { createEmbeddedBroker } from '../../../shared/messaging/embedded/broker.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { SCRATCH_ROOT } from '../scratch-root.ts';
import { FaultSwitch } from './faults.ts';
import type { ConformanceTarget } from './target.ts';
import { eventually, sleep } from './wait.ts';

const SESSION_TIMEOUT_MS = 150;
const STEP_MS = 3_000;
/** Longer than a session, so that the group has expelled disconnected members. */
const AWAY_MS = 2 * SESSION_TIMEOUT_MS;

/** Frequent compaction. */
const SWEEP_INTERVAL_MS = 20;

/** The embedded broker under test, in memory. */
export function createEmbeddedTarget(): ConformanceTarget {
  const faults = new FaultSwitch();
  const broker = createEmbeddedBroker({ faults: faults.plan, sweepIntervalMs: SWEEP_INTERVAL_MS });
  return targetOf('the embedded broker', broker, faults);
}

/** The embedded broker under test, with its data in a folder that is removed at the end. */
export async function createDiskTarget(): Promise<ConformanceTarget> {
  const faults = new FaultSwitch();
  const folder = await mkdtemp(path.join(SCRATCH_ROOT, 'conformance-'));
  const options = { faults: faults.plan, sweepIntervalMs: SWEEP_INTERVAL_MS };
  const broker = createEmbeddedBroker({ ...options, dataFolder: folder });
  const target = targetOf('the embedded broker on disk', broker, faults);
  return {
    ...target,
    close: async () => {
      await target.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function targetOf(name: string, broker: Broker, faults: FaultSwitch): ConformanceTarget {
  return {
    name,
    sessionTimeoutMs: SESSION_TIMEOUT_MS,
    stepMs: STEP_MS,
    slowMs: 600,
    trafficMessages: 2_000,
    broker,
    startKillableWorker: async (options) => {
      const { startEchoWorker } = await import('./echo-worker.ts');
      const worker = await startEchoWorker(broker, options);
      await eventually('assignment', STEP_MS, () => worker.consumer.health().status === 'ready');
      return {
        kill: async () => {
          faults.cutOff(options.clientId);
          await worker.stop(0);
        },
      };
    },
    restart: async () => {
      faults.setDown(true);
      await sleep(AWAY_MS);
      faults.setDown(false);
    },
    leaveEmptyTail: (topic) => leaveEmptyTail(broker, topic),
    forceRejoin: async (clientId) => {
      for (let round = 0; round < 2; round += 1) {
        faults.cutOff(clientId);
        await sleep(AWAY_MS);
        faults.reconnect(clientId);
        await sleep(AWAY_MS);
      }
    },
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
  await eventually('compaction', STEP_MS, async () => !(await keysOf(broker, topic)).includes('gone'));
}

async function keysOf(broker: Broker, topic: string): Promise<string[]> {
  const keys: string[] = [];
  const tail = broker.createTail({ clientId: 'compaction', topics: [topic], from: 'earliest' });
  await tail.start(({ key }) => keys.push(String(key)));
  await tail.caughtUp(STEP_MS);
  await tail.stop();
  return keys;
}
