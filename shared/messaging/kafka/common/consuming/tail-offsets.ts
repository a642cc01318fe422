import { MessagingError } from '../../../../platform/errors.ts';
import { topicUnknown } from '../../../broker-errors.ts';
import type { PartitionOffset } from '../../../message.ts';
import type { BrokerAdmin, TailOptions } from '../../../ports.ts';
import { firstPosition } from '../../../tail-start.ts';

/** Interval at which the end offsets are queried while the broker is unavailable. */
const END_OFFSETS_RETRY_MS = 250;

/** The call of the admin client that a tail needs. */
export type TailAdmin = Pick<BrokerAdmin, 'offsets'>;

/**
 * The position of each partition at which a tail begins. Rejects with `topic-unknown` when one of its partitions does not exist.
 */
export async function startPositions(
  admin: TailAdmin,
  options: TailOptions,
): Promise<readonly PartitionOffset[]> {
  const { topics, partition: only } = options;
  const positions = await Promise.all(
    topics.map(async (topic) => {
      const offsets = await admin.offsets(topic);
      const selected = offsets.filter(({ partition }) => partition === (only ?? partition));
      if (selected.length === 0) throw topicUnknown(topic, only);
      return selected.map(({ partition, low, high }) => {
        const offset = firstPosition(options, { topic, partition, low, high });
        return { topic, partition, offset };
      });
    }),
  );
  return positions.flat();
}

/** The ends of the partitions that a tail reads, queried until the broker answers or `aborted` rejects. */
export async function endOffsets(
  admin: TailAdmin,
  { topics, partition: only }: Pick<TailOptions, 'topics' | 'partition'>,
  aborted: Promise<never>,
): Promise<readonly PartitionOffset[]> {
  for (;;) {
    try {
      const ends = await Promise.all(
        topics.map(async (topic) => {
          const all = await admin.offsets(topic);
          return all.map(({ partition, high }) => ({ topic, partition, offset: high }));
        }),
      );
      return ends.flat().filter(({ partition }) => partition === (only ?? partition));
    } catch (error) {
      if (!(error instanceof MessagingError) || !error.canRetry) throw error;
    }
    const pause = new Promise<void>((resolve) => {
      setTimeout(resolve, END_OFFSETS_RETRY_MS);
    });
    await Promise.race([pause, aborted]);
  }
}
