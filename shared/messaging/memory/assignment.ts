import type { TopicPartition } from '../message.ts';

/** A member that takes part in an assignment, with the topics it reads. */
export interface Subscriber {
  readonly topics: readonly string[];
}

/**
 * Deals the partitions out round robin over the members that read their topic, members in the given order; every
 * partition goes to exactly one, and the loads of members with equal topics differ by one at most.
 */
export function assignPartitions<M extends Subscriber>(
  members: readonly M[],
  partitionCount: (topic: string) => number,
): Map<M, TopicPartition[]> {
  const assigned = new Map<M, TopicPartition[]>(members.map((member) => [member, []]));
  const topics = [...new Set(members.flatMap((member) => member.topics))].toSorted();
  let turn = 0;
  for (const topic of topics) {
    const readers = members.filter((member) => member.topics.includes(topic));
    for (let partition = 0; partition < partitionCount(topic); partition += 1) {
      const reader = readers[turn % readers.length];
      turn += 1;
      if (reader !== undefined) assigned.get(reader)?.push({ topic, partition });
    }
  }
  return assigned;
}
