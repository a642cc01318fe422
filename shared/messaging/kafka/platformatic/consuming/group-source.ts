import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MonotonicClock } from '../../../../platform/clock.ts';
import { errorText, type MessagingError } from '../../../../platform/errors.ts';
import { systemPorts } from '../../../../platform/system-ports.ts';
import { repeat, sleep, type Timers } from '../../../../platform/timers.ts';
import { consumerUsed } from '../../../broker-errors.ts';
import { brokerErrorType, isGenerationOver, toMessagingError } from '../../common/connection/errors.ts';
import { COORDINATOR_MS } from '../../common/consuming/coordinator.ts';
import { partitionId, type PartitionOffset, type TopicPartition } from '../../../message.ts';
import {
  CLIENT_DEFAULTS,
  type BrokerAdmin,
  type GroupSink,
  type GroupSource,
  type GroupSourceOptions,
  type UnreadablePartition,
} from '../../../ports.ts';
import { existingTopics } from '../../../topics/required-topics.ts';
import type { PlatformaticParts } from '../connection/client.ts';
import type { ClusterMetadata } from '../connection/cluster.ts';
import type { FetchedRecords } from './fetch.ts';
import { FETCH_TIMEOUT_MS, PartitionFetcher, type FetchListener } from './fetcher.ts';
import { PlatformaticMember, type Membership } from './group-member.ts';

/** With this interval a member notices a rebalance within a second, and has time to repeat a heartbeat that is not answered. */
const HEARTBEAT_INTERVAL_MS = 1_000;
const RETRY_INTERVAL_MS = 200;
/** Time for a failed source to leave its group, so that its partitions are assigned anew before the session ends. */
const LEAVE_MS = 1_000;
/** Commits that follow one another at a revocation; later ones may come too late. */
const LAST_COMMITS = 2;

interface GroupSourceParts extends PlatformaticParts<GroupSource> {
  readonly admin: Pick<BrokerAdmin, 'partitionCounts'>;
  /** Default: those of the system. */
  readonly timers?: Timers;
  readonly monotonic?: MonotonicClock;
}

/**
 * A member of a consumer group. Each generation has its own fetcher with its own connections, so that no response of an earlier
 * generation can arrive in it. A rebalance ends the fetches, waits for the commits that onRevoking has started, and joins again.
 */
export class PlatformaticGroupSource implements GroupSource, FetchListener {
  readonly #options: GroupSourceOptions;
  readonly #parts: Required<GroupSourceParts>;
  readonly #sessionTimeoutMs: number;
  readonly #member: PlatformaticMember;
  #sink: GroupSink | undefined;
  #isStopped = false;
  #generation = 0;
  /** The member's part in the current generation; undefined before the first one. */
  #membership: Membership | undefined;
  #fetcher: PartitionFetcher | undefined;
  #isRebalancing = false;
  readonly #commits = new Set<Promise<void>>();
  #endHeartbeats: (() => void) | undefined;
  #isBeating = false;
  /** The last time at which the coordinator accepted a heartbeat or a join. */
  #acceptedAt = Number.NEGATIVE_INFINITY;

  constructor(options: GroupSourceOptions, parts: GroupSourceParts) {
    this.#options = options;
    this.#parts = { ...systemPorts, ...parts };
    this.#sessionTimeoutMs = options.sessionTimeoutMs ?? CLIENT_DEFAULTS.sessionTimeoutMs;
    this.#member = new PlatformaticMember(
      { ...options, sessionTimeoutMs: this.#sessionTimeoutMs },
      parts.createClient,
    );
  }

