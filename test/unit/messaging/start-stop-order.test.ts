import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { startTogether, stopInTurn } from '../../../shared/messaging/start-stop-order.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';

it('shares one timeout between the workers, with a minimum for leaving the group', async () => {
  const given: number[] = [];
  const worker = (takesMs: number) => ({
    stop: async (timeoutMs: number) => {
      given.push(timeoutMs);
      await sleep(takesMs);
    },
  });
  await stopInTurn([worker(150), worker(0)], 2_000, systemPorts.monotonic);
  expect(given[0]).toBeCloseTo(2_000, -2);
  expect(given[1]).toBeLessThan(1_860);
  given.length = 0;
  await stopInTurn([worker(150), worker(0)], 1_050, systemPorts.monotonic);
  expect(given[1]).toBe(1_000);
  given.length = 0;
  await stopInTurn([worker(1), worker(1)], 0, systemPorts.monotonic);
  expect(given).toEqual([0, 0]);
});

it('stops the other workers after one fails, and throws its failure', async () => {
  const good = { stop: vi.fn<() => Promise<void>>(() => Promise.resolve()) };
  const bad = { stop: () => Promise.reject(new Error('cannot leave')) };
  await expect(stopInTurn([good, bad, good], 100, systemPorts.monotonic)).rejects.toThrow('cannot leave');
  expect(good.stop).toHaveBeenCalledTimes(2);
});

it('reports a failed start after the others have ended, which are listed in their order', async () => {
  const started: number[] = [];
  const starts = [sleep(20, 1), Promise.reject(new Error('no group')), sleep(1, 2)];
  await expect(startTogether(starts, started)).rejects.toThrow('no group');
  expect(started).toEqual([1, 2]);
});
