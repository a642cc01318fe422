import type { TopicPartition } from './message.ts';
import type { TailOptions } from './ports.ts';

/** Where a tail begins in a partition with these retained offsets. */
export function firstPosition(
  { from, positions = [] }: Pick<TailOptions, 'from' | 'positions'>,
  { topic, partition, low, high }: TopicPartition & { readonly low: number; readonly high: number },
): number {
  const given = positions.find((position) => position.topic === topic && position.partition === partition);
  if (given !== undefined) return Math.min(Math.max(given.offset, low), high);
  return from === 'earliest' ? low : high;
}
