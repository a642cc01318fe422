import type { LogMessage } from '../../../shared/messaging/message.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';

/** Time limit for reading the retained records at startup; an instance that needs longer does not start. */
const CATCH_UP_MS = 60_000;

/** Topics that every instance reads from the beginning into its memory and then follows. */
export interface TopicFeed {
  /** Resolves when all existing records have been received. */
  start(): Promise<void>;
  /** Whether all existing records have been received and new ones are being received. */
  isCurrent(): boolean;
  stop(timeoutMs: number): Promise<void>;
}

/** Passes every message of the topics to `receive`, in order per partition. */
export function createTopicFeed(
  broker: Pick<Broker, 'createTail'>,
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
