import { LRUCache } from 'lru-cache';
import { ClockWarning } from '../../../shared/messaging/clock-warning.ts';
import type { Codec, Decoded } from '../../../shared/messaging/codec.ts';
import { formatOf, STATE_TYPE } from '../../../shared/api/notification/state-record.ts';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage, OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import type { DataFile } from '../../../shared/messaging/data-file.ts';
import { IndexedTail } from '../../../shared/messaging/record-index/indexed-tail.ts';
import { RecordIndex, type IndexLimits } from '../../../shared/messaging/record-index/record-index.ts';
import { isTransientFailure } from '../../../shared/messaging/outcome.ts';
import { andThen, isPromise, type SyncOrAsync } from '../../../shared/platform/sync-or-async.ts';
import { topicName } from '../../../shared/messaging/topics/topic-list.ts';
import type {
  NotificationAcceptance,
  NotificationState,
  NotificationStatus,
} from '../../../shared/notification/notification-state.ts';
import { supersedes } from '../../../shared/notification/state-precedence.ts';
import { InfrastructureError } from '../../../shared/platform/errors.ts';
import type { Log } from '../../../shared/platform/log.ts';
import { atMost } from '../../../shared/platform/queue-limits.ts';
import type { SystemPorts } from '../../../shared/platform/system-ports.ts';
import type { IngressOptions } from '../server/http-limits.ts';

export const ACCEPTANCE_TYPE = 'NotificationAcceptance';

/** Lifetime of an Idempotency-Key (N3). */
export const KEY_LIFETIME_MS = 24 * 3_600_000;

/** Maximum number of own records not read back. Drops only stored ones: AcceptanceRecords has at most 20,000 ids. */
const MAX_OWN_RECORDS = 30_000;
const CATCH_UP_MS = 1_000;
const KEY_OF = { acceptance: 'acceptance ', state: 'state ', receipt: 'receipt ' } as const;

interface NotificationFeedDeps extends Pick<SystemPorts, 'clock' | 'monotonic' | 'timers'> {
  readonly options: IngressOptions;
  readonly codec: Codec;
  readonly log: Log;
  readonly indexFile?: DataFile | undefined;
  readonly indexLimits?: Partial<IndexLimits>;
  /** Publishes the first acceptance of an id again, after this instance wrote a later one. */
  readonly restoreFirst: (message: OutgoingMessage) => void;
}

export type NotificationFeed = ReturnType<typeof createNotificationFeed>;

