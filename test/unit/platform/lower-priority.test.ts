import { constants, getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { silentLog } from '../../../shared/platform/log.ts';
import { lowerPriority } from '../../../shared/platform/lower-priority.ts';

const refuse = (): void => {
  throw new Error('not permitted');
};

it('lowers the priority of the process to below normal', () => {
  const priorities: number[] = [];
  lowerPriority(silentLog, (priority) => priorities.push(priority));
  expect(priorities).toEqual([constants.priority.PRIORITY_BELOW_NORMAL]);
});

it('logs a refusal by the operating system', () => {
  const logged: object[] = [];
  const log = { warn: (fields: object) => void logged.push(fields) };
  lowerPriority(log, refuse);
  expect(logged).toEqual([{ error: 'not permitted' }]);
});

const PROGRAM = `
  import { readlinkSync } from 'node:fs';
  import { getPriority } from 'node:os';
  import { parentPort } from 'node:worker_threads';
  import { lowerThreadPriority } from '${new URL('../../../shared/platform/lower-priority.ts', import.meta.url).href}';
  lowerThreadPriority();
  parentPort.postMessage(getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1))));
`;

it.runIf(process.platform === 'linux')(
  'lowers the priority of a thread below that of its process',
  async () => {
    const before = getPriority();
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(PROGRAM)}`));
    const priority = await new Promise((resolve, reject) => {
      worker.on('message', resolve);
      worker.on('error', reject);
    });
    await worker.terminate();
    expect(priority).toBe(Math.max(before, constants.priority.PRIORITY_BELOW_NORMAL));
    expect(getPriority()).toBe(before);
  },
);
