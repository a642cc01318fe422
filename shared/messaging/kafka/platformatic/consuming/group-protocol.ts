import {
  decodeConsumerProtocolAssignment,
  decodeConsumerProtocolSubscription,
  encodeConsumerProtocolAssignment,
  encodeConsumerProtocolSubscription,
} from '@platformatic/kafka';
import type { TopicPartition } from '../../../message.ts';

/**
 * Name and version of the assignor of kafkajs. The coordinator accepts members of one group only if they have an assignor in
 * common, and any of them may become the leader that divides the partitions: with these, members of both adapters are in one
 * group while KAFKA_CLIENT is changed process by process.
 */
export const ASSIGNOR = 'RoundRobinAssigner';
const VERSION = 0;
const NO_USER_DATA = Buffer.alloc(0);

/** A member as the leader of its group sees it. */
export interface MemberSubscription {
  readonly memberId: string;
  readonly metadata: Buffer;
}

/** The topics that this member reads, for the leader of the group. */
export function encodeSubscription(topics: readonly string[]): Buffer {
  return encodeConsumerProtocolSubscription({
    version: VERSION,
    topics: [...topics],
    userData: NO_USER_DATA,
  });
}

/** The partitions that the leader has assigned to this member. */
export function decodeAssignment(assignment: Buffer): TopicPartition[] {
  return decodeConsumerProtocolAssignment(assignment).assignedPartitions.flatMap(({ topic, partitions }) =>
    partitions.map((partition) => ({ topic, partition })),
  );
}

/**
 * Divides the partitions in turn among the members that read their topic, in the order of member ids as kafkajs does.
 * `partitionCounts` by topic. Returns the encoded assignment of each member.
 */
export function assignInTurn(
  members: readonly MemberSubscription[],
  partitionCounts: ReadonlyMap<string, number>,
): { memberId: string; assignment: Buffer }[] {
  const readers = members
    .map(({ memberId, metadata }) => ({
      memberId,
      topics: new Set(decodeConsumerProtocolSubscription(metadata).topics),
      assigned: new Map<string, number[]>(),
    }))
    .toSorted((a, b) => (a.memberId < b.memberId ? -1 : 1));
  let turn = 0;
  for (const [topic, count] of [...partitionCounts].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const ofTopic = readers.filter(({ topics }) => topics.has(topic));
    for (let partition = 0; ofTopic.length > 0 && partition < count; partition += 1) {
      const assigned = ofTopic[turn % ofTopic.length]?.assigned;
      assigned?.set(topic, [...(assigned.get(topic) ?? []), partition]);
      turn += 1;
    }
  }
  return readers.map(({ memberId, assigned }) => ({
    memberId,
    assignment: encodeConsumerProtocolAssignment({
      version: VERSION,
      assignedPartitions: [...assigned].map(([topic, partitions]) => ({ topic, partitions })),
      userData: NO_USER_DATA,
    }),
  }));
}
