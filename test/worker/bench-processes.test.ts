import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { eventually } from '../support/conformance/wait.ts';

const STEP_MS = 10_000;
/** Starts a process as a benchmark does, which prints its id and then waits. */
const PROGRAM = `
  const { startChild } = await import('./scripts/bench/processes.ts');
  const child = await startChild(['--eval', 'console.log("READY"); setInterval(() => {}, 1000)']);
  console.log(child.process.pid);
  setInterval(() => {}, 1000);
`;

test('a process of a benchmark ends when SIGKILL ends the benchmark', async () => {
  const bench = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = (await once(bench.stdout, 'data')) as [Buffer];
  const pid = Number(printed.toString());
  expect(isRunning(pid)).toBe(true);
  bench.kill('SIGKILL');
  await eventually('the end of the process', STEP_MS, () => !isRunning(pid));
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
