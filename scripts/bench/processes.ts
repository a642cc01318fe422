/**
 * Child processes of the benchmark: the functions of the parent, which starts and calls them, and of the child, which
 * answers.
 */

import { once } from 'node:events';
import { spawn, type ChildProcess, type Serializable } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** Loading the sources of this project or of Spring takes seconds, and minutes beside many busy processes. */
const READY_LIMIT_MS = 240_000;
const STOP_LIMIT_MS = 15_000;
const KEPT_ERROR_BYTES = 4_000;
/** Plain JavaScript: for a TypeScript file Node would load its compiler into every process. */
const END_WITH_PARENT = pathToFileURL(path.join(import.meta.dirname, 'end-with-parent.mjs')).href;

/**
 * A session of its own: Linux schedules its processes as a unit (autogroup), as it does those of a container or a service. So
 * beside busy processes the share of a program does not depend on its number of threads.
 */
export const OWN_SESSION = { detached: true } as const;

export interface Child {
  readonly process: ChildProcess;
  /** The output of the process until it was ready. */
  readonly output: string;
  stop(): Promise<void>;
}

/**
 * Starts a Node process of this project; resolves when it prints a line that matches `ready`. The process ends with this one,
 * even if SIGKILL ends it.
 */
export function startChild(
  args: readonly string[],
  ready = /READY/,
  env: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const nodeArgs = ['--disable-warning=TimeoutNegativeWarning', '--import', END_WITH_PARENT, ...args];
  const child = spawn(process.execPath, nodeArgs, {
    ...OWN_SESSION,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...env },
  });
  return whenReady(child, args.join(' '), ready);
}

/** Resolves when the process prints a line that matches `ready`; rejects with its errors if it exits or takes too long. */
export async function whenReady(child: ChildProcess, name: string, ready: RegExp): Promise<Child> {
  killAtExit(child);
  let output = '';
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString('utf8')).slice(-KEPT_ERROR_BYTES);
  });
  await new Promise<void>((resolve, reject) => {
    const fail = (what: string): void => reject(new Error(`${name} ${what}: ${errors}`));
    const timer = setTimeout(() => fail('was not ready in time'), READY_LIMIT_MS);
    const exited = (code: number | null): void => fail(`exited with ${code}`);
    child.once('exit', exited);
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
      if (!ready.test(output)) return;
      clearTimeout(timer);
      child.off('exit', exited);
      resolve();
    });
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
    clearTimeout(timer);
  };
  return { process: child, output, stop };
}

const children = new Set<ChildProcess>();

/** Kills a child when this process exits, as the command does on a signal. */
export function killAtExit(child: ChildProcess): void {
  if (children.size === 0) process.once('exit', killChildren);
  children.add(child);
  child.once('exit', () => {
    children.delete(child);
    if (children.size === 0) process.off('exit', killChildren);
  });
}

function killChildren(): void {
  for (const child of children) child.kill('SIGKILL');
}

/** Sends a message to a child and resolves with its answer. Rejects if there is no answer within the time limit. */
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

/** In a child process: reports that it is ready, answers each message of the parent, and exits with the parent. */
export function answerParent(answer: (words: never) => Promise<Serializable | undefined>): void {
  process.on('message', (words) => {
    answer(words as never).then(
      (value) => value !== undefined && process.send?.(value),
      (error: unknown) => endProcess(error),
    );
  });
  process.on('disconnect', () => process.exit(0));
  process.on('SIGTERM', () => process.exit(0));
  console.log('READY');
}

/** Prints the error and exits, because a measurement with a failed part is meaningless. */
export function endProcess(error: unknown): never {
  console.error(error);
  process.exit(1);
}