  async start(sink: GroupSink): Promise<void> {
    const { clientId, topics } = this.#options;
    if (this.#isStopped || this.#sink !== undefined) throw consumerUsed(clientId);
    this.#sink = sink;
    try {
      await existingTopics(this.#parts.admin, topics);
      if (!this.#isStopped) await this.#join();
    } catch (error) {
      this.#end();
      void this.#member.leave(LEAVE_MS);
      this.#parts.onStopped(this);
      throw error;
    }
    if (this.#isStopped) throw consumerUsed(clientId);
  }

  pause(partitions: readonly TopicPartition[]): void {
    this.#fetcher?.pause(partitions);
  }

  resume(partitions: readonly TopicPartition[]): void {
    this.#fetcher?.resume(partitions);
  }

  /** During a rebalance the coordinator accepts commits of the old generation until all members have joined. */
  async commit(generation: number, offsets: readonly PartitionOffset[]): Promise<boolean> {
    const membership = this.#membership;
    if (generation !== this.#generation || this.#isStopped || membership === undefined) return false;
    const sent = this.#member.commit(membership, offsets);
    const ended = sent.catch(() => undefined);
    this.#commits.add(ended);
    try {
      await sent;
      return true;
    } catch (error) {
      if (!isGenerationOver(error)) throw toMessagingError(`commit of ${this.#options.clientId}`, error);
      this.#rebalance(generation);
      return false;
    } finally {
      this.#commits.delete(ended);
    }
  }

  unreadable(): UnreadablePartition | undefined {
    return this.#isRebalancing ? undefined : this.#fetcher?.unreadable();
  }

  async stop(timeoutMs: number = CLIENT_DEFAULTS.stopTimeoutMs): Promise<void> {
    if (this.#isStopped) return;
    this.#end();
    await this.#member.leave(timeoutMs);
    this.#parts.onStopped(this);
  }

  onFetched({ topic, partition, from, position, messages, stableEnd }: FetchedRecords): void {
    const generation = this.#generation;
    const last = messages.at(-1);
    this.#guard((sink) => {
      if (last !== undefined) sink.onMessages(generation, messages, stableEnd);
      const isPassed = position > (last === undefined ? from : last.offset + 1);
      if (isPassed) sink.onPosition?.(generation, { topic, partition }, position, stableEnd);
    });
  }

  /** The leader of the group divides the partitions anew when their number has changed. */
  onMetadata(metadata: ClusterMetadata): void {
    const divided = this.#membership?.divided;
    if (divided === undefined) return;
    // A topic that was deleted has none; it may be created again with fewer.
    const hasOthers = [...metadata.topics].some(
      ([topic, { leaders }]) => leaders.length > 0 && leaders.length !== (divided.get(topic) ?? 0),
    );
    if (hasOthers) this.#rebalance(this.#generation);
  }

  onRefused(error: Error): void {
    this.#fail(toMessagingError(`consumer ${this.#options.clientId}`, error));
  }

  /** Sends a heartbeat, unless the previous one is not answered yet. */
  async #beat(): Promise<void> {
    const [membership, generation] = [this.#membership, this.#generation];
    if (membership === undefined || this.#isRebalancing || this.#isBeating) return;
    this.#isBeating = true;
    try {
      await this.#member.heartbeat(membership);
      this.#acceptedAt = this.#parts.monotonic.elapsedMs();
    } catch (error) {
      if (isGenerationOver(error)) this.#rebalance(generation);
      else this.#heartbeatFailed(error);
    }
    this.#isBeating = false;
  }

  /** Without an accepted heartbeat for the session timeout the group has expelled this member. */
  #heartbeatFailed(error: unknown): void {
    const failure = toMessagingError(`consumer ${this.#options.clientId}`, error);
    this.#parts.log.debug({ error: errorText(error) }, 'heartbeat failed');
    const isExpelled = this.#parts.monotonic.elapsedMs() - this.#acceptedAt > this.#sessionTimeoutMs;
    if (isExpelled || failure.code === 'broker-refused') this.#fail(failure);
  }

  #startHeartbeats(): void {
    this.#acceptedAt = this.#parts.monotonic.elapsedMs();
    this.#endHeartbeats ??= repeat(this.#parts.timers, () => void this.#beat(), HEARTBEAT_INTERVAL_MS);
  }

  /** The generation is over: stops its fetches, reports it, and joins the next one. */
  #rebalance(generation: number): void {
    if (this.#isStopped || this.#isRebalancing || generation !== this.#generation) return;
    this.#isRebalancing = true;
    this.#fetcher?.stop();
    this.#guard((sink) => sink.onRevoking(generation));
    this.#rejoin().catch((error: unknown) => this.#fail(toMessagingError(this.#options.clientId, error)));
  }

  async #rejoin(): Promise<void> {
    for (let round = 0; round < LAST_COMMITS; round += 1) {
      await Promise.all(this.#commits);
      await nextTurn();
    }
    if (!this.#isStopped) await this.#join();
  }

  /** Joins the next generation. Rejects with MessagingError when the coordinator is not available for COORDINATOR_MS. */
  async #join(): Promise<void> {
    let failingSince: number | undefined;
    // A member that joined after it has left would keep its partitions until its session ends.
    while (!this.#isStopped) {
      try {
        const membership = await this.#member.join();
        const committed = await this.#member.committed(membership.partitions);
        if (!this.#isStopped) this.#begin(membership, committed);
        return;
      } catch (error) {
        if (this.#isStopped) return;
        const failure = toMessagingError(`consumer ${this.#options.clientId}`, error);
        this.#parts.log.debug({ error: brokerErrorType(error) ?? failure.message }, 'a join failed');
        // The coordinator is available: another member has joined meanwhile, after a wait that may be long.
        if (isGenerationOver(error)) {
          failingSince = undefined;
          continue;
        }
        failingSince ??= this.#parts.monotonic.elapsedMs();
        const isLate = this.#parts.monotonic.elapsedMs() - failingSince > COORDINATOR_MS;
        if (isLate || failure.code === 'broker-refused') throw failure;
        await sleep(this.#parts.timers, RETRY_INTERVAL_MS);
      }
    }
  }

  #begin(membership: Membership, committed: ReadonlyMap<string, number>): void {
    this.#generation += 1;
    this.#membership = membership;
    this.#isRebalancing = false;
    this.#startHeartbeats();
    // Offset 0 stands for the first retained one.
    const positions = membership.partitions.map(({ topic, partition }) => {
      return { topic, partition, offset: committed.get(partitionId(topic, partition)) ?? 0 };
    });
    const { createClient, log } = this.#parts;
    const { clientId, topics } = this.#options;
    this.#fetcher = new PartitionFetcher(
      positions,
      {
        topics,
        client: createClient({ clientId, requestTimeoutMs: FETCH_TIMEOUT_MS }),
        metadata: (names) => this.#member.metadata(names),
        log,
      },
      this,
    );
    this.#guard((sink) => sink.onAssigned(this.#generation, membership.partitions));
    this.#fetcher.start();
  }

  /** An error of the sink ends the source. */
  #guard(call: (sink: GroupSink) => void): void {
    if (this.#isStopped || this.#sink === undefined) return;
    try {
      call(this.#sink);
    } catch (error) {
      this.#fail(toMessagingError(`consumer ${this.#options.clientId}`, error));
    }
  }

  #fail(error: MessagingError): void {
    if (this.#isStopped) return;
    this.#end();
    void this.#member.leave(LEAVE_MS);
    this.#parts.onStopped(this);
    this.#sink?.onCrash(error);
  }

  #end(): void {
    this.#isStopped = true;
    this.#endHeartbeats?.();
    this.#fetcher?.stop();
  }
}
