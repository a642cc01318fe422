import type { LogMessage, OffsetRange, OutgoingMessage } from '../messaging/message.ts';
import type { Broker, OnRangeMessage, Publisher } from '../messaging/ports.ts';

/** Access to the records of the broker. Its methods reject with SystemError. */
export interface LetterLog {
  /** The retained offsets of each partition of these topics; omits topics that do not exist. */
  ranges(topics: readonly string[]): Promise<readonly OffsetRange[]>;
  /** Passes the messages of the ranges to `onMessage` one after the other (see Broker.readRanges). */
  read(ranges: readonly OffsetRange[], onMessage: OnRangeMessage): Promise<void>;
  /** Resolves when all messages are stored. */
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
  close(): Promise<void>;
}

const CLIENT_ID = 'dead-letters';

/** Access through a broker that others use too; it connects for the first action. */
export function sharedLetterLog(broker: Pick<Broker, 'admin' | 'createPublisher' | 'readRanges'>): LetterLog {
  let started: Promise<Publisher> | undefined;
  const start = (): Promise<Publisher> => {
    started ??= startPublisher(broker).catch((error: unknown) => {
      started = undefined;
      throw error;
    });
    return started;
  };
  return {
    ranges: async (topics) => {
      const counts = await broker.admin.partitionCounts(topics);
      const all: OffsetRange[] = [];
      for (const topic of counts.keys()) {
        const offsets = await broker.admin.offsets(topic);
        all.push(...offsets.map(({ partition, low, high }) => ({ topic, partition, from: low, to: high })));
      }
      return all;
    },
    read: (ranges, onMessage) => broker.readRanges(ranges, onMessage),
    publish: async (messages) => (await start()).publish(messages),
    close: async () => (await started?.catch(() => undefined))?.stop(),
  };
}

async function startPublisher(broker: Pick<Broker, 'createPublisher'>): Promise<Publisher> {
  const publisher = broker.createPublisher({ clientId: CLIENT_ID });
  try {
    await publisher.start();
    return publisher;
  } catch (error) {
    await publisher.stop();
    throw error;
  }
}

/** The message at an offset; undefined if it is no longer retained. */
export async function readOne(
  log: LetterLog,
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

/** The newest offsets of the ranges, `maxRecords` in all; what short ranges leave of their share goes to the others. */
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

/** The number of offsets in the ranges. */
export function countOffsets(ranges: readonly OffsetRange[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from, 0);
}
