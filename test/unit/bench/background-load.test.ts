import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startBackgroundLoad } from '../../../scripts/bench/background-load.ts';

test('the background load has the number of processes asked for, and ends when it is stopped', async () => {
  const load = startBackgroundLoad(2);
  const ended = Promise.all(load.processes.map((child) => once(child, 'exit')));
  expect(load.processes.map(({ exitCode }) => exitCode)).toEqual([null, null]);
  load.stop();
  await ended;
  expect(load.processes.map(({ signalCode }) => signalCode)).toEqual(['SIGKILL', 'SIGKILL']);
});
