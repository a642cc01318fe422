import { MessagingError } from '../../../platform/errors.ts';
import { brokerErrorType } from '../connection/errors.ts';
import type { KafkaConsumerRun } from './consumer-run.ts';
import { TOPIC_SPREAD_MS } from '../../topics/required-topics.ts';

/**
 * Coordinators that load or move are ready again within this, also after a restart of their broker. A broker that died is
 * named as the coordinator until its session with the cluster is over (broker.session.timeout.ms, 9 s by default), which
 * is longer than kafkajs tries.
 */
const PATIENCE_MS = 15_000;
const RETRY_INTERVAL_MS = 200;

/** Answers of a coordinator that is about to be ready. kafkajs gives up on them when joining, though it need not. */
const PASSING: ReadonlySet<string> = new Set([
  'GROUP_LOAD_IN_PROGRESS',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
  'LEADER_NOT_AVAILABLE',
]);

/**
 * Starts a consumer run; where its coordinator is not ready yet or cannot be reached, a new one takes its place, and so
 * where the broker it begins with has not heard of a topic that another one has named. Rejects with MessagingError of the
 * last one.
 */
export async function startConsumer(
  makeRun: () => KafkaConsumerRun,
  isStopped: () => boolean,
): Promise<void> {
  /** When each kind of cause was met first: a broker that comes back may have several, one after the other. */
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
      // A run that began now would be nobody's to stop.
      if (isStopped()) throw error;
    }
  }
}

/** How long the cause may take to pass; none for what will not. */
function patienceMs(error: unknown): number {
  if (PASSING.has(brokerErrorType(error) ?? '')) return PATIENCE_MS;
  if (!(error instanceof MessagingError)) return 0;
  if (error.code === 'topic-unknown') return TOPIC_SPREAD_MS;
  return error.code === 'broker-unavailable' ? PATIENCE_MS : 0;
}
