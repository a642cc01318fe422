import { isRequirementMissing } from '../../../scripts/dev/local-kafka/local-kafka-error.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import { startLocalKafka, type LocalKafka } from '../../../scripts/dev/local-kafka/start-local-kafka.ts';

let cluster: Promise<LocalKafka> | undefined;

/** Test files that stop its brokers share it one after another in one process, and leave it complete. */
export const sharedCluster = () => (cluster ??= startLocalKafka({ nodes: 3, registry: false }));

/** A Kafka that a file starts itself. Undefined, with a warning, on a machine without Java; with CI=true that is an error. */
export async function startOrSkip<T>(start: () => Promise<T>, skipped: string): Promise<T | undefined> {
  try {
    return await start();
  } catch (error) {
    if (!isRequirementMissing(error) || process.env['CI'] === 'true') throw error;
    process.stderr.write(`!!! NO KAFKA: ${skipped} is skipped: ${errorText(error)}\n`);
    return undefined;
  }
}
