import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runProgram } from '../../command-line/run-program.ts';
import { LocalKafkaError } from './local-kafka-error.ts';
import type { Watchdog } from './watchdog.ts';

export type Java = Awaited<ReturnType<typeof requireJava>>;

interface JavaLaunch {
  readonly label: string;
  readonly java: Java;
  readonly args: readonly string[];
  readonly folder: string;
  readonly logFile: string;
  /** Folder and name of the class archive, and whether Java writes it if it is missing. */
  readonly archive: { readonly folder: string; readonly name: string; readonly mayWrite: boolean };
}

export type JavaProcess = ReturnType<typeof startJava>;

const MIN_JAVA_VERSION = 17;
const VERSION_LIMIT_MS = 60_000;
/** A process is ready after 2 to 4 s on an idle machine, and after minutes on one that also runs other tests. */
const READY_LIMIT_MS = 240_000;
const READY_POLL_MS = 150;
/** A broker stops within 1 s, or within 3 s if it writes the class archive. */
const STOP_LIMIT_MS = 15_000;
/** Java's exit code after SIGTERM (128 + 15). */
const TERMINATED = 143;
/** The first-tier compiler and the serial collector halve the start-up time. The heap suffices for 8 MiB messages. */
const FLAGS = [
  '-Xmx384m',
  '-XX:TieredStopAtLevel=1',
  '-XX:+UseSerialGC',
  '-XX:-UsePerfData',
  '-XX:+ExitOnOutOfMemoryError',
  // A Java that cannot use the class archive starts without it. These options hide its warnings.
  '-Xlog:cds=off',
  '-Xlog:cds+dynamic=off',
];

function javaCommand(): string {
  const { JAVA_HOME: home } = process.env;
  return home ? path.join(home, 'bin', 'java') : 'java';
}

/** Finds Java by JAVA_HOME or PATH. Rejects with LocalKafkaError `java-missing` unless it works and is new enough. */
export async function requireJava(command: string = javaCommand()) {
  const { code, output } = await runProgram(command, ['-version'], { limitMs: VERSION_LIMIT_MS });
  const advice = `install Java ${MIN_JAVA_VERSION} or newer (a JRE is enough) and put it on the PATH or into JAVA_HOME`;
  const refuse = (fault: string): LocalKafkaError =>
    new LocalKafkaError('java-missing', `${fault}: ${advice}`);
  if (code === 'missing') throw refuse(`Java (${command}) is not installed`);
  // Such as `openjdk version "17.0.15" ...`; version 8 is printed as `1.8.0`.
  const version = /version "((?:1\.)?(\d+)[^"]*)"/.exec(output);
  if (code !== 0 || version === null) throw refuse(`${command} -version failed: ${output.trim()}`);
  if (Number(version[2]) < MIN_JAVA_VERSION) throw refuse(`Java ${version[2]} (${command}) is too old`);
  return { command, version: version[1] ?? '' };
}

/** Starts Java in its own session, so that Ctrl-C does not reach it. Calls `onFailure` if Java ends without `kill`. */
export function startJava(
  launch: JavaLaunch,
  {
    watchdog,
    onFailure,
  }: { readonly watchdog: Watchdog; readonly onFailure: (error: LocalKafkaError) => void },
) {
  const { label, java, folder, logFile } = launch;
  const archive = classArchive(launch);
  const log = openSync(logFile, 'a');
  const args = [...FLAGS, `-Djava.io.tmpdir=${path.join(folder, 'tmp')}`, ...archive.flags, ...launch.args];
  const child = spawn(java.command, args, { cwd: folder, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  const { pid } = child;
  let isStopping = false;
  /** Resolves when Java has exited, with its exit code or signal (`code 1`, `SIGKILL`). */
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => {
      if (pid !== undefined) watchdog.forget(pid);
      archive.onExit?.(code === 0 || code === TERMINATED);
      const reason = signal ?? `code ${code}`;
      resolve(reason);
      if (!isStopping) onFailure(failed(launch, `exited (${reason})`));
    });
  });
  if (pid === undefined) throw new LocalKafkaError('java-missing', `${java.command} cannot be started`);
  watchdog.watch(pid);
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    pid,
    label,
    logFile,
    isRunning,
    ended,
    /** Sends the signal, and SIGKILL 15 s later. Resolves when Java has exited. */
    kill: async (signal: NodeJS.Signals): Promise<void> => {
      if (!isRunning()) return;
      isStopping = true;
      child.kill(signal);
      const force = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
      await ended;
      clearTimeout(force);
    },
  };
}

/** Rejects with LocalKafkaError `broker-failed` and the end of the log if Java exits or is not ready within 240 s. */
export async function waitUntilReady(java: JavaProcess, isReady: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + READY_LIMIT_MS;
  while (!(await isReady())) {
    if (!java.isRunning()) throw failed(java, `exited (${await java.ended})`);
    if (performance.now() > giveUpAt) {
      throw failed(java, `was not ready within ${READY_LIMIT_MS / 1_000} s`);
    }
    await sleep(READY_POLL_MS);
  }
}

/** An archive of the loaded classes halves the start-up time. Java writes it on exit; only the same build reads it. */
function classArchive({ java, archive: { folder, name, mayWrite } }: JavaLaunch): {
  readonly flags: readonly string[];
  readonly onExit?: (isClean: boolean) => void;
} {
  const file = path.join(folder, `${name}-${java.version}.jsa`);
  if (existsSync(file)) return { flags: [`-XX:SharedArchiveFile=${file}`, '-Xshare:auto'] };
  if (!mayWrite) return { flags: [] };
  const scratch = `${file}.${process.pid}`;
  return {
    flags: [`-XX:ArchiveClassesAtExit=${scratch}`],
    onExit: (isClean) => {
      if (!existsSync(scratch)) return;
      if (isClean) renameSync(scratch, file);
      else rmSync(scratch, { force: true });
    },
  };
}

function failed({ label, logFile }: Pick<JavaProcess, 'label' | 'logFile'>, what: string): LocalKafkaError {
  const log = existsSync(logFile) ? readFileSync(logFile, 'utf8') : '(no log)';
  const end = log.trimEnd().split('\n').slice(-25).join('\n');
  return new LocalKafkaError('broker-failed', `${label} ${what}:\n${end}`);
}
