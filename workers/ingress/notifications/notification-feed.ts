import type { Codec, Decoded } from '../../../shared/messaging/codec.ts';
import { isPromise, type MaybePromise } from '../../../shared/messaging/sync-or-async.ts';
import type { LogMessage, OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import type {
  NotificationAcceptance,
  NotificationState,
} from '../../../shared/notification/notification-state.ts';
import { createAcceptanceStore, type AcceptanceStore } from './acceptance-store.ts';
import { createRecordStore, type RecordStore } from '../feed/record-store.ts';

/** Record names of what is followed. */
export const ACCEPTANCE_TYPE = 'NotificationAcceptance';
export const STATE_TYPE = 'NotificationState';

/** Time to read some days of records after a restart; an instance that needs longer does not start. */
const CATCH_UP_MS = 60_000;
/** First byte of Avro: nobody writes these records in another format. */
const AVRO = 0;

export interface NotificationFeedOptions {
  readonly topicPrefix: string;
  readonly codec: Codec;
  readonly now: () => number;
  readonly acceptanceBytes: number;
  readonly stateBytes: number;
  /** Records are forgotten after so long. */
  readonly retentionMs: number;
  /** Gets the acceptance that came first on the log, when one that this instance wrote came later. */
  readonly writeAgain: (message: OutgoingMessage) => void;
}

/** What was accepted and what has become of it, followed from the beginning: so any instance knows, also after a restart. */
export interface NotificationFeed {
  /** What was accepted under the id. At once when the schema is known; rejects while a registry is away. */
  acceptance(id: string): MaybePromise<NotificationAcceptance | undefined>;
  /** The latest state of the notification, likewise. */
  state(id: string): MaybePromise<NotificationState | undefined>;
  /** Takes what this instance wrote itself, so that it knows before the log tells. */
  addAcceptance(id: string, value: Buffer, acceptedAtMs: number): void;
  /** Whether the state of a notification accepted then may have been dropped for lack of room. */
  mayHaveDroppedState(acceptedAtMs: number): boolean;
  /** Resolves when all that was there has been read. */
  start(): Promise<void>;
  /** Started, and following. */
  isCurrent(): boolean;
  size(): { readonly acceptances: number; readonly states: number; readonly bytes: number };
  stop(timeoutMs: number): Promise<void>;
}

export function createNotificationFeed(broker: Broker, options: NotificationFeedOptions): NotificationFeed {
  const { topicPrefix, codec, now, retentionMs } = options;
  const acceptances = createRecordStore({ maxBytes: options.acceptanceBytes, retentionMs, now });
  const accepted = createAcceptanceStore(acceptances, options.writeAgain);
  const states = createRecordStore({ maxBytes: options.stateBytes, retentionMs, now });
  const acceptanceTopic = topicName(topicPrefix, 'notificationAcceptances');
  const tail = broker.createTail({
    clientId: 'ingress-notifications',
    topics: [acceptanceTopic, topicName(topicPrefix, 'notificationOutcomes')],
    from: 'earliest',
  });
  let caughtUp = false;
  return {
    acceptance: (id) => decoded(codec, ACCEPTANCE_TYPE, acceptances.find(id)),
    state: (id) => decoded(codec, STATE_TYPE, states.find(id)),
    addAcceptance: (id, value, acceptedAtMs) => accepted.addOwn(id, value, acceptedAtMs),
    mayHaveDroppedState: (acceptedAtMs) => states.mayHaveDropped(acceptedAtMs),
    start: async () => {
      await tail.start((message) => {
        if (message.topic === acceptanceTopic)
          keep(message, acceptances, (id, record) => accepted.keep(id, record));
        else keep(message, states, (id, { value, timestampMs }) => states.put(id, value, timestampMs));
      });
      await tail.caughtUp(CATCH_UP_MS);
      caughtUp = true;
    },
    isCurrent: () => caughtUp && tail.isReady(),
    size: () => {
      const [kept, told] = [acceptances.size(), states.size()];
      return { acceptances: kept.records, states: told.records, bytes: kept.bytes + told.bytes };
    },
    stop: (timeoutMs) => tail.stop(timeoutMs),
  };
}

function keep(message: LogMessage, store: RecordStore, put: AcceptanceStore['keep']): void {
  const { key, value } = message;
  if (key === null) return;
  if (value === null) store.delete(key.toString());
  else if (value[0] === AVRO) put(key.toString(), { ...message, value });
}

/** The payload; undefined for a record that cannot be read, whoever wrote it. */
function decoded<Payload>(
  codec: Codec,
  type: string,
  value: Buffer | undefined,
): MaybePromise<Payload | undefined> {
  if (value === undefined) return undefined;
  const payload = (found: Decoded): Payload | undefined =>
    found.kind === 'decoded' && found.type === type ? (found.payload as Payload) : undefined;
  const found = codec.decode({ value, headers: {} });
  return isPromise(found) ? found.then(payload) : payload(found);
}
