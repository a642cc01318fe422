import type { Broker } from '../../../shared/messaging/ports.ts';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import { createResultStore, type ResultStore, type ResultStoreOptions } from './result-store.ts';

/** Time to read an hour of results after a restart; an instance that needs longer does not start. */
const CATCH_UP_MS = 60_000;

/** The results topic, followed from its beginning into this instance's store: so any instance answers for any result. */
export interface ResultFeed {
  readonly store: ResultStore;
  /** Resolves when all results that were there are in the store. */
  start(): Promise<void>;
  /** Started, and following. */
  isCurrent(): boolean;
  stop(timeoutMs: number): Promise<void>;
}

export function createResultFeed(
  broker: Broker,
  options: ResultStoreOptions & { readonly topicPrefix: string },
): ResultFeed {
  const store = createResultStore(options);
  const tail = broker.createTail({
    clientId: 'ingress-results',
    topics: [topicName(options.topicPrefix, 'ingressResults')],
    from: 'earliest',
  });
  let caughtUp = false;
  return {
    store,
    start: async () => {
      await tail.start((message) => store.add(message));
      await tail.caughtUp(CATCH_UP_MS);
      caughtUp = true;
    },
    isCurrent: () => caughtUp && tail.isReady(),
    stop: (timeoutMs) => tail.stop(timeoutMs),
  };
}
