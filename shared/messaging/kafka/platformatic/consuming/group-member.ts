import {
  findErrorBy,
  heartbeatV3,
  joinGroupV5,
  leaveGroupV3,
  offsetCommitV7,
  offsetFetchV5,
  ResponseError,
  syncGroupV3,
} from '@platformatic/kafka';
import { brokerErrorType } from '../../common/connection/errors.ts';
import { partitionId, type PartitionOffset, type TopicPartition } from '../../../message.ts';
import {
  ANSWER_TIMEOUT_MS,
  type CreatePlatformaticClient,
  type PlatformaticClient,
} from '../connection/client.ts';
import { clusterMetadata, findCoordinator, type ClusterMetadata } from '../connection/cluster.ts';
import type { BrokerAddress, Versions } from '../connection/connections.ts';
import { brokerError } from '../connection/errors.ts';
import { assignInTurn, ASSIGNOR, decodeAssignment, encodeSubscription } from './group-protocol.ts';

/** How long a rebalance waits for a silent member. */
const REBALANCE_TIMEOUT_MS = 30_000;
/** With a third of the session, a heartbeat that is not answered can be repeated on another connection in time. */
const HEARTBEATS_PER_SESSION = 3;
const PROTOCOL_TYPE = 'consumer';
/** No static membership: members that leave and come back get a new id. */
const NO_INSTANCE_ID = null;
const NO_LEADER_EPOCH = -1;
const NO_METADATA = null;

/** Errors of responses, after which the coordinator is looked up again; so it is after a failed connection. */
const NOT_COORDINATOR: ReadonlySet<string> = new Set(['NOT_COORDINATOR', 'COORDINATOR_NOT_AVAILABLE']);

export interface MemberOptions {
  readonly groupId: string;
  readonly clientId: string;
  readonly topics: readonly string[];
  readonly sessionTimeoutMs: number;
}

/** A member's part in one generation of its group, by Kafka's count. */
export interface Membership {
  readonly generationId: number;
  readonly memberId: string;
  readonly partitions: readonly TopicPartition[];
  /** Partitions by topic as this member divided them; undefined if another member is the leader of the group. */
  readonly divided: ReadonlyMap<string, number> | undefined;
}

/** The requests of a group member to the coordinator of its group. All reject with the errors of the client. */
export class PlatformaticMember {
  readonly #options: MemberOptions;
  readonly #createClient: CreatePlatformaticClient;
  readonly #client: PlatformaticClient;
  /** A client for heartbeats alone: the broker answers a request only after the one before it, and a commit may take long. */
  readonly #heartbeats: PlatformaticClient;
  /** A client for joining alone: the broker answers a join when all members have joined, and other requests would wait. */
  #joining: PlatformaticClient | undefined;
  #coordinator: BrokerAddress | undefined;
  #memberId = '';

  constructor(options: MemberOptions, createClient: CreatePlatformaticClient) {
    this.#options = options;
    this.#createClient = createClient;
    const { clientId, sessionTimeoutMs } = options;
    this.#client = createClient({ clientId });
    const limitMs = Math.min(ANSWER_TIMEOUT_MS, Math.ceil(sessionTimeoutMs / HEARTBEATS_PER_SESSION));
    this.#heartbeats = createClient({ clientId, requestTimeoutMs: limitMs });
  }

