import type { Codec, Decoded } from '../../../shared/messaging/codec.ts';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import { headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage, OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { isPromise, type SyncOrAsync } from '../../../shared/messaging/sync-or-async.ts';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import type {
  NotificationAcceptance,
  NotificationState,
} from '../../../shared/notification/notification-state.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { createRecordStore, type RecordStore } from '../feed/record-store.ts';
import { createTopicFeed, type TopicFeed } from '../feed/topic-feed.ts';
import type { IngressOptions } from '../server/http-limits.ts';

/** Record names of the messages of the two topics. */
export const ACCEPTANCE_TYPE = 'NotificationAcceptance';
export const STATE_TYPE = 'NotificationState';

/** Lifetime of an Idempotency-Key (N3). */
export const KEY_LIFETIME_MS = 24 * 3_600_000;

/** Overhead of an entry besides its key and value: map slot, object, and the headers of two strings. */
const ENTRY_BYTES = 160;
/** First byte of Avro, the only format of these records. */
const AVRO = 0;
/** Maximum number of own records that wait to be read back from the log; the broker may have lost some of them. */
const MAX_OWN_RECORDS = 10_000;

/**
 * Records are kept encoded, since most are never requested. Strings of one-byte characters take the least memory and are
 * cheap for the garbage collector.
 */
type EncodedStore = RecordStore<string>;
/** A record that is not a tombstone. */
type ReadRecord = LogMessage & { readonly value: Buffer };

export interface NotificationFeedDeps {
  readonly options: IngressOptions;
  readonly codec: Codec;
  readonly clock: Clock;
  /** Publishes the first acceptance of an id again, after this instance wrote a later one. */
  readonly restoreFirst: (message: OutgoingMessage) => void;
}

/**
 * The acceptances and states of all notifications. Every instance keeps them in memory and reads them again after a
 * restart.
 */
export interface NotificationFeed extends TopicFeed {
  /**
   * The acceptance under an id; of several within 24 hours all instances use the first on the log. Synchronous once the
   * schema is cached; rejects while a schema registry cannot be reached.
   */
  acceptance(id: string): SyncOrAsync<NotificationAcceptance | undefined>;
  /** The latest state of the notification. Synchronous or rejecting like `acceptance`. */
  state(id: string): SyncOrAsync<NotificationState | undefined>;
  /** Adds an acceptance that this instance is about to publish; an earlier one on the log replaces it. */
  addAcceptance(id: string, value: Buffer, acceptedAtMs: number): void;
  /** Whether the state of a notification accepted at this time may have been evicted because of the size limit. */
  mayHaveEvictedState(acceptedAtMs: number): boolean;
  size(): { readonly acceptances: number; readonly states: number; readonly bytes: number };
}

/** Follows the topics of acceptances and outcomes. */
export function createNotificationFeed(
  broker: Pick<Broker, 'createTail'>,
  deps: NotificationFeedDeps,
): NotificationFeed {
  const { options, codec, clock } = deps;
  const createStore = (maxBytes: number): EncodedStore =>
    createRecordStore({
      maxBytes,
      retentionMs: options.notificationRetentionMs,
      now: () => clock.now(),
      sizeOf: (key, text) => key.length + text.length + ENTRY_BYTES,
    });
  const acceptances = createStore(options.acceptanceStoreBytes);
  const states = createStore(options.notificationStoreBytes);
  const accepted = createAcceptances(acceptances, deps.restoreFirst);
  const acceptanceTopic = topicName(options.topicPrefix, 'notificationAcceptances');
  const topics = [acceptanceTopic, topicName(options.topicPrefix, 'notificationOutcomes')];
  const feed = createTopicFeed(broker, { clientId: 'ingress-notifications', topics }, (message) => {
    const { key, value, topic, timestampMs } = message;
    if (key === null) return;
    const id = key.toString();
    const isAcceptance = topic === acceptanceTopic;
    if (value === null) (isAcceptance ? acceptances : states).delete(id);
    else if (value[0] !== AVRO) return;
    else if (isAcceptance) accepted.receive(id, { ...message, value });
    else states.put(id, value.toString('latin1'), timestampMs);
  });
  return {
    ...feed,
    acceptance: (id) => decode(codec, ACCEPTANCE_TYPE, acceptances.find(id)?.value),
    state: (id) => decode(codec, STATE_TYPE, states.find(id)?.value),
    addAcceptance: (id, value, acceptedAtMs) => accepted.addOwn(id, value.toString('latin1'), acceptedAtMs),
    mayHaveEvictedState: (acceptedAtMs) => states.mayHaveEvicted(acceptedAtMs),
    size: () => {
      const [ofAcceptances, ofStates] = [acceptances.size(), states.size()];
      return {
        acceptances: ofAcceptances.records,
        states: ofStates.records,
        bytes: ofAcceptances.bytes + ofStates.bytes,
      };
    },
  };
}

/**
 * Two instances that receive the same Idempotency-Key concurrently both publish an acceptance. Compaction keeps the last
 * record of an id, so the instance that published the later one passes the first to `restoreFirst`, marked as the first.
 * All instances then agree on the same acceptance, whether or not the topic was compacted.
 */
function createAcceptances(records: EncodedStore, restoreFirst: (message: OutgoingMessage) => void) {
  /** Published by this instance and not yet read back from the log. */
  const own = new Map<string, string>();
  return {
    addOwn: (id: string, text: string, acceptedAtMs: number): void => {
      own.set(id, text);
      const [oldest] = own.keys();
      if (own.size > MAX_OWN_RECORDS && oldest !== undefined) own.delete(oldest);
      const former = records.find(id);
      if (former === undefined || acceptedAtMs - former.writtenAtMs >= KEY_LIFETIME_MS)
        records.put(id, text, acceptedAtMs);
    },
    receive: (id: string, { topic, value, headers, timestampMs }: ReadRecord): void => {
      const text = value.toString('latin1');
      const written = own.get(id);
      const isOwn = written === text;
      if (isOwn) own.delete(id);
      const former = records.find(id);
      const isLater = former !== undefined && timestampMs - former.writtenAtMs >= KEY_LIFETIME_MS;
      const isEarlier = former !== undefined && former.writtenAtMs - timestampMs >= KEY_LIFETIME_MS;
      const isSeen = former !== undefined && written !== former.value;
      const isMarked = headerText(headers, HEADER.firstAcceptance) !== undefined;
      if (isLater || (!isEarlier && (!isSeen || isMarked))) records.put(id, text, timestampMs);
      else if (isOwn && former !== undefined && former.value !== text) {
        restoreFirst({
          topic,
          key: id,
          value: Buffer.from(former.value, 'latin1'),
          headers: { ...headers, [HEADER.firstAcceptance]: 'true' },
          timestampMs: former.writtenAtMs,
        });
      }
    },
  };
}

/** The payload; undefined for a record that is absent or cannot be read. */
function decode<Payload>(
  codec: Codec,
  type: string,
  text: string | undefined,
): SyncOrAsync<Payload | undefined> {
  if (text === undefined) return undefined;
  const payload = (found: Decoded): Payload | undefined =>
    found.kind === 'decoded' && found.type === type ? (found.payload as Payload) : undefined;
  const found = codec.decode({ value: Buffer.from(text, 'latin1'), headers: {} });
  return isPromise(found) ? found.then(payload) : payload(found);
}
