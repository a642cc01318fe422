import type { SystemPorts } from '../../../shared/platform/system-ports.ts';
import type { LogReader, PartitionLog } from '../../../shared/messaging/embedded/partition-log.ts';
import { EmbeddedGroup } from '../../../shared/messaging/embedded/embedded-group.ts';
import { EmbeddedScheduler } from '../../../shared/messaging/embedded/reader-rounds.ts';
import { EmbeddedTopics } from '../../../shared/messaging/embedded/embedded-topics.ts';
import {
  type LogMessage,
  type OutgoingMessage,
  type PartitionOffset,
  type TopicPartition,
} from '../../../shared/messaging/message.ts';
import type { GroupReads } from '../../../shared/messaging/ports.ts';
import { MessagingError } from '../../../shared/platform/errors.ts';
import { repeat } from '../../../shared/platform/timers.ts';
import { nodeOf, type CallFates } from '../faults/call-fates.ts';
import type { Host } from '../sim-process.ts';
import type { Link } from './link.ts';

/** Limits of one partition in one response to a fetch. */
const FETCH_RECORDS = 100;
const FETCH_BYTES = 1_048_576;
const SWEEP_INTERVAL_MS = 60_000;
/** The log is never full: a full disk is a fault of its own. */
const LIMITS = { maxRecordsPerTopic: 1e6, maxBytesPerTopic: 1e9 };

/** What observers of the broker learn, at the moment when it happens. */
export interface BrokerObserver {
  /** A record was stored. `by`: id of the life of the process that wrote it. */
  onRecord?(record: LogMessage, by: string): void;
  /** A commit was accepted. */
  onCommit?(groupId: string, offset: PartitionOffset, by: string): void;
  /** A log ends at this offset although records up to `seen` could be read before. */
  onLoss?(end: PartitionOffset, seen: number): void;
  /** A record has ended with its process, which had not stored it, and need not have. */
  onUnstored?(place: PartitionOffset): void;
}

export interface FetchedPartition extends PartitionOffset {
  readonly messages: readonly LogMessage[];
  readonly highWatermark: number;
}

/** The members of a group as the broker knows them. */
export interface HostedMember {
  readonly host: Host;
  readonly groupId: string;
  /** The coordinator removes it from its group. */
  expel(): void;
  /** The client ends permanently. */
  crash(): void;
  /** Leaders of partitions have moved. */
  leadersMoved(isMoved: (partition: TopicPartition) => boolean): void;
}

/**
 * The broker cluster: logs, groups and commits of the embedded broker, behind a network of its own. Its state survives every
 * fault, as that of a replicated cluster does.
 */
export class BrokerModel {
  readonly ports: SystemPorts;
  readonly fates: CallFates;
  readonly topics: EmbeddedTopics;
  readonly groups = new Map<string, EmbeddedGroup>();
  /** What the groups read, by their ids. */
  readonly reads = new Map<string, GroupReads>();
  readonly links = new Set<Link>();
  readonly members = new Set<HostedMember>();
  readonly observer: BrokerObserver;
  readonly #stopSweeps: () => void;
  readonly #scheduler: EmbeddedScheduler;
  /** Faults may overlap: each is over when all of its kind are. */
  readonly #faults = new Overlaps();
  #held: { readonly connection: string; readonly work: () => void }[] = [];
  #moves = 0;
  readonly #waiting = new Set<() => void>();

