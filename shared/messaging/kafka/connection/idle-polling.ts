import { createRequire } from 'node:module';

interface RequestQueue {
  readonly pending: readonly unknown[];
}

interface RequestQueueClass {
  readonly prototype: { scheduleCheckPendingRequests?: (this: RequestQueue) => void };
}

const PATCHED = new WeakSet<object>();

/**
 * kafkajs sets a timer after each answer to look for requests that wait, and each such timer sets the next one: from
 * its first answer on, every connection wakes the process a thousand times a second for nothing (and warns of a negative
 * time-out, tulios/kafkajs#1751). With three idle clients that is 4 % of a core. Requests wait only behind a limit of
 * ours or of the broker, so a timer is needed only while one waits. Does nothing on a kafkajs that is built otherwise.
 */
export function stopIdlePolling(): void {
  const require = createRequire(import.meta.url);
  const { prototype } = require('kafkajs/src/network/requestQueue') as RequestQueueClass;
  const schedule = prototype.scheduleCheckPendingRequests;
  if (schedule === undefined || PATCHED.has(prototype)) return;
  PATCHED.add(prototype);
  prototype.scheduleCheckPendingRequests = function scheduleWhilePending(this: RequestQueue) {
    if (this.pending.length > 0) schedule.call(this);
  };
}