  /** Joins the next generation, and divides the partitions if the coordinator chose this member as the leader. */
  async join(): Promise<Membership> {
    const requestTimeoutMs = REBALANCE_TIMEOUT_MS + ANSWER_TIMEOUT_MS;
    const client = this.#createClient({ clientId: this.#options.clientId, requestTimeoutMs });
    this.#joining = client;
    try {
      return await this.#joinWith(client);
    } catch (error) {
      if (brokerErrorType(error) === 'UNKNOWN_MEMBER_ID') this.#memberId = '';
      throw error;
    } finally {
      client.destroy();
      if (this.#joining === client) this.#joining = undefined;
    }
  }

  async #joinWith(client: PlatformaticClient): Promise<Membership> {
    const { groupId, sessionTimeoutMs, topics } = this.#options;
    const joinBy = (used: PlatformaticClient) =>
      this.#ask(
        used,
        [joinGroupV5.api],
        groupId,
        sessionTimeoutMs,
        REBALANCE_TIMEOUT_MS,
        this.#memberId,
        NO_INSTANCE_ID,
        PROTOCOL_TYPE,
        [{ name: ASSIGNOR, metadata: encodeSubscription(topics) }],
      );
    // The coordinator gives a new member its id at once, so that a frozen one is noticed by the usual time limit.
    if (this.#memberId === '') this.#memberId = await joinBy(this.#client).then(idOf, givenMemberId);
    const joined = await joinBy(client);
    const { generationId, memberId, leader, members } = joined;
    this.#memberId = memberId;
    const divided = leader === memberId ? partitionCounts(await this.metadata(topics)) : undefined;
    const assignments = divided === undefined ? [] : assignInTurn(members, divided);
    const { assignment } = await this.#ask(
      client,
      [syncGroupV3.api],
      groupId,
      generationId,
      memberId,
      NO_INSTANCE_ID,
      PROTOCOL_TYPE,
      ASSIGNOR,
      assignments,
    );
    return { generationId, memberId, partitions: decodeAssignment(assignment), divided };
  }

  /** The leaders of these topics. */
  metadata(topics: readonly string[]): Promise<ClusterMetadata> {
    return clusterMetadata(this.#client, topics);
  }

  async heartbeat({ generationId, memberId }: Membership): Promise<void> {
    const { groupId } = this.#options;
    await this.#ask(this.#heartbeats, [heartbeatV3.api], groupId, generationId, memberId, NO_INSTANCE_ID);
  }

  /** The group's committed offsets of these partitions; those without one are left out. */
  async committed(partitions: readonly TopicPartition[]): Promise<ReadonlyMap<string, number>> {
    const topics = [...Map.groupBy(partitions, ({ topic }) => topic)].map(([name, list]) => ({
      name,
      partitionIndexes: list.map(({ partition }) => partition),
    }));
    const groups = [{ groupId: this.#options.groupId, topics }];
    const answer = await this.#ask(this.#client, [offsetFetchV5.api], groups, false);
    const offsets = new Map<string, number>();
    for (const topic of answer.topics) {
      for (const { partitionIndex, committedOffset } of topic.partitions) {
        if (committedOffset >= 0n)
          offsets.set(partitionId(topic.name, partitionIndex), Number(committedOffset));
      }
    }
    return offsets;
  }

  async commit({ generationId, memberId }: Membership, offsets: readonly PartitionOffset[]): Promise<void> {
    const topics = [...Map.groupBy(offsets, ({ topic }) => topic)].map(([name, list]) => ({
      name,
      partitions: list.map(({ partition, offset }) => ({
        partitionIndex: partition,
        committedOffset: BigInt(offset),
        committedLeaderEpoch: NO_LEADER_EPOCH,
        committedMetadata: NO_METADATA,
      })),
    }));
    const { groupId } = this.#options;
    await this.#ask(
      this.#client,
      [offsetCommitV7.api],
      groupId,
      generationId,
      memberId,
      NO_INSTANCE_ID,
      topics,
    );
  }

  /** Ends a pending join, leaves the group, and closes all connections, at most after `timeoutMs`. Never rejects. */
  async leave(timeoutMs: number): Promise<void> {
    this.#joining?.destroy();
    this.#heartbeats.destroy();
    const client = this.#client;
    const timer = setTimeout(() => client.destroy(), timeoutMs);
    if (this.#memberId !== '') {
      const members = [{ memberId: this.#memberId, groupInstanceId: NO_INSTANCE_ID }];
      await this.#ask(client, [leaveGroupV3.api], this.#options.groupId, members).catch(() => undefined);
    }
    clearTimeout(timer);
    client.destroy();
  }

  /** Sends to the coordinator. If it is not known, it is looked up first, within the time limit of the client except for a join. */
  async #ask<Args extends unknown[], Answer>(
    client: PlatformaticClient,
    versions: Versions<Args, Answer>,
    ...args: Args
  ): Promise<Answer> {
    try {
      const finder = client === this.#heartbeats ? client : this.#client;
      this.#coordinator ??= await findCoordinator(finder, this.#options.groupId);
      return await client.send(this.#coordinator, versions, ...args);
    } catch (error) {
      const isAnswer = error instanceof ResponseError;
      if (!isAnswer || NOT_COORDINATOR.has(brokerErrorType(error) ?? '')) this.#coordinator = undefined;
      throw error;
    }
  }
}

/** The number of partitions by topic. Throws the error of a topic, for example of one that the broker does not know yet. */
function partitionCounts({ topics }: ClusterMetadata): ReadonlyMap<string, number> {
  for (const { error } of topics.values()) if (error !== undefined) throw brokerError(error);
  return new Map([...topics].map(([topic, { leaders }]) => [topic, leaders.length]));
}

/** The id of a member that the coordinator let join without one. */
function idOf({ memberId }: { readonly memberId: string }): string {
  return memberId;
}

/** The id that the coordinator gives to a new member with an error. Throws all other errors. */
function givenMemberId(error: unknown): string {
  if (!(error instanceof ResponseError) || findErrorBy(error, 'apiId', 'MEMBER_ID_REQUIRED') === null)
    throw error;
  return (error['response'] as { memberId: string }).memberId;
}
