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
} from '../../support/worlds/recalculate-process.ts';

/** Each run is a separate process, which takes seconds to start on a busy machine. */
vi.setConfig({ testTimeout: 120_000 });

const BUSY = { timeout: 60_000 };
it('a second signal stops a run that waits for the writer of a named pipe; with one it reads the pipe', async () => {
  const files = portfolioFolder();
  const output = files.at('out.ndjson');
  const pipe = files.pipe('pipe');
  const options = ['--input', pipe, '--input-format', 'ndjson', '--output', output, '--json'];
  const { child, stderr } = beginRecalculation(options);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  // With its checkpoint the run handles signals.
  await expect.poll(() => existsSync(`${output}.checkpoint`), BUSY).toBe(true);
  child.kill('SIGTERM');
  await expect.poll(stderr, BUSY).toMatch(/before the start of the run; nothing was changed/);
  child.kill('SIGTERM');
  expect(await Promise.race([ended, sleep(10_000, 'still runs', { ref: false })])).not.toBe('still runs');
  expect(readdirSync(files.at('.'))).toEqual(['pipe']);
  createWriteStream(pipe).end(portfolio(200));
  const { code, stdout } = await recalculateHere(options);
  expect([code, reportOf(stdout).read]).toEqual([0, 200]);
});

it.runIf(existsSync('/dev/full'))('a report that cannot be written keeps the checkpoint', async () => {
  const files = portfolioFolder();
  const input = files.write('in.ndjson', portfolio(5));
  const output = files.at('out.ndjson');
  const options = ['--input', input, '--output', output, '--json'];
  const unreported = await recalculateHere(options, {}, createWriteStream('/dev/full'));
  expect(unreported.code).toBe(3);
  expect(unreported.stderr).toMatch(/the report cannot be written: .*ENOSPC/);
  expect(existsSync(`${output}.checkpoint`)).toBe(true);
  const again = await recalculateHere([...options, '--resume']);
  expect([again.code, reportOf(again.stdout).read]).toEqual([0, 5]);
  expect(files.lines('out.ndjson')).toHaveLength(5);
});

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
  expect(code).toBe(3);
  expect(stderr).toMatch(/the report of --html cannot be written: .*; --resume writes it again/);
  mkdirSync(files.at('sub'));
  createWriteStream(input).end(portfolio(100));
  expect((await recalculateHere([...own, '--resume'])).code).toBe(0);
  expect(files.text('sub/report.html')).toContain('>complete<');
  expect(readdirSync(files.at('sub'))).toEqual(['report.html']);
});
