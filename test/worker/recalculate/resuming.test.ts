import { existsSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { repricedPortfolio } from '../../support/builders/repriced-portfolio.ts';
import {
  beginRecalculation,
  expectRefusal,
  linesOf,
  portfolioFolder,
  reportOf,
  recalculateHere,
  storedRun,
  textOf,
  type CommandRun,
} from '../../support/worlds/recalculate-process.ts';

/** Each run is a separate process, which takes seconds to start on a busy machine. */
vi.setConfig({ testTimeout: 120_000 });

const CONTRACTS = 600;
const CALCULATED = 588;
const FAILED = CONTRACTS - CALCULATED;
const KILLS = 2;

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** The input arrives in pieces, so that a run lasts longer on any machine than a test waits before it ends it. */
const PIECES = 120;
const PIECE_INTERVAL_MS = 100;

async function feedInPieces({ child: { stdin } }: CommandRun, text: string): Promise<void> {
  const length = Math.ceil(text.length / PIECES);
  for (let at = 0; at < text.length && stdin.writable; at += length) {
    stdin.write(text.slice(at, at + length));
    await sleep(PIECE_INTERVAL_MS);
  }
  stdin.end();
}

/** Resolves when the run has written more than `bytes` bytes of results, which a checkpoint follows, or has ended. */
async function writtenBeyond({ child }: CommandRun, output: string, bytes: number): Promise<void> {
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  while (isRunning() && sizeOf(output) <= bytes) await sleep(10);
}

/** The sections on the results, without the time and duration of the run. */
const resultsOf = (page: string): string =>
  page.slice(page.indexOf('<div class="portfolio-results'), page.indexOf('<h2>Run</h2>'));

it('writes the same bytes and the same report as an uninterrupted run when it is killed and resumed, and refuses a second run meanwhile', async () => {
  const files = portfolioFolder();
  const text = repricedPortfolio(CONTRACTS);
  const input = files.write('in.ndjson', text);
  const options = ['--as-of', '2026-05-01', '--batch', '20', '--window', '2', '--json'];
  const filesOf = (name: string) => ['--input', input, '--output', files.at(`${name}.ndjson`)];
  const htmlOf = (name: string) => ['--html', files.at(`${name}.html`)];
  const undisturbed = await recalculateHere([...options, ...filesOf('whole'), ...htmlOf('whole')]);
  expect(undisturbed.code).toBe(1);

  const output = files.at('out.ndjson');
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = sizeOf(output);
    const run = beginRecalculation([...options, '--input', '-', '--output', output, '--resume']);
    void feedInPieces(run, text);
    // Killed shortly after a checkpoint, when the output usually extends beyond it and may end within a line.
    await writtenBeyond(run, output, before);
    for (const option of ['--resume', '--overwrite'])
      await expectRefusal([...options, ...filesOf('out'), option], /another process is still working on/);
    await sleep(Math.random() * 300);
    run.child.kill('SIGKILL');
    expect(await run.ended).toBe('SIGKILL');
  }
  // --html may be added when the run is resumed: the checkpoint has what the report needs.
  const ended = await recalculateHere([...options, ...filesOf('out'), ...htmlOf('out'), '--resume']);
  expect(ended.code).toBe(1);
  for (const ending of ['', '.failures.ndjson'])
    expect(files.text(`out.ndjson${ending}`)).toBe(files.text(`whole.ndjson${ending}`));
  expect(existsSync(`${output}.checkpoint`)).toBe(false);
  const { totals, read, calculated, failed, installments } = reportOf(undisturbed.stdout);
  expect([read, calculated, failed]).toEqual([CONTRACTS, CALCULATED, FAILED]);
  expect(reportOf(ended.stdout)).toMatchObject({ totals, read, calculated, failed, installments });
  const page = files.text('out.html');
  expect(resultsOf(page)).toBe(resultsOf(files.text('whole.html')));
  expect(textOf(resultsOf(page))).toContain(`Calculated ${CALCULATED} Failed ${FAILED} `);
  expect(textOf(page)).toContain(`, in ${KILLS + 1} sessions, `);
});

it('finishes work in progress on SIGINT with a report, and is resumed only with its own input, options and output, also for gzip', async () => {
  const files = portfolioFolder();
  const text = repricedPortfolio(CONTRACTS);
  const output = files.at('out.ndjson.gz');
  const html = files.at('report.html');
  const own = ['--output', output, '--html', html, '--batch', '10', '--window', '1'];
  const run = beginRecalculation(['--input', '-', ...own]);
  void feedInPieces(run, text);
  await writtenBeyond(run, output, 0);
  run.child.kill('SIGINT');
  expect(await run.ended).toBe(3);
  expect(run.stderr()).toContain('aborted, SIGINT');
  expect(run.stderr()).toMatch(/resume with: npm run recalculate -- .*--resume/);
  const before = files.bytes('out.ndjson.gz');
  const soFar = linesOf(gunzipSync(before).toString()).length;
  const { input: done, tally } = storedRun(output);
  expect([soFar, soFar + tally.failed]).toEqual([tally.calculated, done.lastLine]);
  expect(soFar).toBeLessThan(CALCULATED);
  const part = textOf(files.text('report.html'));
  expect(part).toContain('The run was aborted: SIGINT.');
  expect(part).toMatch(/npm run recalculate -- --input - .*--resume/);
  expect(part).toContain(`Calculated ${soFar} `);

  const options = ['--input', files.write('in.ndjson', text), ...own];
  const tampered = ['--input', files.write('other.ndjson', text.replace('5000', '5001')), ...own];
  const must = 'must have its value at the start of the run';
  await expectRefusal([...tampered, '--resume'], /have changed since the run started/);
  await expectRefusal([...options, '--compare', '--resume'], new RegExp(`compare ${must}`));
  await expectRefusal([...options, '--as-of', '2001-01-01', '--resume'], new RegExp(`--as-of ${must}`));
  const elsewhere = ['--failures', files.at('elsewhere.ndjson'), '--resume'];
  await expectRefusal([...options, ...elsewhere], new RegExp(`failures ${must}`));
  await expectRefusal(options, /report\.html.*--resume.*--overwrite/);
  expect(files.bytes('out.ndjson.gz').equals(before)).toBe(true);
  files.write('out.ndjson.gz', before.subarray(0, 10));
  await expectRefusal([...options, '--resume'], /was truncated/);

  files.write('out.ndjson.gz', before);
  expect((await recalculateHere([...options, '--resume'])).code).toBe(1);
  const lines = linesOf(gunzipSync(files.bytes('out.ndjson.gz')).toString());
  const ids = lines.map((line) => Number((JSON.parse(line) as { id: string }).id.replace('LN-', '')));
  expect(ids).toHaveLength(CALCULATED);
  expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => one - other));
  expect(textOf(files.text('report.html'))).toMatch(/ complete .* Calculated 588 /);
});
