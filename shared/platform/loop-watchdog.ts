import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/** The process ends with this code when its event loop was blocked (see watchEventLoop). */
export const BLOCKED_LOOP_EXIT_CODE = 86;

/** Interval of the heartbeat and its check; shorter for limits below four ticks. */
const TICK_MS = 1_000;
const MIN_TICKS = 4;
/** A blocked thread is detected after this many times the limit at the latest, however busy the CPUs are. */
const MAX_WAITING = 20;
/** Time limit for the debugger to pause the thread, which happens immediately in JavaScript but not in native code. */
const LOCATE_MS = 5_000;
/** Maximum number of frames of the call stack in the log line. */
const MAX_FRAMES = 20;
/** Between two microtasks the stack has only functions of Node; this many steps lead to other code. */
const MAX_STEPS = 200;
/** pino's number of `error`. */
const ERROR_LEVEL = 50;

interface WatchOptions {
  /** How long the event loop may be blocked; 0 disables the watchdog. */
  readonly limitMs: number;
  /** The name in log lines. */
  readonly name: string;
}

interface Watched extends WatchOptions {
  readonly beats: SharedArrayBuffer;
  readonly tickMs: number;
  readonly maxWaiting: number;
  readonly locateMs: number;
  readonly maxFrames: number;
  readonly maxSteps: number;
  readonly level: number;
  readonly exitCode: number;
  /** Paths are logged relative to this folder. */
  readonly root: string;
}

/**
 * Watches the event loop of this process from a separate thread. When no timer ran for `limitMs`, the thread writes a
 * log line with the call stack of the main thread (functions, files and lines, no values) to stderr and ends the
 * process with BLOCKED_LOOP_EXIT_CODE. If the main thread is in native code, the line has no stack and SIGKILL ends
 * the process. Both threads count ticks instead of comparing clocks, so that a suspended process or machine is not
 * ended. Time in which the main thread waits for a CPU hardly counts (MAX_WAITING). Costs 18 MB of memory, one
 * wake-up of each thread per second, and as much processor time at the start as another Node.
 */
export function watchEventLoop({ limitMs, name }: WatchOptions): void {
  if (limitMs === 0) return;
  const beats = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const counter = new Int32Array(beats);
  const tickMs = Math.ceil(Math.min(TICK_MS, limitMs / MIN_TICKS));
  setInterval(() => Atomics.add(counter, 0, 1), tickMs).unref();
  const watched: Watched = {
    beats,
    limitMs,
    name,
    tickMs,
    maxWaiting: MAX_WAITING,
    locateMs: LOCATE_MS,
    maxFrames: MAX_FRAMES,
    maxSteps: MAX_STEPS,
    level: ERROR_LEVEL,
    exitCode: BLOCKED_LOOP_EXIT_CODE,
    root: fileURLToPath(new URL('../..', import.meta.url)),
  };
  // As text: a thread that loads a TypeScript file also loads the compiler, which doubles memory and time.
  const source = `${[watch, mainThread, locate, report].join('\n')}\nwatch();`;
  new Worker(source, { eval: true, workerData: watched, env: {}, execArgv: [] }).unref();
}

/*
 * The functions below run in the thread and are passed to it as text: they may use only one another.
 */

function watch(): void {
  const watched = process.getBuiltinModule('node:worker_threads').workerData as Watched;
  const counter = new Int32Array(watched.beats);
  let seen = -1;
  let blockedMs = 0;
  let usedMs = 0;
  setInterval(() => {
    const beat = Atomics.load(counter, 0);
    const before = blockedMs;
    const main = mainThread();
    const gotMs = main.isRunnable ? main.cpuMs - usedMs : watched.tickMs;
    usedMs = main.cpuMs;
    const minMs = watched.tickMs / watched.maxWaiting;
    blockedMs = beat === seen ? blockedMs + Math.min(watched.tickMs, Math.max(minMs, gotMs)) : 0;
    seen = beat;
    const isLimit = before < watched.limitMs && blockedMs >= watched.limitMs;
    if (isLimit) locate(watched, () => Atomics.load(counter, 0) === beat);
  }, watched.tickMs);
}

/** Whether the main thread runs or waits for a CPU, and its CPU time; on Linux only. */
function mainThread(): { readonly isRunnable: boolean; readonly cpuMs: number } {
  try {
    const file = `/proc/self/task/${process.pid}/stat`;
    const stat = process.getBuiltinModule('node:fs').readFileSync(file, 'latin1');
    // The fields after the name, which may contain any characters; CPU time is in hundredths of a second (proc_pid_stat(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { isRunnable: fields[0] === 'R', cpuMs: 10 * (Number(fields[11]) + Number(fields[12])) };
  } catch {
    return { isRunnable: false, cpuMs: 0 };
  }
}

function locate(watched: Watched, isBlocked: () => boolean): void {
  const { Session } = process.getBuiltinModule('node:inspector');
  const session = new Session();
  const files = new Map<string, string>();
  let steps = 0;
  const late = setTimeout(() => {
    session.disconnect();
    if (isBlocked()) report(watched, ['native code'], () => process.kill(process.pid, 'SIGKILL'));
  }, watched.locateMs);
  session.on('Debugger.scriptParsed', ({ params }) => files.set(params.scriptId, params.url));
  session.on('Debugger.paused', ({ params }) => {
    if (!isBlocked()) {
      clearTimeout(late);
      session.disconnect();
      return;
    }
    const frames = params.callFrames.slice(0, watched.maxFrames).map(({ functionName, location }) => {
      const file = files.get(location.scriptId)?.replace('file://', '').replace(watched.root, '') ?? '';
      return `${functionName || 'anonymous'} (${file}:${location.lineNumber + 1})`;
    });
    steps += 1;
    if (steps < watched.maxSteps && frames.every((frame) => frame.includes('(node:'))) {
      session.post('Debugger.stepInto');
      return;
    }
    clearTimeout(late);
    report(watched, frames, () => {
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), watched.locateMs);
      // Otherwise Node would write to stderr that it waits for the debugger to disconnect.
      const expression = `process.getBuiltinModule('node:fs').closeSync(2); process.exit(${watched.exitCode})`;
      const callFrameId = params.callFrames[0]?.callFrameId ?? '';
      session.post('Debugger.evaluateOnCallFrame', { callFrameId, expression });
    });
  });
  session.connectToMainThread();
  session.post('Debugger.enable');
  session.post('Debugger.pause');
}

/** Writes the log line and calls `end`, also when stderr is not read, which may have blocked the process. */
function report(
  { level, name, limitMs, locateMs }: Watched,
  where: readonly string[],
  end: () => void,
): void {
  const msg = 'the event loop is blocked: ending the process';
  const line = JSON.stringify({ level, time: Date.now(), name, blockedMs: limitMs, where, msg });
  const late = setTimeout(end, locateMs);
  process.getBuiltinModule('node:fs').write(2, `${line}\n`, () => {
    clearTimeout(late);
    end();
  });
}
