import { EventEmitter } from 'node:events';
import { Reader, readRecordsBatch } from '@platformatic/kafka';
import type { Consumer, EachBatchPayload, Producer, ProducerBatch, TopicMessages } from 'kafkajs';
import {
  type RunFetches,
  fetchListeners,
} from '../../../shared/messaging/kafka/kafkajs/patches/fetch-listeners.ts';
import type {
  FetchAnswer,
  FetchedMessages,
} from '../../../shared/messaging/kafka/kafkajs/patches/fetch-messages.ts';
import type { CreateKafkajsClient } from '../../../shared/messaging/kafka/kafkajs/connection/client.ts';
import {
  type ProduceAnswer,
  type ProduceListener,
  produceListeners,
  type ProduceRequest,
} from '../../../shared/messaging/kafka/kafkajs/patches/produce-answers.ts';
import { settleMicrotasks } from './work.ts';

/** The calls of a fake consumer: seeks as `topic/partition@offset`, paused partitions as `topic/partition`. */
interface ConsumerCalls {
  readonly seeks: string[];
  readonly paused: Set<string>;
}

interface Batch {
  readonly topic: string;
  readonly partition: number;
  readonly offsets: readonly number[];
  /** The last fetched offset, if it has no message. */
  readonly last?: number;
}

type TopicPartitions = readonly { readonly topic: string; readonly partitions?: readonly number[] }[];

const ids = (list: TopicPartitions) =>
  list.flatMap(({ topic, partitions = [] }) => partitions.map((partition) => `${topic}/${partition}`));

/** A kafkajs consumer without a broker: the test simulates the group and the fetches by events. */
export class FakeKafkajsConsumer {
  /** The client's and the consumer's options. */
  readonly options: object;
  readonly calls: ConsumerCalls = { seeks: [], paused: new Set() };
  readonly resolved: string[] = [];
  readonly commits: string[] = [];
  subscription: object | undefined;
  /** Rejects commits and heartbeats while set. */
  refusal: Error | undefined;
  isDisconnected = false;
  readonly #emitter = new EventEmitter();
  #eachBatch: ((payload: EachBatchPayload) => Promise<void>) | undefined;
  /** Chooses how long fetches wait. */
  fetches: RunFetches | undefined;

  constructor(options: object) {
    this.options = options;
  }

  /** The calls of a kafkajs consumer that the adapters use. */
  readonly consumer = {
    events: new Proxy({}, { get: (_, name) => name }),
    on: (name: string, listener: (event: object) => void) => this.#emitter.on(name, listener),
    connect: () => Promise.resolve(),
    subscribe: (subscription: object) => {
      this.subscription = subscription;
      return Promise.resolve();
    },
    run: ({ eachBatch }: { eachBatch: (payload: EachBatchPayload) => Promise<void> }) => {
      this.#eachBatch = eachBatch;
      this.fetches = fetchListeners.getStore();
      if (this.fetches !== undefined) this.fetches.heartbeat = () => this.#answer();
      return Promise.resolve();
    },
    seek: ({ topic, partition, offset }: { topic: string; partition: number; offset: string }) =>
      this.calls.seeks.push(`${topic}/${partition}@${offset}`),
    pause: (list: TopicPartitions) => this.#usable(list).forEach((id) => this.calls.paused.add(id)),
    resume: (list: TopicPartitions) => this.#usable(list).forEach((id) => this.calls.paused.delete(id)),
    paused: () => [...this.calls.paused],
    disconnect: () => {
      this.isDisconnected = true;
      return Promise.resolve();
    },
  } as unknown as Consumer;

  #answer(): Promise<void> {
    return this.refusal === undefined ? Promise.resolve() : Promise.reject(this.refusal);
  }

  /** As in kafkajs, pause and resume fail before run() and after disconnect(). */
  #usable(list: TopicPartitions): readonly string[] {
    if (this.#eachBatch === undefined || this.isDisconnected) throw new Error('not initialized');
    return ids(list);
  }

  emit(event: string, payload: object = {}): void {
    this.#emitter.emit(event, { payload });
  }

  join(memberAssignment: Readonly<Record<string, readonly number[]>>): void {
    this.emit('GROUP_JOIN', { memberAssignment });
  }

  /** One fetch from a broker that returns these batches; a failed fetch returns nothing. */
  async fetch(nodeId: string, batches: readonly Batch[] = [], answer?: FetchAnswer): Promise<void> {
    this.emit('FETCH_START', { nodeId });
    if (answer !== undefined) this.fetches?.answered(answer);
    this.emit('FETCH', { nodeId, duration: 250 });
    for (const batch of batches) await this.deliver(batch);
  }

  async deliver({ topic, partition, offsets, last = offsets.at(-1) ?? -1 }: Batch): Promise<void> {
    const messages = offsets.map((offset) => {
      const content = { key: null, value: Buffer.from(`value-${offset}`), headers: {}, timestampMs: 0 };
      return { topic, partition, offset, ...content };
    });
    const fetched: FetchedMessages = { offset: String(last), messages };
    await this.#eachBatch?.({
      batch: { topic, partition, messages: [fetched], highWatermark: String(last + 1) },
      resolveOffset: (offset: string) => this.resolved.push(`${topic}/${partition}@${offset}`),
      commitOffsetsIfNecessary: (committed: object) => {
        this.commits.push(JSON.stringify(committed));
        return this.#answer();
      },
    } as unknown as EachBatchPayload);
  }
}

