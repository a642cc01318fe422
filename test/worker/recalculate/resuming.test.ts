import { existsSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { contractLine } from '../../support/builders/portfolio-lines.ts';
import {
  beginRecalculation,
  portfolio,
  portfolioFolder,
  reportOf,
  recalculateHere,
  storedRun,
  type CommandRun,
} from '../../support/worlds/recalculate-process.ts';

/** Each run is a separate process, which takes seconds to start on a busy machine. */
vi.setConfig({ testTimeout: 120_000 });

const CONTRACTS = 1_000;
const BROKEN = { 17: 'no json', 700: contractLine('c-700', { InstallmentsNo: -1 }) };

/** Resolves when the run has written more than `bytes` bytes of results, which a checkpoint follows, or has ended. */
async function writtenBeyond(run: CommandRun, output: string, bytes: number): Promise<void> {
  const isEnded = () => run.child.exitCode !== null || run.child.signalCode !== null;
  while (!isEnded() && sizeOf(output) <= bytes) await sleep(10);
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/**
 * The input arrives in pieces, so that a run lasts at least twelve seconds on any machine, and the test can kill or
 * interrupt it before its end.
 */
const PIECES = 120;
const PIECE_INTERVAL_MS = 100;

async function feedInPieces(run: CommandRun, portfolioText: string): Promise<void> {
  const length = Math.ceil(portfolioText.length / PIECES);
  for (let at = 0; at < portfolioText.length; at += length) {
    if (run.child.stdin?.writable !== true) return;
    run.child.stdin.write(portfolioText.slice(at, at + length));
    await sleep(PIECE_INTERVAL_MS);
  }
  run.child.stdin?.end();
}

it('writes the same bytes as an uninterrupted run when it is repeatedly killed and resumed', async () => {
  const files = portfolioFolder();
  const lines = portfolio(CONTRACTS, BROKEN);
  const input = files.write('in.ndjson', lines);
  const options = ['--as-of', '2026-01-31', '--batch', '20', '--window', '2', '--json'];
  const undisturbed = await recalculateHere([
    ...options,
    '--input',
    input,
    '--output',
    files.at('whole.ndjson'),
  ]);
  expect(undisturbed.code).toBe(1);

  const output = files.at('out.ndjson');
  let kills = 0;
  let ended: { code: unknown; stdout: string } | undefined;
  for (let session = 0; session < 30 && ended === undefined; session += 1) {
    const isToBeKilled = kills < 3;
    const source = isToBeKilled ? '-' : input;
    const before = sizeOf(output);
    const run = beginRecalculation([...options, '--input', source, '--output', output, '--resume']);
    if (isToBeKilled) {
      void feedInPieces(run, lines);
      // Killed shortly after a checkpoint, when the output usually extends beyond it and may end within a line.
      await writtenBeyond(run, output, before);
      await sleep(Math.random() * 300);
      run.child.kill('SIGKILL');
    }
    const code = await run.ended;
    if (code === 'SIGKILL') kills += 1;
    else ended = { code, stdout: run.stdout() };
  }
  expect(kills).toBeGreaterThan(0);
  expect(ended?.code).toBe(1);
  expect(files.text('out.ndjson')).toBe(files.text('whole.ndjson'));
  expect(files.text('out.ndjson.failures.ndjson')).toBe(files.text('whole.ndjson.failures.ndjson'));
  expect(existsSync(`${output}.checkpoint`)).toBe(false);
  const { totals, read, calculated, failed, installments } = reportOf(undisturbed.stdout);
  expect(reportOf(ended?.stdout ?? '')).toMatchObject({ totals, read, calculated, failed, installments });
});

it('finishes work in progress on SIGINT, and is resumed only with its own input, options and output, also for gzip', async () => {
  const files = portfolioFolder();
  const lines = portfolio(CONTRACTS);
  const output = files.at('out.ndjson.gz');
  const own = ['--output', output, '--batch', '10', '--window', '1'];
  const run = beginRecalculation(['--input', '-', ...own]);
  void feedInPieces(run, lines);
  await writtenBeyond(run, output, 0);
  run.child.kill('SIGINT');
  expect(await run.ended).toBe(3);
  expect(run.stderr()).toContain('aborted, SIGINT');
  expect(run.stderr()).toMatch(/resume with: npm run recalculate -- .*--resume/);
  const before = files.bytes('out.ndjson.gz');
  const soFar = gunzipSync(before).toString().split('\n').length - 1;
  expect(soFar).toBe(storedRun(output).input.lastLine);
  expect(soFar).toBeLessThan(CONTRACTS);

  const options = ['--input', files.write('in.ndjson', lines), ...own];
  const tampered = ['--input', files.write('other.ndjson', lines.replace('1000', '1001')), ...own];
  const attempts: [string[], RegExp][] = [
    [tampered, /have changed since the run started/],
    [[...options, '--compare'], /compare must have its value at the start of the run/],
    [[...options, '--as-of', '2001-01-01'], /--as-of must have its value at the start of the run/],
    [
      [...options, '--failures', files.at('elsewhere.ndjson')],
      /failures must have its value at the start of the run/,
    ],
  ];
  for (const [args, words] of attempts) {
    const refused = await recalculateHere([...args, '--resume']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(words)]);
  }
  const fresh = await recalculateHere(options);
  expect([fresh.code, fresh.stderr]).toEqual([2, expect.stringMatching(/--resume.*--overwrite/)]);
  expect(files.bytes('out.ndjson.gz').equals(before)).toBe(true);
  files.write('out.ndjson.gz', before.subarray(0, 10));
  const shortened = await recalculateHere([...options, '--resume']);
  expect([shortened.code, shortened.stderr]).toEqual([2, expect.stringMatching(/was truncated/)]);

  files.write('out.ndjson.gz', before);
  expect((await recalculateHere([...options, '--resume'])).code).toBe(0);
  const whole = gunzipSync(files.bytes('out.ndjson.gz')).toString().trimEnd().split('\n');
  expect(whole.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(
    Array.from({ length: CONTRACTS }, (_, index) => `c-${index + 1}`),
  );
});

it('refuses a second run on the same output', async () => {
  const files = portfolioFolder();
  const output = files.at('out.ndjson');
  const input = files.write('in.ndjson', portfolio(10));
  const first = beginRecalculation(['--input', '-', '--output', output]);
  first.child.stdin?.write(portfolio(5));
  await expect.poll(() => existsSync(output), { timeout: 20_000 }).toBe(true);
  for (const option of ['--resume', '--overwrite']) {
    const second = await recalculateHere(['--input', input, '--output', output, option]);
    expect([second.code, second.stderr]).toEqual([
      2,
      expect.stringMatching(/another process is still working on/),
    ]);
  }
  first.child.stdin?.end();
  expect(await first.ended).toBe(0);
});
