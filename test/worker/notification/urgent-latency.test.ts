/**
 * Urgent messages while normal ones are queued. `URGENT_QUEUED=100000 npx vitest run --project worker
 * test/worker/notification/urgent-latency.test.ts` also compares the latencies with those of an idle worker, which needs a
 * machine without other work; `--project integration test/integration/urgent-notifications-kafka.test.ts` does so on Kafka.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEmbeddedBroker } from '../../../shared/messaging/embedded/broker.ts';
import {
  measureUrgentLatencies,
  reportUrgentLatencies,
  UNLIMITED,
} from '../../support/worlds/urgent-latency.ts';

const QUEUED = Number(process.env['URGENT_QUEUED'] ?? 0);
/** Takes 20 s at the rate limit of the provider. */
const FEW = 2_000;
const LIMIT_MS = 300_000;
/** More than the commands and the queue of the long form. */
const MEMORY = { maxRecordsPerTopic: 500_000 };

async function openDisk() {
  const dataFolder = await mkdtemp(path.join(tmpdir(), 'urgent-'));
  onTestFinished(() => rm(dataFolder, { recursive: true }));
  return createEmbeddedBroker({ dataFolder });
}

describe.each([
  ['in memory', () => createEmbeddedBroker({ limits: MEMORY })],
  ['on disk', openDisk],
] as const)('urgent messages on the embedded broker %s', (name, open) => {
  it('are sent while normal messages wait for their provider', async () => {
    const broker = await open();
    const options = { broker, prefix: '', queued: FEW, rounds: 1, perRound: 10, pauseMs: 5, settleMs: 500 };
    const { loaded, left } = await measureUrgentLatencies(options);
    expect(loaded).toHaveLength(10);
    expect(left).toBeGreaterThan(FEW / 2);
    await broker.close();
  });

  it.each(QUEUED > 0 ? [QUEUED] : [])(
    'have twice the latency of an idle worker at most, while %i normal ones wait',
    async (queued) => {
      const broker = await open();
      const options = { broker, prefix: '', queued, rounds: 6, perRound: 100, pauseMs: 20, settleMs: 3_000 };
      const found = await measureUrgentLatencies(options);
      expect(reportUrgentLatencies(`embedded broker ${name}`, found)).toBeLessThanOrEqual(2);
      await broker.close();
    },
    LIMIT_MS,
  );

  it.each(QUEUED > 0 ? [QUEUED] : [])(
    'have twice the latency of an idle worker at most, while %i normal ones are sent as fast as the processor allows',
    async (queued) => {
      const broker = await open();
      const rounds = { rounds: 6, perRound: 60, pauseMs: 20, settleMs: 1_000 };
      const found = await measureUrgentLatencies({
        broker,
        prefix: '',
        queued,
        provider: UNLIMITED,
        ...rounds,
      });
      expect(reportUrgentLatencies(`embedded broker ${name}, no rate limit`, found)).toBeLessThanOrEqual(2);
      await broker.close();
    },
    LIMIT_MS,
  );
});
