import { DatabaseSync } from 'node:sqlite';
import type { LogStore } from './log-store.ts';
import { type OnReadable, PartitionLog } from './partition-log.ts';
import { PartitionTable } from './partition-table.ts';

/** Keeps everything in memory until the process ends: compacted topics in tables, others in their logs only. */
export function createMemoryStore(): LogStore {
  let readable: OnReadable | undefined;
  let database: DatabaseSync | undefined;
  let tables = 0;
  const parts = {
    onReadable: (...event: Parameters<OnReadable>) => readable?.(...event),
    run: (_: PartitionLog, work: () => void): boolean => {
      work();
      return true;
    },
    readFailed: (error: unknown) => error,
    isCongested: () => false,
  };
  const createTable = (topic: string, partition: number): PartitionTable => {
    database ??= new DatabaseSync(':memory:');
    tables += 1;
    return new PartitionTable({ database, name: `records_${tables}`, topic, partition, isCompacted: true });
  };
  return {
    topics: [],
    commits: new Map(),
    open: (onReadable) => {
      readable = onReadable;
    },
    createLogs: ({ topic, partitions }, config) =>
      Array.from({ length: partitions }, (_, partition) => {
        const table = config.compact ? createTable(topic, partition) : undefined;
        return new PartitionLog({ topic, partition, config, table }, parts);
      }),
    deleteLogs: () => undefined,
    saveCommits: () => undefined,
    flushed: () => undefined,
    close: () => {
      database?.close();
      return Promise.resolve();
    },
  };
}
