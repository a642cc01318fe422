import { MessagingError } from '../../../platform/errors.ts';
import { brokerErrorType } from '../connection/errors.ts';
import type { KafkaConsumerRun } from './consumer-run.ts';
import { TOPIC_SPREAD_MS } from '../../topics/required-topics.ts';

/**
 * Coordinators that load or move are ready within this, also after a restart of their broker. A dead broker is reported as
 * the coordinator until its session with the cluster ends (broker.session.timeout.ms, 9 s by default), which is longer than
 * kafkajs retries.
 */
const PATIENCE_MS = 15_000;
const RETRY_INTERVAL_MS = 200;

/** Error codes of a coordinator that is about to be ready, after which kafkajs does not retry a join. */
const PASSING: ReadonlySet<string> = new Set([
  'GROUP_LOAD_IN_PROGRESS',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
  'LEADER_NOT_AVAILABLE',
]);

/**
 * Starts a consumer run, and replaces it by a new one while its coordinator is not ready or cannot be reached, or while its
 * first broker does not know a new topic yet. Rejects with MessagingError of the last run.
 */
export async function startConsumer(
  makeRun: () => KafkaConsumerRun,
  isStopped: () => boolean,
): Promise<void> {
  /** First occurrence of each kind of cause: a broker that restarts may have several, one after the other. */
  const firstAt = new Map<number, number>();
  for (;;) {
    try {
      await makeRun().start();
      return;
    } catch (error) {
      const patience = patienceMs(error);
      const since = firstAt.get(patience) ?? Date.now();
      firstAt.set(patience, since);
      if (isStopped() || Date.now() - since >= patience) throw error;
      await new Promise((resolve) => {
        setTimeout(resolve, RETRY_INTERVAL_MS);
      });
      // A run that began now would never be stopped.
      if (isStopped()) throw error;
    }
  }
}

/** How long the cause may last; zero for a permanent one. */
function patienceMs(error: unknown): number {
  if (PASSING.has(brokerErrorType(error) ?? '')) return PATIENCE_MS;
  if (!(error instanceof MessagingError)) return 0;
  if (error.code === 'topic-unknown') return TOPIC_SPREAD_MS;
  return error.code === 'broker-unavailable' ? PATIENCE_MS : 0;
}
