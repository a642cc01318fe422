import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { errorText } from './errors.ts';
import type { Log } from './log.ts';

/**
 * Lowers the priority of this process, so that bulk work does not slow down live traffic on a busy machine. It keeps about a
 * tenth of the usual CPU share, enough to stay in its consumer group. Logs a warning if the system refuses.
 */
export function lowerPriority(log: Pick<Log, 'warn'>, set: (priority: number) => void = setPriority): void {
  try {
    set(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch (error) {
    log.warn({ error: errorText(error) }, 'the priority of the process cannot be lowered');
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
