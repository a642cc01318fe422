import type { Broker, Cluster, Consumer } from 'kafkajs';
import { MessagingError } from '../../platform/errors.ts';
import { consumerUsed } from '../broker-errors.ts';
import type { PartitionOffset, TopicPartition } from '../message.ts';
import type { GroupSourceOptions } from '../ports.ts';
import type { CreateKafkajsClient, KafkajsClient } from './kafkajs-client.ts';
import { byTopic, consumerOf } from './partition-fetcher.ts';

/** A member notices a rebalance within this interval plus IDLE_MS. */
const HEARTBEAT_INTERVAL_MS = 500;
/** kafkajs sends heartbeats after fetches. If all partitions are paused, a fetch only waits this long. */
const IDLE_MS = 500;
/** A rebalance waits this long for members that do not join. kafkajs waits 5 s longer for the response to a join. */
const REBALANCE_TIMEOUT_MS = 10_000;
/** The group notices new partitions within this time, so that it reads them within ten seconds. */
const METADATA_MAX_AGE_MS = 3_000;
/** Retries inside kafkajs suffice for a moved coordinator. After a longer failure, the membership is replaced. */
const RETRY = { retries: 5, initialRetryTime: 100, maxRetryTime: 1_000 };
/** A member without a heartbeat or join for the rebalance timeout plus this margin is stuck (tulios/kafkajs#659). */
const STALL_MARGIN_MS = 15_000;
const STALL_TICK_MS = 5_000;
/** If one of these times out, the membership ends: kafkajs would repeat it to a frozen broker for half a minute. */
const ANSWERED_IN_TIME: ReadonlySet<string> = new Set(['Heartbeat', 'OffsetCommit', 'OffsetFetch']);
/** Time limit for a failed member to leave its group, so that its partitions are reassigned before its session ends. */
const LEAVE_MS = 1_000;

/** The types of kafkajs omit the requests that members send to their coordinator. */
interface Coordinator extends Broker {
  joinGroup(join: object): Promise<{ readonly generationId: number; readonly memberId: string }>;
}

/** The methods are synchronous and do not throw. None is called after leave(). */
export interface MembershipListener {
  onJoined(partitions: readonly TopicPartition[]): void;
  /** The generation is over. A commit sent during this call reaches the coordinator before this member joins again. */
  onRebalancing(): void;
  /** The membership has failed and ended. Not called before the first join: join() rejects instead. */
  onLost(error: unknown): void;
}

/** A kafkajs consumer that pauses all partitions. It joins, sends heartbeats and, as leader, divides the partitions. */
export class KafkaMembership {
  readonly #options: Required<GroupSourceOptions>;
  readonly #listener: MembershipListener;
  readonly #client: KafkajsClient;
  readonly #consumer: Consumer;
  readonly #cluster: Cluster;
  #state: 'joining' | 'joined' | 'left' = 'joining';
  readonly #firstJoin = Promise.withResolvers<void>();
  #joined: (Awaited<ReturnType<Coordinator['joinGroup']>> & { readonly broker: Broker }) | undefined;
  #closing: Promise<void> | undefined;
  /** Counts ticks instead of time, so that a suspended process or a blocked event loop does not look like a stall. */
  #idleTicks = 0;
  #stallTimer: NodeJS.Timeout | undefined;

