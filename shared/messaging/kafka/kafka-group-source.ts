import type { Log } from '../../platform/log.ts';
import { consumerUsed } from '../broker-errors.ts';
import type { PartitionOffset, TopicPartition } from '../message.ts';
import { CLIENT_DEFAULTS } from '../client-defaults.ts';
import type { BrokerAdmin, GroupSink, GroupSource, GroupSourceOptions } from '../ports.ts';
import { existingTopics } from '../topics/check-topics.ts';
import type { CreateKafkajsClient } from './kafkajs-client.ts';
import { isGenerationOver, toMessagingError } from './kafka-errors.ts';
import { PartitionFetcher } from './partition-fetcher.ts';
import type { CreateFetchClient, FetchedRecords, FetchListener } from './partition-fetcher.ts';
import { KafkaMembership, type MembershipListener } from './group-membership.ts';
import { MessagingError } from '../../platform/errors.ts';
import { sleep, systemTimers } from '../../platform/system-ports.ts';

const LEAVE_MS = 1_000;

interface GroupSourceParts {
  readonly createClient: CreateKafkajsClient;
  readonly createFetchClient: CreateFetchClient;
  readonly admin: Pick<BrokerAdmin, 'partitionCounts'>;
  readonly log: Log;
  readonly onStopped: (source: GroupSource) => void;
}

/** Each generation has its own fetcher and connections, so that it receives no responses of an earlier one. */
export class KafkaGroupSource implements GroupSource, FetchListener, MembershipListener {
  readonly #options: Required<GroupSourceOptions>;
  readonly #parts: GroupSourceParts;
  #sink: GroupSink | undefined;
  #isStopped = false;
  #membership: KafkaMembership | undefined;
  #generation = 0;
  #fetcher: PartitionFetcher | undefined;
  #isRebalancing = true;
  #joins = 0;
  #beginning = Promise.withResolvers<void>();

  constructor(options: GroupSourceOptions, parts: GroupSourceParts) {
    this.#options = { sessionTimeoutMs: CLIENT_DEFAULTS.sessionTimeoutMs, ...options };
    this.#parts = parts;
  }

  async start(sink: GroupSink): Promise<void> {
    const { clientId, topics } = this.#options;
    if (this.#isStopped || this.#sink !== undefined) throw consumerUsed(clientId);
    this.#sink = sink;
    try {
      await existingTopics(this.#parts.admin, topics);
      const isStopped = (): boolean => this.#isStopped;
      await startConsumer(() => this.#join(), isStopped);
    } catch (error) {
      const isStopped = this.#isStopped;
      this.#isStopped = true;
      this.#parts.onStopped(this);
      throw isStopped ? consumerUsed(clientId) : error;
    }
    if (this.#isStopped) throw consumerUsed(clientId);
  }

  pause(partitions: readonly TopicPartition[]): void {
    this.#fetcher?.pause(partitions);
  }

  resume(partitions: readonly TopicPartition[]): void {
    this.#fetcher?.resume(partitions);
  }

  async commit(generation: number, offsets: readonly PartitionOffset[]): Promise<boolean> {
    if (generation !== this.#generation || this.#isStopped || this.#isRebalancing) return false;
    try {
      await this.#membership?.commit(offsets);
      return true;
    } catch (error) {
      if (!isGenerationOver(error)) throw toMessagingError(`commit of ${this.#options.clientId}`, error);
      // kafkajs joins again at its next heartbeat.
      if (generation === this.#generation) this.onRebalancing();
      return false;
    }
  }

  async stop(timeoutMs: number = CLIENT_DEFAULTS.stopTimeoutMs): Promise<void> {
    if (!this.#isStopped) await this.#end(timeoutMs);
  }

  onJoined(partitions: readonly TopicPartition[]): void {
    const join = (this.#joins += 1);
    this.#begin(join, partitions).catch((error: unknown) => {
      if (join === this.#joins) this.onLost(error);
    });
  }

  onRebalancing(): void {
    this.#joins += 1;
    if (this.#isRebalancing || this.#isStopped) return;
    this.#fetcher?.stop();
    this.#guard((sink) => sink.onRevoking(this.#generation));
    this.#isRebalancing = true;
  }

  onLost(error: unknown): void {
    if (this.#generation > 0) this.#fail(error);
    else this.#beginning.reject(error);
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

  onRefused(error: Error): void {
    this.#fail(error);
  }

  async #join(): Promise<void> {
    const { clientId } = this.#options;
    if (this.#isStopped) throw consumerUsed(clientId);
    const membership = new KafkaMembership(this.#options, this.#parts.createClient, this);
    this.#membership = membership;
    this.#beginning = Promise.withResolvers();
    this.#beginning.promise.catch(() => undefined);
    try {
      await membership.join();
      await this.#beginning.promise;
    } catch (error) {
      await membership.leave(LEAVE_MS);
      throw toMessagingError(`consumer ${clientId}`, error);
    }
  }

  async #begin(join: number, partitions: readonly TopicPartition[]): Promise<void> {
    const committed = partitions.length === 0 ? [] : await this.#membership?.committed(partitions);
    // The next join has begun, so this generation never starts.
    if (join !== this.#joins || this.#isStopped) return;
    // If offset 0 was removed, the fetcher continues at the first retained one.
    const positions = partitions.map(({ topic, partition }) => {
      const commit = committed?.find((one) => one.topic === topic && one.partition === partition);
      return { topic, partition, offset: Math.max(0, commit?.offset ?? 0) };
    });
    this.#generation += 1;
    this.#isRebalancing = false;
    const { createFetchClient, log } = this.#parts;
    const { clientId, topics } = this.#options;
    this.#fetcher = new PartitionFetcher(positions, { clientId, topics, createFetchClient, log }, this);
    this.#guard((sink) => sink.onAssigned(this.#generation, partitions));
    this.#fetcher.start();
    this.#beginning.resolve();
  }

  #guard(call: (sink: GroupSink) => void): void {
    if (this.#isStopped || this.#sink === undefined) return;
    try {
      call(this.#sink);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#isStopped) return;
    void this.#end(LEAVE_MS);
    this.#sink?.onCrash(toMessagingError(`consumer ${this.#options.clientId}`, error));
  }

  async #end(timeoutMs: number): Promise<void> {
    this.#isStopped = true;
    this.#beginning.resolve();
    this.#fetcher?.stop();
    await this.#membership?.leave(timeoutMs);
    this.#parts.onStopped(this);
  }
}

/** Metadata names a dead coordinator until its session ends (9 s) and the broker is removed, up to 30 s later. */
const COORDINATOR_MS = 45_000;
const RETRY_INTERVAL_MS = 200;

const TEMPORARY: ReadonlySet<string> = new Set(['broker-unavailable', 'topic-unknown']);

/** Repeats `start` until it resolves. Rejects with a permanent error, or with the last error after 45 s or a stop. */
export async function startConsumer(start: () => Promise<void>, isStopped: () => boolean): Promise<void> {
  const endsAt = performance.now() + COORDINATOR_MS;
  for (;;) {
    try {
      await start();
      return;
    } catch (error) {
      const isTemporary = error instanceof MessagingError && TEMPORARY.has(error.code);
      if (isStopped() || performance.now() >= endsAt || !isTemporary) throw error;
      await sleep(systemTimers, RETRY_INTERVAL_MS);
      // After a stop, nothing would stop a consumer that starts now.
      if (isStopped()) throw error;
    }
  }
}
