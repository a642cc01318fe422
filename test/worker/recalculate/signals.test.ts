import { execFileSync } from 'node:child_process';
import { createWriteStream, existsSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import {
  beginRecalculation,
  portfolio,
  portfolioFolder,
  reportOf,
  recalculateHere,
  type CommandRun,
} from '../../support/worlds/recalculate-process.ts';

/** Each run is a separate process, which takes seconds to start on a busy machine. */
vi.setConfig({ testTimeout: 120_000 });

/** Longer than the second in which two signals count as one, since one Ctrl-C may arrive twice. */
const SECOND_SIGNAL_MS = 1_200;
/** Time limit for one step of a process on a busy machine. */
const BUSY = { timeout: 60_000 };
/** Long enough to fill the pipe with available results. */
const PIPE_FILLS_MS = 3_000;

/** Waits for the checkpoint of the run, which handles signals from then on. */
const isBegun = (output: string) => expect.poll(() => existsSync(`${output}.checkpoint`), BUSY).toBe(true);

/** Whether the buffer of the paused standard output is full, so that further output stays in the pipe. */
function isStdoutLeftFull({ child: { stdout } }: CommandRun): boolean {
  return stdout !== null && stdout.readableLength >= stdout.readableHighWaterMark;
}

async function endedWithin(run: CommandRun, ms: number) {
  return Promise.race([run.ended, sleep(ms, 'still runs', { ref: false })]);
}

it('SIGINT stops a run that waits for its input, without changing any file', async () => {
  const files = portfolioFolder();
  const output = files.at('out.ndjson');
  const run = beginRecalculation(['--input', '-', '--output', output]);
  await isBegun(output);
  run.child.kill('SIGINT');
  expect(await endedWithin(run, 10_000)).toBe(3);
  expect(run.stderr()).toMatch(/before the start of the run; nothing was changed/);
  expect(readdirSync(files.at('.'))).toEqual([]);
});

it('reads a named pipe, and stops on SIGTERM while the pipe has no writer', async () => {
  const files = portfolioFolder();
  const output = files.at('out.ndjson');
  const pipe = files.at('pipe');
  execFileSync('mkfifo', [pipe]);
  const options = ['--input', pipe, '--input-format', 'ndjson', '--output', output, '--json'];
  const waiting = beginRecalculation(options);
  await isBegun(output);
  waiting.child.kill('SIGTERM');
  expect(await endedWithin(waiting, 10_000)).toBe(3);
  expect(waiting.stderr()).toMatch(/before the start of the run; nothing was changed/);
  const writer = createWriteStream(pipe);
  writer.end(portfolio(200));
  const { code, stdout } = await recalculateHere(options);
  expect([code, reportOf(stdout).read]).toEqual([0, 200]);
});

it('a second signal stops a run immediately while its output is blocked', async () => {
  const files = portfolioFolder();
  const failures = files.at('f.ndjson');
  const run = beginRecalculation(['--input', '-', '--output', '-', '--failures', failures]);
  run.child.stdout?.pause();
  run.child.stdin?.write(portfolio(20_000));
  await expect.poll(() => existsSync(failures), BUSY).toBe(true);
  await expect.poll(() => isStdoutLeftFull(run), BUSY).toBe(true);
  await sleep(PIPE_FILLS_MS);
  run.child.kill('SIGTERM');
  // The run measures the time from the first signal that it handles.
  await expect.poll(() => run.stderr(), BUSY).toContain('SIGTERM: finishing');
  await sleep(SECOND_SIGNAL_MS);
  expect(run.child.signalCode).toBeNull();
  const ended = new Promise((resolve) => run.child.once('exit', (_, signal) => resolve(signal)));
  run.child.kill('SIGTERM');
  expect(await Promise.race([ended, sleep(5_000, 'still runs', { ref: false })])).toBe('SIGKILL');
});

it('writes failures to a device, and resumes writing to it', async () => {
  const files = portfolioFolder();
  const input = files.write('in.ndjson', portfolio(60, { 3: 'broken', 30: 'broken' }));
  const options = ['--input', input, '--output', files.at('out.ndjson'), '--failures', '/dev/null'];
  const first = await recalculateHere([...options, '--batch', '10', '--max-failures', '1']);
  expect(first.code).toBe(3);
  const second = await recalculateHere([...options, '--resume']);
  expect([second.code, files.lines('out.ndjson').length]).toEqual([1, 58]);
});

it.runIf(existsSync('/dev/full'))('keeps its checkpoint if the report cannot be written', async () => {
  const files = portfolioFolder();
  const input = files.write('in.ndjson', portfolio(5));
  const output = files.at('out.ndjson');
  const options = ['--input', input, '--output', output, '--json'];
  const run = beginRecalculation(options, {}, '/dev/full');
  expect(await run.ended).toBe(3);
  expect(run.stderr()).toMatch(/the report cannot be written: .*ENOSPC/);
  expect(existsSync(`${output}.checkpoint`)).toBe(true);
  const again = await recalculateHere([...options, '--resume']);
  expect([again.code, reportOf(again.stdout).read]).toEqual([0, 5]);
  expect(files.lines('out.ndjson')).toHaveLength(5);
});
