import type { Log } from '../../platform/log.ts';
import { systemPorts, type SystemPorts, repeat } from '../../platform/system-ports.ts';
import { EmbeddedGroup, EmbeddedGroupSource } from './embedded-group.ts';
import { EmbeddedPublisher } from './embedded-publisher.ts';
import { EmbeddedScheduler } from './reader-rounds.ts';
import type { PartitionLog } from './partition-log.ts';
import { EmbeddedTail } from './embedded-tail.ts';
import type { MemoryLimits } from './topic-config.ts';
import { EmbeddedTopics, type EmbeddedParts } from './embedded-topics.ts';
import type { Drainable } from '../start-stop-order.ts';
import { topicUnknown } from '../broker-errors.ts';
import type { DiskCalls } from '../data-file.ts';
import type { OffsetRange, PartitionOffset } from '../message.ts';
import type { Broker, OnRangeMessage, ReadOn, TopicSpec, BrokerAdmin } from '../ports.ts';

const MIB = 1_048_576;
/** Few stored or read records are kept in memory: V8 would move many to old space and free them late. */
const IN_MEMORY: MemoryLimits = {
  maxRecordsPerTopic: 100_000,
  maxBytesPerTopic: 128 * MIB,
  memoryRecordsPerTopic: 20_000,
  memoryBytesPerTopic: 32 * MIB,
  keptRecordsPerTopic: 1_200,
  keptBytesPerTopic: 2 * MIB,
};
const ON_DISK: MemoryLimits = { ...IN_MEMORY, maxRecordsPerTopic: 500_000, maxBytesPerTopic: 1_024 * MIB };
/** Limits of one read of a range. The messages stay in memory until the reader is done with them. */
const MAX_RANGE_RECORDS = 100;
const MAX_RANGE_BYTES = MIB;

const SWEEP_INTERVAL_MS = 60_000;

/** Ports default to those of the system. The clock sets the time of records and decides when they expire. */
export interface EmbeddedBrokerOptions extends Partial<SystemPorts> {
  /** Folder for the file with topics, records and commits; created if missing. Without it, everything is in memory. */
  readonly dataFolder?: string | undefined;
  /** The topics as this version defines them. Stored topics take these settings but keep their partition count. */
  readonly specs?: readonly TopicSpec[];
  /** Default per topic: 20,000 records or 32 MiB in memory, 500,000 or 1 GiB in tables (no folder: 100,000/128 MiB). */
  readonly limits?: Partial<MemoryLimits>;
  readonly sweepIntervalMs?: number;
  readonly log?: Log;
  /** For tests only. */
  readonly disk?: DiskCalls | undefined;
}

/** Behaves like Kafka in one process. Throws MessagingError `data-in-use`, `data-damaged` or `data-unusable`. */
export function createEmbeddedBroker(options: EmbeddedBrokerOptions = {}): Broker {
  const { dataFolder: folder, log } = options;
  const ports = { ...systemPorts, ...options };
  const { timers } = ports;
  const scheduler = new EmbeddedScheduler(timers);
  const limits = { ...(folder === undefined ? IN_MEMORY : ON_DISK), ...options.limits };
  const topics = new EmbeddedTopics({ ...options, folder, limits, ports }, scheduler);
  const { store } = topics;
  const groups = new Map<string, EmbeddedGroup>();
  const open = new Set<Drainable>();
  const parts: EmbeddedParts = { topics, scheduler, ports, onStopped: (part) => open.delete(part) };
  const { sweepIntervalMs = SWEEP_INTERVAL_MS } = options;
  const stopSweeps = repeat(timers, () => void topics.sweep(), sweepIntervalMs, 'background');

  const groupOf = (groupId: string): EmbeddedGroup => {
    const known = groups.get(groupId);
    if (known !== undefined) return known;
    const save = (offsets: readonly PartitionOffset[]): void => store.saveCommits(groupId, offsets);
    const group = new EmbeddedGroup(topics, store.commits.get(groupId), save);
    topics.users.add(group);
    groups.set(groupId, group);
    return group;
  };
  // Stored groups are known before a consumer joins: their commits can be queried, and their unread records are kept.
  for (const groupId of store.commits.keys()) groupOf(groupId);
  const opened = <T extends Drainable>(part: T): T => {
    open.add(part);
    return part;
  };
  return {
    kind: 'embedded',
    createPublisher: (publisher) => opened(new EmbeddedPublisher(publisher, parts)),
    createGroupSource: (source) => opened(new EmbeddedGroupSource(source, groupOf(source.groupId), parts)),
    createTail: (tail) => opened(new EmbeddedTail(tail, parts, log)),
    readRanges: async (ranges, onMessage) => {
      for (const range of ranges) {
        if ((await readRange(topics, range, onMessage)) === 'stop') return;
      }
    },
    admin: createEmbeddedAdmin(topics, groups),
    close: async () => {
      stopSweeps();
      await Promise.all([...open].map((part) => part.stop(0)));
      for (const group of groups.values()) group.close();
      scheduler.close();
      open.clear();
      await store.close();
    },
    ...(folder === undefined ? {} : { health: () => store.health() }),
  };
}

async function readRange(
  topics: EmbeddedTopics,
  { topic, partition, from, to }: OffsetRange,
  onMessage: OnRangeMessage,
): Promise<ReadOn> {
  const log = topics.get(topic).logs[partition];
  if (log === undefined) throw topicUnknown(topic, partition);
  const end = Math.min(to, log.high);
  let position = from;
  while (position < end) {
    const batch = log.read(position, MAX_RANGE_RECORDS, MAX_RANGE_BYTES);
    for (const message of batch.messages) {
      if (message.offset >= end) return 'more';
      if ((await onMessage(message)) === 'stop') return 'stop';
    }
    position = batch.next;
  }
  return 'more';
}

export function createEmbeddedAdmin(
  topics: EmbeddedTopics,
  groups: ReadonlyMap<string, EmbeddedGroup>,
): BrokerAdmin {
  const logsOf = (topic: string): readonly PartitionLog[] => topics.find(topic)?.logs ?? [];
  return {
    createTopics: async (specs) => {
      const made = specs.filter((spec) => topics.create(spec)).map((spec) => spec.topic);
      await topics.store.flushed();
      return made;
    },
    listTopics: async () => [...topics.store.topics.keys()],
    partitionCounts: async (names) =>
      new Map(names.map((name) => [name, logsOf(name).length] as const).filter(([, count]) => count > 0)),
    offsets: async (topic) =>
      topics
        .get(topic)
        .logs.map(({ partition, low, high, usedShare }) => ({ partition, low, high, usedShare })),
    committed: async (groupId, names) =>
      names.flatMap((topic) =>
        logsOf(topic).flatMap(({ partition }) => {
          const offset = groups.get(groupId)?.committed(topic, partition);
          return offset === undefined ? [] : [{ topic, partition, offset }];
        }),
      ),
    groups: async (reads) =>
      reads.map(({ groupId, topics: names }) => {
        const group = groups.get(groupId);
        const partitions = names.flatMap((topic) =>
          logsOf(topic).map(({ partition, low, high }) => {
            const committed = group?.committed(topic, partition);
            return { topic, partition, low, high, ...(committed === undefined ? {} : { committed }) };
          }),
        );
        return { groupId, partitions, ...(group?.describe() ?? { state: 'empty', members: [] }) };
      }),
  };
}
