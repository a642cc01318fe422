import { execFile } from 'node:child_process';
import { constants, getPriority } from 'node:os';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { silentLog } from '../../../shared/platform/log.ts';
import { lowerPriority } from '../../../shared/platform/lower-priority.ts';

const run = promisify(execFile);

const refuse = (): void => {
  throw new Error('not permitted');
};

it('lowers the priority of the process to below normal', () => {
  const priorities = new Map<number, number>();
  lowerPriority(silentLog, (threadId, priority) => priorities.set(threadId, priority));
  expect(priorities.get(process.pid)).toBe(constants.priority.PRIORITY_BELOW_NORMAL);
});

it('does not log a thread that ended meanwhile', () => {
  const logged: object[] = [];
  const gone = Object.assign(new Error('no such process'), { info: { code: 'ESRCH' } });
  lowerPriority({ warn: (fields: object) => void logged.push(fields) }, () => {
    throw gone;
  });
  expect(logged).toEqual([]);
});

const PROCESS = `
  import { readdirSync } from 'node:fs';
  import { getPriority } from 'node:os';
  import { promisify } from 'node:util';
  import { gzip } from 'node:zlib';
  import { lowerPriority } from '${new URL('../../../shared/platform/lower-priority.ts', import.meta.url).href}';
  await promisify(gzip)('');
  const before = getPriority();
  lowerPriority({ warn: () => undefined });
  const threads = readdirSync('/proc/self/task').map((id) => getPriority(Number(id)));
  console.log(JSON.stringify({ before, threads }));
`;

it.runIf(process.platform === 'linux')(
  'lowers the priority of the threads that collect garbage and compress messages',
  async () => {
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', PROCESS]);
    const { before, threads } = JSON.parse(stdout) as { before: number; threads: number[] };
    const lowered = Math.max(before, constants.priority.PRIORITY_BELOW_NORMAL);
    // The first thread and at least one each of V8 and of libuv.
    expect(threads.length).toBeGreaterThanOrEqual(3);
    expect(new Set(threads)).toEqual(new Set([lowered]));
  },
);

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
