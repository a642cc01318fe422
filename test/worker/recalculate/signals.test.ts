import { createWriteStream, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import {
  beginRecalculation,
  expectRefusal,
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
/** The engine fills the pipe's buffer in a fraction of this time with available results. */
const PIPE_FILLS_MS = 3_000;

/** Whether the buffer of the paused standard output is full, so that further output stays in the pipe. */
function isStdoutLeftFull({ child: { stdout } }: CommandRun): boolean {
  return stdout.readableLength >= stdout.readableHighWaterMark;
}

async function endedWithin(run: CommandRun, ms: number) {
  return Promise.race([run.ended, sleep(ms, 'still runs', { ref: false })]);
}

it('SIGTERM stops a run that waits for the writer of a named pipe, without changing any file; with one it reads the pipe', async () => {
  const files = portfolioFolder();
  const output = files.at('out.ndjson');
  const pipe = files.pipe('pipe');
  const options = ['--input', pipe, '--input-format', 'ndjson', '--output', output, '--json'];
  const waiting = beginRecalculation(options);
  // With its checkpoint the run handles signals.
  await expect.poll(() => existsSync(`${output}.checkpoint`), BUSY).toBe(true);
  waiting.child.kill('SIGTERM');
  expect(await endedWithin(waiting, 10_000)).toBe(3);
  expect(waiting.stderr()).toMatch(/before the start of the run; nothing was changed/);
  expect(readdirSync(files.at('.'))).toEqual(['pipe']);
  createWriteStream(pipe).end(portfolio(200));
  const { code, stdout } = await recalculateHere(options);
  expect([code, reportOf(stdout).read]).toEqual([0, 200]);
});

it('a second signal stops a run immediately while its output is blocked', async () => {
  const files = portfolioFolder();
  const failures = files.at('f.ndjson');
  const run = beginRecalculation(['--input', '-', '--output', '-', '--failures', failures]);
  run.child.stdout.pause();
  run.child.stdin.write(portfolio(20_000));
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

it('a reader that closes the pipe of the results ends the run with code 3', async () => {
  const files = portfolioFolder();
  const input = files.write('in.ndjson', portfolio(3_000));
  const piped = beginRecalculation(['--input', input, '--output', '-', '--failures', files.at('f.ndjson')]);
  piped.child.stdout.destroy();
  expect(await piped.ended).toBe(3);
  expect(piped.stderr()).toMatch(/aborted, - cannot be written: .*EPIPE/);
});

it.runIf(existsSync('/dev/full'))(
  'a full disk ends the run with code 3, and a report that cannot be written keeps the checkpoint',
  async () => {
    const files = portfolioFolder();
    const input = files.write('in.ndjson', portfolio(5));
    const full = ['--output', '/dev/full', '--output-format', 'ndjson', '--failures', files.at('g.ndjson')];
    const ended = await recalculateHere(['--input', input, ...full]);
    expect([ended.code, ended.stderr]).toEqual([
      3,
      expect.stringMatching(/\/dev\/full cannot be written: .*ENOSPC/),
    ]);
    const output = files.at('out.ndjson');
    const options = ['--input', input, '--output', output, '--json'];
    const unreported = await recalculateHere(options, {}, createWriteStream('/dev/full'));
    expect(unreported.code).toBe(3);
    expect(unreported.stderr).toMatch(/the report cannot be written: .*ENOSPC/);
    expect(existsSync(`${output}.checkpoint`)).toBe(true);
    const again = await recalculateHere([...options, '--resume']);
    expect([again.code, reportOf(again.stdout).read]).toEqual([0, 5]);
    expect(files.lines('out.ndjson')).toHaveLength(5);
  },
);

it('a report of --html is refused before the run if it could not be written, and repeated if it cannot be at the end', async () => {
  const files = portfolioFolder();
  const output = files.at('out.ndjson');
  const input = files.pipe('in.ndjson');
  const own = ['--input', input, '--output', output, '--html', files.at('sub/report.html')];
  await expectRefusal(own, /report\.html cannot be written/);
  expect(existsSync(output)).toBe(false);
  mkdirSync(files.at('sub'));
  const run = recalculateHere(own);
  const writer = createWriteStream(input);
  // The files are opened once the first line has been read.
  const [first = '', ...others] = portfolio(100).split('\n');
  writer.write(`${first}\n`);
  await expect.poll(() => existsSync(output), BUSY).toBe(true);
  rmSync(files.at('sub'), { recursive: true });
  writer.end(others.join('\n'));
  const { code, stderr } = await run;
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(/the report of --html cannot be written: .*; --resume writes it again/),
  ]);
  mkdirSync(files.at('sub'));
  createWriteStream(input).end(portfolio(100));
  expect((await recalculateHere([...own, '--resume'])).code).toBe(0);
  expect(files.text('sub/report.html')).toContain('>complete<');
  expect(readdirSync(files.at('sub'))).toEqual(['report.html']);
});
