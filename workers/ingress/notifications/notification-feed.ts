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

/** Record names of the topics' messages. */
export const ACCEPTANCE_TYPE = 'NotificationAcceptance';
export const STATE_TYPE = 'NotificationState';

/** Lifetime of an Idempotency-Key (N3). */
export const KEY_COUNTS_MS = 24 * 3_600_000;

/** Memory of an entry besides its key and value: map slot, object, and the headers of two strings. */
const ENTRY_BYTES = 160;
/** First byte of Avro, the only format of these records. */
const AVRO = 0;
/** Maximum number of own records that are awaited, since the broker may have lost some. */
const MAX_OWN_RECORDS = 10_000;

/** Encoded records, since most are never requested: one-byte characters cost the least memory and no collection. */
type EncodedStore = RecordStore<string>;
/** A record that was read, not a tombstone. */
type ReadRecord = LogMessage & { readonly value: Buffer };

export interface NotificationFeedDeps {
  readonly options: IngressOptions;
  readonly codec: Codec;
  readonly clock: Clock;
  /** Rewrites the first acceptance on the log if this instance wrote a later one. */
  readonly writeAgain: (message: OutgoingMessage) => void;
}

/** The acceptances and states of notifications, known to every instance, also after a restart. */
export interface NotificationFeed extends TopicFeed {
  /**
   * What was accepted under an id; of several acceptances within 24 hours the first on the log counts, everywhere. At
   * once when the schema is known; rejects while a schema registry cannot be reached.
   */
  acceptance(id: string): SyncOrAsync<NotificationAcceptance | undefined>;
  /** The latest state of the notification, likewise. */
  state(id: string): SyncOrAsync<NotificationState | undefined>;
  /** Adds an acceptance that this instance is about to write: valid until the log has an earlier one. */
  addAcceptance(id: string, value: Buffer, acceptedAtMs: number): void;
  /** Whether the state of a notification accepted then may have been evicted because of the size limit. */
  mayHaveEvictedState(acceptedAtMs: number): boolean;
  size(): { readonly acceptances: number; readonly states: number; readonly bytes: number };
}

/** Follows the topics of acceptances and outcomes. */
export function createNotificationFeed(broker: Broker, deps: NotificationFeedDeps): NotificationFeed {
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
  const accepted = createAcceptances(acceptances, deps.writeAgain);
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
 * Two instances that receive the same Idempotency-Key concurrently both write an acceptance. Compaction keeps the last
 * record of an id, so the instance whose own one came later gives the first one to `writeAgain`, marked as the first:
 * regardless of compaction, every instance ends with the same one.
 */
function createAcceptances(records: EncodedStore, writeAgain: (message: OutgoingMessage) => void) {
  /** Written by this instance and not yet read from the log. */
  const own = new Map<string, string>();
  return {
    addOwn: (id: string, text: string, acceptedAtMs: number): void => {
      own.set(id, text);
      const [oldest] = own.keys();
      if (own.size > MAX_OWN_RECORDS && oldest !== undefined) own.delete(oldest);
      const former = records.find(id);
      if (former === undefined || acceptedAtMs - former.writtenAtMs >= KEY_COUNTS_MS)
        records.put(id, text, acceptedAtMs);
    },
    receive: (id: string, { topic, value, headers, timestampMs }: ReadRecord): void => {
      const text = value.toString('latin1');
      const written = own.get(id);
      const isOwn = written === text;
      if (isOwn) own.delete(id);
      const former = records.find(id);
      const isLater = former !== undefined && timestampMs - former.writtenAtMs >= KEY_COUNTS_MS;
      const isEarlier = former !== undefined && former.writtenAtMs - timestampMs >= KEY_COUNTS_MS;
      const isSeen = former !== undefined && written !== former.value;
      const isMarked = headerText(headers, HEADER.firstAcceptance) !== undefined;
      if (isLater || (!isEarlier && (!isSeen || isMarked))) records.put(id, text, timestampMs);
      else if (isOwn && former !== undefined && former.value !== text) {
        writeAgain({
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
