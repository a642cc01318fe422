import { LRUCache } from 'lru-cache';
import { atMost } from '../../../shared/platform/at-most.ts';
import type { EncodedMessage } from '../../../shared/messaging/codec.ts';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import { headerText } from '../../../shared/messaging/headers.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { callerIn } from './result-ids.ts';
import { createResultStore, type ResultStore } from './result-store.ts';
import { createTopicFeed, type TopicFeed } from '../feed/topic-feed.ts';
import type { IngressOptions } from '../server/http-limits.ts';

/** Overhead of an entry besides its value: map slot, headers, strings. */
const ENTRY_BYTES = 512;
/** Maximum number of callbacks that wait for a result; the oldest are dropped first. */
const MAX_CALLBACKS = 10_000;
/** A result may seem to be older than its request by this: processes differ in what they take for the time of the broker. */
const CLOCK_DIFFERENCE_MS = 60_000;

/** The results topic in memory, still encoded: most results are never requested from this instance. */
export interface ResultFeed
  extends TopicFeed, Pick<ResultStore<EncodedMessage>, 'isEvicted' | 'mayHaveEvicted' | 'size'> {
  /** The first result of a correlation id; later ones are ignored (delivery is at least once). */
  find(correlationId: string): EncodedMessage | undefined;
  /** Calls back when the result of a correlation id arrives, unless very many later ones were asked for before. */
  onArrival(correlationId: string, callback: () => void): void;
}

/** Follows the results topic. The store is bounded by age and by bytes, which the callers share. */
export function createResultFeed(
  broker: Pick<Broker, 'createTail'>,
  { options, clock }: { readonly options: IngressOptions; readonly clock: Clock },
): ResultFeed {
  // From the deadline of a request on; its result may have been there at once.
  const retentionMs = options.asyncTimeoutMs + options.resultRetentionMs;
  const results = createResultStore<EncodedMessage>({
    maxBytes: options.resultStoreBytes,
    retentionMs,
    now: () => clock.now(),
    sizeOf: (_id, { value }) => (value?.length ?? 0) + ENTRY_BYTES,
    callerOf: callerIn,
  });
  const callbacks = new LRUCache<string, () => void>(atMost(MAX_CALLBACKS));
  const topics = [topicName(options.topicPrefix, 'ingressResults')];
  const feed = createTopicFeed(broker, { clientId: 'ingress-results', topics }, (message) => {
    const { value, headers, timestampMs } = message;
    const id = headerText(headers, HEADER.correlationId);
    const isExpired = timestampMs < clock.now() - retentionMs;
    if (id === undefined || isExpired || results.isEvicted(id) || results.find(id) !== undefined) return;
    results.put(id, { value, headers }, timestampMs);
    callbacks.get(id)?.();
    callbacks.delete(id);
  });
  return {
    ...feed,
    find: (correlationId) => results.find(correlationId)?.value,
    onArrival: (correlationId, callback) => void callbacks.set(correlationId, callback),
    isEvicted: (id) => results.isEvicted(id),
    mayHaveEvicted: (issuedAtMs) => results.mayHaveEvicted(issuedAtMs - CLOCK_DIFFERENCE_MS),
    size: () => results.size(),
  };
}
