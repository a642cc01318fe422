import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { errorText } from './errors.ts';
import type { Log } from './log.ts';
import type { Timers } from './timers.ts';

/** On Linux a directory with an entry for each thread of the process, named by its id. */
const THREADS = '/proc/self/task';

/**
 * Lowers the priority of this process, so that bulk work does not slow down live traffic on a busy machine. It keeps about a
 * tenth of the usual CPU share, enough to stay in its consumer group. On Linux a priority belongs to a thread: those that
 * collect garbage and compress messages were started before, and new ones inherit it; and it counts only within a session, so
 * that the session is lowered too. Logs a warning if the system refuses.
 */
export function lowerPriority(
  log: Pick<Log, 'warn'>,
  timers: Timers,
  set: (threadId: number, priority: number) => void = setPriority,
): void {
  try {
    for (const threadId of threadIds()) {
      setUnlessEnded(() => set(threadId, constants.priority.PRIORITY_BELOW_NORMAL));
    }
  } catch (error) {
    log.warn({ error: errorText(error) }, 'the priority of the process cannot be lowered');
  }
  if (leadsSession()) lowerSessionPriority(log, timers);
}

/** The priority of this process's session, where Linux shares the processors among sessions (autogroup). */
const SESSION_PRIORITY = '/proc/self/autogroup';
/** The line of `SESSION_PRIORITY`, such as `/autogroup-30 nice 0`. */
const SESSION_NICE = /nice (-?\d+)/;
/** The column of the session in /proc/PID/stat, after the name in brackets. */
const SESSION_COLUMN = 3;
/** Linux allows one change in 100 ms, of all processes together. */
const SESSION_RETRY_MS = 150;
const SESSION_ATTEMPTS = 20;

/** Lowers the priority of the session. Later, if another process has just changed one. */
export function lowerSessionPriority(
  log: Pick<Log, 'warn'>,
  timers: Timers,
  lower: () => void = lowerSession,
  attempts = SESSION_ATTEMPTS,
): void {
  try {
    lower();
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === 'ENOENT') return;
    if (code === 'EAGAIN' && attempts > 1) {
      const again = (): void => lowerSessionPriority(log, timers, lower, attempts - 1);
      timers.schedule(again, SESSION_RETRY_MS, 'background');
    } else log.warn({ error: errorText(error) }, 'the priority of the session cannot be lowered');
  }
}

function lowerSession(): void {
  const nice = Number(SESSION_NICE.exec(readFileSync(SESSION_PRIORITY, 'utf8'))?.[1] ?? 0);
  const lowered = constants.priority.PRIORITY_BELOW_NORMAL;
  if (nice < lowered) writeFileSync(SESSION_PRIORITY, String(lowered));
}

/** Whether the session has only this process and those that it starts; other programs must not be slowed down. */
function leadsSession(): boolean {
  try {
    const text = readFileSync('/proc/self/stat', 'utf8');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[SESSION_COLUMN]) === process.pid;
  } catch {
    return false;
  }
}

/** The threads of this process; on other systems than Linux the process itself, whose id is that of its first thread. */
function threadIds(): readonly number[] {
  try {
    return readdirSync(THREADS).map(Number);
  } catch {
    return [process.pid];
  }
}

/** A thread may end between being listed and being changed. */
function setUnlessEnded(set: () => void): void {
  try {
    set();
  } catch (error) {
    if ((error as { readonly info?: { readonly code?: unknown } }).info?.code !== 'ESRCH') throw error;
  }
}

/** On Linux a link to `<process>/task/<thread>` of the calling thread. */
const THREAD_LINK = '/proc/thread-self';

/**
 * Lowers the priority of the calling worker thread below that of the event loop of its process and of other processes.
 * On systems without thread priorities, or if the system refuses, nothing changes.
 */
export function lowerThreadPriority(): void {
  try {
    const threadId = Number(basename(readlinkSync(THREAD_LINK)));
    if (threadId !== process.pid) setPriority(threadId, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Priority affects only speed.
  }
}
