import { setTimeout as sleep } from 'node:timers/promises';
import { MessagingError } from '../../../../platform/errors.ts';

/**
 * A coordinator that loads or moves is ready within this time, also after a restart of its broker. Metadata names a dead broker
 * as the coordinator until its session with the cluster ends (broker.session.timeout.ms, 9 s by default). Its successor
 * refuses members until the dead broker no longer counts as a replica of the log of groups; if that was the active controller too,
 * the request to remove it may first time out (controller.socket.timeout.ms, 30 s by default).
 */
const COORDINATOR_MS = 45_000;
const RETRY_INTERVAL_MS = 200;

const TEMPORARY: ReadonlySet<string> = new Set(['broker-unavailable', 'topic-unknown']);

/**
 * Starts a new consumer each time until one has joined, while the coordinator is not ready or cannot be reached, or while its first broker
 * does not know a new topic yet. Rejects with the error of the last one.
 */
export async function startConsumer(start: () => Promise<void>, isStopped: () => boolean): Promise<void> {
  const endsAt = performance.now() + COORDINATOR_MS;
  for (;;) {
    try {
      await start();
      return;
    } catch (error) {
      if (isStopped() || performance.now() >= endsAt || !isTemporary(error)) throw error;
      await sleep(RETRY_INTERVAL_MS);
      // A consumer that started now would never be stopped.
      if (isStopped()) throw error;
    }
  }
}

function isTemporary(error: unknown): boolean {
  return error instanceof MessagingError && TEMPORARY.has(error.code);
}
