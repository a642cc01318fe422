import type { CommitPrefix } from './offset-tracker.ts';
import type { LogMessage } from '../message.ts';

/**
 * One delivered message on its way through the runtime.
 * queued: waits in its lane · running: being processed · held: waits for its next attempt · done.
 */
export interface Work {
  /** The message; a placeholder once the work is done, so that its bytes can be freed before the commit. */
  message: LogMessage;
  readonly offset: number;
  readonly timestampMs: number;
  readonly bytes: number;
  /** Monotonic milliseconds at which this process was delivered it; kept when it is delivered again. */
  readonly receivedMs: number;
  state: 'queued' | 'running' | 'held' | 'done';
  attempts: number;
  /** Where its completion counts: the partition in the epoch in which the message was last delivered. */
  prefix: CommitPrefix;
  /** The next message of the same key. */
  follower: Work | undefined;
}

const RELEASED: LogMessage = {
  topic: '',
  partition: -1,
  offset: -1,
  key: null,
  value: null,
  headers: {},
  timestampMs: 0,
};

export function createWork(message: LogMessage, prefix: CommitPrefix): Work {
  return {
    message,
    offset: message.offset,
    timestampMs: message.timestampMs,
    bytes: (message.value?.length ?? 0) + (message.key?.length ?? 0),
    receivedMs: performance.now(),
    state: 'queued',
    attempts: 0,
    prefix,
    follower: undefined,
  };
}

/** Marks the work done and lets its message go. */
export function finishWork(work: Work): void {
  work.state = 'done';
  work.prefix.finished(work);
  work.message = RELEASED;
}
