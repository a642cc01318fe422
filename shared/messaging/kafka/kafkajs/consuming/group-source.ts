import type { MessagingError } from '../../../../platform/errors.ts';
import type { KafkajsParts } from '../connection/client.ts';
import type { FetchAnswer } from '../patches/fetches.ts';
import { KafkajsConsumerRun, MAX_FETCH_MS, type ConsumerRunListener } from './consumer-run.ts';
import { startConsumer } from '../../common/consuming/consumer-start.ts';
import { isGenerationOver, toMessagingError } from '../../common/connection/errors.ts';
import { existingTopics } from '../../../topics/required-topics.ts';
import { FetchGate } from './fetch-gate.ts';
import { consumerUsed } from '../../../broker-errors.ts';
import { partitionId, type LogMessage, type PartitionOffset, type TopicPartition } from '../../../message.ts';
import {
  CLIENT_DEFAULTS,
  type BrokerAdmin,
  type GroupSink,
  type GroupSource,
  type GroupSourceOptions,
} from '../../../ports.ts';

/** A member notices a rebalance within a second and the wait of a fetch, and a session of 6 s survives four lost heartbeats. */
const HEARTBEAT_INTERVAL_MS = 900;
/** How long a rebalance waits for a member that sends heartbeats and does not join; the response to a join takes at most 5 s longer. */
const REBALANCE_TIMEOUT_MS = 10_000;

interface GroupSourceParts extends KafkajsParts<GroupSource> {
  readonly admin: Pick<BrokerAdmin, 'partitionCounts'>;
}

/**
 * A member of a consumer group, based on eachBatch of kafkajs, which has these limitations:
 * - One slow message stalls all partitions of its broker (fetcher.js waits for all batches of a fetch, #683): eachBatch passes
 *   the messages to the sink and returns immediately.
 * - Heartbeats are sent only between batches (#447): since eachBatch returns immediately, the fetch loop sends one after every
 *   fetch, if the last one is old enough.
 * - There is no revocation callback, and a rebalance waits for handlers: the event of a rebalance or a rejected commit calls
 *   onRevoking; each generation starts at the commits, and the generation number keeps older work from committing.
 * - A handler that throws is repeated forever, or ends the consumer silently: eachBatch never throws; an error of the sink and
 *   a crash of the group loop end this source and call onCrash.
 * - With eachMessage, a message that is skipped while its partition is paused counts as done: eachBatch does not resolve the
 *   offsets of messages that it does not deliver, so they are fetched again.
 * - After a rejoin, fetches of the old generation may move the new positions: see FetchGate.
 * For stops and stuck consumers see KafkajsConsumerRun.
 */
export class KafkajsGroupSource implements GroupSource, ConsumerRunListener {
  readonly #options: GroupSourceOptions;
  readonly #parts: GroupSourceParts;
  readonly #gate = new FetchGate(MAX_FETCH_MS);
  #run: KafkajsConsumerRun | undefined;
  #sink: GroupSink | undefined;
  #stopped = false;
  #generation = 0;
  #revokedGeneration = 0;
  #assigned: ReadonlyMap<string, TopicPartition> = new Map();
  readonly #paused = new Map<string, TopicPartition>();

  constructor(options: GroupSourceOptions, parts: GroupSourceParts) {
    this.#options = options;
    this.#parts = parts;
  }

