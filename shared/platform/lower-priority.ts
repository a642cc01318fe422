import { readdirSync, readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { errorText } from './errors.ts';
import type { Log } from './log.ts';

/** On Linux a directory with an entry for each thread of the process, named by its id. */
const THREADS = '/proc/self/task';

/**
 * Lowers the priority of this process, so that bulk work does not slow down live traffic on a busy machine. It keeps about a
 * tenth of the usual CPU share, enough to stay in its consumer group. On Linux a priority belongs to a thread: those that
 * collect garbage and compress messages were started before, and new ones inherit it. Logs a warning if the system refuses.
 */
export function lowerPriority(
  log: Pick<Log, 'warn'>,
  set: (threadId: number, priority: number) => void = setPriority,
): void {
  try {
    for (const threadId of threadIds()) {
      setUnlessEnded(() => set(threadId, constants.priority.PRIORITY_BELOW_NORMAL));
    }
  } catch (error) {
    log.warn({ error: errorText(error) }, 'the priority of the process cannot be lowered');
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
