import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { repricedPortfolio } from '../../support/builders/repriced-portfolio.ts';
import {
  beginRecalculation,
  portfolioFolder,
  reportOf,
  recalculateHere,
  type CommandRun,
} from '../../support/worlds/recalculate-process.ts';

/** Each run is a separate process, which takes seconds to start on a busy machine. */
vi.setConfig({ testTimeout: 120_000 });

const CONTRACTS = 600;
const OPTIONS = ['--as-of', '2026-05-01', '--batch', '20', '--window', '2'];

/** The sections on the results, without the time and duration of the run. */
const resultsOf = (page: string): string =>
  page.slice(page.indexOf('<div class="portfolio-results'), page.indexOf('<h2>Run</h2>'));
const textOf = (page: string): string => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

const STEP = 20;
const STEP_MS = 300;
/** The lines after these are held back, so that the run cannot end. */
const MOST_LINES = 500;

/** A run that has not read its whole input, once it has written a checkpoint. */
async function pausedRun(args: readonly string[], text: string, output: string): Promise<CommandRun> {
  const run = beginRecalculation(['--input', '-', ...args]);
  const lines = text.split('\n');
  const send = (from: number): unknown =>
    run.child.stdin?.write(`${lines.slice(from, Math.min(from + STEP, MOST_LINES)).join('\n')}\n`);
  /** Undefined until the run has opened its files, which it does after it has read the first lines. */
  const written = (): number | undefined => statSync(output, { throwIfNoEntry: false })?.size;
  send(0);
  // Results are written, and a checkpoint, with the first chunk that ends a second or more after the previous ones.
  for (let line = STEP; (written() ?? 0) === 0 && run.child.exitCode === null; await sleep(STEP_MS)) {
    if (written() === undefined) continue;
    send(line);
    line += STEP;
  }
  return run;
}

it('contains the same results after kill -9 and --resume as after an uninterrupted run', async () => {
  const files = portfolioFolder();
  const text = repricedPortfolio(CONTRACTS);
  const input = files.write('in.ndjson', text);
  const whole = [
    ...OPTIONS,
    '--input',
    input,
    '--output',
    files.at('whole.csv'),
    '--html',
    files.at('whole.html'),
  ];
  expect((await recalculateHere(whole)).code).toBe(1);

  // --html may be added when the run is resumed: the checkpoint has what the report needs.
  const output = files.at('out.csv');
  const run = await pausedRun([...OPTIONS, '--output', output], text, output);
  run.child.kill('SIGKILL');
  expect(await run.ended).toBe('SIGKILL');
  const resumed = [
    ...OPTIONS,
    '--input',
    input,
    '--output',
    output,
    '--html',
    files.at('out.html'),
    '--resume',
  ];
  expect((await recalculateHere(resumed)).code).toBe(1);
  const page = files.text('out.html');
  expect(resultsOf(page)).toBe(resultsOf(files.text('whole.html')));
  expect(textOf(resultsOf(page))).toMatch(/Calculated 588 Failed 12 /);
  expect(textOf(page)).toContain(', in 2 sessions, ');
  expect(readdirSync(files.at('.')).filter((name) => name.endsWith('.new'))).toEqual([]);
});

it('is written for an interrupted run too, and replaced when that is resumed', async () => {
  const files = portfolioFolder();
  const text = repricedPortfolio(CONTRACTS);
  const input = files.write('in.ndjson', text);
  const own = [...OPTIONS, '--output', files.at('out.ndjson'), '--html', files.at('report.html')];
  const run = await pausedRun(own, text, files.at('out.ndjson'));
  run.child.kill('SIGINT');
  expect(await run.ended).toBe(3);
  const part = textOf(files.text('report.html'));
  expect(part).toContain('The run was aborted: SIGINT.');
  expect(part).toMatch(/npm run recalculate -- --input - .*--resume/);
  const calculated = Number(/Calculated (\d+) /.exec(part)?.[1]);
  expect(calculated).toBe(files.lines('out.ndjson').length);
  expect(calculated).toBeLessThan(588);

  const refused = await recalculateHere(['--input', input, ...own]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('report.html')]);
  expect((await recalculateHere(['--input', input, ...own, '--resume'])).code).toBe(1);
  expect(textOf(files.text('report.html'))).toMatch(/ complete .* Calculated 588 /);
});

it('agrees with the report in JSON, exactly', async () => {
  const files = portfolioFolder();
  const input = files.write('in.ndjson', repricedPortfolio(CONTRACTS));
  const html = files.at('report.html');
  const { stdout } = await recalculateHere(
    `--input ${input} --summary --compare --json --html ${html}`.split(' '),
  );
  const report = reportOf(stdout);
  const text = textOf(files.text('report.html')).replaceAll(',', '');
  for (const { currency, contracts, principal, interest, fees, total, compared } of report.totals) {
    expect(text).toContain(`${currency} ${contracts} ${principal} ${interest} ${fees} ${total}`);
    const before = compared?.before;
    expect(text).toContain(
      `Before ${compared?.contracts} ${before?.principal} ${before?.interest} ${before?.fees} ${before?.total}`,
    );
  }
  for (const { id, line, before, after } of report.largestMovers ?? []) {
    expect(text).toMatch(new RegExp(`${id} ${line} (EUR|RON) ${before} ${after} `));
  }
});

it('is refused before the run if it could not be written, and repeated if it cannot be at the end', async () => {
  const files = portfolioFolder();
  const text = repricedPortfolio(100);
  const input = files.write('in.ndjson', text);
  const output = files.at('out.ndjson');
  const own = ['--output', output, '--html', files.at('sub/report.html')];
  const refused = await recalculateHere(['--input', input, ...own]);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/report\.html cannot be written/),
  ]);
  expect(existsSync(output)).toBe(false);

  mkdirSync(files.at('sub'));
  const run = beginRecalculation(['--input', '-', ...own]);
  // The files are opened once the first line has been read.
  const start = text.indexOf('\n') + 1;
  run.child.stdin?.write(text.slice(0, start));
  while (!existsSync(output) && run.child.exitCode === null) await sleep(20);
  rmSync(files.at('sub'), { recursive: true });
  run.child.stdin?.end(text.slice(start));
  expect(await run.ended).toBe(3);
  expect(run.stderr()).toMatch(/the report of --html cannot be written: .*; --resume writes it again/);
  mkdirSync(files.at('sub'));
  expect((await recalculateHere(['--input', input, ...own, '--resume'])).code).toBe(1);
  expect(textOf(files.text('sub/report.html'))).toContain(' complete ');
});
