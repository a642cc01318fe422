import { existsSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { contractLine } from '../../support/builders/portfolio-lines.ts';
import {
  beginRecalculation,
  portfolio,
  portfolioFolder,
  reportOf,
  recalculateHere,
} from '../../support/worlds/recalculate-process.ts';

/** Each run is a separate process, which takes seconds to start on a busy machine. */
vi.setConfig({ testTimeout: 120_000 });

it('exits with code 3 when more contracts fail than --max-failures allows, and can be resumed with a higher limit', async () => {
  const files = portfolioFolder();
  const bad = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [index + 100, 'broken']));
  const input = files.write('in.ndjson', portfolio(300, bad));
  const options = ['--input', input, '--output', files.at('out.ndjson'), '--batch', '10', '--json'];
  const first = await recalculateHere([...options, '--max-failures', '20']);
  expect(first.code).toBe(3);
  const report = reportOf(first.stdout);
  expect(report.outcome).toBe('aborted');
  expect(report.reason).toMatch(/--max-failures allows 20/);
  expect(report.resumeWith).toMatch(/--resume$/);
  const second = await recalculateHere([...options, '--max-failures', '50', '--resume']);
  expect(second.code).toBe(1);
  expect(files.lines('out.ndjson')).toHaveLength(250);
  expect(files.lines('out.ndjson.failures.ndjson')).toHaveLength(50);
  expect(reportOf(second.stdout)).toMatchObject({ read: 300, failed: 50, sessions: 2 });
});

it('exits with code 3 if the reader of a pipe has closed it or the disk is full', async () => {
  const files = portfolioFolder();
  const input = files.write('in.ndjson', portfolio(3_000));
  const piped = beginRecalculation(['--input', input, '--output', '-', '--failures', files.at('f.ndjson')]);
  piped.child.stdout?.destroy();
  expect(await piped.ended).toBe(3);
  expect(piped.stderr()).toMatch(/aborted, - cannot be written: .*EPIPE/);
  if (!existsSync('/dev/full')) return;
  const full = await recalculateHere(
    `--input ${input} --output /dev/full --output-format ndjson --failures ${files.at('g.ndjson')}`.split(
      ' ',
    ),
  );
  expect([full.code, full.stderr]).toEqual([
    3,
    expect.stringMatching(/\/dev\/full cannot be written: .*ENOSPC/),
  ]);
});

it('exits with code 2 for an invalid command line, setting or input, before it writes anything', async () => {
  const files = portfolioFolder();
  const output = files.at('out.ndjson');
  const input = files.write('in.ndjson', portfolio(2));
  const unknown = files.write('unknown.csv', 'id,Amont\nc-1,5\n');
  const attempts: [string[], RegExp][] = [
    [['--input', input], /--output is missing/],
    [['--input', files.at('none.ndjson'), '--output', output], /none\.ndjson/],
    [['--input', unknown, '--output', output], /Amont/],
    [['--input', input, '--output', files.at('no/such/folder.ndjson')], /cannot be written/],
    [['--input', input, '--output', output, '--failures', files.at('no/failures')], /cannot be written/],
  ];
  for (const [args, words] of attempts) {
    const { code, stderr } = await recalculateHere(args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
  }
  const settings = await recalculateHere(['--input', input, '--output', output], {
    REPLY_TIMEOUT_MS: 'many',
  });
  expect([settings.code, settings.stderr]).toEqual([2, expect.stringContaining('REPLY_TIMEOUT_MS')]);
  expect(existsSync(`${output}.checkpoint`)).toBe(false);
});

it('exits with code 3 if the input breaks off, keeps the results, and can be resumed with the complete input', async () => {
  const files = portfolioFolder();
  const { gzipSync } = await import('node:zlib');
  const packed = gzipSync(portfolio(2_000));
  const input = files.write('in.ndjson.gz', packed.subarray(0, packed.length - 2_000));
  const options = ['--input', input, '--output', files.at('out.ndjson')];
  const torn = await recalculateHere(options);
  expect(torn.code).toBe(3);
  expect(torn.stderr).toMatch(/resume with: /);
  files.write('in.ndjson.gz', packed);
  expect((await recalculateHere([...options, '--resume'])).code).toBe(0);
  expect(files.lines('out.ndjson')).toHaveLength(2_000);
});

it('overwrites the files of an earlier run only with --overwrite', async () => {
  const files = portfolioFolder();
  const input = files.write('in.ndjson', portfolio(3));
  files.write('out.ndjson', 'something else\n'.repeat(1_000));
  const options = ['--input', input, '--output', files.at('out.ndjson')];
  expect((await recalculateHere(options)).code).toBe(2);
  expect((await recalculateHere([...options, '--resume'])).stderr).toMatch(/has no checkpoint/);
  expect((await recalculateHere([...options, '--overwrite'])).code).toBe(0);
  expect(files.lines('out.ndjson')).toHaveLength(3);
});

it('an empty portfolio is reported as a run without contracts', async () => {
  const files = portfolioFolder();
  const input = files.write('in.ndjson', '\n\n');
  const { code, stdout } = await recalculateHere(
    `--input ${input} --output ${files.at('out.csv')} --json`.split(' '),
  );
  expect([code, reportOf(stdout).read]).toEqual([0, 0]);
  expect(files.lines('out.csv')).toHaveLength(1);
});

it('a contract whose request has ignored fields gets warnings with its result', async () => {
  const files = portfolioFolder();
  const input = files.write('in.ndjson', `${contractLine('c-1', { NoSuchMember: 1 })}\n`);
  const { stderr } = await recalculateHere(['--input', input, '--output', files.at('out.ndjson')]);
  const [result] = files.lines('out.ndjson').map((line) => JSON.parse(line) as { warnings?: string });
  expect(result?.warnings).toMatch(/jsonParam\.NoSuchMember/);
  expect(stderr).toMatch(/with warnings 1/);
});
