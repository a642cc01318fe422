import { systemPorts } from '../../platform/system-ports.ts';
import { openDiskStore } from './disk-store.ts';
import type { DiskIo } from './disk-io.ts';
import { createEmbeddedBroker, type EmbeddedBrokerOptions } from '../embedded/broker.ts';
import type { MemoryLimits } from '../embedded/topic-config.ts';
import type { Broker, TopicSpec } from '../ports.ts';

const GIB = 1_073_741_824;
/**
 * A record needs 28 bytes of memory, 44 on a compacted topic: a full topic about 20 MiB. Records that all readers have read
 * are removed when their topic is full.
 */
const DEFAULT_LIMITS: MemoryLimits = {
  maxRecordsPerTopic: 500_000,
  maxBytesPerTopic: GIB,
  maxRecordsPerState: 500_000,
  maxBytesPerState: GIB,
};

export interface DiskBrokerOptions extends Omit<EmbeddedBrokerOptions, 'store'> {
  /** The data folder; it is created if it is missing. */
  readonly folder: string;
  /** The topics as this version defines them: the settings of stored ones follow, their partitions stay. */
  readonly specs?: readonly TopicSpec[];
  /** For tests only. */
  readonly io?: DiskIo;
  /** For tests only: length of a file of the journal. */
  readonly journalBytes?: number;
}

/**
 * The embedded broker with its topics, records and commits in a folder: a publish is acknowledged, and its messages are
 * delivered, when they are on the disk. Limits of each topic are 500,000 records and 1 GiB unless `limits` says otherwise.
 * Throws MessagingError `data-in-use`, `data-damaged` or `data-unusable`.
 */
export function createDiskBroker({ folder, io, specs, journalBytes, ...options }: DiskBrokerOptions): Broker {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { log } = options;
  const store = openDiskStore({
    folder,
    limits,
    ports: { ...systemPorts, ...options },
    ...(log === undefined ? {} : { log }),
    ...(io === undefined ? {} : { io }),
    ...(specs === undefined ? {} : { specs }),
    ...(journalBytes === undefined ? {} : { journalBytes }),
  });
  return createEmbeddedBroker({ ...options, limits, store });
}
