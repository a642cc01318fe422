/** Starts the programs that are measured, and reads their processor time. They end with the benchmark, even if SIGKILL ends it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** Many times as long as a program needs beside many others. */
const READY_LIMIT_MS = 240_000;
const STOP_LIMIT_MS = 15_000;
const KEPT_ERROR_BYTES = 4_000;
/** Loaded before a Node program: its channel to this process closes when this process ends. */
const END_WITH_PARENT =
  "data:text/javascript,process.on('disconnect',()=>process.kill(process.pid,'SIGKILL'))";
/** Columns of /proc/PID/stat after the name in brackets, which may contain blanks. */
const USER_COLUMN = 11;
const KERNEL_COLUMN = 12;
/** USER_HZ, which is 100 on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

export interface Child {
  readonly pid: number;
  /** The output of the program until it was ready. */
  readonly output: string;
  /** Ends the program, by force if it takes longer than STOP_LIMIT_MS. */
  stop(): Promise<void>;
}

/** Starts a Node program of this project; resolves when it prints a line that matches `ready`. */
export function startNode(
  args: readonly string[],
  ready: RegExp,
  env: Readonly<Record<string, string>>,
): Promise<Child> {
  const nodeArgs = ['--disable-warning=TimeoutNegativeWarning', '--import', END_WITH_PARENT, ...args];
  return start(process.execPath, nodeArgs, { ready, env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
}

/** Starts a Java program, which ends when its standard input closes. */
export function startJava(
  java: string,
  args: readonly string[],
  ready: RegExp,
  env: Readonly<Record<string, string>>,
): Promise<Child> {
  return start(java, args, { ready, env, stdio: ['pipe', 'pipe', 'pipe'] });
}

async function start(
  command: string,
  args: readonly string[],
  options: {
    readonly ready: RegExp;
    readonly env: Readonly<Record<string, string>>;
    readonly stdio: ('ignore' | 'pipe' | 'ipc')[];
  },
): Promise<Child> {
  const { ready, env, stdio } = options;
  const child = spawn(command, args, { stdio, env: { ...process.env, ...env } });
  const end = Promise.withResolvers<void>();
  child.once('exit', () => end.resolve());
  let output = '';
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString('utf8')).slice(-KEPT_ERROR_BYTES);
  });
  await new Promise<void>((resolve, reject) => {
    const fail = (what: string): void => {
      child.kill('SIGKILL');
      reject(new Error(`${args.at(-1)} ${what}: ${errors}`));
    };
    const timer = setTimeout(() => fail('was not ready in time'), READY_LIMIT_MS);
    const exited = (code: number | null): void => fail(`exited with ${code}`);
    child.once('error', reject);
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
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    child.kill('SIGTERM');
    await end.promise;
    clearTimeout(timer);
  };
  return { pid: child.pid ?? 0, output, stop };
}

/** Runs a script of this project until it exits. Rejects unless it succeeds. */
export async function runScript(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${script} ${args.join(' ')} exited with ${code}`);
}

/** Processor seconds of a process, all threads included. */
export function processSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_COLUMN]) + Number(fields[KERNEL_COLUMN])) / TICKS_PER_SECOND;
}
