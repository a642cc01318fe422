import { MessagingError } from '../../../platform/errors.ts';
import type { KafkaParts } from '../connection/client.ts';
import { KafkaConsumerRun, MAX_FETCH_MS, type ConsumerRunListener } from './consumer-run.ts';
import { startConsumer } from './consumer-start.ts';
import { brokerErrorType, isGenerationOver, toMessagingError } from '../connection/errors.ts';
import { existingTopics } from '../../topics/required-topics.ts';
import { FetchGate } from './fetch-gate.ts';
import { partitionId, type LogMessage, type PartitionOffset, type TopicPartition } from '../../message.ts';
import type { BrokerAdmin, GroupSink, GroupSource, GroupSourceOptions } from '../../ports.ts';

/** Interactive groups: the partitions of a killed member are reassigned after this. */
const DEFAULT_SESSION_TIMEOUT_MS = 6_000;
/** How long a rebalance waits for a silent member. */
const DEFAULT_REBALANCE_TIMEOUT_MS = 30_000;
/** How long a fetch waits for data; also the longest time until a resumed partition is fetched again. */
const DEFAULT_MAX_WAIT_MS = 250;
/** On a healthy broker, finishing the pending fetch and leaving the group takes no longer. */
const DEFAULT_STOP_TIMEOUT_MS = 5_000;

interface GroupSourceParts extends KafkaParts<GroupSource> {
  readonly admin: Pick<BrokerAdmin, 'partitionCounts'>;
}

/**
 * A member of a consumer group on kafkajs' eachBatch, whose behaviour requires some care:
 * - One slow message stalls all partitions of its broker (fetcher.js waits for all batches of a fetch, #683): the batch is
 *   delivered and eachBatch returns at once, so no fetch is ever delayed.
 * - Heartbeats are only sent between batches (#447): for the same reason the fetch loop sends its own heartbeat at least
 *   every `maxWaitMs`; heartbeat() is the timer of the runtime in addition.
 * - There is no revocation callback, and a rebalance waits for handlers: a rejected heartbeat or commit is reported to the
 *   sink at once; each generation starts from the commits, and epochs keep older completions from committing.
 * - A throwing handler is repeated forever, or ends the consumer silently: eachBatch never throws; a broken sink and a crash
 *   of the group loop end this source, which reports it to the sink.
 * - With eachMessage a message that is left while its partition is paused counts as done: eachBatch leaves what it does not
 *   deliver unresolved, so it is fetched again.
 * - After a rejoin, fetches of the old generation may move the new positions: see FetchGate.
 * For stops and stuck consumers see KafkaConsumerRun.
 */
export class KafkaGroupSource implements GroupSource, ConsumerRunListener {
  readonly #options: GroupSourceOptions;
  readonly #parts: GroupSourceParts;
  readonly #gate = new FetchGate(MAX_FETCH_MS);
  #run: KafkaConsumerRun | undefined;
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
    if (this.#stopped || this.#sink !== undefined) throw usedUp(clientId);
    this.#sink = sink;
    const counts = await existingTopics(this.#parts.admin, topics);
    if (this.#stopped) throw usedUp(clientId);
    const concurrency = [...counts.values()].reduce((sum, count) => sum + count, 0);
    await startConsumer(
      () => this.#makeRun(concurrency),
      () => this.#stopped,
    );
  }

  pause(partitions: readonly TopicPartition[]): void {
    const owned = this.#owned(partitions);
    for (const partition of owned) this.#paused.set(idOf(partition), partition);
    if (!this.#gate.isShut) this.#run?.pause(owned);
  }

  resume(partitions: readonly TopicPartition[]): void {
    const owned = this.#owned(partitions);
    for (const partition of owned) this.#paused.delete(idOf(partition));
    if (!this.#gate.isShut) this.#run?.resume(owned);
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

  async heartbeat(): Promise<void> {
    const generation = this.#generation;
    try {
      await this.#run?.heartbeat();
    } catch (error) {
      if (isGenerationOver(error)) this.#revoke(generation);
      else this.#parts.log.debug({ error: brokerErrorType(error) }, 'heartbeat failed');
    }
  }

  async stop(timeoutMs = DEFAULT_STOP_TIMEOUT_MS): Promise<void> {
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
    const shut = this.#gate.generationBegan(() => {
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
    // Otherwise it is fetched again: from the right position, after a resume, or by the next owner of the partition.
    if (first === undefined || this.#gate.isShut || this.#revokedGeneration === this.#generation)
      return false;
    const id = idOf(first);
    if (this.#paused.has(id) || !this.#assigned.has(id)) return false;
    this.#sink?.onMessages(this.#generation, messages, highWatermark);
    return true;
  }

  onPassed(position: PartitionOffset, highWatermark: number): void {
    this.#sink?.onPosition?.(this.#generation, position, position.offset, highWatermark);
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

  #makeRun(concurrency: number): KafkaConsumerRun {
    const { clientId, groupId, topics, sessionTimeoutMs, rebalanceTimeoutMs, maxWaitMs } = this.#options;
    this.#run = new KafkaConsumerRun(
      this.#parts.createClient,
      {
        clientId,
        groupId,
        topics,
        sessionTimeoutMs: sessionTimeoutMs ?? DEFAULT_SESSION_TIMEOUT_MS,
        rebalanceTimeoutMs: rebalanceTimeoutMs ?? DEFAULT_REBALANCE_TIMEOUT_MS,
        maxWaitMs: maxWaitMs ?? DEFAULT_MAX_WAIT_MS,
        concurrency,
      },
      this,
    );
    return this.#run;
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

function usedUp(clientId: string): MessagingError {
  return new MessagingError('consumer-used', `consumer ${clientId} was started or stopped before`, {
    canRetry: false,
  });
}
