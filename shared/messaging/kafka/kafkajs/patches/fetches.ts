import { AsyncLocalStorage } from 'node:async_hooks';
import { committedBatches, openBatches, type OpenBatch } from '../../common/consuming/record-batches.ts';
import { partitionId, type TopicPartition } from '../../../message.ts';
import { kafkajsPrototype, replaceExport, replaceFunction } from './internals.ts';

/** A broker's response to one fetch request. */
export interface FetchAnswer {
  /** No partition has records, so none was omitted because of the size limit. */
  readonly isEmpty: boolean;
  readonly partitions: readonly FetchedPartition[];
}

interface FetchedPartition extends TopicPartition {
  /** The requested offset: the consumer has passed all before it. */
  readonly from: number;
  /** The last stable offset: no message below it belongs to an open transaction. */
  readonly stableEnd: number;
  readonly isEmpty: boolean;
}

/** A record batch in place of a message of kafkajs. */
export interface FetchedBatch {
  /** Its last offset. */
  readonly offset: string;
  /** It is no end of a transaction, and belongs to none that was aborted. */
  readonly isDelivered: boolean;
  readonly batch: OpenBatch;
}

/** Receives the answers to the fetches of one consumer. */
export type OnFetchAnswer = (answer: FetchAnswer) => void;

interface FetchRequest {
  readonly topics: readonly {
    readonly topic: string;
    readonly partitions: readonly { readonly partition: number; readonly fetchOffset: string }[];
  }[];
}

interface FetchResponse {
  readonly responses: readonly {
    readonly topicName: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly lastStableOffset: string;
      readonly abortedTransactions: readonly { readonly producerId: string; readonly firstOffset: string }[];
      readonly messages: readonly FetchedBatch[];
    }[];
  }[];
}

interface Broker {
  fetch: (request: FetchRequest) => Promise<FetchResponse>;
}

interface Decoder {
  readInt32(): number;
  canReadBytes(count: number): boolean;
  readBytes(count: number): Buffer;
}

type DecodeMessages = (decoder: Decoder) => Promise<unknown[]>;

/** Set by `fetchListeners.run()` around `run()` of a consumer, for all its fetches. */
export const fetchListeners = new AsyncLocalStorage<OnFetchAnswer>();

/**
 * Reports fetch responses to `fetchListeners`. Such fetches return FetchedBatch in place of messages, and leave out partitions without any:
 * kafkajs would handle each, and send a heartbeat for it.
 */
export function reportFetchAnswers(): void {
  replaceExport<DecodeMessages>(
    'protocol/requests/fetch/v4/decodeMessages',
    USERS,
    (original) => (decoder) =>
      fetchListeners.getStore() === undefined ? original(decoder) : decodeMessages(decoder),
  );
  const prototype = kafkajsPrototype('broker') as Broker;
  replaceFunction(prototype, 'fetch', function fetchAndReport(fetch, request) {
    const listener = fetchListeners.getStore();
    if (listener === undefined) return fetch.call(this, request);
    return fetch.call(this, request).then((response) => reportAnswer(listener, request, response));
  });
}

const USERS = /kafkajs\/src\/protocol\/requests\/fetch\/v\d+\/response\.js$/;

async function decodeMessages(decoder: Decoder): Promise<FetchedBatch[]> {
  const size = decoder.readInt32();
  if (size <= 0 || !decoder.canReadBytes(size)) return [];
  const batches = await openBatches(decoder.readBytes(size));
  return batches.map((batch) => ({ offset: String(batch.lastOffset), isDelivered: true, batch }));
}

function reportAnswer(
  onAnswer: OnFetchAnswer,
  { topics }: FetchRequest,
  { responses }: FetchResponse,
): FetchResponse {
  const from = new Map(
    topics.flatMap(({ topic, partitions }) =>
      partitions.map(
        ({ partition, fetchOffset }) => [partitionId(topic, partition), Number(fetchOffset)] as const,
      ),
    ),
  );
  const partitions = responses.flatMap(({ topicName: topic, partitions: answered }) =>
    answered.map(({ partition, lastStableOffset, messages }) => ({
      topic,
      partition,
      from: from.get(partitionId(topic, partition)) ?? 0,
      stableEnd: Number(lastStableOffset),
      isEmpty: messages.length === 0,
    })),
  );
  onAnswer({ isEmpty: partitions.every(({ isEmpty }) => isEmpty), partitions });
  return { responses: responses.map(withRecords) };
}

/** The partitions with records, whose end is that of what can be read. */
function withRecords({ topicName, partitions }: FetchResponse['responses'][number]) {
  const filled = partitions.filter(({ messages }) => messages.length > 0);
  return {
    topicName,
    partitions: filled.map((one) => ({
      ...one,
      highWatermark: one.lastStableOffset,
      messages: committed(one),
      abortedTransactions: [],
    })),
  };
}

function committed({
  messages,
  abortedTransactions,
}: FetchResponse['responses'][number]['partitions'][number]): FetchedBatch[] {
  const aborted = abortedTransactions.map(({ producerId, firstOffset }) => {
    return { producerId: BigInt(producerId), firstOffset: Number(firstOffset) };
  });
  const delivered = committedBatches(
    messages.map(({ batch }) => batch),
    aborted,
  );
  return messages.map((message) => ({ ...message, isDelivered: delivered.has(message.batch) }));
}
