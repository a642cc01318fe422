import { OPERATIONS_LIMITS } from '../api/operations/operation-fields.ts';
import {
  partitionId,
  type LogMessage,
  type OffsetRange,
  type TopicPartition,
  type PartitionOffset,
} from '../messaging/message.ts';
import type { Broker, ReadOn } from '../messaging/ports.ts';
import { OUTCOME_UNKNOWN } from '../notification/notification-state.ts';
import type { Timers } from '../platform/system-ports.ts';
import { isHandled, DeadLetterStates, readAuditRecord } from './audit.ts';
import { createBreaks, deadLetterTopics, newestOf, sharedDeadLetterLog } from './dead-letter-log.ts';
import type { DeadLetterLog } from './dead-letter-log.ts';
import { placeId, readDeadLetter } from './read-dead-letter.ts';

/** If there are more letters, only the newest are counted. */
const MAX_COUNTED = 20_000;

/** Dead letters that no operator has handled. */
export interface OpenDeadLetters {
  readonly count: number;
  /** Epoch milliseconds of the oldest one; undefined if there are none. */
  readonly oldestAtMs: number | undefined;
}

export interface DeadLetterFigures {
  readonly open: OpenDeadLetters;
  /** The open notifications that may have been sent. */
  readonly parked: OpenDeadLetters;
}

interface OpenDeadLettersDeps {
  readonly broker: Pick<Broker, 'admin' | 'createPublisher' | 'readRanges'>;
  readonly topicPrefix: string;
  readonly timers: Timers;
}

/** Returns a function that counts the open dead letters. A call reads only what was written since the previous one. */
export function createOpenDeadLetters({ broker, topicPrefix, timers }: OpenDeadLettersDeps) {
  const log = sharedDeadLetterLog(broker);
  const readNew = createNewRecords(log, timers);
  const { deadLetters, audit, destinations } = deadLetterTopics(topicPrefix);
  const open = new Map<string, PartitionOffset & { readonly atMs: number; readonly isParked: boolean }>();
  const states = new DeadLetterStates();
  const forget = (id: string): void => {
    open.delete(id);
    states.forget(id);
  };
  return async (): Promise<DeadLetterFigures> => {
    // The end of the audit is determined first, so that each dead letter is read before its audit records.
    const auditRanges = await log.ranges([audit]);
    const ranges = await log.ranges(deadLetters);
    await readNew(ranges, MAX_COUNTED, (message) => {
      const { topic, partition, offset, atMs, code, original } = readDeadLetter(message);
      const isParked = code === OUTCOME_UNKNOWN && destinations.commands.has(original?.topic ?? '');
      open.set(placeId(message), { topic, partition, offset, atMs, isParked });
      const [oldest] = open.keys();
      if (open.size > MAX_COUNTED && oldest !== undefined) forget(oldest);
    });
    await readNew(auditRanges, OPERATIONS_LIMITS.auditRecords, (message) => {
      const record = readAuditRecord(message);
      if (record === undefined || !open.has(placeId(record.letter))) return;
      const id = placeId(record.letter);
      states.add(record);
      if (isHandled(states.of(id))) forget(id);
    });
    const lows = new Map(ranges.map((range) => [keyOf(range), range.from]));
    for (const [id, letter] of open) if (letter.offset < (lows.get(keyOf(letter)) ?? Infinity)) forget(id);
    const all = [...open.values()];
    return { open: figuresOf(all), parked: figuresOf(all.filter(({ isParked }) => isParked)) };
  };
}

function createNewRecords(log: Pick<DeadLetterLog, 'read'>, timers: Timers) {
  const positions = new Map<string, number>();
  const pause = createBreaks({ timers });
  return async (
    ranges: readonly OffsetRange[],
    limit: number,
    take: (message: LogMessage) => void,
  ): Promise<void> => {
    const fresh = ranges
      .map((range) => ({ ...range, from: Math.max(range.from, positions.get(keyOf(range)) ?? 0) }))
      .filter(({ from, to }) => to > from);
    await log.read(newestOf(fresh, limit), async (message): Promise<ReadOn> => {
      await pause();
      take(message);
      positions.set(keyOf(message), message.offset + 1);
      return 'more';
    });
    for (const range of ranges) positions.set(keyOf(range), range.to);
  };
}

const keyOf = ({ topic, partition }: TopicPartition): string => partitionId(topic, partition);

function figuresOf(letters: readonly { readonly atMs: number }[]): OpenDeadLetters {
  const oldestAtMs = letters.reduce((oldest, { atMs }) => Math.min(oldest, atMs), Infinity);
  return { count: letters.length, oldestAtMs: letters.length === 0 ? undefined : oldestAtMs };
}