/** One request of a fake producer, pending until the test answers it. */
interface FakeSend {
  /** The records of each partition, as `topic/partition: value value`. */
  readonly records: readonly string[];
  /** Answers with these error codes by `topic/partition`, and 0 for all others. */
  confirm(codes?: Readonly<Record<string, number>>): Promise<void>;
  fail(error: Error): Promise<void>;
  /** Rejects before any request was made. */
  failEarly(error: Error): Promise<void>;
}

/** A kafkajs producer without a broker: its requests are pending until the test answers them. */
export class FakeKafkajsProducer {
  readonly sends: FakeSend[] = [];
  isDisconnected = false;
  readonly producer = {
    events: { REQUEST_TIMEOUT: 'REQUEST_TIMEOUT' },
    on: () => () => undefined,
    connect: () => Promise.resolve(),
    disconnect: () => {
      this.isDisconnected = true;
      return Promise.resolve();
    },
    sendBatch: ({ topicMessages = [] }: ProducerBatch) => {
      const { promise, resolve, reject } = Promise.withResolvers<object[]>();
      const request = toProduceRequest(topicMessages);
      const round = produceListeners.getStore();
      if (round === undefined) throw new Error('kafkajs is called without a listener');
      const end = () => {
        resolve([]);
        return settleMicrotasks();
      };
      this.sends.push({
        records: textsOf(request, round),
        confirm: (codes = {}) => {
          round.begin(request);
          round.answer(toAnswer(request, codes));
          return end();
        },
        fail: (error) => {
          round.begin(request);
          round.lose(request, error);
          return end();
        },
        failEarly: (error) => {
          reject(error);
          return settleMicrotasks();
        },
      });
      return promise;
    },
  } as unknown as Producer;
}

/** One request with all partitions, as in a cluster with one broker. */
function toProduceRequest(topicMessages: readonly TopicMessages[]): ProduceRequest {
  const topicData = topicMessages.map(({ topic, messages }) => ({
    topic,
    partitions: messages.map(({ partition = 0 }) => ({ partition })),
  }));
  return { acks: -1, timeout: 1_000, topicData };
}

function textsOf({ topicData }: ProduceRequest, round: ProduceListener): string[] {
  return topicData.flatMap(({ topic, partitions }) =>
    partitions.map(({ partition }) => {
      const batch = round.batchOf(topic, partition);
      if (!Buffer.isBuffer(batch)) throw new Error('the fake reads no compressed batches');
      const { records } = readRecordsBatch(Reader.from(batch));
      return `${topic}/${partition}: ${records.map(({ value }) => String(value)).join(' ')}`;
    }),
  );
}

function toAnswer({ topicData }: ProduceRequest, codes: Readonly<Record<string, number>>): ProduceAnswer {
  const topics = topicData.map(({ topic, partitions }) => ({
    topicName: topic,
    partitions: partitions.map(({ partition }) => ({
      partition,
      errorCode: codes[`${topic}/${partition}`] ?? 0,
    })),
  }));
  return { topics };
}

/**
 * Creates clients whose consumers and producers are fakes; the latest is last. `destroyed` counts closed clients, and `closed` lists
 * the brokers whose connections were closed.
 */
export function fakeKafkaClients() {
  const closed: string[] = [];
  const consumers: FakeKafkajsConsumer[] = [];
  const producers: FakeKafkajsProducer[] = [];
  const destroyed = { count: 0 };
  const createClient = (clientOptions: object) => ({
    kafka: {
      consumer: (consumerOptions: object) => {
        const fake = new FakeKafkajsConsumer({ ...clientOptions, ...consumerOptions });
        consumers.push(fake);
        return fake.consumer;
      },
      producer: () => {
        const fake = new FakeKafkajsProducer();
        producers.push(fake);
        return fake.producer;
      },
    },
    connections: {
      isConnected: () => true,
      close: (broker: string) => closed.push(broker),
      destroy: () => {
        destroyed.count += 1;
      },
    },
    onSilent: () => undefined,
    onUnreadable: () => undefined,
  });
  return {
    createClient: createClient as unknown as CreateKafkajsClient,
    consumers,
    producers,
    destroyed,
    closed,
  };
}
