import { MessagingError } from '../../platform/errors.ts';
import { MemoryCursors, type Cursor } from './scheduler.ts';
import { isRefused, unreachable } from './injected-faults.ts';
import type { GroupMember, MemoryGroup } from './group.ts';
import type { MemoryParts } from './topics.ts';
import type { LogReader } from './log.ts';
import type { LogMessage, PartitionOffset, TopicPartition } from '../message.ts';
import type { GroupSink, GroupSource, GroupSourceOptions } from '../ports.ts';

const DEFAULT_SESSION_TIMEOUT_MS = 6_000;
/** Kafka's advice: a heartbeat every third of the session, so that two may be lost. */
const HEARTBEATS_PER_SESSION = 3;

/** A member of a group: joins, delivers its assigned partitions, rejoins whenever the group rebalances. */
export class MemoryGroupSource implements GroupSource, GroupMember, LogReader {
  readonly topics: readonly string[];
  readonly sessionTimeoutMs: number;
  readonly #group: MemoryGroup;
  readonly #parts: MemoryParts;
  readonly #clientId: string;
  #sink: GroupSink | undefined;
  #generation = 0;
  /** Absent while nothing is delivered: before the first assignment, and between a revocation and the next one. */
  #cursors: MemoryCursors | undefined;
  #next: { readonly generation: number; readonly partitions: readonly TopicPartition[] } | undefined;
  #joining = false;
  #stopped = false;
  #heartbeatTimer: NodeJS.Timeout | undefined;

  constructor(options: GroupSourceOptions, group: MemoryGroup, parts: MemoryParts) {
    this.topics = options.topics;
    this.sessionTimeoutMs = options.sessionTimeoutMs ?? DEFAULT_SESSION_TIMEOUT_MS;
    this.#clientId = options.clientId;
    this.#group = group;
    this.#parts = parts;
  }

  async start(sink: GroupSink): Promise<void> {
    if (this.#isCutOff()) throw unreachable(`consumer ${this.#clientId}`);
    for (const topic of this.topics) this.#parts.topics.get(topic);
    if (this.#stopped || this.#sink !== undefined) throw usedUp(this.#clientId);
    this.#sink = sink;
    const intervalMs = this.sessionTimeoutMs / HEARTBEATS_PER_SESSION;
    this.#heartbeatTimer = setInterval(() => this.#beat(), intervalMs);
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
    if (this.#isCutOff()) throw unreachable(`commit of ${this.#clientId}`);
    return this.#group.commit(this, generation, offsets);
  }

  async heartbeat(): Promise<void> {
    this.#beatSoon();
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    clearInterval(this.#heartbeatTimer);
    this.#closeCursors();
    if (!this.#isCutOff()) this.#group.leave(this);
    this.#parts.onStopped(this);
  }

  /** Called by the group in the middle of its own work: reacts later. */
  onRebalance(): void {
    this.#closeCursors();
    this.#beatSoon();
  }

  /** Called by the group in the middle of its own work: reacts later. */
  onGeneration(generation: number, partitions: readonly TopicPartition[]): void {
    this.#next = { generation, partitions };
    this.#beatSoon();
  }

  /** Called by the scheduler: one round of messages. */
  deliver(): boolean {
    const sink = this.#sink;
    if (sink === undefined || this.#cursors === undefined || this.#isCutOff()) return false;
    const generation = this.#generation;
    const take = (cursor: Cursor, messages: readonly LogMessage[]) => {
      const last = messages.at(-1);
      if (last !== undefined) sink.onMessages(generation, messages, cursor.log.high);
      if (last?.offset === cursor.position - 1 || this.#stopped) return;
      sink.onPosition?.(generation, cursor, cursor.position, cursor.log.high);
    };
    return this.#guard(() => this.#cursors?.round(take)) ?? false;
  }

  #isCutOff(): boolean {
    return isRefused(this.#parts.faults, 'group', this.#clientId);
  }

  #beatSoon(): void {
    setImmediate(() => this.#beat());
  }

  /** A heartbeat, and the reaction to its answer. */
  #beat(): void {
    if (this.#stopped || this.#sink === undefined || this.#isCutOff()) return;
    if (this.#group.touch(this) === 'join') this.#joinAgain(this.#sink);
    else if (this.#next !== undefined) this.#startGeneration(this.#sink);
    else this.#parts.scheduler.wake(this);
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
      if (!this.#stopped && !this.#isCutOff()) this.#group.join(this);
    };
    setImmediate(() => setImmediate(join));
  }

  #startGeneration(sink: GroupSink): void {
    if (this.#next === undefined) return;
    const { generation, partitions } = this.#next;
    this.#next = undefined;
    this.#generation = generation;
    this.#closeCursors();
    this.#cursors = new MemoryCursors(
      partitions.flatMap((partition) => this.#cursorAt(partition)),
      this,
    );
    this.#guard(() => sink.onAssigned(generation, partitions));
    this.#parts.scheduler.wake(this);
  }

  /** Begins at the commit; without one, or if it is outside of the log, at the first retained message. */
  #cursorAt({ topic, partition }: TopicPartition): Cursor[] {
    const log = this.#parts.topics.find(topic)?.logs[partition];
    if (log === undefined) return [];
    const committed = this.#group.committed(topic, partition);
    const usable = committed !== undefined && committed >= log.low && committed <= log.high;
    return [{ topic, partition, log, position: usable ? committed : log.low, paused: false }];
  }

  #find(partitions: readonly TopicPartition[]): Cursor[] {
    return partitions.flatMap(({ topic, partition }) => this.#cursors?.find(topic, partition) ?? []);
  }

  #closeCursors(): void {
    this.#cursors?.close();
    this.#cursors = undefined;
  }

  /** A sink that throws is broken: the consumer ends and reports it. */
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

function usedUp(clientId: string): MessagingError {
  return new MessagingError('consumer-used', `consumer ${clientId} was started or stopped before`, {
    canRetry: false,
  });
}