/** The acceptances and states of all notifications. Each instance follows their topics and keeps its own index. */
export function createNotificationFeed(
  broker: Pick<Broker, 'createTail' | 'admin'>,
  deps: NotificationFeedDeps,
) {
  const { options, codec, clock } = deps;
  const index = new RecordIndex({
    ...deps,
    name: 'ingress',
    file: deps.indexFile,
    limits: deps.indexLimits ?? {},
    retentionMs: options.notificationRetentionMs,
  });
  const accepted = createAcceptances(index, deps.restoreFirst);
  const topic = topicName(options.topicPrefix, 'notificationAcceptances');
  const topics = [topic, topicName(options.topicPrefix, 'notificationOutcomes')];
  const receive = ({ key, value, ...message }: LogMessage): SyncOrAsync<void> => {
    if (key === null) return undefined;
    const { timestampMs, headers } = message;
    const isAcceptance = message.topic === topic;
    // Keys of receipts are `<id>/<status>`.
    const [id = '', receipt] = isAcceptance ? [key.toString()] : key.toString().split('/');
    const kind = isAcceptance ? 'acceptance' : receipt === undefined ? 'state' : 'receipt';
    const name = KEY_OF[kind] + id;
    if (value === null) return index.delete(name);
    // Only a sender of JSON gets states in JSON (N13). Values are indexed as they are.
    if (formatOf(value) !== 'avro' && headerText(headers, HEADER.messageType) !== STATE_TYPE)
      return undefined;
    if (isAcceptance) return accepted.receive(id, { ...message, key, value });
    return andThen(compare(codec, value, index.find(name)?.value), ({ isNew, status }) => {
      if (isNew) put(index, name, value, timestampMs);
      if (isNew && status === 'scheduled') accepted.renew(id, { topic, timestampMs });
    });
  };
  const stateAt = (name: string) => decode<NotificationState>(codec, STATE_TYPE, index.find(name)?.value);
  const clockWarning = new ClockWarning(deps);
  const tail = new IndexedTail(
    broker,
    { ...deps, clientId: 'ingress-notifications', topics, index },
    (message) => {
      clockWarning.see(message);
      return andThen(receive(message), () => index.passed({ ...message, offset: message.offset + 1 }));
    },
  );
  return {
    start: () => tail.start(),
    isCurrent: () => tail.isCurrent(),
    /** Resolves with true if all that is on the topics now is read within 1 s. Concurrent calls share queries. */
    catchUp: shareQuestion(() => tail.caughtUp(CATCH_UP_MS)),
    stop: (timeoutMs: number) => tail.stop(timeoutMs),
    /** The acceptance under an id, or undefined. Throws or rejects with InfrastructureError if it cannot be read. */
    acceptance: (id: string) => decode<NotificationAcceptance>(codec, ACCEPTANCE_TYPE, accepted.find(id)),
    /** The latest state of the notification, or undefined. Fails like `acceptance`. */
    state: (id: string) => stateAt(KEY_OF.state + id),
    /** The strongest receipt of the notification (N7), or undefined. Fails like `acceptance`. */
    receipt: (id: string) => stateAt(KEY_OF.receipt + id),
    /** The format of the notification's states, and so of its command (N13). Fails like `acceptance`. */
    formatOf: (id: string) => formatOf(index.find(KEY_OF.state + id)?.value),
    /** The places of records, the newest first, each with the id of a notification if it is its last. Fails like `acceptance`. */
    recent: (before?: string) => readRecent(index, codec, before),
    /** Call before publishing: keeps the acceptance in memory only, until read back, as it may never reach the log. */
    addAcceptance: (id: string, value: Buffer, acceptedAtMs: number): void =>
      void accepted.own.set(id, { value, acceptedAtMs }),
    /** How long acceptances of the last 24 hours may still be missing, because the broker removed them unread. */
    incompleteForMs: () => Math.max(0, index.completeFromMs + KEY_LIFETIME_MS - clock.now()),
    health: () => index.health(),
    size: () => index.size(),
  };
}

/** Calls during a query share the next one, because the answer to the current one may not cover them. */
function shareQuestion(ask: () => Promise<void>): () => Promise<boolean> {
  let asked: Promise<boolean> | undefined;
  let next: Promise<boolean> | undefined;
  const askNow = (): Promise<boolean> => {
    next = undefined;
    const isCaughtUp = ask().then(
      () => true,
      () => false,
    );
    return (asked = isCaughtUp.finally(() => (asked = undefined)));
  };
  return () => (asked === undefined ? askNow() : (next ??= asked.then(askNow)));
}

function put(index: RecordIndex, key: string, value: Uint8Array, writtenAtMs: number): void {
  index.put(key, { value, writtenAtMs, isOpen: false });
}

/**
 * Two instances that receive the same Idempotency-Key concurrently both publish an acceptance. Compaction keeps the
 * last one of an id, so the instance that wrote it publishes the first again with a mark, and all agree on the first.
 */
