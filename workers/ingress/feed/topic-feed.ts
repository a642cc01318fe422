import type { LogMessage } from '../../../shared/messaging/message.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';

/** Time to read some days of records after a restart; an instance that needs longer does not start. */
const CATCH_UP_MS = 60_000;

/** Topics that every instance reads from the beginning into its memory. */
export interface TopicFeed {
  /** Resolves when all existing records have been received. */
  start(): Promise<void>;
  /** Started, and following. */
  isCurrent(): boolean;
  stop(timeoutMs: number): Promise<void>;
}

/** Passes every message of the topics to `receive`, in order per partition. */
export function createTopicFeed(
  broker: Broker,
  { clientId, topics }: { readonly clientId: string; readonly topics: readonly string[] },
  receive: (message: LogMessage) => void,
): TopicFeed {
  const tail = broker.createTail({ clientId, topics, from: 'earliest' });
  let isCaughtUp = false;
  return {
    start: async () => {
      await tail.start(receive);
      await tail.caughtUp(CATCH_UP_MS);
      isCaughtUp = true;
    },
    isCurrent: () => isCaughtUp && tail.isReady(),
    stop: (timeoutMs) => tail.stop(timeoutMs),
  };
}
