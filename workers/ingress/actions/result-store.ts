import type { EncodedMessage } from '../../../shared/messaging/codec.ts';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import { headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';
import { createRecordStore, type RecordStore, type RecordStoreOptions } from '../feed/record-store.ts';

/** Overhead of an entry besides its value: map slot, headers, strings. */
const ENTRY_BYTES = 512;

/** The results topic in the memory of this instance, still encoded: most results are never requested from it. */
export interface ResultStore extends Pick<RecordStore<EncodedMessage>, 'mayHaveEvicted' | 'size'> {
  /** Adds a message of the results topic. The first answer to a correlation id wins (delivery is at least once). */
  add(message: LogMessage): void;
  find(correlationId: string): EncodedMessage | undefined;
}

/** Bounded by age and by bytes; the oldest results are evicted first. */
export function createResultStore(options: Omit<RecordStoreOptions<EncodedMessage>, 'sizeOf'>): ResultStore {
  const results = createRecordStore({ ...options, sizeOf: measureResult });
  return {
    add: ({ value, headers, timestampMs }) => {
      const id = headerText(headers, HEADER.correlationId);
      const isExpired = timestampMs < options.now() - options.retentionMs;
      if (id === undefined || isExpired || results.find(id) !== undefined) return;
      results.put(id, { value, headers }, timestampMs);
    },
    find: (correlationId) => results.find(correlationId)?.value,
    mayHaveEvicted: (issuedAtMs) => results.mayHaveEvicted(issuedAtMs),
    size: () => results.size(),
  };
}

function measureResult(_id: string, { value }: EncodedMessage): number {
  return (value?.length ?? 0) + ENTRY_BYTES;
}
