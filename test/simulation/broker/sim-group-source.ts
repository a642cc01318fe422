import { consumerUsed } from '../../../shared/messaging/broker-errors.ts';
import type { GroupMember, EmbeddedGroup } from '../../../shared/messaging/embedded/embedded-group.ts';
import type { PartitionOffset, TopicPartition } from '../../../shared/messaging/message.ts';
import {
  CLIENT_DEFAULTS,
  type GroupSink,
  type GroupSource,
  type GroupSourceOptions,
} from '../../../shared/messaging/ports.ts';
import { MessagingError } from '../../../shared/platform/errors.ts';
import { repeat } from '../../../shared/platform/timers.ts';
import type { Host } from '../sim-process.ts';
import type { BrokerModel, HostedMember } from './broker-model.ts';
import { Fetcher } from './fetcher.ts';
import { LostCall, unreachable, type Link } from './link.ts';

const HEARTBEATS_PER_SESSION = 3;
/** Delay before a failed join is repeated. */
const RETRY_MS = 100;

/** What a heartbeat finds out. `unknown`: the coordinator has expelled the member. */
type Standing = { readonly kind: 'stable' | 'rebalancing' | 'unknown'; readonly generation: number };

/** A member of a group, as the coordinator has it. */
class Membership implements GroupMember {
  readonly clientId: string;
  readonly topics: readonly string[];
  readonly sessionTimeoutMs: number;
  generation = 0;
  isRebalancing = false;
  readonly #assign: (generation: number, partitions: readonly TopicPartition[]) => void;

  constructor(
    options: GroupSourceOptions,
    assign: (generation: number, partitions: readonly TopicPartition[]) => void,
  ) {
    this.clientId = options.clientId;
    this.topics = options.topics;
    this.sessionTimeoutMs = options.sessionTimeoutMs ?? CLIENT_DEFAULTS.sessionTimeoutMs;
    this.#assign = assign;
  }

  onRebalance(): void {
    this.isRebalancing = true;
  }

  onGeneration(generation: number, partitions: readonly TopicPartition[]): void {
    this.generation = generation;
    this.isRebalancing = false;
    this.#assign(generation, partitions);
  }
}

/** A consumer of a group: coordinator and client exchange messages, so that each may be behind the other. */
export class SimGroupSource implements GroupSource, HostedMember {
  readonly host: Host;
  readonly groupId: string;
  readonly #options: GroupSourceOptions;
  readonly #link: Link;
  readonly #model: BrokerModel;
  readonly #fetcher: Fetcher;
  readonly #member: Membership;
  #sink: GroupSink | undefined;
  #state: 'new' | 'joining' | 'member' | 'stopped' = 'new';
  /** Counts assignments, as the Kafka adapter does; the generation of the group may be the same for several. */
  #generation = 0;
  #groupGeneration = 0;
  #isRevoked = false;
  #assigned: readonly TopicPartition[] = [];
  #isBeating = false;
  #stopHeartbeats: (() => void) | undefined;
  #cancelSession: (() => void) | undefined;

