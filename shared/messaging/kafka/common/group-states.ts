import type { PartitionOffset, TopicPartition } from '../../message.ts';
import type { GroupMemberState, GroupReads, GroupState, PartitionRange } from '../../ports.ts';

/** A group as Kafka describes it. */
export interface DescribedGroup {
  /** Such as Stable, PreparingRebalance or Dead. */
  readonly state: string;
  readonly members: readonly {
    readonly memberId: string;
    readonly clientId: string;
    readonly clientHost: string;
    readonly memberAssignment: Buffer;
  }[];
}

/** What an adapter has read for the state of a group. */
export interface GroupFindings {
  readonly described: DescribedGroup | undefined;
  readonly commits: readonly PartitionOffset[];
  /** By topic; topics that do not exist are absent. */
  readonly ranges: ReadonlyMap<string, readonly PartitionRange[]>;
  readonly decode: (assignment: Buffer) => readonly TopicPartition[];
}

/** The state of a group from the answers of its brokers. */
export function groupState(
  { groupId, topics }: GroupReads,
  { described, commits, ranges, decode }: GroupFindings,
): GroupState {
  const members = (described?.members ?? []).map((member) => memberState(member, decode));
  const isStable = described?.state === 'Stable';
  const partitions = topics.flatMap((topic) =>
    (ranges.get(topic) ?? []).map(({ partition, low, high }) => {
      const offset = commits.find((one) => one.topic === topic && one.partition === partition)?.offset;
      return { topic, partition, low, high, ...(offset === undefined ? {} : { committed: offset }) };
    }),
  );
  if (members.length === 0) return { groupId, state: 'empty', members, partitions };
  return { groupId, state: isStable ? 'stable' : 'rebalancing', members, partitions };
}

function memberState(
  { memberId, clientId, clientHost, memberAssignment }: DescribedGroup['members'][number],
  decode: GroupFindings['decode'],
): GroupMemberState {
  // During a rebalance members have no assignment.
  const assigned = memberAssignment.length === 0 ? [] : decode(memberAssignment);
  return { memberId, clientId, host: clientHost.replace(/^\//, ''), assigned };
}
