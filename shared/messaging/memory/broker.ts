import { systemClock, type Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { MemoryAdmin } from './admin.ts';
import { unknownTopic, type FaultPlan } from './injected-faults.ts';
import { MemoryGroup } from './group.ts';
import { MemoryGroupSource } from './group-source.ts';
import { MemoryPublisher } from './publisher.ts';
import { MemoryScheduler } from './scheduler.ts';
import { MemoryTail } from './tail.ts';
import type { MemoryLimits } from './topic-config.ts';
import { MemoryTopics, type MemoryParts, type Stoppable } from './topics.ts';
import type { OffsetRange } from '../message.ts';
import type { Broker, OnRangeMessage, ReadOn } from '../ports.ts';

const MIB = 1_048_576;
/**
 * The object overhead of records and headers is included, so five busy topics hold some 160 MiB at most. A publisher that
 * is ahead of the readers waits; records that all have read are removed.
 */
const DEFAULT_LIMITS: MemoryLimits = {
  maxRecordsPerTopic: 20_000,
  maxBytesPerTopic: 32 * MIB,
  maxRecordsPerState: 100_000,
  maxBytesPerState: 128 * MIB,
};
/** Limits of one read of a log; messages are not copied, only kept from being removed meanwhile. */
const RECORDS_AT_A_TIME = 100;
const BYTES_AT_A_TIME = 1_024 * 1_024;

/** Interval at which expired records are removed from logs without appends. */
const DEFAULT_SWEEP_INTERVAL_MS = 60_000;

export interface MemoryBrokerOptions {
  /** Time of records and of retention; default: the system's. */
  readonly clock?: Clock;
  /** Bounds of each topic; default 20,000 records and 32 MiB, of one that is only compacted 100,000 and 128 MiB. */
  readonly limits?: Partial<MemoryLimits>;
  /** How often logs are swept and compacted, whether or not they are appended to; default 60 s. */
  readonly sweepIntervalMs?: number;
  /** Logs messages whose handler in a tail threw. */
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
    createPublisher: (publisher) => opened(new MemoryPublisher(publisher, parts)),
    createGroupSource: (source) => opened(new MemoryGroupSource(source, groupOf(source.groupId), parts)),
    createTail: (tail) => opened(new MemoryTail(tail, parts, log)),
    readRanges: (ranges, onMessage) => readRanges(topics, ranges, onMessage),
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

/** Delivers the messages of ranges, one range after the other. */
async function readRanges(
  topics: MemoryTopics,
  ranges: readonly OffsetRange[],
  onMessage: OnRangeMessage,
): Promise<void> {
  for (const range of ranges) {
    if ((await readRange(topics, range, onMessage)) === 'stop') return;
  }
}

async function readRange(
  topics: MemoryTopics,
  { topic, partition, from, to }: OffsetRange,
  onMessage: OnRangeMessage,
): Promise<ReadOn> {
  const log = topics.get(topic).logs[partition];
  if (log === undefined) throw unknownTopic(`${topic}, partition ${partition}`);
  const end = Math.min(to, log.high);
  let position = from;
  while (position < end) {
    const batch = log.read(position, RECORDS_AT_A_TIME, BYTES_AT_A_TIME);
    for (const message of batch.messages) {
      if (message.offset >= end) return 'more';
      if ((await onMessage(message)) === 'stop') return 'stop';
    }
    position = batch.next;
  }
  return 'more';
}
