import { MessagingError } from '../../../platform/errors.ts';
import type { PartitionOffset } from '../../message.ts';
import type { BrokerAdmin, TailOptions } from '../../ports.ts';

/** How soon the end offsets are asked for again while the broker is away. */
const ASK_AGAIN_MS = 250;

/** A partition with its first retained and its next offset. */
export interface PartitionRange {
  readonly topic: string;
  readonly partition: number;
  readonly low: number;
  readonly high: number;
}

/** What a tail asks of the admin client. */
export interface TailAdmin extends Pick<BrokerAdmin, 'offsets'> {
  /** See KafkaAdmin. */
  highWatermarks(topic: string): Promise<readonly { partition: number; high: number }[]>;
}

type Wanted = Pick<TailOptions, 'topics' | 'partition'>;

/** The ranges of the partitions that a tail reads. Rejects with `topic-unknown` when one of them does not exist. */
export async function tailRanges(
  admin: Pick<BrokerAdmin, 'offsets'>,
  { topics, partition }: Wanted,
): Promise<readonly PartitionRange[]> {
  const ranges = await Promise.all(
    topics.map(async (topic) => {
      const offsets = await admin.offsets(topic);
      const wanted = offsets.filter((one) => partition === undefined || one.partition === partition);
      if (wanted.length > 0) return wanted.map((one) => ({ topic, ...one }));
      const text = `topic ${topic} has no partition ${partition}`;
      throw new MessagingError('topic-unknown', text, { canRetry: false });
    }),
  );
  return ranges.flat();
}

/** The high watermarks of the partitions that a tail reads, asked for until the broker answers or `isOver` rejects. */
export async function tailEnds(
  admin: TailAdmin,
  wanted: Wanted,
  isOver: Promise<never>,
): Promise<readonly PartitionOffset[]> {
  for (;;) {
    try {
      const ends = await Promise.all(
        wanted.topics.map(async (topic) => {
          const all = await admin.highWatermarks(topic);
          return all.map(({ partition, high }) => ({ topic, partition, offset: high }));
        }),
      );
      return ends.flat().filter(({ partition }) => partition === (wanted.partition ?? partition));
    } catch (error) {
      if (!(error instanceof MessagingError) || !error.canRetry) throw error;
    }
    const pause = new Promise<void>((resolve) => {
      setTimeout(resolve, ASK_AGAIN_MS);
    });
    await Promise.race([pause, isOver]);
  }
}