  constructor(
    options: GroupSourceOptions,
    links: { readonly group: Link; readonly fetch: Link },
    model: BrokerModel,
  ) {
    this.host = links.group.host;
    this.groupId = options.groupId;
    model.reads.set(options.groupId, options);
    this.#options = options;
    this.#link = links.group;
    this.#fetchLink = links.fetch;
    this.#model = model;
    this.#fetcher = new Fetcher(
      links.fetch,
      model,
      ({ messages, topic, partition, offset, highWatermark }) => {
        const generation = this.#generation;
        if (this.#isRevoked || this.#sink === undefined) return;
        if (messages.length > 0) this.#guard((sink) => sink.onMessages(generation, messages, highWatermark));
        if (messages.at(-1)?.offset === offset - 1 || this.#state === 'stopped') return;
        this.#guard((sink) => sink.onPosition?.(generation, { topic, partition }, offset, highWatermark));
      },
    );
    this.#member = new Membership(options, (generation, partitions) => {
      const positions = partitions.map((partition) => model.startOf(this.groupId, partition));
      this.#link.push(() => this.#joined(generation, positions));
    });
  }

  readonly #fetchLink: Link;

  async start(sink: GroupSink): Promise<void> {
    const { clientId, topics } = this.#options;
    if (this.#state !== 'new') throw consumerUsed(clientId);
    this.#state = 'joining';
    await this.#link.ask(() => {
      for (const topic of topics) this.#model.topics.get(topic);
    });
    if (this.#isStopped()) throw consumerUsed(clientId);
    this.#sink = sink;
    this.#model.members.add(this);
    const { timers } = this.host.ports;
    const intervalMs = this.#member.sessionTimeoutMs / HEARTBEATS_PER_SESSION;
    this.#stopHeartbeats = repeat(timers, () => void this.#heartbeat(), intervalMs, 'background');
    this.#join();
  }

  pause(partitions: readonly TopicPartition[]): void {
    this.#fetcher.pause(partitions);
  }

  resume(partitions: readonly TopicPartition[]): void {
    this.#fetcher.resume(partitions);
  }

  async commit(generation: number, offsets: readonly PartitionOffset[]): Promise<boolean> {
    const groupGeneration = this.#groupGeneration;
    if (generation !== this.#generation || this.#state === 'stopped') return false;
    try {
      const isStored = await this.#link.call(() => {
        if (!this.#group.commit(this.#member, groupGeneration, offsets)) return false;
        this.#renewSession();
        for (const offset of offsets) this.#model.observer.onCommit?.(this.groupId, offset, this.host.id);
        return true;
      });
      if (!isStored) this.#revoke(generation);
      return isStored;
    } catch (error) {
      throw error instanceof LostCall ? unreachable(`commit of ${this.#options.clientId}`) : error;
    }
  }

  async #heartbeat(): Promise<void> {
    if (this.#isBeating || this.#state === 'new' || this.#state === 'stopped') return;
    this.#isBeating = true;
    const generation = this.#generation;
    try {
      const standing = await this.#link.call(() => this.#touch());
      if (this.#state === 'member' && generation === this.#generation) this.#react(standing);
    } catch {
      // The next heartbeat tells.
    } finally {
      this.#isBeating = false;
    }
  }

  async stop(timeoutMs: number = CLIENT_DEFAULTS.stopTimeoutMs): Promise<void> {
    if (this.#state === 'stopped') return;
    const wasStarted = this.#sink !== undefined;
    this.#end();
    if (!wasStarted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.host.ports.timers.schedule(resolve, timeoutMs, 'background');
    const left = this.#link.call(() => this.#group.leave(this.#member)).catch(() => undefined);
    await Promise.race([left, promise]);
    cancel();
    this.#link.close();
  }

  expel(): void {
    this.#group.leave(this.#member);
  }

  crash(): void {
    this.host.enter(() => {
      if (this.#isStopped() || this.#sink === undefined) return;
      const sink = this.#sink;
      this.#end();
      this.#link.close();
      const text = `consumer ${this.#options.clientId} made no progress`;
      sink.onCrash(new MessagingError('consumer-stalled', text, { canRetry: true }));
    });
  }

  leadersMoved(isMoved: (partition: TopicPartition) => boolean): void {
    if (!this.#assigned.some(isMoved)) return;
    const positions = this.#assigned.map((partition) => this.#model.startOf(this.groupId, partition));
    const generation = this.#generation;
    this.#link.push(() => {
      if (this.#generation === generation && this.#state === 'member') this.#assign(positions);
    });
  }

  get #group(): EmbeddedGroup {
    return this.#model.group(this.groupId);
  }

  #isStopped(): boolean {
    return this.#state === 'stopped';
  }

  /** At the coordinator. */
  #touch(): Standing {
    const member = this.#member;
    const isMember = !this.#group.mustJoin(member);
    const kind = isMember ? 'stable' : member.isRebalancing ? 'rebalancing' : 'unknown';
    if (kind !== 'unknown') this.#renewSession();
    return { kind, generation: member.generation };
  }

  /** The coordinator expels a member that it has not heard of for its session. */
  #renewSession(): void {
    this.#cancelSession?.();
    const { timers } = this.#model.ports;
    this.#cancelSession = timers.schedule(() => this.expel(), this.#member.sessionTimeoutMs, 'background');
  }

  #react({ kind, generation }: Standing): void {
    // The assignment is on its way, or was lost with its connection.
    const isStale = kind === 'stable' && generation !== this.#groupGeneration;
    if (kind === 'stable' && !isStale) return;
    if (kind === 'rebalancing') this.#revoke(this.#generation);
    this.#rejoin();
  }

  #revoke(generation: number): void {
    if (this.#isRevoked || generation === 0 || generation !== this.#generation) return;
    this.#isRevoked = true;
    this.#guard((sink) => sink.onRevoking(generation));
    this.#rejoin();
  }

  #rejoin(): void {
    if (this.#state !== 'member') return;
    this.#state = 'joining';
    // The commit of the revocation leaves before the request to join.
    const { timers } = this.host.ports;
    timers.nextTurn(() => timers.nextTurn(() => this.#join()));
  }

  #join(): void {
    if (this.#state !== 'joining') return;
    const generation = this.#generation;
    const again = (): void => {
      if (this.#generation === generation && this.#state === 'joining') this.#join();
    };
    this.#link
      .call(() => {
        if (this.#isStopped()) return;
        this.#group.join(this.#member);
        this.#renewSession();
      })
      // A join whose response is lost is repeated; the rebalance waits for all members, at most for their sessions.
      .then(() => this.host.ports.timers.schedule(again, 2 * this.#member.sessionTimeoutMs, 'background'))
      .catch(() => this.host.ports.timers.schedule(again, RETRY_MS, 'background'));
  }

  #joined(groupGeneration: number, positions: readonly PartitionOffset[]): void {
    if (this.#isStopped() || groupGeneration <= this.#groupGeneration) return;
    this.#groupGeneration = groupGeneration;
    this.#state = 'member';
    this.#assign(positions);
  }

  #assign(positions: readonly PartitionOffset[]): void {
    this.#generation += 1;
    this.#isRevoked = false;
    this.#assigned = positions.map(({ topic, partition }) => ({ topic, partition }));
    const generation = this.#generation;
    this.#fetcher.assign(positions);
    this.#guard((sink) => sink.onAssigned(generation, this.#assigned));
  }

  #end(): void {
    this.#state = 'stopped';
    this.#stopHeartbeats?.();
    this.#fetcher.close();
    this.#fetchLink.close();
    this.#model.members.delete(this);
  }

  /** A sink that throws has a bug: the consumer stops and reports the error. */
  #guard(call: (sink: GroupSink) => void): void {
    const sink = this.#sink;
    if (sink === undefined || this.#isStopped()) return;
    try {
      call(sink);
    } catch (error) {
      void this.stop();
      sink.onCrash(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