  constructor(
    options: Required<GroupSourceOptions>,
    createClient: CreateKafkajsClient,
    listener: MembershipListener,
  ) {
    const { clientId, groupId, sessionTimeoutMs } = options;
    this.#options = options;
    this.#listener = listener;
    this.#client = createClient({ clientId, retry: RETRY });
    const { consumer, cluster } = consumerOf(this.#client.kafka, {
      groupId,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: REBALANCE_TIMEOUT_MS,
      heartbeatInterval: HEARTBEAT_INTERVAL_MS,
      maxWaitTimeInMs: IDLE_MS,
      metadataMaxAge: METADATA_MAX_AGE_MS,
      // Otherwise kafkajs restarts a consumer after some errors but not after others.
      retry: { ...RETRY, restartOnFailure: () => Promise.resolve(false) },
    });
    // kafkajs would ask the leaders for the first offsets, and a missing leader would end the membership.
    cluster.fetchTopicsOffset = async (topics) =>
      topics.map(({ topic, partitions }) => {
        return { topic, partitions: partitions.map(({ partition }) => ({ partition, offset: '0' })) };
      });
    this.#consumer = consumer;
    this.#cluster = cluster;
    this.#firstJoin.promise.catch(() => undefined);
  }

  /** Rejects with an error of kafkajs or a MessagingError. */
  async join(): Promise<void> {
    this.#listen();
    const topics = [...this.#options.topics];
    try {
      await this.#consumer.connect();
      await this.#consumer.subscribe({ topics, fromBeginning: true });
      const running = this.#consumer.run({ autoCommit: false, eachBatch: () => Promise.resolve() });
      this.#consumer.pause(topics.map((topic) => ({ topic })));
      await running;
    } catch (error) {
      this.#fail(error);
    }
    await this.#firstJoin.promise;
  }

  /** Commits of the group. Partitions without one have a negative offset. Rejects with errors of kafkajs. */
  async committed(partitions: readonly TopicPartition[]): Promise<readonly PartitionOffset[]> {
    const coordinator = await this.#cluster.findGroupCoordinator({ groupId: this.#options.groupId });
    const topics = byTopic(partitions, ({ partition }) => ({ partition, offset: '' }));
    const { responses } = await coordinator.offsetFetch({ groupId: this.#options.groupId, topics });
    return responses.flatMap(({ topic, partitions: found }) =>
      found.map(({ partition, offset }) => ({ topic, partition, offset: Number(offset) })),
    );
  }

  /** Tries once, in this generation: the commit of kafkajs itself would join again and commit in the next one. */
  async commit(offsets: readonly PartitionOffset[]): Promise<void> {
    if (this.#joined === undefined) throw new Error('the group has no coordinator');
    const { broker, generationId, memberId } = this.#joined;
    const topics = byTopic(offsets, ({ partition, offset }) => ({ partition, offset: String(offset) }));
    const { groupId } = this.#options;
    await broker.offsetCommit({ groupId, groupGenerationId: generationId, memberId, topics });
  }

  /** Never rejects. kafkajs may await a join endlessly, or skip LeaveGroup (runner.js): then the session times out. */
  async leave(timeoutMs: number): Promise<void> {
    this.#state = 'left';
    this.#firstJoin.reject(consumerUsed(this.#options.clientId));
    await this.#close(timeoutMs);
  }

  #listen(): void {
    const { events } = this.#consumer;
    this.#stallTimer = setInterval(() => this.#checkStall(), STALL_TICK_MS).unref();
    this.#rememberJoins();
    this.#consumer.on(events.GROUP_JOIN, ({ payload }) => {
      if (this.#state === 'left') return;
      this.#state = 'joined';
      this.#idleTicks = 0;
      const assigned = Object.entries(payload.memberAssignment).flatMap(([topic, partitions]) =>
        partitions.map((partition) => ({ topic, partition })),
      );
      this.#listener.onJoined(assigned);
      this.#firstJoin.resolve();
    });
    this.#consumer.on(events.HEARTBEAT, () => {
      this.#idleTicks = 0;
    });
    this.#consumer.on(events.REQUEST_TIMEOUT, ({ payload: { apiName, broker } }) => {
      this.#client.connections.close(broker);
      if (this.#state !== 'joined' || !ANSWERED_IN_TIME.has(apiName)) return;
      const text = `${this.#options.clientId}: ${broker} does not answer (${apiName})`;
      this.#fail(new MessagingError('broker-unavailable', text, { canRetry: true }));
    });
    this.#consumer.on(events.CRASH, ({ payload }) => this.#fail(payload.error));
  }

  /** Wraps joinGroup: the event of a join names no generation, and no event precedes the join of an expelled member. */
  #rememberJoins(): void {
    const find = this.#cluster.findGroupCoordinator.bind(this.#cluster);
    this.#cluster.findGroupCoordinator = async (group) => {
      const broker = (await find(group)) as Coordinator;
      const joinGroup = async (join: object) => {
        if (this.#state === 'joined') this.#listener.onRebalancing();
        const joined = await broker.joinGroup(join);
        this.#joined = { ...joined, broker };
        return joined;
      };
      return Object.create(broker, { joinGroup: { value: joinGroup } }) as Broker;
    };
  }

  #checkStall(): void {
    this.#idleTicks += 1;
    if (this.#idleTicks * STALL_TICK_MS < REBALANCE_TIMEOUT_MS + STALL_MARGIN_MS) return;
    const text = `${this.#options.clientId}: the consumer shows no activity`;
    this.#fail(new MessagingError('consumer-stalled', text, { canRetry: true }));
  }

  #fail(error: unknown): void {
    const before = this.#state;
    if (before === 'left') return;
    this.#state = 'left';
    void this.#close(LEAVE_MS);
    this.#firstJoin.reject(error);
    if (before === 'joined') this.#listener.onLost(error);
  }

  #close(timeoutMs: number): Promise<void> {
    if (this.#closing !== undefined) return this.#closing;
    clearInterval(this.#stallTimer);
    const { connections } = this.#client;
    const timer = setTimeout(() => connections.destroy(), timeoutMs);
    const end = (): void => {
      clearTimeout(timer);
      connections.destroy();
    };
    this.#closing = this.#consumer.disconnect().then(end, end);
    return this.#closing;
  }
}
