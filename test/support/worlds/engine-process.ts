import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const READY_LIMIT_MS = 30_000;
const EXIT_LIMIT_MS = 20_000;

type Environment = Readonly<Record<string, string>>;

export interface EngineProcess {
  readonly child: ChildProcess;
  /** Address of the ingress, or of the health server if there is no ingress. */
  readonly url: string;
  readonly readyMs: number;
  stdout(): string;
  stderr(): string;
  /** Sends the signal and resolves with the exit code (or the signal that ended it). */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

/**
 * Runs `workers/main.ts` as production does, without the settings of the surrounding environment. Rejects unless it is
 * ready in time.
 */
export async function startEngine(
  workers: readonly string[],
  env: Environment = {},
  readyLimitMs = READY_LIMIT_MS,
): Promise<EngineProcess> {
  const startedAt = performance.now();
  const { child, stdout, stderr } = spawnEngine(workers, env);
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`not ready:\n${stdout()}${stderr()}`));
    }, readyLimitMs);
    const onExit = (code: number | null): void =>
      reject(new Error(`ended with ${code}:\n${stdout()}${stderr()}`));
    child.once('exit', onExit);
    child.stdout?.on('data', () => {
      if (!/Ready in \d+ ms.*\n/.test(stdout())) return;
      clearTimeout(timer);
      child.off('exit', onExit);
      resolve();
    });
  });
  return {
    child,
    url: /http:\/\/[\d.]+:\d+/.exec(stdout())?.[0] ?? '',
    readyMs: performance.now() - startedAt,
    stdout,
    stderr,
    end: (signal) => {
      const ended = exitOf(child);
      child.kill(signal);
      return ended;
    },
  };
}

/** Runs `workers/main.ts` until it exits, for arguments and settings that it refuses. */
export async function runEngine(
  args: readonly string[],
  env: Environment = {},
): Promise<{ code: number | NodeJS.Signals; stdout: string; stderr: string }> {
  const { child, stdout, stderr } = spawnEngine(args, env);
  const code = await exitOf(child);
  return { code, stdout: stdout(), stderr: stderr() };
}

/** Running processes; none of them outlives this one. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** The child process ends no later than this process. */
export function endWithThis(child: ChildProcess): void {
  running.add(child);
  child.once('exit', () => running.delete(child));
}

export function spawnEngine(args: readonly string[], env: Environment) {
  const defaults = { PORT: '0', LOG_LEVEL: 'warn', DATA_DIR: 'memory' };
  return spawnScript(['workers/main.ts', ...args], { ...defaults, ...env });
}

/** A script of this project in a process of its own, without the settings of the surrounding environment. */
export function spawnScript(script: readonly string[], env: Environment) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, ['--disable-warning=TimeoutNegativeWarning', ...script], {
    cwd: ROOT,
    // A process without its entry file has no cache of compiled code of its own.
    env: { PATH, NODE_COMPILE_CACHE, ...env },
  });
  endWithThis(child);
  let out = '';
  let err = '';
  child.stdin.on('error', () => undefined);
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString('utf8')));
  /** With the exit code, or the signal that ended it. */
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  return { child, ended, stdout: () => out, stderr: () => err };
}

function exitOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  if (child.exitCode !== null) return Promise.resolve(child.exitCode);
  if (child.signalCode !== null) return Promise.resolve(child.signalCode);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error('the process did not exit'));
    }, EXIT_LIMIT_MS);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve(code ?? signal ?? 'SIGKILL');
    });
  });
}
