import type { LogMessage, OffsetRange, OutgoingMessage } from '../../shared/messaging/message.ts';
import type { Broker, OnRangeMessage } from '../../shared/messaging/ports.ts';

/** What the commands need of the log, on Kafka or in a running process. Rejects with SystemError. */
export interface LetterLog {
  /** The retained offsets of each partition of these topics; topics that do not exist are left out. */
  ranges(topics: readonly string[]): Promise<readonly OffsetRange[]>;
  /** Passes the messages of the ranges to `onMessage` one by one and waits for each (see Broker.readRanges). */
  read(ranges: readonly OffsetRange[], onMessage: OnRangeMessage): Promise<void>;
  /** Resolves when all are on the log. */
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
  close(): Promise<void>;
}

const CLIENT_ID = 'dead-letters';

/** The log of a broker that this process connects to itself. Closes the broker with it. */
export async function brokerLetterLog(broker: Broker): Promise<LetterLog> {
  const publisher = broker.createPublisher({ clientId: CLIENT_ID });
  await publisher.start();
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
    publish: (messages) => publisher.publish(messages),
    close: async () => {
      await publisher.stop();
      await broker.close();
    },
  };
}

/** The message at a place on the log; undefined when it is no longer there. */
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
