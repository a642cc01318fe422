import { createEmbeddedAdmin } from '../../../shared/messaging/embedded/embedded-broker.ts';
import type { BrokerAdmin, GroupReads } from '../../../shared/messaging/ports.ts';
import { EmbeddedGroup } from '../../../shared/messaging/embedded/embedded-group.ts';
import { EmbeddedScheduler } from '../../../shared/messaging/embedded/reader-rounds.ts';
import { EmbeddedTopics } from '../../../shared/messaging/embedded/embedded-topics.ts';
import type {
  LogMessage,
  OutgoingMessage,
  PartitionOffset,
  TopicPartition,
} from '../../../shared/messaging/message.ts';
import { MessagingError } from '../../../shared/platform/errors.ts';
import { type SystemPorts, repeat } from '../../../shared/platform/system-ports.ts';
import type { CallFates } from '../faults/call-fates.ts';
import type { Host } from '../sim-process.ts';

const SWEEP_INTERVAL_MS = 60_000;
/** How often each client and the broker find out what they have missed of each other. */
export const CHECK_MS = 500;
/** The log is never full: a full disk is a fault of its own. */
const LIMITS = { maxRecordsPerTopic: 1e6, maxBytesPerTopic: 1e9 };

/** What observers of the broker learn, at the moment when it happens. */
export interface BrokerObserver {
  /** A record was stored. `by`: id of the life of the process that wrote it. */
  onRecord?(record: LogMessage, by: string): void;
  onCommit?(groupId: string, offset: PartitionOffset, by: string): void;
  /** A log ends at this offset although records up to `seen` could be read before. */
  onLoss?(end: PartitionOffset, seen: number): void;
  /** A record has ended with its process, which had not stored it, and need not have. */
  onUnstored?(place: PartitionOffset): void;
}

/** A client that reads: checked regularly, so that what was lost on the way comes to it after all. */
export interface CheckedClient {
  readonly host: Host;
  readonly clientId: string;
  check(): void;
  /** Its connection breaks; the next check makes another one. */
  disconnect(): void;
  /** The coordinator removes it from its group; absent without a group. */
  expel?(): void;
}

/**
 * The broker cluster: logs, groups and commits of the embedded broker, behind a network of its own. Its state survives every
 * fault, as that of a replicated cluster does.
 */
export class BrokerModel {
  readonly ports: SystemPorts;
  readonly fates: CallFates;
  readonly scheduler: EmbeddedScheduler;
  readonly topics: EmbeddedTopics;
  readonly admin: BrokerAdmin;
  readonly clients = new Set<CheckedClient>();
  readonly reads = new Map<string, GroupReads>();
  readonly observer: BrokerObserver;
  readonly #groups = new Map<string, EmbeddedGroup>();
  readonly #stops: readonly (() => void)[];
  /** How many faults of each kind are in force; they may overlap. */
  readonly #faults = new Map<string, number>();
  /** When each fault began; one that overlaps another counts from the beginning of that one. */
  readonly #sinceMs = new Map<string, number>();

  constructor(ports: SystemPorts, fates: CallFates, observer: BrokerObserver = {}) {
    this.ports = ports;
    this.fates = fates;
    this.observer = observer;
    const { timers } = ports;
    this.scheduler = new EmbeddedScheduler(timers);
    this.topics = new EmbeddedTopics({ limits: LIMITS, ports }, this.scheduler);
    this.admin = createEmbeddedAdmin(this.topics, this.#groups);
    const check = (): void => {
      for (const client of this.clients) client.check();
    };
    this.#stops = [
      repeat(timers, () => void this.topics.sweep(), SWEEP_INTERVAL_MS, 'background'),
      repeat(timers, check, CHECK_MS, 'background'),
    ];
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.scheduler.close();
    for (const group of this.#groups.values()) group.close();
  }

  after(ms: number, callback: () => void): void {
    this.ports.timers.schedule(callback, ms, 'background');
  }

  /** `outage`, `full-disk`, or `cut-off` with the name of a process. */
  setFault(fault: string, isOn: boolean): void {
    const others = [...this.#sinceMs].flatMap(([other, sinceMs]) => (this.has(other) ? [sinceMs] : []));
    if (isOn) this.#sinceMs.set(fault, Math.min(this.ports.monotonic.elapsedMs(), ...others));
    this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + (isOn ? 1 : -1));
  }

  has(fault: string): boolean {
    return (this.#faults.get(fault) ?? 0) > 0;
  }

  /** Whether packets pass between this process and the broker. */
  isReachable(host: Pick<Host, 'id'>): boolean {
    return !this.has('outage') && !this.has(`cut-off ${processOf(host)}`);
  }

  /** For how long at most this process has not reached the broker, in milliseconds; 0 while it does. */
  absentMs(processName: string): number {
    const nowMs = this.ports.monotonic.elapsedMs();
    const since = ['outage', `cut-off ${processName}`].map((fault) =>
      this.has(fault) ? (this.#sinceMs.get(fault) ?? nowMs) : nowMs,
    );
    return nowMs - Math.min(...since);
  }

  group(groupId: string): EmbeddedGroup {
    let group = this.#groups.get(groupId);
    if (group === undefined) {
      group = new EmbeddedGroup(this.topics);
      this.#groups.set(groupId, group);
      this.topics.users.add(group);
    }
    return group;
  }

  /** The position from which a group reads: its commit, or the first retained record. */
  startOf(groupId: string, { topic, partition }: TopicPartition): PartitionOffset {
    const log = this.topics.find(topic)?.logs[partition];
    const committed = this.group(groupId).committed(topic, partition);
    const isUsable =
      committed !== undefined && log !== undefined && committed >= log.low && committed <= log.high;
    return { topic, partition, offset: isUsable ? committed : (log?.low ?? 0) };
  }

  /** Stores one record. Throws MessagingError as EmbeddedTopics.append(), and `broker-unavailable` when it is refused. */
  append(message: OutgoingMessage & { readonly partition: number }, by: string): void {
    const isRefused = this.has('full-disk') || this.topics.append(message) === 'full';
    if (isRefused) throw new MessagingError('broker-unavailable', 'the disk is full', { canRetry: true });
    const log = this.topics.get(message.topic).logs[message.partition];
    const [record] = log?.read(log.high - 1, 1, 1).messages ?? [];
    if (record !== undefined) this.observer.onRecord?.(record, by);
  }

  expel(processName: string): void {
    for (const client of this.clients) if (processOf(client.host) === processName) client.expel?.();
  }
}

/** The process of a life: its id is `process#life`. */
function processOf({ id }: Pick<Host, 'id'>): string {
  return id.slice(0, id.lastIndexOf('#'));
}
