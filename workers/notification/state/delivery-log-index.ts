import type { RecordIndex } from '../../../shared/messaging/record-index/record-index.ts';
import type { NotificationState } from '../../../shared/notification/notification-state.ts';
import { supersedes } from '../../../shared/notification/state-precedence.ts';
import type { Clock, MonotonicClock } from '../../../shared/platform/system-ports.ts';

/** The part of a notification's state on the log on which decisions depend. */
export type LogEntry = Pick<NotificationState, 'status' | 'attempt'> &
  Partial<
    Pick<
      NotificationState,
      | 'channel'
      | 'owner'
      | 'leaseUntil'
      | 'nextAttemptAt'
      | 'code'
      | 'attempts'
      | 'providers'
      | 'repeatableBy'
    >
  > & {
    /** Recognises another text under the id; absent if the record does not have it. */
    readonly textHash?: string | undefined;
    /** While sending: the end of its lease on the monotonic clock of this process. */
    readonly leaseEndsMs?: number;
  };

export interface DeliveryLogIndexOptions {
  /** Limits the times that other processes wrote. */
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  /** The longest lease of a round with this number of providers, in milliseconds; undefined: the number is unknown. */
  readonly longestLeaseMs: (providers: number | undefined) => number;
}

/** Sent notifications are nearly all, so that they take one byte for the channel, and those of their text. */
const SENT = { sms: 1, email: 2 } as const;

interface StoredEntry extends LogEntry {
  readonly id?: string;
  readonly leaseMs?: number;
}

/**
 * The delivery log's entries in an index, without what no decision depends on. An entry that has not ended never expires. Clocks
 * of other processes are not compared with the local clock: a lease and the wait for the next attempt have the length that
 * their writer recorded, and a clock that is ahead does not expire other entries. In memory are only the leases, of which
 * there are as many as rounds in progress.
 */
export class DeliveryLogIndex {
  readonly #index: RecordIndex;
  readonly #options: DeliveryLogIndexOptions;
  readonly #leases = new Map<string, number>();
  #retrying = 0;

  constructor(index: RecordIndex, options: DeliveryLogIndexOptions) {
    this.#index = index;
    this.#options = options;
  }

  /** Must be called when the index is open, before a record is applied: a lease begins when this process reads it. */
  restore(): void {
    for (const { value } of this.#index.openRecords()) {
      const { status, id, leaseMs = 0 } = JSON.parse(Buffer.from(value).toString()) as StoredEntry;
      if (status === 'retrying') this.#retrying += 1;
      else if (id !== undefined) this.#leases.set(id, this.#options.monotonic.elapsedMs() + leaseMs);
    }
  }

  /** Throws InfrastructureError while the index cannot be read. */
  find(id: string): LogEntry | undefined {
    const value = this.#index.find(id)?.value;
    if (value === undefined) return undefined;
    if (value[0] === SENT.sms || value[0] === SENT.email) {
      const channel = value[0] === SENT.sms ? 'sms' : 'email';
      const textHash = value.length === 1 ? undefined : Buffer.from(value.subarray(1)).toString('base64url');
      return { status: 'sent', attempt: 0, channel, textHash };
    }
    const { id: _, leaseMs = 0, ...entry } = JSON.parse(Buffer.from(value).toString()) as StoredEntry;
    if (entry.status !== 'sending') return entry;
    const leaseEndsMs = this.#leases.get(id) ?? this.#options.monotonic.elapsedMs() + leaseMs;
    return { ...entry, leaseEndsMs };
  }

  /** Applies a state that was read from the log with the hash of its text, unless the known one holds, which is then returned. */
  apply(state: NotificationState, sentHash?: string): LogEntry | undefined {
    const { notificationId: id, status, channel, updatedAt } = state;
    const known = this.find(id);
    const textHash = sentHash ?? known?.textHash;
    if (!supersedes(state, known)) return known;
    this.#forgetOpen(id, known);
    const writtenAtMs = Math.min(updatedAt, this.#options.clock.now());
    if (status === 'sent') {
      const value = Buffer.concat([Buffer.of(SENT[channel]), Buffer.from(textHash ?? '', 'base64url')]);
      this.#index.put(id, { value, writtenAtMs, isOpen: false });
      return undefined;
    }
    const entry = { ...this.#storedEntry(state), textHash };
    if (status === 'sending')
      this.#leases.set(id, this.#options.monotonic.elapsedMs() + (entry.leaseMs ?? 0));
    if (status === 'retrying') this.#retrying += 1;
    const isOpen = status === 'sending' || status === 'retrying';
    const value = Buffer.from(JSON.stringify(entry));
    this.#index.put(id, { value, writtenAtMs, isOpen });
    return undefined;
  }

  remove(id: string): void {
    this.#forgetOpen(id, this.find(id));
    this.#index.delete(id);
  }

  /** The number of intents without an outcome, of those with an expired lease, and of retrying notifications. */
  sending(): { readonly intents: number; readonly overdue: number; readonly retrying: number } {
    const elapsedMs = this.#options.monotonic.elapsedMs();
    let overdue = 0;
    for (const leaseEndsMs of this.#leases.values()) if (leaseEndsMs < elapsedMs) overdue += 1;
    return { intents: this.#leases.size, overdue, retrying: this.#retrying };
  }

  #forgetOpen(id: string, known: LogEntry | undefined): void {
    this.#leases.delete(id);
    if (known?.status === 'retrying') this.#retrying -= 1;
  }

  #storedEntry(state: NotificationState): StoredEntry {
    const { notificationId: id, status, attempt, channel, updatedAt, code, attempts, owner } = state;
    if (status === 'sending') {
      const { leaseUntil = 0, providers, repeatableBy } = state;
      const longestMs = this.#options.longestLeaseMs(providers?.length);
      const leaseMs = Math.min(Math.max(0, leaseUntil - updatedAt), longestMs);
      return { id, status, attempt, channel, owner, leaseUntil, leaseMs, providers, repeatableBy };
    }
    if (status !== 'retrying') return { status, attempt, channel, code };
    const waitMs = Math.max(0, (state.nextAttemptAt ?? 0) - updatedAt);
    const nextAttemptAt = Math.min(state.nextAttemptAt ?? 0, this.#options.clock.now() + waitMs);
    return { id, status, attempt, channel, nextAttemptAt, attempts };
  }
}
