import { MessagingError } from '../../../platform/errors.ts';
import { brokerErrorType } from '../connection/errors.ts';
import type { KafkaConsumerRun } from './consumer-run.ts';
import { TOPIC_SPREAD_MS } from '../../topics/required-topics.ts';

/**
 * A coordinator that loads or moves is ready within this time, also after a restart of its broker. Metadata names a dead broker
 * as the coordinator until its session with the cluster ends (broker.session.timeout.ms, 9 s by default). Its successor
 * refuses members until the dead broker no longer counts as a replica of the log of groups; if that was the active controller too,
 * the request to remove it may first time out (controller.socket.timeout.ms, 30 s by default).
 */
export const COORDINATOR_MS = 45_000;
const RETRY_INTERVAL_MS = 200;

/** Error codes of a coordinator that is not ready yet; kafkajs does not retry a join after them. */
const NOT_READY: ReadonlySet<string> = new Set([
  'GROUP_LOAD_IN_PROGRESS',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
  'LEADER_NOT_AVAILABLE',
]);

/**
 * Starts a consumer run, and replaces it by a new one while the coordinator is not ready or cannot be reached, or while its
 * first broker does not know a new topic yet. Rejects with the MessagingError of the last run.
 */
export async function startConsumer(
  makeRun: () => KafkaConsumerRun,
  isStopped: () => boolean,
): Promise<void> {
  /** First occurrence of each kind of cause, by its time limit: a broker that restarts may show several in succession. */
  const firstAt = new Map<number, number>();
  for (;;) {
    try {
      await makeRun().start();
      return;
    } catch (error) {
      const limitMs = retryLimitMs(error);
      const since = firstAt.get(limitMs) ?? performance.now();
      firstAt.set(limitMs, since);
      if (isStopped() || performance.now() - since >= limitMs) throw error;
      await new Promise((resolve) => {
        setTimeout(resolve, RETRY_INTERVAL_MS);
      });
      // A run that started now would never be stopped.
      if (isStopped()) throw error;
    }
  }
}

/** How long the cause of the error may last; zero for a permanent one. */
function retryLimitMs(error: unknown): number {
  if (NOT_READY.has(brokerErrorType(error) ?? '')) return COORDINATOR_MS;
  if (!(error instanceof MessagingError)) return 0;
  if (error.code === 'topic-unknown') return TOPIC_SPREAD_MS;
  return error.code === 'broker-unavailable' ? COORDINATOR_MS : 0;
}