  constructor(ports: SystemPorts, fates: CallFates, observer: BrokerObserver = {}) {
    this.ports = ports;
    this.fates = fates;
    this.observer = observer;
    this.#scheduler = new EmbeddedScheduler(ports.timers);
    this.topics = new EmbeddedTopics({ limits: LIMITS, ports }, this.#scheduler);
    this.#stopSweeps = repeat(ports.timers, () => this.topics.sweep(), SWEEP_INTERVAL_MS, 'background');
  }

  close(): void {
    this.#stopSweeps();
    this.#scheduler.close();
    for (const group of this.groups.values()) group.close();
  }

  nowMs(): number {
    return this.ports.monotonic.elapsedMs();
  }

  after(ms: number, callback: () => void): void {
    this.ports.timers.schedule(callback, ms, 'background');
  }

  at(atMs: number, callback: () => void): void {
    this.after(atMs - this.nowMs(), callback);
  }

  /** Whether the broker refuses connections. */
  get isDown(): boolean {
    return this.#faults.has('down');
  }

  /** Whether no packet passes between this process and the broker. */
  isCutOff(host: Pick<Host, 'id'>): boolean {
    return this.#faults.hasAny('cut-off') && this.#faults.has(`cut-off ${processOf(host)}`);
  }

  /** Whether this process gets no answers from the broker. */
  isRefusing(host: Pick<Host, 'id'>): boolean {
    return this.isDown || this.isCutOff(host);
  }

  /** How long a client of this process has had no connection, in milliseconds; the longest of its clients. */
  absentMs(processName: string): number {
    const own = [...this.links].filter(({ host }) => host.isAlive() && processOf(host) === processName);
    return Math.max(0, ...own.map(({ absentMs }) => absentMs));
  }

  /** Runs the work of a request; while the broker is frozen it waits, and the client gives it up by `lose`. */
  whenServing(connection: string, work: () => void, lose: () => void): void {
    if (!this.#faults.has('paused')) {
      work();
      return;
    }
    let isHeld = true;
    const serve = (): void => {
      isHeld = false;
      work();
    };
    this.#held.push({ connection, work: serve });
    this.after(this.fates.times.requestTimeoutMs, () => {
      if (isHeld) lose();
    });
  }

  group(groupId: string): EmbeddedGroup {
    let group = this.groups.get(groupId);
    if (group === undefined) {
      group = new EmbeddedGroup(this.topics);
      this.groups.set(groupId, group);
      this.topics.addUser(group);
    }
    return group;
  }

  /** Whether the partition has no leader. */
  isLeaderless({ topic, partition }: TopicPartition): boolean {
    return this.#faults.has(`leaderless ${nodeOf(topic, partition, this.#moves)}`);
  }

  /** Stores one record. Throws MessagingError as EmbeddedTopics.append(), and `broker-unavailable` when it is refused. */
  append(message: OutgoingMessage & { readonly partition: number }, by: string): void {
    if (this.#faults.has('full')) throw refused('the disk of the broker is full');
    if (this.isLeaderless(message)) throw refused('the partition has no leader');
    if (this.topics.append(message) === 'full') throw refused('the log is full');
    if (this.observer.onRecord === undefined) return;
    const log = this.topics.get(message.topic).logs[message.partition];
    const [record] = log?.read(log.high - 1, 1, 1).messages ?? [];
    if (record !== undefined) this.observer.onRecord(record, by);
  }

  /**
   * What the partitions have from these positions on; waits while there is nothing. `onCancel` receives the function that ends
   * the wait without a response.
   */
  fetch(
    wanted: readonly PartitionOffset[],
    onWait: (cancel: () => void) => void,
  ): Promise<readonly FetchedPartition[]> | readonly FetchedPartition[] {
    const found = this.#read(wanted);
    if (found.length > 0) return found;
    const { promise, resolve } = Promise.withResolvers<readonly FetchedPartition[]>();
    const logs = wanted.flatMap(({ topic, partition }) => this.#log(topic, partition) ?? []);
    const end = (): void => {
      for (const log of logs) log.readers.delete(reader);
      this.#waiting.delete(retry);
    };
    const retry = (): void => {
      const batches = this.#read(wanted);
      if (batches.length === 0) return;
      end();
      resolve(batches);
    };
    const reader: LogReader = {
      deliver: () => {
        retry();
        return false;
      },
    };
    for (const log of logs) log.readers.add(reader);
    this.#waiting.add(retry);
    onWait(end);
    return promise;
  }

  /** The position from which a group reads: its commit, or the first retained record. */
  startOf(groupId: string, { topic, partition }: TopicPartition): PartitionOffset {
    const log = this.#log(topic, partition);
    const committed = this.group(groupId).committed(topic, partition);
    const isUsable =
      committed !== undefined && log !== undefined && committed >= log.low && committed <= log.high;
    return { topic, partition, offset: isUsable ? committed : (log?.low ?? 0) };
  }

  /** The broker refuses connections, or accepts them again. */
  setDown(isDown: boolean): void {
    this.#faults.set('down', isDown);
    if (isDown) for (const link of this.links) link.reset();
  }

  /** The broker pauses, or continues with the requests that came meanwhile: connection by connection, in any order. */
  setPaused(isPaused: boolean): void {
    this.#faults.set('paused', isPaused);
    if (this.#faults.has('paused')) return;
    const held = this.#held;
    this.#held = [];
    const place = (connection: string): number => this.fates.shares(connection, held.length)(0);
    const inOrder = held.toSorted((one, other) => place(one.connection) - place(other.connection));
    for (const { work } of inOrder) work();
  }

  setDiskFull(isFull: boolean): void {
    this.#faults.set('full', isFull);
  }

  /** No packet passes between the process and the broker, or they pass again. */
  setCutOff(processName: string, isCutOff: boolean): void {
    this.#faults.set(`cut-off ${processName}`, isCutOff);
    if (!isCutOff) return;
    const noticedMs = this.fates.times.requestTimeoutMs;
    for (const link of this.links) if (processOf(link.host) === processName) link.reset(noticedMs);
  }

  expel(processName: string): void {
    for (const member of this.members) if (processOf(member.host) === processName) member.expel();
  }

  crashConsumers(processName: string): void {
    for (const member of this.members) if (processOf(member.host) === processName) member.crash();
  }

  /** The partitions of a node lose their leader. */
  loseLeader(node: number): void {
    this.#faults.set(`leaderless ${node}`, true);
  }

  /** The partitions of a node have leaders again, other ones. */
  electLeaders(node: number): void {
    const moved = ({ topic, partition }: TopicPartition): boolean =>
      nodeOf(topic, partition, this.#moves) === node;
    for (const member of this.members) member.leadersMoved(moved);
    this.#faults.set(`leaderless ${node}`, false);
    for (const retry of this.#waiting) retry();
    // While other nodes are without a leader, their partitions must stay theirs.
    if (!this.#faults.hasAny('leaderless')) this.#moves += 1;
  }

  #log(topic: string, partition: number): PartitionLog | undefined {
    return this.topics.find(topic)?.logs[partition];
  }

  #read(wanted: readonly PartitionOffset[]): FetchedPartition[] {
    return wanted.flatMap(({ topic, partition, offset }) => {
      const log = this.#log(topic, partition);
      if (log === undefined || offset >= log.high || this.isLeaderless({ topic, partition })) return [];
      const { messages, next } = log.read(offset, FETCH_RECORDS, FETCH_BYTES);
      return [{ topic, partition, offset: next, messages, highWatermark: log.high }];
    });
  }
}

/** How many faults of each name are in force. */
class Overlaps {
  readonly #counts = new Map<string, number>();

  set(name: string, isOn: boolean): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + (isOn ? 1 : -1));
  }

  has(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0;
  }

  hasAny(prefix: string): boolean {
    return [...this.#counts].some(([name, count]) => count > 0 && name.startsWith(prefix));
  }
}

/** The process of a life: its id is `process#life`. */
export function processOf({ id }: Pick<Host, 'id'>): string {
  return id.slice(0, id.lastIndexOf('#'));
}

function refused(reason: string): MessagingError {
  return new MessagingError('broker-unavailable', reason, { canRetry: true });
}
