import type { NotificationState } from '../../../shared/notification/notification-state.ts';
import {
  monotonicClock,
  systemClock,
  type Clock,
  type MonotonicClock,
} from '../../../shared/platform/clock.ts';
import { supersedes, type LedgerEntry } from '../state/ledger-entry.ts';

export interface LedgerLimits {
  /** Notifications remembered; beyond it the oldest that have ended are forgotten. Default 1,000,000. */
  readonly maxEntries?: number;
  /** How long an end is remembered. Default 72 hours, as long as the topic keeps it. */
  readonly retentionMs?: number;
  readonly clock?: Clock;
  /** Decides which ends are older than the retention. Default: the clock. */
  readonly ageClock?: Clock;
  readonly monotonic?: MonotonicClock;
  /** The longest lease of a round with this number of providers, in milliseconds; undefined: the number is not known. */
  readonly longestLeaseMs?: (providers: number | undefined) => number;
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
 * The ledger's entries in memory, as small as possible: of sent notifications, which nearly all are, only the time. An
 * entry that has not ended is never forgotten. Clocks of other processes are not compared with this one's: a lease and the
 * wait for the next attempt have the length that their writer gave them, and no clock that is ahead makes another entry
 * old.
 */
export class LedgerMemory {
  readonly #maxEntries: number;
  readonly #retentionSeconds: number;
  /** Seconds since 1970 by id, negative for e-mail; the oldest first. */
  readonly #sent = new Map<string, number>();
  readonly #ended = new Map<string, Ended>();
  readonly #open = new Map<string, LedgerEntry>();
  readonly #clock: Clock;
  readonly #ageClock: Clock;
  readonly #monotonic: MonotonicClock;
  readonly #longestLeaseMs: (providers: number | undefined) => number;
  #newestSeconds = 0;
  #forgotten = 0;

  constructor(limits: LedgerLimits = {}) {
    this.#maxEntries = limits.maxEntries ?? MAX_ENTRIES;
    this.#retentionSeconds = (limits.retentionMs ?? RETENTION_MS) / SECOND;
    this.#clock = limits.clock ?? systemClock;
    this.#ageClock = limits.ageClock ?? this.#clock;
    this.#monotonic = limits.monotonic ?? monotonicClock;
    this.#longestLeaseMs = limits.longestLeaseMs ?? (() => Infinity);
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

  /** Applies a state that was read from the log; whether it replaces the known one. */
  apply(state: NotificationState): boolean {
    const { notificationId: id, status, attempt, channel } = state;
    if (!supersedes(state, this.find(id))) return false;
    this.#open.delete(id);
    this.#ended.delete(id);
    const { updatedAt } = state;
    const atSeconds = Math.floor(Math.min(updatedAt, this.#ageClock.now()) / SECOND);
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
        const lengthMs = Math.min(
          Math.max(0, leaseUntil - updatedAt),
          this.#longestLeaseMs(providers?.length),
        );
        const leaseEndsMs = this.#monotonic.elapsedMs() + lengthMs;
        const entry = { status, attempt, channel, owner, leaseUntil, leaseEndsMs, providers, repeatableBy };
        this.#open.set(id, entry);
        break;
      }
      case 'retrying': {
        const { attempts } = state;
        const waitMs = Math.max(0, (state.nextAttemptAt ?? 0) - updatedAt);
        const nextAttemptAt = Math.min(state.nextAttemptAt ?? 0, this.#clock.now() + waitMs);
        this.#open.set(id, { status, attempt, channel, nextAttemptAt, attempts });
        break;
      }
    }
    this.#evictEnded();
    return true;
  }

  remove(id: string): void {
    this.#sent.delete(id);
    this.#ended.delete(id);
    this.#open.delete(id);
  }

  /** Intents without an outcome, and those of them whose lease is over. */
  sending(): { readonly intents: number; readonly overdue: number; readonly retrying: number } {
    const elapsedMs = this.#monotonic.elapsedMs();
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
