import { consumerUsed } from '../../../shared/messaging/broker-errors.ts';
import type { EmbeddedGroup, GroupMember } from '../../../shared/messaging/embedded/embedded-group.ts';
import type { PartitionOffset, TopicPartition } from '../../../shared/messaging/message.ts';
import { CLIENT_DEFAULTS } from '../../../shared/messaging/client-defaults.ts';
import {
  type GroupSink,
  type GroupSource,
  type GroupSourceOptions,
} from '../../../shared/messaging/ports.ts';
import type { Host } from '../sim-process.ts';
import { CHECK_MS, type BrokerModel, type CheckedClient } from './broker-model.ts';
import { LostCall, unreachable, type Link } from './link.ts';
import { Reader, type Batch } from './reader.ts';

/** Messages travel to the coordinator and back: each may be behind, and every check sends again what the other does not know. */
export class SimGroupSource implements GroupSource, GroupMember, CheckedClient {
  readonly host: Host;
  readonly clientId: string;
  readonly topics: readonly string[];
  readonly #groupId: string;
  readonly #sessionTimeoutMs: number;
  readonly #link: Link;
  readonly #model: BrokerModel;
  readonly #reader: Reader;
  #sink: GroupSink | undefined;
  #isStopped = false;
  /** At the coordinator: the last assignment, and for how long the member has not been heard of. */
  #granted = { generation: 0, positions: [] as readonly PartitionOffset[] };
  #absentMs = 0;
  /** Counts assignments, as the Kafka adapter does; the generation of the group may be the same for several. */
  #generation = 0;
  #groupGeneration = 0;
  #isRevoked = false;
  #isJoining = false;

  constructor(options: GroupSourceOptions, link: Link, model: BrokerModel) {
    this.host = link.host;
    this.clientId = options.clientId;
    this.topics = options.topics;
    this.#groupId = options.groupId;
    this.#sessionTimeoutMs = options.sessionTimeoutMs ?? CLIENT_DEFAULTS.sessionTimeoutMs;
    this.#link = link;
    this.#model = model;
    this.#reader = new Reader(link, model, (batch) => this.#take(batch));
  }

  async start(sink: GroupSink): Promise<void> {
    if (this.#isStopped || this.#sink !== undefined) throw consumerUsed(this.clientId);
    this.#sink = sink;
    await this.#link.ask(() => {
      for (const topic of this.topics) this.#model.topics.get(topic);
    });
    if (this.#isStopped as boolean) throw consumerUsed(this.clientId);
    this.#model.clients.add(this);
    this.#join();
  }

  pause(partitions: readonly TopicPartition[]): void {
    this.#reader.pause(partitions);
  }

  resume(partitions: readonly TopicPartition[]): void {
    this.#reader.resume(partitions);
  }

  async commit(generation: number, offsets: readonly PartitionOffset[]): Promise<boolean> {
    const groupGeneration = this.#groupGeneration;
    if (generation !== this.#generation || this.#isStopped) return false;
    try {
      const isStored = await this.#link.call(() => {
        if (!this.#group.commit(this, groupGeneration, offsets)) return false;
        for (const offset of offsets) this.#model.observer.onCommit?.(this.#groupId, offset, this.host.id);
        return true;
      });
      if (!isStored) this.#revoke(generation);
      return isStored;
    } catch (error) {
      throw error instanceof LostCall ? unreachable(`commit of ${this.clientId}`) : error;
    }
  }

  async stop(timeoutMs: number = CLIENT_DEFAULTS.stopTimeoutMs): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#reader.close();
    if (this.#sink === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.host.ports.timers.schedule(resolve, timeoutMs, 'background');
    const left = this.#link.call(() => this.expel()).catch(() => undefined);
    await Promise.race([left, promise]);
    cancel();
  }

  expel(): void {
    this.#group.leave(this);
    if (this.#isStopped || !this.host.isAlive()) this.#model.clients.delete(this);
  }

  onRebalance(): void {
    this.#link.push(() => this.#revoke(this.#generation));
  }

  onGeneration(generation: number, partitions: readonly TopicPartition[]): void {
    const positions = partitions.map((partition) => this.#model.startOf(this.#groupId, partition));
    this.#granted = { generation, positions };
    this.#link.push(() => this.#assign());
  }

  disconnect(): void {
    this.#reader.disconnect();
  }

  check(): void {
    const isHeard = this.host.isAlive() && !this.#isStopped && this.host.isFrozen !== true;
    this.#absentMs = isHeard && this.#link.isConnected ? 0 : this.#absentMs + CHECK_MS;
    if (this.#absentMs >= this.#sessionTimeoutMs) this.expel();
    if (this.#absentMs > 0) return;
    this.#reader.check();
    if (this.#group.mustJoin(this)) this.#link.push(() => this.#revoke(this.#generation));
    else if (this.#granted.generation > this.#groupGeneration) this.#link.push(() => this.#assign());
  }

  get #group(): EmbeddedGroup {
    return this.#model.group(this.#groupId);
  }

  #take({ messages, topic, partition, offset, highWatermark }: Batch): void {
    const generation = this.#generation;
    if (this.#isRevoked) return;
    if (messages.length > 0) this.#guard((sink) => sink.onMessages(generation, messages, highWatermark));
    if (messages.at(-1)?.offset === offset - 1) return;
    this.#guard((sink) => sink.onPosition?.(generation, { topic, partition }, offset, highWatermark));
  }

  #revoke(generation: number): void {
    if (this.#isStopped || generation !== this.#generation || this.#isJoining) return;
    this.#isJoining = true;
    if (!this.#isRevoked && generation > 0) {
      this.#isRevoked = true;
      this.#guard((sink) => sink.onRevoking(generation));
    }
    // The commit of the revocation leaves before the request to join.
    const { timers } = this.host.ports;
    timers.nextTurn(() => timers.nextTurn(() => this.#join()));
  }

  #join(): void {
    const end = (): boolean => (this.#isJoining = false);
    this.#link
      .call(() => {
        if (!this.#isStopped) this.#group.join(this);
      })
      .then(end, end);
  }

  #assign(): void {
    const { generation, positions } = this.#granted;
    if (this.#isStopped || generation <= this.#groupGeneration) return;
    this.#groupGeneration = generation;
    this.#generation += 1;
    this.#isRevoked = false;
    this.#reader.assign(positions);
    const partitions = positions.map(({ topic, partition }) => ({ topic, partition }));
    this.#guard((sink) => sink.onAssigned(this.#generation, partitions));
  }

  #guard(call: (sink: GroupSink) => void): void {
    const sink = this.#sink;
    if (sink === undefined || this.#isStopped) return;
    try {
      call(sink);
    } catch (error) {
      void this.stop();
      sink.onCrash(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
