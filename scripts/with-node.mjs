/**
 * `node scripts/with-node.mjs FILE [ARGUMENTS]` runs a source file with a sufficiently new Node. If an older Node runs
 * this file (plain JavaScript), it starts the Node of the optional packages by path, because npm 10 removes its link.
 */
import { spawn } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import nodeModule from 'node:module';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The minimum Node version; also in package.json (engines) and workers/main.ts. */
const MIN_VERSION = [24, 15];
const SIGNAL_EXIT_CODE = 128;
const PARENT_POLL_MS = 500;
const ownFile = fileURLToPath(import.meta.url);
const root = path.resolve(path.dirname(ownFile), '..');
/** Not the default folder, which is for temporary files: other users could place code there for this process to run. */
const COMPILE_CACHE = path.join(root, 'node_modules', '.cache', 'compile-cache');
const [file, ...args] = process.argv.slice(2);

if (file === undefined) {
  fail('Usage: node scripts/with-node.mjs FILE [ARGUMENTS]');
} else if (isNewEnough(process.versions.node)) {
  useFor(process.execPath);
  stopWithNpm();
  // Must precede the first TypeScript file: if the cache has the file, Node does not load its compiler (70 ms, 14 MiB).
  enableCompileCache();
  process.argv = [process.execPath, path.resolve(file), ...args];
  await import(pathToFileURL(path.resolve(file)).href);
} else {
  const node = findInstalledNode();
  if (node === undefined) {
    fail(
      `Node ${MIN_VERSION.join('.')} or newer is required, this is ${process.versions.node}, and there is no Node package for ` +
        `${process.platform}-${process.arch} in node_modules. Install Node 24, or run npm ci with its optional packages.`,
    );
  } else {
    run(node);
  }
}

function enableCompileCache() {
  try {
    mkdirSync(COMPILE_CACHE, { recursive: true, mode: 0o700 });
    const { mode, uid } = lstatSync(COMPILE_CACHE);
    const isPrivate = (mode & 0o077) === 0 && uid === process.getuid?.();
    if (isPrivate) nodeModule.enableCompileCache(COMPILE_CACHE);
  } catch {
    // Without a usable folder, for example in a checkout of another user, Node runs without the cache.
  }
}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1]);
}

function findInstalledNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  const candidate = path.join(root, 'node_modules', `node-${platform}-${process.arch}`, 'bin', program);
  return existsSync(candidate) ? candidate : undefined;
}

/** Puts this Node and the programs of the project first on the PATH, for started programs such as vitest and knip. */
function useFor(node) {
  const folders = [path.dirname(node), path.join(root, 'node_modules', '.bin'), process.env.PATH ?? ''];
  process.env.PATH = folders.join(path.delimiter);
}

function run(node) {
  useFor(node);
  const child = spawn(node, [ownFile, file, ...args], { stdio: 'inherit' });
  stopWithNpm();
  /** On Ctrl-C a terminal sends SIGINT to the whole process group, and so to the child too. */
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT');
  });
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => fail(`${node} cannot be started: ${error.message}`));
  child.once('close', (code, signal) => {
    process.exitCode = code ?? SIGNAL_EXIT_CODE + (constants.signals[signal] ?? 0);
  });
}

/** npm sends SIGTERM only to the shell that runs a script, so this process sends it to itself when that shell ends. */
function stopWithNpm() {
  const isByNpm = process.env.npm_lifecycle_event !== undefined && process.platform !== 'win32';
  if (!isByNpm || args.includes('--outlive-parent')) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_POLL_MS);
  timer.unref();
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
