import { MessagingError } from '../../../../platform/errors.ts';
import { brokerErrorType } from '../../common/connection/errors.ts';
import { COORDINATOR_MS } from '../../common/consuming/coordinator.ts';
import type { KafkajsConsumerRun } from './consumer-run.ts';
import { TOPIC_SPREAD_MS } from '../../../topics/required-topics.ts';

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
  makeRun: () => KafkajsConsumerRun,
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
