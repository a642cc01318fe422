import type { NotificationState } from '../../../shared/notification/notification-state.ts';
import type { Clock, MonotonicClock } from '../../../shared/platform/clock.ts';
import { supersedes, type LedgerEntry } from '../state/ledger-entry.ts';

export interface LedgerMemoryOptions {
  /** Maximum number of notifications in memory; beyond it, the oldest that have ended are removed. Default 1,000,000. */
  readonly maxEntries?: number;
  /** Retention of ended notifications. Default 72 hours, the retention of the topic. */
  readonly retentionMs?: number;
  readonly clock: Clock;
  /** Decides which ended notifications are older than the retention. */
  readonly ageClock: Clock;
  readonly monotonic: MonotonicClock;
  /** The longest lease of a round with this number of providers, in milliseconds; undefined: the number is unknown. */
  readonly longestLeaseMs: (providers: number | undefined) => number;
}

const MAX_ENTRIES = 1_000_000;
const RETENTION_MS = 72 * 3_600_000;
const SECOND = 1_000;
const SENT_SMS: LedgerEntry = { status: 'sent', attempt: 0, channel: 'sms' };
const SENT_EMAIL: LedgerEntry = { status: 'sent', attempt: 0, channel: 'email' };

interface Ended {
  readonly entry: LedgerEntry;
  readonly atSeconds: number;
}

/**
 * Keeps the ledger's entries in memory, as small as possible: of sent notifications, which are nearly all, only the time.
 * An entry that has not ended is never removed. Clocks of other processes are not compared with the local clock: a lease
 * and the wait for the next attempt have the length that their writer recorded, and a clock that is ahead does not expire
 * other entries.
 */
export class LedgerMemory {
  readonly #options: LedgerMemoryOptions;
  readonly #maxEntries: number;
  readonly #retentionSeconds: number;
  /** Seconds since 1970 by id, negative for e-mail; oldest first. */
  readonly #sent = new Map<string, number>();
  readonly #ended = new Map<string, Ended>();
  readonly #open = new Map<string, LedgerEntry>();
  #newestSeconds = 0;
  #forgotten = 0;

  constructor(options: LedgerMemoryOptions) {
    this.#options = options;
    this.#maxEntries = options.maxEntries ?? MAX_ENTRIES;
    this.#retentionSeconds = (options.retentionMs ?? RETENTION_MS) / SECOND;
  }

  get size(): number {
    return this.#sent.size + this.#ended.size + this.#open.size;
  }

  /** Entries that were removed before the end of their retention. */
  get forgotten(): number {
    return this.#forgotten;
  }

  find(id: string): LedgerEntry | undefined {
    const sentSeconds = this.#sent.get(id);
    if (sentSeconds !== undefined) return sentSeconds < 0 ? SENT_EMAIL : SENT_SMS;
    return this.#open.get(id) ?? this.#ended.get(id)?.entry;
  }

  /** Applies a state that was read from the log, unless the known one supersedes it. */
  apply(state: NotificationState): void {
    const { clock, ageClock, monotonic, longestLeaseMs } = this.#options;
    const { notificationId: id, status, attempt, channel, updatedAt } = state;
    if (!supersedes(state, this.find(id))) return;
    this.#open.delete(id);
    this.#ended.delete(id);
    const atSeconds = Math.floor(Math.min(updatedAt, ageClock.now()) / SECOND);
    if (atSeconds > this.#newestSeconds) this.#newestSeconds = atSeconds;
    switch (status) {
      case 'sent':
        this.#sent.set(id, channel === 'email' ? -atSeconds : atSeconds);
        break;
      case 'failed':
      case 'parked':
        this.#ended.set(id, { entry: { status, attempt, channel, code: state.code }, atSeconds });
        break;
      case 'sending': {
        const { owner, leaseUntil = 0, providers, repeatableBy } = state;
        const lengthMs = Math.min(Math.max(0, leaseUntil - updatedAt), longestLeaseMs(providers?.length));
        const leaseEndsMs = monotonic.elapsedMs() + lengthMs;
        const entry = { status, attempt, channel, owner, leaseUntil, leaseEndsMs, providers, repeatableBy };
        this.#open.set(id, entry);
        break;
      }
      case 'retrying': {
        const { attempts } = state;
        const waitMs = Math.max(0, (state.nextAttemptAt ?? 0) - updatedAt);
        const nextAttemptAt = Math.min(state.nextAttemptAt ?? 0, clock.now() + waitMs);
        this.#open.set(id, { status, attempt, channel, nextAttemptAt, attempts });
        break;
      }
    }
    this.#evictEnded();
  }

  remove(id: string): void {
    this.#sent.delete(id);
    this.#ended.delete(id);
    this.#open.delete(id);
  }

  /** The number of intents without an outcome, of those with an expired lease, and of retrying notifications. */
  sending(): { readonly intents: number; readonly overdue: number; readonly retrying: number } {
    const elapsedMs = this.#options.monotonic.elapsedMs();
    let intents = 0;
    let overdue = 0;
    for (const { status, leaseEndsMs = 0 } of this.#open.values()) {
      if (status !== 'sending') continue;
      intents += 1;
      if (leaseEndsMs < elapsedMs) overdue += 1;
    }
    return { intents, overdue, retrying: this.#open.size - intents };
  }

  #evictEnded(): void {
    const before = this.#newestSeconds - this.#retentionSeconds;
    this.#evict(this.#sent, (atSeconds) => Math.abs(atSeconds) < before);
    this.#evict(this.#ended, ({ atSeconds }) => atSeconds < before);
  }

  #evict<T>(entries: Map<string, T>, isExpired: (entry: T) => boolean): void {
    for (const [id, entry] of entries) {
      const isOver = this.size > this.#maxEntries;
      if (!isOver && !isExpired(entry)) return;
      if (isOver && !isExpired(entry)) this.#forgotten += 1;
      entries.delete(id);
    }
  }
}
