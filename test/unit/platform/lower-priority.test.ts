import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { expect, it, vi } from 'vitest';
import { silentLog } from '../../../shared/platform/log.ts';
import { lowerPriority, lowerSessionPriority } from '../../../shared/platform/lower-priority.ts';
import { systemTimers } from '../../../shared/platform/timers.ts';

const run = promisify(execFile);

const refuse = (): void => {
  throw new Error('not permitted');
};

it('lowers the priority of the process to below normal', () => {
  const priorities = new Map<number, number>();
  lowerPriority(silentLog, systemTimers, (threadId, priority) => priorities.set(threadId, priority));
  expect(priorities.get(process.pid)).toBe(constants.priority.PRIORITY_BELOW_NORMAL);
});

it('does not log a thread that ended meanwhile', () => {
  const logged: object[] = [];
  const gone = Object.assign(new Error('no such process'), { info: { code: 'ESRCH' } });
  lowerPriority({ warn: (fields: object) => void logged.push(fields) }, systemTimers, () => {
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
  import { systemTimers } from '${new URL('../../../shared/platform/timers.ts', import.meta.url).href}';
  await promisify(gzip)('');
  const before = getPriority();
  lowerPriority({ warn: () => undefined }, systemTimers);
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
  lowerPriority(log, systemTimers, refuse);
  expect(logged).toEqual([{ error: 'not permitted' }]);
});

const SESSION = `
  import { readFileSync } from 'node:fs';
  import { lowerPriority } from '${new URL('../../../shared/platform/lower-priority.ts', import.meta.url).href}';
  import { systemTimers } from '${new URL('../../../shared/platform/timers.ts', import.meta.url).href}';
  lowerPriority({ warn: console.error }, systemTimers);
  console.log(readFileSync('/proc/self/autogroup', 'utf8'));
`;

/** The priority of the session of a process that has lowered its own: of the tests' session, or one that it leads. */
async function sessionPriority(options: { readonly detached: boolean }): Promise<number> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', SESSION], options);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(child, 'close');
  return Number(/nice (-?\d+)/.exec(output)?.[1]);
}

it.runIf(existsSync('/proc/self/autogroup'))(
  'lowers the priority of its session if it leads the session',
  async () => {
    const before = await sessionPriority({ detached: false });
    expect(await sessionPriority({ detached: true })).toBe(constants.priority.PRIORITY_BELOW_NORMAL);
    expect(await sessionPriority({ detached: false })).toBe(before);
  },
);

const failing = (code: string) => () => {
  throw Object.assign(new Error('refused'), { code });
};

it('lowers the session later while the system has just changed another one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  try {
    const lower = vi.fn<() => void>().mockImplementationOnce(failing('EAGAIN'));
    lowerSessionPriority(silentLog, systemTimers, lower);
    expect(lower).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(lower).toHaveBeenCalledTimes(2);
  } finally {
    vi.useRealTimers();
  }
});

it.each([
  ['does not log that sessions have no priority', 'ENOENT', []],
  ['logs that the session keeps its priority', 'EACCES', [{ error: 'refused' }]],
])('%s', (_, code, expected) => {
  const logged: object[] = [];
  lowerSessionPriority({ warn: (fields: object) => void logged.push(fields) }, systemTimers, failing(code));
  expect(logged).toEqual(expected);
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
