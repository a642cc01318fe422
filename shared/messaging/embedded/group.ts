import type { LogUser, EmbeddedTopics } from './topics.ts';
import type { GroupState } from '../ports.ts';
import { partitionId, type PartitionOffset, type TopicPartition } from '../message.ts';

/** Stored in place of an offset of a topic that the group reads and has not committed; Kafka's value for none. */
const NO_OFFSET = -1;

/** A consumer as seen by the group. Its methods must not block and must not call the group. */
export interface GroupMember {
  readonly clientId: string;
  readonly topics: readonly string[];
  /** The group requires all members to rejoin. */
  onRebalance(): void;
  /** The group has a new generation; the list is empty when there are more members than partitions. */
  onGeneration(generation: number, partitions: readonly TopicPartition[]): void;
}

interface Membership {
  /** Whether the member has joined for the generation that is being prepared. */
  joined: boolean;
  /** The last generation in which the member got an assignment; 0: none. */
  generation: number;
  /** What it was assigned in that generation. */
  assigned: readonly TopicPartition[];
  readonly memberId: string;
}

/**
 * A consumer group: eager rebalances in generations, and committed offsets. As with Kafka's coordinator, commits of a
 * generation are accepted until the next generation is complete. Members have no sessions: they end with the process.
 */
export class EmbeddedGroup implements LogUser {
  readonly #topics: EmbeddedTopics;
  readonly #members = new Map<GroupMember, Membership>();
  readonly #committed = new Map<string, PartitionOffset>();
  /** Topics that a member has read, also in a former run. */
  readonly #topicsRead = new Set<string>();
  readonly #save: (offsets: readonly PartitionOffset[]) => void;
  #generation = 0;
  /** How many members have joined so far. */
  #joined = 0;
  #preparing = false;

  /** `saved`: the offsets that were stored in a former run, by `save` or as commits. */
  constructor(
    topics: EmbeddedTopics,
    saved: readonly PartitionOffset[] = [],
    save: (offsets: readonly PartitionOffset[]) => void = () => undefined,
  ) {
    this.#topics = topics;
    this.#save = save;
    for (const offset of saved) {
      this.#topicsRead.add(offset.topic);
      if (offset.offset !== NO_OFFSET)
        this.#committed.set(partitionId(offset.topic, offset.partition), offset);
    }
  }

  /** Joins, or rejoins for the generation that is being prepared. */
  join(member: GroupMember): void {
    const known = this.#members.get(member);
    const memberId = known?.memberId ?? `${member.clientId}-${(this.#joined += 1)}`;
    const { generation, assigned } = known ?? { generation: 0, assigned: [] };
    this.#members.set(member, { joined: true, generation, assigned, memberId });
    for (const topic of member.topics) if (!this.#topicsRead.has(topic)) this.#beginTopic(topic);
    this.#prepare(member);
  }

  leave(member: GroupMember): void {
    if (this.#members.delete(member)) this.#prepare();
  }

  /** Whether the member has to join or rejoin. */
  mustJoin(member: GroupMember): boolean {
    const membership = this.#members.get(member);
    return membership === undefined || (this.#preparing && !membership.joined);
  }

  /** Returns false, and commits nothing, if the member has left or the generation is not the current one. */
  commit(member: GroupMember, generation: number, offsets: readonly PartitionOffset[]): boolean {
    const membership = this.#members.get(member);
    if (membership?.generation !== generation || generation !== this.#generation) return false;
    for (const offset of offsets) this.#committed.set(partitionId(offset.topic, offset.partition), offset);
    return true;
  }

  /** The members, and whether each has its partitions. */
  describe(): Pick<GroupState, 'state' | 'members'> {
    const members = [...this.#members].map(([{ clientId }, { memberId, assigned }]) => ({
      memberId,
      clientId,
      assigned: this.#preparing ? [] : assigned,
    }));
    if (members.length === 0) return { state: 'empty', members };
    return { state: this.#preparing ? 'rebalancing' : 'stable', members };
  }

  committed(topic: string, partition: number): number | undefined {
    return this.#committed.get(partitionId(topic, partition))?.offset;
  }

  /**
   * Uncommitted records of a topic that the group has ever read are kept, also while it has no members: they come back after a
   * restart, and what they have not read was acknowledged.
   */
  keepFrom(topic: string, partition: number): number {
    return this.#topicsRead.has(topic) ? (this.committed(topic, partition) ?? 0) : Infinity;
  }

  close(): void {
    this.#members.clear();
  }

  /** Stores that the group reads the topic: it may not commit before a restart. */
  #beginTopic(topic: string): void {
    this.#topicsRead.add(topic);
    if (this.#topics.find(topic) !== undefined) this.#save([{ topic, partition: 0, offset: NO_OFFSET }]);
  }

  #prepare(joining?: GroupMember): void {
    if (!this.#preparing) {
      this.#preparing = true;
      for (const [member, membership] of this.#members) {
        if (member === joining) continue;
        membership.joined = false;
        member.onRebalance();
      }
    }
    this.#completeIfAllJoined();
  }

  #completeIfAllJoined(): void {
    if (!this.#preparing) return;
    for (const { joined } of this.#members.values()) if (!joined) return;
    this.#preparing = false;
    this.#generation += 1;
    const members = [...this.#members.keys()];
    const assigned = assignPartitions(members, (topic) => this.#topics.find(topic)?.logs.length ?? 0);
    for (const [member, membership] of this.#members) {
      membership.generation = this.#generation;
      membership.assigned = assigned.get(member) ?? [];
      member.onGeneration(this.#generation, membership.assigned);
    }
  }
}

/**
 * Assigns the partitions round robin to the members that read their topic, in the given order; every partition goes to
 * exactly one, and the loads of members with equal topics differ by at most one.
 */
function assignPartitions(
  members: readonly GroupMember[],
  partitionCount: (topic: string) => number,
): Map<GroupMember, TopicPartition[]> {
  const assigned = new Map<GroupMember, TopicPartition[]>(members.map((member) => [member, []]));
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
