import { existsSync, linkSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import {
  expectRefusal,
  portfolio,
  portfolioFolder,
  recalculateHere,
  reportOf,
} from '../../support/worlds/recalculate-process.ts';

it('refuses an invalid command line, setting or input before it writes anything', async () => {
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
    [['--input', input, '--output', output, '--failures', '/dev/null'], /exists and is not a file/],
  ];
  for (const [args, words] of attempts) await expectRefusal(args, words);
  const settings = { REPLY_TIMEOUT_MS: 'many' };
  await expectRefusal(['--input', input, '--output', output], /REPLY_TIMEOUT_MS/, settings);
  expect(existsSync(`${output}.checkpoint`)).toBe(false);
});

it('refuses files of a run that are the same under another name', async () => {
  const files = portfolioFolder();
  const text = portfolio(3);
  const input = files.write('in.html', text);
  symlinkSync(input, files.at('symbolic.html'));
  linkSync(input, files.at('hard.html'));
  mkdirSync(files.at('x'));
  symlinkSync(files.at('.'), files.at('link'));
  const output = ['--output', files.at('out.ndjson')];
  const same: string[][] = [
    ...['symbolic.html', 'hard.html'].flatMap((name) => [
      ['--output', files.at(name), '--output-format', 'ndjson'],
      [...output, '--failures', files.at(name)],
    ]),
    [...output, '--html', files.at('link/in.html')],
    [...output, '--failures', files.at('failures.html'), '--html', files.at('link/failures.html')],
    [...output, '--failures', files.at('x/../out.ndjson.checkpoint')],
  ];
  for (const args of same) {
    const whole = ['--input', input, '--input-format', 'ndjson', ...args, '--overwrite'];
    await expectRefusal(whole, /are the same file/);
  }
  expect(files.text('in.html')).toBe(text);
});

it('replaces the files of an earlier run only with --overwrite, and not if it cannot start', async () => {
  const files = portfolioFolder();
  const input = files.write('in.ndjson', portfolio(3));
  const former = 'something else\n'.repeat(1_000);
  files.write('out.ndjson', former);
  const options = ['--input', input, '--output', files.at('out.ndjson')];
  await expectRefusal(options, /already exists: .*out\.ndjson/);
  await expectRefusal([...options, '--resume'], /has no checkpoint/);
  const nowhere = ['--failures', files.at('no/such.ndjson'), '--overwrite'];
  await expectRefusal([...options, ...nowhere], /cannot be written/);
  expect(files.text('out.ndjson')).toBe(former);
  const failures = files.write('failed.ndjson', 'of another run\n');
  const other = ['--input', input, '--output', files.at('new.ndjson'), '--failures', failures, '--resume'];
  await expectRefusal(other, /already exists: .*failed\.ndjson/);
  expect(files.text('failed.ndjson')).toBe('of another run\n');
  expect(existsSync(files.at('out.ndjson.checkpoint'))).toBe(false);
  expect((await recalculateHere([...options, '--overwrite'])).code).toBe(0);
  expect(files.lines('out.ndjson')).toHaveLength(3);
});

it('refuses a file that is no checkpoint, or one of another version, and replaces it with --overwrite', async () => {
  const files = portfolioFolder();
  const options = ['--input', files.write('in.ndjson', portfolio(3)), '--output', files.at('out.ndjson')];
  const checkpoint = files.write('out.ndjson.checkpoint', 'longer than the header of a database '.repeat(5));
  await expectRefusal([...options, '--resume'], /is not a valid checkpoint.*--overwrite/);
  const database = new DatabaseSync(files.at('other'));
  database.exec('CREATE TABLE checkpoint (id INTEGER PRIMARY KEY, state BLOB NOT NULL)');
  database.exec("INSERT INTO checkpoint VALUES (1, x'00'); PRAGMA user_version = 1");
  database.close();
  renameSync(files.at('other'), checkpoint);
  await expectRefusal([...options, '--resume'], /checkpoint version 1, not 3/);
  expect((await recalculateHere([...options, '--overwrite'])).code).toBe(0);
  expect(existsSync(checkpoint)).toBe(false);
});

it('ends when more contracts fail than --max-failures allows, and can be resumed with a higher limit', async () => {
  const files = portfolioFolder();
  const bad = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [index + 100, 'broken']));
  const input = files.write('in.ndjson', portfolio(300, bad));
  const [output, failures] = [files.at('out.ndjson'), files.at('failed.ndjson')];
  const options = ['--input', input, '--output', output, '--failures', failures, '--batch', '10', '--json'];
  const first = await recalculateHere([...options, '--max-failures', '20']);
  expect(first.code).toBe(3);
  expect(reportOf(first.stdout)).toMatchObject({
    outcome: 'aborted',
    reason: expect.stringMatching(/--max-failures allows 20/),
    resumeWith: expect.stringMatching(/--resume$/),
  });
  const second = await recalculateHere([...options, '--max-failures', '50', '--resume']);
  expect(second.code).toBe(1);
  expect([files.lines('out.ndjson').length, files.lines('failed.ndjson').length]).toEqual([250, 50]);
  expect(reportOf(second.stdout)).toMatchObject({ read: 300, failed: 50, sessions: 2 });
});

it('keeps the results if the input breaks off, and can be resumed with the complete input', async () => {
  const files = portfolioFolder();
  const packed = gzipSync(portfolio(2_000));
  const input = files.write('in.ndjson.gz', packed.subarray(0, packed.length - 2_000));
  const options = ['--input', input, '--output', files.at('out.ndjson')];
  const torn = await recalculateHere(options);
  expect([torn.code, torn.stderr]).toEqual([3, expect.stringMatching(/resume with: /)]);
  files.write('in.ndjson.gz', packed);
  expect((await recalculateHere([...options, '--resume'])).code).toBe(0);
  expect(files.lines('out.ndjson')).toHaveLength(2_000);
});
