import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { errorText } from './errors.ts';
import type { Log } from './log.ts';

/**
 * Lets this process give way to others of the machine whenever the processors are short: what serves whole portfolios
 * then slows down, and live traffic beside it does not notice. A tenth of the usual share stays, enough to keep up the
 * membership of a consumer group on a busy machine. A system that refuses is told of in the log only.
 */
export function lowerPriority(log: Pick<Log, 'warn'>, set: (priority: number) => void = setPriority): void {
  try {
    set(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch (error) {
    log.warn({ error: errorText(error) }, 'the priority of the process cannot be lowered');
  }
}

/** Where Linux names the thread that asks, as `<process>/task/<thread>`. */
const THREAD_LINK = '/proc/thread-self';

/**
 * Lets the calling worker thread give way to the event loop of its process and to other processes whenever the
 * processors are short. Only Linux has priorities of threads; elsewhere, or where the system refuses, nothing changes.
 */
export function lowerThreadPriority(): void {
  try {
    const threadId = Number(basename(readlinkSync(THREAD_LINK)));
    if (threadId !== process.pid) setPriority(threadId, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The work is the same at any priority.
  }
}
