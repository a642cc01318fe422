import type { EachBatchPayload } from 'kafkajs';
import { MessagingError } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import type { CreateKafkaClient } from '../connection/client.ts';
import { KafkaConsumerRun, LONGEST_FETCH_MS, type ConsumerRunListener } from './consumer-run.ts';
import { startConsumer } from './consumer-start.ts';
import { brokerErrorType, isGenerationOver, toMessagingError } from '../connection/errors.ts';
import { existingTopics } from '../../topics/required-topics.ts';
import { FetchGate } from './fetch-gate.ts';
import { toLogMessage } from '../publishing/record.ts';
import { byTopic } from '../topic-lists.ts';
import { partitionId, type PartitionOffset, type TopicPartition } from '../../message.ts';
import type { BrokerAdmin, GroupSink, GroupSource, GroupSourceOptions } from '../../ports.ts';

/** Interactive groups: a killed member's partitions move on within this. */
const DEFAULT_SESSION_TIMEOUT_MS = 6_000;
/** How long a rebalance waits for a member that does not answer. */
const DEFAULT_REBALANCE_TIMEOUT_MS = 30_000;
/** How long a fetch waits for data; also the longest time until a resumed partition is fetched again. */
const DEFAULT_MAX_WAIT_MS = 250;
/** Finishing the fetch under way and leaving the group takes no longer on a healthy broker. */
const DEFAULT_STOP_TIMEOUT_MS = 5_000;

/** What the broker makes it with. */
export interface GroupSourceParts {
  readonly createClient: CreateKafkaClient;
  readonly admin: Pick<BrokerAdmin, 'partitionCounts'>;
  readonly log: Log;
  readonly onStopped: (source: GroupSource) => void;
}

/**
 * A member of a consumer group over kafkajs' eachBatch, which has behaviours to go round:
 * - One slow message stalls all partitions of its broker (fetcher.js waits for all batches of a fetch, #683): the batch
 *   is handed over and eachBatch returns at once, so no fetch is ever held up.
 * - Heartbeats are only sent between batches (#447): for the same reason the fetch loop comes to its own heartbeat at
 *   least every `maxWaitMs`; heartbeat() is the runtime's timer on top.
 * - There is no revocation callback, and a rebalance waits for handlers: a refused heartbeat or commit tells the sink
 *   at once; each generation starts from the commits, and epochs keep older completions from committing.
 * - A throwing handler is repeated for ever, or ends the consumer silently: eachBatch never throws; a broken sink and a
 *   crash of the group loop end this source, and the sink is told.
 * - A message that is left while its partition is paused counts as done with eachMessage: eachBatch leaves what it does
 *   not hand over unresolved, so it is fetched again.
 * - A rejoin may let fetches of the old generation move the new positions: see FetchGate.
 * For stops and stuck consumers see KafkaConsumerRun.
 */
export class KafkaGroupSource implements GroupSource, ConsumerRunListener {
  readonly #options: GroupSourceOptions;
  readonly #parts: GroupSourceParts;
  readonly #gate = new FetchGate(LONGEST_FETCH_MS);
  #run: KafkaConsumerRun | undefined;
  #sink: GroupSink | undefined;
  #stopped = false;
  #epoch = 0;
  #revokedEpoch = 0;
  #assigned: ReadonlyMap<string, TopicPartition> = new Map();
  readonly #paused = new Map<string, TopicPartition>();
  /** The latest batch's functions. They belong to the consumer, not to the batch, and stay usable outside eachBatch. */
  #calls: EachBatchPayload | undefined;

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

