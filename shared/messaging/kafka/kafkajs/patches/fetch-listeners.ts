import { AsyncLocalStorage } from 'node:async_hooks';
import {
  decodeFetch,
  encodeFetch,
  type FetchAnswer,
  type FetchRequest,
  type KafkajsFetchResponse,
} from './fetch-messages.ts';
import { kafkajsModule, replaceFunction } from './internals.ts';

/** A broker of kafkajs, which sends fetches on a connection of their own. */
interface FetchingBroker {
  readonly connectionPool: { readonly pool: readonly FetchConnection[] };
}

interface FetchConnection {
  readonly requestQueue: { readonly inflight: ReadonlyMap<number, unknown>; rejectAll(error: Error): void };
  disconnect(): Promise<unknown>;
}

interface BrokerClass {
  readonly prototype: {
    fetch: (this: FetchingBroker, request: FetchRequest) => Promise<KafkajsFetchResponse>;
  };
}

interface FetchDefinition {
  protocol: (choice: { version: number }) => (request: FetchRequest) => {
    readonly request: { readonly encode: () => Promise<unknown> };
    readonly response: { readonly decode: (raw: Buffer) => Promise<unknown>; readonly parse: unknown };
  };
}

/** The fetches of one consumer. */
export interface RunFetches {
  answered(answer: FetchAnswer): void;
  /** How long the next fetch waits for records, in milliseconds. */
  maxWaitMs(): number;
  /** Ends the pending fetches; set while there are some. */
  readonly pending: Map<object, () => void>;
  /** Sends a heartbeat if the last one is old enough; set when the first fetch begins. */
  heartbeat?: () => Promise<void>;
}

/** Index of the connection for fetches (connectionPool.js). */
const FETCH_CONNECTION = 1;
const NOTHING_FETCHED: KafkajsFetchResponse = { responses: [], answer: { isEmpty: true, partitions: [] } };

/** Set by `fetchListeners.run()` around `run()` of a consumer, for all its fetches. */
export const fetchListeners = new AsyncLocalStorage<RunFetches>();

/**
 * Reports fetch responses to `fetchListeners`, which choose how long a fetch waits and may end it. Such fetches return
 * FetchedMessages in place of records; those without a listener are unchanged.
 */
export function reportFetchAnswers(): void {
  const definition = kafkajsModule('protocol/requests/fetch') as FetchDefinition;
  replaceFunction(definition, 'protocol', (protocol, choice) => {
    const make = protocol(choice);
    return (request) => {
      const made = make(request);
      if (fetchListeners.getStore() === undefined) return made;
      const { version } = choice;
      const encode = async () => encodeFetch(version, request) ?? made.request.encode();
      const decode = (raw: Buffer) => decodeFetch(version, raw, request.topics);
      const { parse } = made.response;
      return { ...made, request: { ...made.request, encode }, response: { decode, parse } };
    };
  });
  const { prototype } = kafkajsModule('broker') as BrokerClass;
  replaceFunction(prototype, 'fetch', function fetchAndReport(fetch, request) {
    const listener = fetchListeners.getStore();
    if (listener === undefined) return fetch.call(this, request);
    const sent = fetch.call(this, { ...request, maxWaitTime: listener.maxWaitMs() });
    return reportAnswer(this, listener, sent);
  });
}

async function reportAnswer(
  broker: FetchingBroker,
  listener: RunFetches,
  sent: Promise<KafkajsFetchResponse>,
): Promise<KafkajsFetchResponse> {
  let isEnded = false;
  listener.pending.set(sent, () => {
    isEnded = true;
    endFetches(broker.connectionPool.pool[FETCH_CONNECTION]);
  });
  try {
    const response = await sent;
    listener.answered(response.answer);
    return response;
  } catch (error) {
    if (isEnded) return NOTHING_FETCHED;
    throw error;
  } finally {
    listener.pending.delete(sent);
  }
}

/** Closes the connection, since the broker would answer the next request on it only after the fetch. */
function endFetches(connection: FetchConnection | undefined): void {
  if (connection === undefined || connection.requestQueue.inflight.size === 0) return;
  connection.requestQueue.rejectAll(new Error('the fetch was ended'));
  connection.disconnect().catch(() => undefined);
}
