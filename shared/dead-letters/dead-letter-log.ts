import type { LogMessage, OffsetRange, OutgoingMessage } from '../messaging/message.ts';
import type { Broker, OnRangeMessage, Publisher } from '../messaging/ports.ts';
import type { MessageCodec } from '../messaging/codec/message-codec.ts';
import {
  COMMAND_TOPICS,
  DEAD_LETTER_TOPICS,
  topicNames,
  WORK_TOPICS,
  topicName,
} from '../messaging/topics/topic-list.ts';
import type { CommandProofs } from '../notification/command-proof.ts';
import type { SystemPorts } from '../platform/system-ports.ts';

const CLIENT_ID = 'dead-letters';

export type DeadLetterLog = ReturnType<typeof sharedDeadLetterLog>;

/** Reads and writes records of a shared broker. The first publish() connects. Methods reject with SystemError. */
export function sharedDeadLetterLog(broker: Pick<Broker, 'admin' | 'createPublisher' | 'readRanges'>) {
  let started: Promise<Publisher> | undefined;
  const start = async (): Promise<Publisher> => {
    const publisher = broker.createPublisher({ clientId: CLIENT_ID });
    try {
      await publisher.start();
      return publisher;
    } catch (error) {
      started = undefined;
      await publisher.stop();
      throw error;
    }
  };
  return {
    ranges: async (topics: readonly string[]): Promise<readonly OffsetRange[]> => {
      const counts = await broker.admin.partitionCounts(topics);
      const all: OffsetRange[] = [];
      for (const topic of counts.keys()) {
        const offsets = await broker.admin.offsets(topic);
        all.push(...offsets.map(({ partition, low, high }) => ({ topic, partition, from: low, to: high })));
      }
      return all;
    },
    read: (ranges: readonly OffsetRange[], onMessage: OnRangeMessage): Promise<void> =>
      broker.readRanges(ranges, onMessage),
    publish: async (messages: readonly OutgoingMessage[]): Promise<void> => {
      started ??= start();
      await (await started).publish(messages);
    },
    close: async (): Promise<void> => {
      await (await started?.catch(() => undefined))?.stop();
    },
  };
}

/** Undefined if the record is no longer on its topic. */
export async function readOne(
  log: DeadLetterLog,
  { topic, partition, offset }: Pick<LogMessage, 'topic' | 'partition' | 'offset'>,
): Promise<LogMessage | undefined> {
  const ranges = await log.ranges([topic]);
  const own = ranges.find((range) => range.partition === partition);
  if (own === undefined || offset < own.from || offset >= own.to) return undefined;
  let found: LogMessage | undefined;
  await log.read([{ topic, partition, from: offset, to: offset + 1 }], (message) => {
    found = message;
    return 'stop';
  });
  return found;
}

/** The newest offsets of the ranges, at most `maxRecords` in all. Long ranges get what short ones leave over. */
export function newestOf(ranges: readonly OffsetRange[], maxRecords: number): readonly OffsetRange[] {
  let left = maxRecords;
  return ranges
    .toSorted((one, other) => one.to - one.from - (other.to - other.from))
    .map((range, index) => {
      const share = Math.min(range.to - range.from, Math.floor(left / (ranges.length - index)));
      left -= share;
      return { ...range, from: range.to - share };
    });
}

export function countOffsets(ranges: readonly OffsetRange[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from, 0);
}

export interface DeadLetterContext extends Pick<SystemPorts, 'clock' | 'timers'> {
  readonly log: DeadLetterLog;
  readonly codec: MessageCodec;
  readonly proofs: CommandProofs;
  /** Who acts, for the audit; `run` identifies one command or call. */
  readonly actor: { readonly operator: string; readonly run: string; readonly reason: string | undefined };
  readonly topics: ReturnType<typeof deadLetterTopics>;
  readonly maxAuditRecords: number;
  /** Aborted by the operator or by a time limit; the letter in progress is completed, and no other one is started. */
  readonly signal: AbortSignal;
}

export type Destinations = DeadLetterContext['topics']['destinations'];

export function deadLetterTopics(prefix: string) {
  return {
    prefix,
    deadLetters: topicNames(prefix, DEAD_LETTER_TOPICS),
    notificationLetters: topicName(prefix, 'notificationDeadLetters'),
    audit: topicName(prefix, 'deadLetterAudit'),
    /** The topic of notification states. An operator who marks a notification as sent adds a state. */
    outcomes: topicName(prefix, 'notificationOutcomes'),
    /** The only topics to which letters may be sent, since the headers of a letter may name any topic. */
    destinations: {
      work: new Set(topicNames(prefix, WORK_TOPICS)) as ReadonlySet<string>,
      commands: new Set(topicNames(prefix, COMMAND_TOPICS)) as ReadonlySet<string>,
    },
  };
}

/** Messages that are read before the event loop gets a turn: 2 to 5 ms of work. */
const MESSAGES_PER_TURN = 100;

/** Returns a function to be awaited before each message: every hundredth call gives the event loop a turn. */
export function createBreaks({ timers }: Pick<DeadLetterContext, 'timers'>): () => Promise<void> {
  let count = 0;
  return async () => {
    count += 1;
    if (count % MESSAGES_PER_TURN !== 0) return;
    await new Promise<void>((resolve) => timers.nextTurn(resolve));
  };
}
