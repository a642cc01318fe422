import type { TopicPartition } from '../message.ts';

/** Partitions in the form in which kafkajs pauses and resumes them. */
export function byTopic(partitions: readonly TopicPartition[]): { topic: string; partitions: number[] }[] {
  const topics = Map.groupBy(partitions, ({ topic }) => topic);
  return [...topics].map(([topic, list]) => ({ topic, partitions: list.map(({ partition }) => partition) }));
}
