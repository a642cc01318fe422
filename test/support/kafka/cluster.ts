import { startLocalKafka, type LocalKafka } from '../../../scripts/dev/local-kafka/start-local-kafka.ts';

let cluster: Promise<LocalKafka> | undefined;

/**
 * Kafka of three nodes, for test files that stop its brokers. They run one after another in one process, share it, and leave it
 * complete; it ends with that process. Rejects as startLocalKafka does.
 */
export function sharedCluster(): Promise<LocalKafka> {
  cluster ??= startLocalKafka({ nodes: 3, registry: false });
  return cluster;
}
