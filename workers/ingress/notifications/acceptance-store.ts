import { HEADER } from '../../../shared/messaging/header-names.ts';
import { headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage, OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { RecordStore } from '../feed/record-store.ts';

/** An Idempotency-Key counts for so long (N3). */
export const KEY_COUNTS_MS = 24 * 3_600_000;

/** Records that the broker may have lost are not waited for without end. */
const MOST_OWN = 10_000;

/** A record that was read, not a tombstone. */
export type AcceptanceRecord = LogMessage & { readonly value: Buffer };

/** What was accepted, by id: of several acceptances of one id within 24 hours the first on the log counts, everywhere. */
export interface AcceptanceStore {
  /** Takes what this instance is about to write, which counts until the log shows another one first. */
  addOwn(id: string, value: Buffer, acceptedAtMs: number): void;
  /** Takes the next record of the log. */
  keep(id: string, record: AcceptanceRecord): void;
}

/**
 * Two instances that get the same Idempotency-Key in the same moment both write an acceptance. Compaction keeps the last
 * record of an id, so the instance whose own one came later gives the first one to `writeAgain`, marked as the first:
 * whichever of the records are left, every instance ends with the same one.
 */
export function createAcceptanceStore(
  records: RecordStore,
  writeAgain: (message: OutgoingMessage) => void,
): AcceptanceStore {
  /** Written here and not yet seen on the log. */
  const own = new Map<string, Buffer>();
  return {
    addOwn: (id, value, acceptedAtMs) => {
      own.set(id, value);
      const [oldest] = own.keys();
      if (own.size > MOST_OWN && oldest !== undefined) own.delete(oldest);
      const former = records.entry(id);
      if (former === undefined || acceptedAtMs - former.writtenAtMs >= KEY_COUNTS_MS)
        records.put(id, value, acceptedAtMs);
    },
    keep: (id, { topic, value, headers, timestampMs }) => {
      const written = own.get(id);
      const isOwn = written?.equals(value) === true;
      if (isOwn) own.delete(id);
      const former = records.entry(id);
      const isLater = former !== undefined && timestampMs - former.writtenAtMs >= KEY_COUNTS_MS;
      const isEarlier = former !== undefined && former.writtenAtMs - timestampMs >= KEY_COUNTS_MS;
      const isSeen = former !== undefined && written?.equals(former.value) !== true;
      const isMarked = headerText(headers, HEADER.firstAcceptance) !== undefined;
      if (isLater || (!isEarlier && (!isSeen || isMarked))) records.put(id, value, timestampMs);
      else if (isOwn && former !== undefined && !former.value.equals(value)) {
        writeAgain({
          topic,
          key: id,
          value: former.value,
          headers: { ...headers, [HEADER.firstAcceptance]: 'true' },
          timestampMs: former.writtenAtMs,
        });
      }
    },
  };
}