  async start(sink: GroupSink): Promise<void> {
    const { clientId, topics } = this.#options;
    if (this.#stopped || this.#sink !== undefined) throw consumerUsed(clientId);
    this.#sink = sink;
    const counts = await existingTopics(this.#parts.admin, topics);
    if (this.#stopped) throw consumerUsed(clientId);
    const concurrency = [...counts.values()].reduce((sum, count) => sum + count, 0);
    await startConsumer(
      () => this.#makeRun(concurrency).start(),
      () => this.#stopped,
    );
  }

  pause(partitions: readonly TopicPartition[]): void {
    const owned = this.#owned(partitions);
    for (const partition of owned) this.#paused.set(idOf(partition), partition);
    if (!this.#gate.isShut && owned.length > 0) this.#run?.pause(owned);
  }

  resume(partitions: readonly TopicPartition[]): void {
    const owned = this.#owned(partitions);
    for (const partition of owned) this.#paused.delete(idOf(partition));
    if (!this.#gate.isShut && owned.length > 0) this.#run?.resume(owned);
  }

  async commit(generation: number, offsets: readonly PartitionOffset[]): Promise<boolean> {
    if (generation !== this.#generation || this.#stopped || this.#run === undefined) return false;
    try {
      return await this.#run.commit(offsets);
    } catch (error) {
      if (!isGenerationOver(error)) throw toMessagingError(`commit of ${this.#options.clientId}`, error);
      this.#revoke(generation);
      return false;
    }
  }

  async stop(timeoutMs: number = CLIENT_DEFAULTS.stopTimeoutMs): Promise<void> {
    this.#stopped = true;
    this.#gate.close();
    await this.#run?.stop(timeoutMs);
    this.#parts.onStopped(this);
  }

  onJoined(partitions: readonly TopicPartition[]): void {
    this.#generation += 1;
    this.#assigned = new Map(partitions.map((partition) => [idOf(partition), partition]));
    const run = this.#run;
    // kafkajs keeps partitions paused over a rejoin; a new assignment starts with none.
    run?.resume([...this.#paused.values()]);
    this.#paused.clear();
    const shut = this.#gate.generationStarted(() => {
      run?.resume(partitions.filter((partition) => !this.#paused.has(idOf(partition))));
    });
    if (shut) run?.pause(partitions);
    this.#sink?.onAssigned(this.#generation, partitions);
  }

  onRebalancing(): void {
    this.#gate.allEnded();
    this.#revoke(this.#generation);
  }

  onBatch(messages: readonly LogMessage[], highWatermark: number): boolean {
    const [first] = messages;
    if (first === undefined || !this.#accepts(first)) return false;
    this.#sink?.onMessages(this.#generation, messages, highWatermark);
    return true;
  }

  onFetchAnswered({ partitions }: FetchAnswer): void {
    for (const { topic, partition, from, stableEnd, isEmpty } of partitions) {
      if (!isEmpty || !this.#accepts({ topic, partition })) continue;
      this.#sink?.onPosition?.(this.#generation, { topic, partition }, from, stableEnd);
    }
  }

  onFetchStarted(nodeId: string): void {
    this.#gate.fetchStarted(nodeId);
  }

  onFetchEnded(nodeId: string): void {
    this.#gate.fetchEnded(nodeId);
  }

  onCrash(error: MessagingError): void {
    this.#stopped = true;
    this.#gate.close();
    this.#parts.onStopped(this);
    this.#sink?.onCrash(error);
  }

  #makeRun(concurrency: number): KafkajsConsumerRun {
    const { sessionTimeoutMs = CLIENT_DEFAULTS.sessionTimeoutMs } = this.#options;
    const times = {
      sessionTimeoutMs,
      rebalanceTimeoutMs: REBALANCE_TIMEOUT_MS,
      heartbeatIntervalMs: HEARTBEAT_INTERVAL_MS,
    };
    const options = { ...this.#options, ...times, concurrency };
    this.#run = new KafkajsConsumerRun(this.#parts.createClient, options, this);
    return this.#run;
  }

  /** Rejected messages are fetched again: from the new position, after a resume, or by the next owner of the partition. */
  #accepts(partition: TopicPartition): boolean {
    if (this.#gate.isShut || this.#revokedGeneration === this.#generation) return false;
    const id = idOf(partition);
    return !this.#paused.has(id) && this.#assigned.has(id);
  }

  #revoke(generation: number): void {
    if (this.#stopped || generation !== this.#generation || generation === this.#revokedGeneration) return;
    this.#revokedGeneration = generation;
    try {
      this.#sink?.onRevoking(generation);
    } catch (error) {
      this.#run?.fail(error);
    }
  }

  #owned(partitions: readonly TopicPartition[]): TopicPartition[] {
    return partitions.filter((partition) => !this.#stopped && this.#assigned.has(idOf(partition)));
  }
}

function idOf({ topic, partition }: TopicPartition): string {
  return partitionId(topic, partition);
}
