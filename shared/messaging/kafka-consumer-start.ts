import { MessagingError } from '../platform/errors.ts';
import { brokerErrorType } from './kafka-errors.ts';
import type { KafkaConsumerRun } from './kafka-consumer-run.ts';

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
 * Starts a consumer run; where its coordinator is not ready yet or cannot be reached, a new one takes its place. Rejects
 * with MessagingError of the last one.
 */
export async function startConsumer(
  makeRun: () => KafkaConsumerRun,
  isStopped: () => boolean,
): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      await makeRun().start();
      return;
    } catch (error) {
      if (!isPassing(error) || isStopped() || Date.now() > until) throw error;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, RETRY_INTERVAL_MS);
    });
  }
}

function isPassing(error: unknown): boolean {
  if (PASSING.has(brokerErrorType(error) ?? '')) return true;
  return error instanceof MessagingError && error.code === 'broker-unavailable';
}
