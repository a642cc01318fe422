import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { scratchFolder } from '../support/scratch-folder.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * Runs until it gets a stop signal; writes a file to its folder when it is running, and another when it has stopped
 * gracefully.
 */
const PROGRAM = `
import { writeFileSync } from 'node:fs';
process.once('SIGTERM', () => {
  writeFileSync(new URL('ended', import.meta.url), '');
  process.exit(0);
});
setTimeout(() => process.exit(1), 20_000);
writeFileSync(new URL('running', import.meta.url), String(process.pid));
`;

function runByShell(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const folder = scratchFolder();
  const program = path.join(folder, 'program.mjs');
  writeFileSync(program, PROGRAM);
  const command = [`"${process.execPath}"`, 'scripts/with-node.mjs', `"${program}"`, ...args, '; true'];
  const shell = spawn('sh', ['-c', command.join(' ')], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: 'ignore',
  });
  const has = (name: string) => existsSync(path.join(folder, name));
  onTestFinished(() => {
    if (!has('running') || has('ended')) return;
    // A signal that it handles would make it write to the folder that is being removed.
    process.kill(Number(readFileSync(path.join(folder, 'running'))), 'SIGKILL');
  });
  return { shell, has };
}

const NPM = { npm_lifecycle_event: 'recalculate' };

it("a script stops gracefully when npm's shell exits", async () => {
  const { shell, has } = runByShell(NPM);
  await expect.poll(() => has('running')).toBe(true);
  shell.kill('SIGTERM');
  await expect.poll(() => has('ended')).toBe(true);
});

it.each([
  ['started without npm', {}, []],
  ['allowed to outlive its parent', NPM, ['--outlive-parent']],
])('a program that is %s keeps running', async (_, env, args) => {
  const { shell, has } = runByShell(env, ...args);
  await expect.poll(() => has('running')).toBe(true);
  shell.kill('SIGTERM');
  // Longer than the interval at which the program checks its parent.
  await sleep(1_500);
  expect(has('ended')).toBe(false);
});

/** Makes this Node report version 20, which cannot run TypeScript. */
const AS_NODE_20 = [
  '--no-experimental-strip-types',
  '--import',
  'data:text/javascript,Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })',
];

const RUN_LIMIT_MS = 20_000;

function runEntry(
  prepare: (folder: string) => void,
  env: Readonly<Record<string, string>> = {},
  node: readonly string[] = AS_NODE_20,
) {
  const folder = scratchFolder();
  for (const file of ['workers/main.mjs', 'scripts/with-node.mjs', 'package.json'])
    cpSync(path.join(ROOT, file), path.join(folder, file));
  writeFileSync(
    path.join(folder, 'workers/main.ts'),
    'const given: string[] = [...process.execArgv, ...process.argv.slice(2)];\nconsole.log(process.versions.node, given.join(" "));\n',
  );
  prepare(folder);
  const args = [...node, path.join(folder, 'workers/main.mjs'), 'schedule', '--help'];
  const ownEnv = { PATH: process.env['PATH'] ?? '', ...env };
  return spawnSync(process.execPath, args, { encoding: 'utf8', env: ownEnv, timeout: RUN_LIMIT_MS });
}

it('an older Node starts the workers on the installed Node package, and without it reports the required version', () => {
  const started = runEntry((folder) => {
    const bin = path.join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin');
    mkdirSync(bin, { recursive: true });
    symlinkSync(process.execPath, path.join(bin, 'node'));
  });
  expect([started.status, started.stdout]).toEqual([0, `${process.versions.node} schedule --help\n`]);
  const { status, stderr } = runEntry(() => undefined);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Node 24\.15 or newer is required, this is 20\.20\.2, .* Install Node 24, .*\n$/);
});

it('npm is configured to report only errors, so it does not warn about packages for a newer Node', () => {
  expect(readFileSync(path.join(ROOT, '.npmrc'), 'utf8')).toMatch(/^loglevel=error$/m);
});

function cachedFiles(prepareCache: (folder: string) => void) {
  const temporary = scratchFolder();
  let cache = '';
  const { status } = runEntry(
    (folder) => {
      cache = path.join(folder, 'node_modules/.cache/compile-cache');
      mkdirSync(path.dirname(cache), { recursive: true });
      prepareCache(cache);
    },
    { TMPDIR: temporary },
    [],
  );
  expect(status).toBe(0);
  return { cache, kept: readdirSync(cache), shared: readdirSync(temporary) };
}

it.runIf(process.platform === 'linux')(
  'keeps compiled code in a folder of this user only, and none where other users may write or a link leads',
  () => {
    const { cache, kept, shared } = cachedFiles(() => undefined);
    expect([statSync(cache).mode & 0o777, kept.length, shared]).toEqual([0o700, 1, []]);
    const elsewhere = scratchFolder();
    const unsafe: ((folder: string) => void)[] = [
      (folder) => mkdirAs(folder, 0o777),
      (folder) => mkdirAs(folder, 0o770),
      (folder) => symlinkSync(elsewhere, folder),
    ];
    for (const prepare of unsafe) expect(cachedFiles(prepare)).toMatchObject({ kept: [], shared: [] });
  },
);

it('a process that runs without the entry file keeps no compiled code', () => {
  const temporary = scratchFolder();
  const env = { PATH: process.env['PATH'] ?? '', TMPDIR: temporary };
  const { status } = spawnSync(process.execPath, ['workers/main.ts', '--help'], { cwd: ROOT, env });
  expect([status, readdirSync(temporary)]).toEqual([0, []]);
});

/** A folder with exactly this mode, whatever the mask of the process. */
function mkdirAs(folder: string, mode: number): void {
  mkdirSync(folder);
  chmodSync(folder, mode);
}
