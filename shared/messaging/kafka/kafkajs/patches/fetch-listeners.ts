import { AsyncLocalStorage } from 'node:async_hooks';
import type { TopicPartition } from '../../../message.ts';
import type { UnreadableBatch } from '../../common/batches/check-batches.ts';
import { kafkajsModule, replaceFunction } from './internals.ts';
import type { DecodedRecord } from './unreadable-batches.ts';

/** A broker's response to one fetch request. */
export interface FetchAnswer {
  /** No partition has records, so none was omitted because of the size limit. */
  readonly isEmpty: boolean;
  readonly partitions: readonly FetchedPartition[];
}

export interface FetchedPartition extends TopicPartition {
  /** The requested offset: the consumer has delivered all messages below it. */
  readonly from: number;
  /** The last stable offset: no message below it belongs to an open transaction. */
  readonly stableEnd: number;
  readonly isEmpty: boolean;
  readonly unreadable: readonly UnreadableBatch[];
}

interface FetchRequest {
  /** How long the broker waits for records, in milliseconds. */
  readonly maxWaitTime?: number;
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
      readonly lastStableOffset?: string;
      readonly messages: readonly DecodedRecord[];
    }[];
  }[];
}

/** A broker of kafkajs, which sends fetches on a connection of their own. */
interface FetchingBroker {
  readonly connectionPool: {
    readonly pool: readonly { readonly requestQueue: { rejectAll(error: Error): void } }[];
  };
}

interface BrokerClass {
  readonly prototype: { fetch: (this: FetchingBroker, request: FetchRequest) => Promise<FetchResponse> };
}

/** The fetches of one consumer. */
export interface RunFetches {
  answered(answer: FetchAnswer): void;
  /** How long the next fetch waits for records, in milliseconds. */
  maxWaitMs(): number;
  /** Ends the pending fetches; set while there are some, by the broker that they were sent to. */
  readonly pending: Map<object, () => void>;
}

/** Index of the connection for fetches (connectionPool.js). */
const FETCH_CONNECTION = 1;
const NOTHING_FETCHED: FetchResponse = { responses: [] };

/** Set by `fetchListeners.run()` around `run()` of a consumer, for all its fetches. */
export const fetchListeners = new AsyncLocalStorage<RunFetches>();

/** Reports fetch responses to `fetchListeners`, which choose how long a fetch waits and may end it. */
export function reportFetchAnswers(): void {
  const { prototype } = kafkajsModule('broker') as BrokerClass;
  replaceFunction(prototype, 'fetch', function fetchAndReport(fetch, request) {
    const listener = fetchListeners.getStore();
    if (listener === undefined) return fetch.call(this, request);
    const sent = fetch.call(this, { ...request, maxWaitTime: listener.maxWaitMs() });
    return reportAnswer(this, { listener, request, sent });
  });
}

async function reportAnswer(
  broker: FetchingBroker,
  fetch: { listener: RunFetches; request: FetchRequest; sent: Promise<FetchResponse> },
): Promise<FetchResponse> {
  const { listener, request, sent } = fetch;
  let isEnded = false;
  listener.pending.set(fetch, () => {
    isEnded = true;
    broker.connectionPool.pool[FETCH_CONNECTION]?.requestQueue.rejectAll(new Error('the fetch was ended'));
  });
  try {
    const response = await sent;
    listener.answered(toFetchAnswer(request, response));
    return response;
  } catch (error) {
    if (isEnded) return NOTHING_FETCHED;
    throw error;
  } finally {
    listener.pending.delete(fetch);
  }
}

function toFetchAnswer({ topics }: FetchRequest, { responses }: FetchResponse): FetchAnswer {
  const requested = new Map(topics.map(({ topic, partitions }) => [topic, partitions]));
  const fetched = responses.flatMap(({ topicName, partitions }) =>
    partitions.map(({ partition, lastStableOffset, messages }): FetchedPartition => {
      const request = requested.get(topicName)?.find((one) => one.partition === partition);
      return {
        topic: topicName,
        partition,
        from: Number(request?.fetchOffset ?? 0),
        stableEnd: Number(lastStableOffset ?? -1),
        isEmpty: messages.length === 0,
        unreadable: messages.flatMap(({ unreadable }) => (unreadable === undefined ? [] : [unreadable])),
      };
    }),
  );
  return { isEmpty: fetched.every(({ isEmpty }) => isEmpty), partitions: fetched };
}