  /**
   * kafkajs drops what it fetched of a paused partition and fetches it again after resume(); what was already on its
   * way to eachBatch is dropped there.
   */
  pause(partitions: readonly TopicPartition[]): void {
    const owned = this.#owned(partitions);
    for (const partition of owned) this.#paused.set(idOf(partition), partition);
    if (!this.#gate.isShut) this.#run?.consumer.pause(byTopic(owned));
  }

  resume(partitions: readonly TopicPartition[]): void {
    const owned = this.#owned(partitions);
    for (const partition of owned) this.#paused.delete(idOf(partition));
    if (!this.#gate.isShut) this.#run?.consumer.resume(byTopic(owned));
  }

  /**
   * One attempt, for the generation that stands at the moment of the call. consumer.commitOffsets() would repeat a
   * failed commit of this generation under the next one; the batch's commit function has no retries.
   */
  async commit(epoch: number, offsets: readonly PartitionOffset[]): Promise<boolean> {
    const calls = this.#calls;
    if (epoch !== this.#epoch || this.#stopped || calls === undefined) return false;
    try {
      await calls.commitOffsetsIfNecessary({ topics: commitTopics(offsets) });
      return true;
    } catch (error) {
      if (!isGenerationOver(error)) throw toMessagingError(`commit of ${this.#options.clientId}`, error);
      this.#revoke(epoch);
      return false;
    }
  }

  /** Before the first batch kafkajs' own loop does without help: there is no work yet that could keep it. */
  async heartbeat(): Promise<void> {
    const epoch = this.#epoch;
    try {
      await this.#calls?.heartbeat();
    } catch (error) {
      if (isGenerationOver(error)) this.#revoke(epoch);
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
    this.#epoch += 1;
    this.#assigned = new Map(partitions.map((partition) => [idOf(partition), partition]));
    const { consumer } = this.#run ?? {};
    // kafkajs keeps partitions paused over a rejoin; a new assignment starts with none.
    consumer?.resume(byTopic([...this.#paused.values()]));
    this.#paused.clear();
    const shut = this.#gate.generationBegan(() => {
      consumer?.resume(byTopic(partitions.filter((partition) => !this.#paused.has(idOf(partition)))));
    });
    if (shut) consumer?.pause(byTopic(partitions));
    this.#sink?.onAssigned(this.#epoch, partitions);
  }

  onRebalancing(): void {
    this.#gate.allEnded();
    this.#revoke(this.#epoch);
  }

  onBatch(payload: EachBatchPayload): void {
    this.#calls = payload;
    const { topic, partition, messages, highWatermark } = payload.batch;
    const id = partitionId(topic, partition);
    const last = messages.at(-1);
    // Unresolved, it is fetched again: from the right position, when the partition is resumed, or by its next owner.
    if (last === undefined || this.#gate.isShut || this.#revokedEpoch === this.#epoch) return;
    if (this.#paused.has(id) || !this.#assigned.has(id)) return;
    const read = messages.map((message) => toLogMessage(topic, partition, message));
    this.#sink?.onMessages(this.#epoch, read, Number(highWatermark));
    payload.resolveOffset(last.offset);
  }

  onPassed(partition: TopicPartition, position: number, highWatermark: number): void {
    this.#sink?.onPosition?.(this.#epoch, partition, position, highWatermark);
  }

  onFetchStarted(nodeId: string): void {
    this.#gate.fetchStarted(nodeId);
  }

  onFetchAnswered(): void {}

  onFetchEnded(nodeId: string): void {
    this.#gate.fetchEnded(nodeId);
  }

  onHeartbeat(): void {}

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

  #revoke(epoch: number): void {
    if (this.#stopped || epoch !== this.#epoch || epoch === this.#revokedEpoch) return;
    this.#revokedEpoch = epoch;
    try {
      this.#sink?.onRevoking(epoch);
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

function commitTopics(offsets: readonly PartitionOffset[]) {
  const topics = Map.groupBy(offsets, ({ topic }) => topic);
  return [...topics].map(([topic, list]) => ({
    topic,
    partitions: list.map(({ partition, offset }) => ({ partition, offset: String(offset) })),
  }));
}

function usedUp(clientId: string): MessagingError {
  return new MessagingError('consumer-used', `consumer ${clientId} was started or stopped before`, {
    canRetry: false,
  });
}
