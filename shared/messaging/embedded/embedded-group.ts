import { errorText, MessagingError } from '../../platform/errors.ts';
import { EmbeddedCursors, type Cursor } from './reader-rounds.ts';
import type { EmbeddedParts, LogUser, EmbeddedTopics } from './embedded-topics.ts';
import type { LogReader } from './partition-log.ts';
import { consumerUsed } from '../broker-errors.ts';
import { type LogMessage, type PartitionOffset, type TopicPartition, partitionId } from '../message.ts';
import type { GroupSink, GroupSource, GroupSourceOptions, GroupState } from '../ports.ts';

export class EmbeddedGroupSource implements GroupSource, GroupMember, LogReader {
  readonly clientId: string;
  readonly topics: readonly string[];
  readonly #group: EmbeddedGroup;
  readonly #parts: EmbeddedParts;
  readonly #groupId: string;
  #sink: GroupSink | undefined;
  #generation = 0;
  #cursors: EmbeddedCursors | undefined;
  #next: { readonly generation: number; readonly partitions: readonly TopicPartition[] } | undefined;
  #joining = false;
  #stopped = false;

  constructor(options: GroupSourceOptions, group: EmbeddedGroup, parts: EmbeddedParts) {
    this.topics = options.topics;
    this.clientId = options.clientId;
    this.#groupId = options.groupId;
    this.#group = group;
    this.#parts = parts;
  }

