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
export const CHECK_MS = 500;
/** The log is never full: a full disk is a fault of its own. */
const LIMITS = { maxRecordsPerTopic: 1e6, maxBytesPerTopic: 1e9 };

export interface BrokerObserver {
  onRecord?(record: LogMessage, by: string): void;
  onCommit?(groupId: string, offset: PartitionOffset, by: string): void;
  /** A log ends at this offset although records up to `seen` could be read before. */
  onLoss?(end: PartitionOffset, seen: number): void;
  onUnstored?(place: PartitionOffset): void;
}

export interface CheckedClient {
  readonly host: Host;
  readonly clientId: string;
  check(): void;
  disconnect(): void;
  expel?(): void;
}

/** The broker cluster: the logs of the embedded broker behind a network. Its state survives every fault. */
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
  readonly #faults = new Map<string, number>();
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

  setFault(fault: string, isOn: boolean): void {
    const others = [...this.#sinceMs].flatMap(([other, sinceMs]) => (this.has(other) ? [sinceMs] : []));
    if (isOn) this.#sinceMs.set(fault, Math.min(this.ports.monotonic.elapsedMs(), ...others));
    this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + (isOn ? 1 : -1));
  }

  has(fault: string): boolean {
    return (this.#faults.get(fault) ?? 0) > 0;
  }

  isReachable(host: Pick<Host, 'id'>): boolean {
    return !this.has('outage') && !this.has(`cut-off ${processOf(host)}`);
  }

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

  startOf(groupId: string, { topic, partition }: TopicPartition): PartitionOffset {
    const log = this.topics.find(topic)?.logs[partition];
    const committed = this.group(groupId).committed(topic, partition);
    const isUsable =
      committed !== undefined && log !== undefined && committed >= log.low && committed <= log.high;
    return { topic, partition, offset: isUsable ? committed : (log?.low ?? 0) };
  }

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

function processOf({ id }: Pick<Host, 'id'>): string {
  return id.slice(0, id.lastIndexOf('#'));
}
