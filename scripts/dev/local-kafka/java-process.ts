import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClassArchive } from './java.ts';
import { LocalKafkaError } from './local-kafka-error.ts';
import type { LocalRun } from './local-run.ts';

export interface JavaLaunch {
  /** The name in messages, such as `schema registry`. */
  readonly label: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The working folder. */
  readonly folder: string;
  readonly logFile: string;
  readonly archive?: ClassArchive;
  readonly env?: Readonly<Record<string, string>>;
}

export interface JavaProcess {
  readonly pid: number;
  readonly label: string;
  readonly logFile: string;
  isRunning(): boolean;
  /** Resolves when the process has exited, with its exit code or signal (`code 1`, `SIGKILL`). */
  readonly ended: Promise<string>;
  /** Sends the signal and waits for the exit; sends SIGKILL if that takes too long. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** A process is ready after 2 to 4 s on an idle machine; one that shares its processors with other test runs takes minutes. */
const READY_LIMIT_MS = 240_000;

/**
 * A broker stops within 1 s, or within 3 s if it writes the class archive; three brokers on two cores stop within 5 s.
 */
const STOP_LIMIT_MS = 15_000;
/** Java's exit code after SIGTERM (128 + 15). */
const TERMINATED = 143;
const LOG_TAIL_LINES = 25;

/** Starts Java in a separate session, so that Ctrl-C reaches only this process, which then stops Java gracefully. */
export function startJava(launch: JavaLaunch, run: Pick<LocalRun, 'guard' | 'onFailure'>): JavaProcess {
  const log = openSync(launch.logFile, 'a');
  const child = spawn(launch.command, [...(launch.archive?.flags ?? []), ...launch.args], {
    cwd: launch.folder,
    detached: true,
    env: { ...process.env, ...launch.env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const { pid } = child;
  let isStopping = false;
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => {
      if (pid !== undefined) run.guard.forget(pid);
      launch.archive?.onExit(code === 0 || code === TERMINATED);
      const reason = signal ?? `code ${code}`;
      resolve(reason);
      if (!isStopping) run.onFailure(new LocalKafkaError('broker-failed', describeEnd(launch, reason)));
    });
  });
  if (pid === undefined) throw new LocalKafkaError('java-missing', `${launch.command} cannot be started`);
  run.guard.watch(pid);
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    pid,
    label: launch.label,
    logFile: launch.logFile,
    isRunning,
    ended,
    kill: async (signal) => {
      if (!isRunning()) return;
      isStopping = true;
      child.kill(signal);
      const force = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
      await ended;
      clearTimeout(force);
    },
  };
}

function describeEnd(program: { label: string; logFile: string }, reason: string): string {
  return `${program.label} exited (${reason}):\n${readLogTail(program.logFile)}`;
}

function readLogTail(logFile: string): string {
  if (!existsSync(logFile)) return '(no log)';
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
}

/**
 * Waits until `isReady` resolves with true. Throws LocalKafkaError `broker-failed` with the end of the log if the
 * process exits first or takes too long.
 */
export async function waitUntilReady(java: JavaProcess, isReady: () => Promise<boolean>): Promise<void> {
  const pollMs = 150;
  const giveUpAt = performance.now() + READY_LIMIT_MS;
  while (!(await isReady())) {
    if (!java.isRunning()) {
      throw new LocalKafkaError('broker-failed', describeEnd(java, await java.ended));
    }
    if (performance.now() > giveUpAt) {
      throw new LocalKafkaError(
        'broker-failed',
        `${java.label} was not ready within ${READY_LIMIT_MS / 1_000} s:\n${readLogTail(java.logFile)}`,
      );
    }
    await sleep(pollMs);
  }
}