  async start(sink: GroupSink): Promise<void> {
    for (const topic of this.topics) this.#parts.topics.get(topic);
    if (this.#stopped || this.#sink !== undefined) throw consumerUsed(this.clientId);
    this.#sink = sink;
    this.#group.join(this);
  }

  pause(partitions: readonly TopicPartition[]): void {
    this.#setPaused(partitions, true);
  }

  resume(partitions: readonly TopicPartition[]): void {
    this.#setPaused(partitions, false);
    this.#parts.scheduler.wake(this);
  }

  async commit(generation: number, offsets: readonly PartitionOffset[]): Promise<boolean> {
    if (!this.#group.commit(this, generation, offsets)) return false;
    const { store } = this.#parts.topics;
    store.saveCommits(this.#groupId, offsets);
    try {
      await store.flushed();
      return true;
    } catch (cause) {
      const text = `commit of group ${this.#groupId}: ${errorText(cause)}`;
      throw new MessagingError('broker-unavailable', text, { canRetry: true, cause });
    }
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#cursors?.close();
    this.#group.leave(this);
    this.#parts.onStopped(this);
  }

  /** The group calls this while it changes its state, so the member reacts in a later turn of the event loop. */
  onRebalance(): void {
    this.#cursors?.close();
    this.#reactSoon();
  }

  onGeneration(generation: number, partitions: readonly TopicPartition[]): void {
    this.#next = { generation, partitions };
    this.#reactSoon();
  }

  deliver(): boolean {
    const sink = this.#sink;
    if (sink === undefined) return false;
    const generation = this.#generation;
    const take = (cursor: Cursor, messages: readonly LogMessage[]) => {
      const last = messages.at(-1);
      const end = cursor.log.high;
      if (last !== undefined) sink.onMessages(generation, messages, end);
      if (last?.offset === cursor.position - 1 || this.#stopped) return;
      sink.onPosition?.(generation, cursor, cursor.position, end);
    };
    return this.#guard(() => this.#cursors?.round(take)) ?? false;
  }

  #reactSoon(): void {
    this.#parts.ports.timers.nextTurn(() => {
      if (this.#stopped || this.#sink === undefined) return;
      if (this.#group.mustJoin(this)) this.#joinAgain(this.#sink);
      else if (this.#next !== undefined) this.#startGeneration(this.#sink);
    });
  }

  /** Joins two turns of the event loop after the revocation, so that the group still accepts the last commit. */
  #joinAgain(sink: GroupSink): void {
    if (this.#joining) return;
    this.#joining = true;
    this.#next = undefined;
    this.#cursors?.close();
    if (this.#generation > 0) this.#guard(() => sink.onRevoking(this.#generation));
    const { timers } = this.#parts.ports;
    timers.nextTurn(() =>
      timers.nextTurn(() => {
        this.#joining = false;
        if (!this.#stopped) this.#group.join(this);
      }),
    );
  }

  #startGeneration(sink: GroupSink): void {
    if (this.#next === undefined) return;
    const { generation, partitions } = this.#next;
    this.#next = undefined;
    this.#generation = generation;
    this.#cursors?.close();
    const cursors = partitions.flatMap((partition) => this.#cursorAt(partition));
    this.#cursors = new EmbeddedCursors(cursors, this);
    this.#guard(() => sink.onAssigned(generation, partitions));
    this.#parts.scheduler.wake(this);
  }

  /** Starts at the committed offset, or at the first retained message if that offset is missing or not on the log. */
  #cursorAt({ topic, partition }: TopicPartition): Cursor[] {
    const log = this.#parts.topics.find(topic)?.logs[partition];
    if (log === undefined) return [];
    const committed = this.#group.committed(topic, partition);
    const usable = committed !== undefined && committed >= log.low && committed <= log.end;
    return [{ topic, partition, log, position: usable ? committed : log.low, paused: false }];
  }

  #setPaused(partitions: readonly TopicPartition[], paused: boolean): void {
    for (const { topic, partition } of partitions) {
      const cursor = this.#cursors?.find(topic, partition);
      if (cursor !== undefined) cursor.paused = paused;
    }
  }

  /** If the sink throws, which is a bug, or the log cannot be read, the source stops and calls onCrash(). */
  #guard<T>(call: () => T): T | undefined {
    try {
      return call();
    } catch (error) {
      const sink = this.#sink;
      void this.stop();
      sink?.onCrash(error instanceof Error ? error : new Error(String(error)));
      return undefined;
    }
  }
}

/** Stored for a topic that the group reads but has not committed. Kafka uses the same value for no offset. */
const NO_OFFSET = -1;

/** A consumer as the group sees it. Its methods must not call the group. */
export interface GroupMember {
  readonly clientId: string;
  readonly topics: readonly string[];
  onRebalance(): void;
  onGeneration(generation: number, partitions: readonly TopicPartition[]): void;
}

interface Membership {
  joined: boolean;
  generation: number;
  assigned: readonly TopicPartition[];
  readonly memberId: string;
}

/** Like Kafka's coordinator, accepts commits of a generation until all members have joined the next one. */
export class EmbeddedGroup implements LogUser {
  readonly #topics: EmbeddedTopics;
  readonly #members = new Map<GroupMember, Membership>();
  readonly #committed = new Map<string, PartitionOffset>();
  readonly #topicsRead = new Set<string>();
  readonly #save: (offsets: readonly PartitionOffset[]) => void;
  #generation = 0;
  #joined = 0;
  #preparing = false;

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

  mustJoin(member: GroupMember): boolean {
    const membership = this.#members.get(member);
    return membership === undefined || (this.#preparing && !membership.joined);
  }

  /** Returns false and commits nothing if the generation is over. */
  commit(member: GroupMember, generation: number, offsets: readonly PartitionOffset[]): boolean {
    const membership = this.#members.get(member);
    if (membership?.generation !== generation || generation !== this.#generation) return false;
    for (const offset of offsets) this.#committed.set(partitionId(offset.topic, offset.partition), offset);
    return true;
  }

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

  /** Records that the group has not completed are kept even while it has no members, because they were acknowledged. */
  keepFrom(topic: string, partition: number): number {
    return this.#topicsRead.has(topic) ? (this.committed(topic, partition) ?? 0) : Infinity;
  }

  close(): void {
    this.#members.clear();
  }

  /** Stores that the group reads the topic, because a restart may precede its first commit. */
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

/** Round robin: if all members read the same topics, their partition counts differ by at most one. */
function assignPartitions(
  members: readonly GroupMember[],
  partitionCount: (topic: string) => number,
): ReadonlyMap<GroupMember | undefined, TopicPartition[]> {
  const assigned = new Map<GroupMember | undefined, TopicPartition[]>(members.map((member) => [member, []]));
  let turn = 0;
  for (const topic of [...new Set(members.flatMap((member) => member.topics))].toSorted()) {
    const readers = members.filter((member) => member.topics.includes(topic));
    for (let partition = 0; partition < partitionCount(topic); partition += 1, turn += 1)
      assigned.get(readers[turn % readers.length])?.push({ topic, partition });
  }
  return assigned;
}
