import { MemoryLog } from './log.ts';
import type { LogStore, PartitionLog } from './log-store.ts';

/** Keeps everything in memory until the process ends. */
export function createMemoryStore(): LogStore {
  let readable: ((log: PartitionLog) => void) | undefined;
  return {
    topics: [],
    commits: new Map(),
    open: (onReadable) => {
      readable = onReadable;
    },
    createLogs: ({ topic, partitions }, config) =>
      Array.from({ length: partitions }, (_, index) => new MemoryLog(topic, index, config, readable)),
    deleteLogs: () => undefined,
    saveCommits: () => undefined,
    flushed: () => undefined,
    reclaim: () => undefined,
    close: () => Promise.resolve(),
  };
}
