import { openIndexFiles, type IndexFiles } from '../../shared/messaging/record-index/index-files.ts';
import type { WorkerContext } from './worker.ts';

/**
 * The files for a worker's index of records, in the data folder. Undefined, for an index in memory, with `DATA_DIR=memory`
 * and over an embedded broker in memory, whose records are gone after a restart. Throws ConfigError when the folder cannot be
 * used.
 */
export function openIndex(
  { broker, config }: Pick<WorkerContext, 'broker' | 'config'>,
  name: string,
): IndexFiles | undefined {
  const { dataFolder: folder, kafka, topicPrefix } = config;
  if (folder === undefined || (broker.kind === 'embedded' && broker.health === undefined)) return undefined;
  const origin = JSON.stringify([broker.kind, topicPrefix, ...(kafka?.brokers ?? []).toSorted()]);
  return openIndexFiles({ folder, name, origin });
}
