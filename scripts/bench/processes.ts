/** Starts the measured programs and reads their processor time. They end with the benchmark, even if it is killed. */

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const READY_LIMIT_MS = 240_000;
const STOP_LIMIT_MS = 15_000;
/** A module that Node loads before the program. It ends the program when the IPC channel to the benchmark closes. */
const END_WITH_PARENT =
  "data:text/javascript,process.on('disconnect',()=>process.kill(process.pid,'SIGKILL'))";
/** Columns of /proc/PID/stat, counted from 0 after the name in brackets, which may contain blanks. */
const USER_COLUMN = 11;
const KERNEL_COLUMN = 12;
/** USER_HZ, which is 100 on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

export type Child = Awaited<ReturnType<typeof startProgram>>;

type Environment = Readonly<Record<string, string>>;

/** Like {@link startProgram}, for a Node program, which ends with the benchmark. */
export function startNode(args: readonly string[], ready: RegExp, env: Environment): Promise<Child> {
  const nodeArgs = ['--disable-warning=TimeoutNegativeWarning', '--import', END_WITH_PARENT, ...args];
  return startProgram([process.execPath, ...nodeArgs], ready, env);
}

/** Rejects unless the output matches `ready` within 240 s. The program must end when its stdin or channel closes. */
export async function startProgram(
  [command, ...args]: readonly [command: string, ...args: string[]],
  ready: RegExp,
  env: Environment,
) {
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...env },
  });
  const end = Promise.withResolvers<void>();
  child.once('exit', () => end.resolve());
  let output = '';
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString('utf8')).slice(-4_000);
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

/** The processor time of a running process in seconds, user plus system. Works only on Linux. */
export function processSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_COLUMN]) + Number(fields[KERNEL_COLUMN])) / TICKS_PER_SECOND;
}