function createAcceptances(index: RecordIndex, restoreFirst: (message: OutgoingMessage) => void) {
  /** Added by this instance and not yet read back from the log. */
  const own = new LRUCache<string, { readonly value: Buffer; readonly acceptedAtMs: number }>(
    atMost(MAX_OWN_RECORDS),
  );
  const findRead = (id: string) => index.find(KEY_OF.acceptance + id);
  return {
    own,
    find: (id: string): Uint8Array | undefined => {
      const read = findRead(id);
      const added = own.get(id);
      const isNewUse =
        read !== undefined && added !== undefined && added.acceptedAtMs - read.writtenAtMs >= KEY_LIFETIME_MS;
      return read === undefined || isNewUse ? added?.value : read.value;
    },
    /** Writes the acceptance of a scheduled notification again after a day, so that it does not expire too early. */
    renew: (id: string, at: { readonly topic: string; readonly timestampMs: number }): void => {
      const known = findRead(id);
      if (known === undefined || at.timestampMs - known.writtenAtMs < KEY_LIFETIME_MS) return;
      restoreFirst({ ...at, key: id, value: Buffer.from(known.value) });
    },
    receive: (id: string, message: LogMessage & { readonly value: Buffer }): void => {
      const { topic, value, headers, timestampMs } = message;
      const isOwn = own.get(id)?.value.equals(value) === true;
      if (isOwn) own.delete(id);
      const former = findRead(id);
      const isLater = former !== undefined && timestampMs - former.writtenAtMs >= KEY_LIFETIME_MS;
      const isEarlier = former !== undefined && former.writtenAtMs - timestampMs >= KEY_LIFETIME_MS;
      const isMarked = headerText(headers, HEADER.firstAcceptance) !== undefined;
      if (isLater || (!isEarlier && (former === undefined || isMarked))) {
        put(index, KEY_OF.acceptance + id, value, timestampMs);
      } else if (isOwn && former !== undefined && !value.equals(former.value)) {
        restoreFirst({
          topic,
          key: id,
          value: Buffer.from(former.value),
          headers: { ...headers, [HEADER.firstAcceptance]: 'true' },
          timestampMs: former.writtenAtMs,
        });
      }
    },
  };
}

async function* readRecent(index: RecordIndex, codec: Codec, before?: string) {
  for (const { value, place, isOf } of index.recent(before)) {
    const found = await decodeValue(codec, STATE_TYPE, value);
    const id = found.kind === 'decoded' ? (found.payload as NotificationState).notificationId : '';
    const last = [KEY_OF.receipt, KEY_OF.state, KEY_OF.acceptance].find((key) => index.find(key + id));
    yield { place, notificationId: last !== undefined && isOf(last + id) ? id : undefined };
  }
}

/** Whether a state supersedes the known one. If one of the two cannot be read, the order of the log decides. */
function compare(
  codec: Codec,
  value: Uint8Array,
  former: Uint8Array | undefined,
): SyncOrAsync<{ readonly isNew: boolean; readonly status?: NotificationStatus }> {
  if (former === undefined) return { isNew: true };
  try {
    const read = (one: Uint8Array) => decode<NotificationState>(codec, STATE_TYPE, one);
    const compared = andThen(read(former), (known) =>
      andThen(read(value), (next) => ({
        isNew: next === undefined || supersedes(next, known),
        ...(next !== undefined && { status: next.status }),
      })),
    );
    return isPromise(compared) ? compared.catch(() => ({ isNew: true })) : compared;
  } catch (error) {
    if (!isTransientFailure(error)) throw error;
    return { isNew: true };
  }
}

/** `type`: that of a value in JSON. */
function decodeValue(codec: Codec, type: string, value: Uint8Array): SyncOrAsync<Decoded> {
  return codec.decode({ value: Buffer.from(value), headers: { [HEADER.messageType]: type } });
}

/** Rejects or throws with InfrastructureError for a record that cannot be read. */
function decode<Payload>(
  codec: Codec,
  type: string,
  value: Uint8Array | undefined,
): SyncOrAsync<Payload | undefined> {
  if (value === undefined) return undefined;
  return andThen(decodeValue(codec, type, value), (found) => {
    if (found.kind === 'decoded' && found.type === type) return found.payload as Payload;
    throw new InfrastructureError(
      'record-unreadable',
      `a record of a notification is not a readable ${type}`,
    );
  });
}
