import type { DataFile } from '../../shared/messaging/data-file.ts';
import { openIndexFile } from '../../shared/messaging/record-index/record-index.ts';
import type { WorkerContext } from './worker.ts';

/**
 * The file for a worker's index of records, in the data folder. Undefined, for an index in memory, with `DATA_DIR=memory`
 * and over an embedded broker in memory, whose records are gone after a restart. Throws ConfigError when the folder cannot be
 * used.
 */
export function openIndex(
  { broker, config, log }: Pick<WorkerContext, 'broker' | 'config' | 'log'>,
  name: string,
): DataFile | undefined {
  const { dataFolder: folder, kafka, topicPrefix } = config;
  if (folder === undefined || (broker.kind === 'embedded' && broker.health === undefined)) return undefined;
  const origin = JSON.stringify([broker.kind, topicPrefix, ...(kafka?.brokers ?? []).toSorted()]);
  return openIndexFile({ folder, name, origin, log });
}
