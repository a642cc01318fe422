import { existsSync, linkSync, readdirSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { expect, it, vi } from 'vitest';
import {
  beginRecalculation,
  linesOf,
  portfolio,
  portfolioFolder,
  recalculateHere,
} from '../../support/worlds/recalculate-process.ts';

/** Each run is a separate process, which takes seconds to start on a busy machine. */
vi.setConfig({ testTimeout: 120_000 });

const CONTRACTS = 1_000;

it('refuses one of two concurrent runs that resume the same output, whose file stays valid', async () => {
  const files = portfolioFolder();
  const output = files.at('out.ndjson.gz');
  const text = portfolio(CONTRACTS);
  const options = ['--input', '-', '--output', output, '--batch', '10', '--window', '1'];
  const begin = (...more: string[]) => {
    const run = beginRecalculation([...options, ...more]);
    run.child.stdin?.write(text);
    return run;
  };
  const first = begin();
  await expect.poll(() => existsSync(output) && statSync(output).size > 0, { timeout: 60_000 }).toBe(true);
  first.child.kill('SIGKILL');
  await first.ended;
  // Neither run completes before the other one is refused.
  const both = [begin('--resume'), begin('--resume')];
  const refused = await Promise.race(both.map(async (run) => ({ run, code: await run.ended })));
  expect(refused.code).toBe(2);
  expect(refused.run.stderr()).toMatch(/another process is still working on/);
  const other = both.find((run) => run !== refused.run);
  other?.child.stdin?.end();
  expect(await other?.ended).toBe(0);
  const lines = linesOf(gunzipSync(files.bytes('out.ndjson.gz')).toString());
  expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(
    Array.from({ length: CONTRACTS }, (_, index) => `c-${index + 1}`),
  );
  expect(readdirSync(files.at('.')).toSorted()).toEqual(['out.ndjson.gz', 'out.ndjson.gz.failures.ndjson']);
});

it('refuses an input that is the output or the file of failures under another name', async () => {
  const files = portfolioFolder();
  const text = portfolio(3);
  const input = files.write('in.ndjson', text);
  symlinkSync(input, files.at('symbolic.ndjson'));
  linkSync(input, files.at('hard.ndjson'));
  for (const name of ['symbolic.ndjson', 'hard.ndjson']) {
    for (const args of [
      ['--output', files.at(name)],
      ['--output', files.at('out.ndjson'), '--failures', files.at(name)],
    ]) {
      const refused = await recalculateHere(['--input', input, ...args, '--overwrite']);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/are the same file/)]);
    }
  }
  expect(files.text('in.ndjson')).toBe(text);
});

it('does not change the files of an earlier run if it cannot start', async () => {
  const files = portfolioFolder();
  const input = files.write('in.ndjson', portfolio(3));
  files.write('out.ndjson', 'results\n');
  const args =
    `--input ${input} --output ${files.at('out.ndjson')} --failures ${files.at('no/such.ndjson')}`.split(' ');
  expect((await recalculateHere([...args, '--overwrite'])).code).toBe(2);
  expect(files.text('out.ndjson')).toBe('results\n');
  expect(existsSync(files.at('out.ndjson.checkpoint'))).toBe(false);
});

it('keeps an existing file of failures if --resume finds nothing to resume', async () => {
  const files = portfolioFolder();
  const input = files.write('in.ndjson', portfolio(3));
  const failures = files.write('failed.ndjson', 'of another run\n');
  const args = ['--input', input, '--output', files.at('out.ndjson'), '--failures', failures, '--resume'];
  const refused = await recalculateHere(args);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/already exists: .*failed\.ndjson/),
  ]);
  expect(files.text('failed.ndjson')).toBe('of another run\n');
});

it('refuses a file that is no checkpoint, and replaces it with --overwrite', async () => {
  const files = portfolioFolder();
  const input = files.write('in.ndjson', portfolio(3));
  const options = ['--input', input, '--output', files.at('out.ndjson')];
  const checkpoint = files.write(
    'out.ndjson.checkpoint',
    'something else, longer than the header of a database',
  );
  const refused = await recalculateHere([...options, '--resume']);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/is not a valid checkpoint.*--overwrite/),
  ]);
  const database = new DatabaseSync(files.at('other'));
  database.exec('CREATE TABLE checkpoint (id INTEGER PRIMARY KEY, state BLOB NOT NULL)');
  database.exec("INSERT INTO checkpoint VALUES (1, x'00'); PRAGMA user_version = 1");
  database.close();
  renameSync(files.at('other'), checkpoint);
  const other = await recalculateHere([...options, '--resume']);
  expect([other.code, other.stderr]).toEqual([2, expect.stringMatching(/checkpoint version 1, not 3/)]);
  expect((await recalculateHere([...options, '--overwrite'])).code).toBe(0);
  expect(existsSync(checkpoint)).toBe(false);
});
