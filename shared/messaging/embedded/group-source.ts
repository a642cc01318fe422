import { EmbeddedCursors, type Cursor } from './scheduler.ts';
import type { GroupMember, EmbeddedGroup } from './group.ts';
import type { EmbeddedParts } from './topics.ts';
import type { LogReader } from './partition-log.ts';
import { consumerUsed } from '../broker-errors.ts';
import type { LogMessage, PartitionOffset, TopicPartition } from '../message.ts';
import type { GroupSink, GroupSource, GroupSourceOptions } from '../ports.ts';

/** A member of a group: joins, delivers its assigned partitions, and rejoins when the group rebalances. */
export class EmbeddedGroupSource implements GroupSource, GroupMember, LogReader {
  readonly clientId: string;
  readonly topics: readonly string[];
  readonly #group: EmbeddedGroup;
  readonly #parts: EmbeddedParts;
  readonly #groupId: string;
  #sink: GroupSink | undefined;
  #generation = 0;
  /** Absent before the first assignment, and between a revocation and the next assignment. */
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
    for (const cursor of this.#find(partitions)) cursor.paused = true;
  }

  resume(partitions: readonly TopicPartition[]): void {
    for (const cursor of this.#find(partitions)) cursor.paused = false;
    this.#parts.scheduler.wake(this);
  }

  async commit(generation: number, offsets: readonly PartitionOffset[]): Promise<boolean> {
    if (!this.#group.commit(this, generation, offsets)) return false;
    await this.#parts.saveCommits(this.#groupId, offsets);
    return true;
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#closeCursors();
    this.#group.leave(this);
    this.#parts.onStopped(this);
  }

  /** Called by the group while it changes its state, so the member reacts in a later turn. */
  onRebalance(): void {
    this.#closeCursors();
    this.#reactSoon();
  }

  /** As onRebalance, the member reacts in a later turn. */
  onGeneration(generation: number, partitions: readonly TopicPartition[]): void {
    this.#next = { generation, partitions };
    this.#reactSoon();
  }

  /** Called by the scheduler: delivers one round of messages. */
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

  /** Joins two turns of the event loop after the revocation, so that the last commit is still accepted. */
  #joinAgain(sink: GroupSink): void {
    if (this.#joining) return;
    this.#joining = true;
    this.#next = undefined;
    this.#closeCursors();
    if (this.#generation > 0) this.#guard(() => sink.onRevoking(this.#generation));
    const join = () => {
      this.#joining = false;
      if (!this.#stopped) this.#group.join(this);
    };
    const { timers } = this.#parts.ports;
    timers.nextTurn(() => timers.nextTurn(join));
  }

  #startGeneration(sink: GroupSink): void {
    if (this.#next === undefined) return;
    const { generation, partitions } = this.#next;
    this.#next = undefined;
    this.#generation = generation;
    this.#closeCursors();
    this.#cursors = new EmbeddedCursors(
      partitions.flatMap((partition) => this.#cursorAt(partition)),
      this,
    );
    this.#guard(() => sink.onAssigned(generation, partitions));
    this.#parts.scheduler.wake(this);
  }

  /** Starts at the committed offset; without one, or if it is not on the log, at the first retained message. */
  #cursorAt({ topic, partition }: TopicPartition): Cursor[] {
    const log = this.#parts.topics.find(topic)?.logs[partition];
    if (log === undefined) return [];
    const committed = this.#group.committed(topic, partition);
    const usable = committed !== undefined && committed >= log.low && committed <= log.end;
    return [{ topic, partition, log, position: usable ? committed : log.low, paused: false }];
  }

  #find(partitions: readonly TopicPartition[]): Cursor[] {
    return partitions.flatMap(({ topic, partition }) => this.#cursors?.find(topic, partition) ?? []);
  }

  #closeCursors(): void {
    this.#cursors?.close();
    this.#cursors = undefined;
  }

  /** A sink that throws has a bug: the consumer stops and reports the error. */
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
