import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { errorText } from './errors.ts';
import type { Log } from './log.ts';

/**
 * Lowers the priority of this process, so that portfolio work slows down on a busy machine and live traffic does not. A
 * tenth of the usual share remains, enough to stay in a consumer group. If the system refuses, that is only logged.
 */
export function lowerPriority(log: Pick<Log, 'warn'>, set: (priority: number) => void = setPriority): void {
  try {
    set(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch (error) {
    log.warn({ error: errorText(error) }, 'the priority of the process cannot be lowered');
  }
}

/** Linux: a link to `<process>/task/<thread>` of the calling thread. */
const THREAD_LINK = '/proc/thread-self';

/**
 * Lowers the priority of the calling worker thread below that of the event loop of its process and of other processes.
 * Only Linux has priorities of threads; elsewhere, or if the system refuses, nothing changes.
 */
export function lowerThreadPriority(): void {
  try {
    const threadId = Number(basename(readlinkSync(THREAD_LINK)));
    if (threadId !== process.pid) setPriority(threadId, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Priority affects only speed.
  }
}
