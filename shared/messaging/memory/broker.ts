import { systemClock, type Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { MemoryAdmin } from './admin.ts';
import type { FaultPlan } from './faults.ts';
import { MemoryGroup } from './group.ts';
import { MemoryGroupSource } from './group-source.ts';
import type { MemoryParts, Stoppable } from './parts.ts';
import { MemoryPublisher } from './publisher.ts';
import { readMemoryRanges } from './range-reader.ts';
import { MemoryScheduler } from './scheduler.ts';
import { MemoryTail } from './tail.ts';
import type { MemoryLimits } from './topic-config.ts';
import { MemoryTopics } from './topics.ts';
import type { Broker, Publisher } from '../ports.ts';

const MIB = 1_048_576;
/**
 * What records and headers take as objects is counted in, so five busy topics hold some 160 MiB at the most. A publisher
 * that runs ahead of the readers waits; what all have read makes room.
 */
const DEFAULT_LIMITS: MemoryLimits = {
  maxRecordsPerTopic: 20_000,
  maxBytesPerTopic: 32 * MIB,
  maxRecordsPerState: 100_000,
  maxBytesPerState: 128 * MIB,
};
/** Logs that nobody writes to are rid of outlived records by then. */
const DEFAULT_SWEEP_INTERVAL_MS = 60_000;

export interface MemoryBrokerOptions {
  /** Time of records and of retention; default: the system's. */
  readonly clock?: Clock;
  /** Bounds of each topic; default 20,000 records and 32 MiB, of one that is only compacted 100,000 and 128 MiB. */
  readonly limits?: Partial<MemoryLimits>;
  /** How often logs are swept and compacted whatever is written to them; default 60 s. */
  readonly sweepIntervalMs?: number;
  /** Told of messages that a tail's handler threw at. */
  readonly log?: Log;
  /** For tests: makes calls fail. */
  readonly faults?: FaultPlan;
}

/**
 * The embedded broker: topics, keys, groups, redelivery, compaction and bounded logs as on Kafka, for one process.
 * Volatile: all messages and commits end with the process, so it suits trials, development and tests, not production.
 */
export function createMemoryBroker(options: MemoryBrokerOptions = {}): Broker {
  const { clock = systemClock, faults, log } = options;
  const scheduler = new MemoryScheduler();
  const topics = new MemoryTopics({ clock, limits: { ...DEFAULT_LIMITS, ...options.limits }, scheduler });
  const groups = new Map<string, MemoryGroup>();
  const open = new Set<Stoppable>();
  const parts: MemoryParts = { topics, scheduler, faults, onStopped: (part) => open.delete(part) };
  const sweeper = setInterval(
    () => topics.sweep(),
    options.sweepIntervalMs ?? DEFAULT_SWEEP_INTERVAL_MS,
  ).unref();

  const groupOf = (groupId: string): MemoryGroup => {
    const group = groups.get(groupId) ?? new MemoryGroup(topics);
    if (!groups.has(groupId)) topics.addUser(group);
    groups.set(groupId, group);
    return group;
  };
  const opened = <T extends Stoppable>(part: T): T => {
    open.add(part);
    return part;
  };
  return {
    kind: 'embedded',
    createPublisher: (publisher): Publisher => opened(new MemoryPublisher(publisher, parts)),
    createGroupSource: (source) => opened(new MemoryGroupSource(source, groupOf(source.groupId), parts)),
    createTail: (tail) => opened(new MemoryTail(tail, parts, log)),
    readRanges: (ranges, onMessage) => readMemoryRanges(topics, ranges, onMessage),
    admin: new MemoryAdmin(topics, groups, faults),
    close: async () => {
      clearInterval(sweeper);
      await Promise.all([...open].map((part) => part.stop(0)));
      for (const group of groups.values()) group.close();
      scheduler.close();
      open.clear();
    },
  };
}
