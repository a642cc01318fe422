import { once } from 'node:events';
import { spawn, type ChildProcess, type Serializable } from 'node:child_process';

const READY_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 15_000;

export interface Child {
  readonly process: ChildProcess;
  /** What it printed until it was ready. */
  readonly output: string;
  stop(): Promise<void>;
}

/** Starts a Node process of this project and resolves when it prints a line that matches `ready`. */
export async function startChild(
  args: readonly string[],
  ready: RegExp,
  env: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const child = spawn(process.execPath, ['--disable-warning=TimeoutNegativeWarning', ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...env },
  });
  let output = '';
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString('utf8')).slice(-4_000);
  });
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`${args.join(' ')} is not ready: ${errors}`)),
      READY_LIMIT_MS,
    );
    const exited = (code: number | null): void =>
      reject(new Error(`${args.join(' ')} ended with ${code}: ${errors}`));
    child.once('exit', exited);
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
      if (!ready.test(output)) return;
      clearTimeout(timer);
      child.off('exit', exited);
      resolve();
    });
  });
  return {
    process: child,
    output,
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
        child.once('exit', () => {
          clearTimeout(timer);
          resolve();
        });
        child.kill('SIGTERM');
      }),
  };
}

/** Says something to a child that answers, and resolves with its answer. Rejects when none comes within the time. */
export async function askChild<T>(
  { process: child }: Child,
  words: Serializable,
  limitMs: number,
): Promise<T> {
  const answer = once(child, 'message', { signal: AbortSignal.timeout(limitMs) });
  child.send(words);
  const [value] = await answer;
  return value as T;
}
