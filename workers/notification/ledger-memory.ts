import type { NotificationState } from '../../shared/notification/notification-state.ts';
import { systemClock, type Clock } from '../../shared/platform/clock.ts';
import { supersedes, type LedgerEntry } from './ledger-rules.ts';

export interface LedgerLimits {
  /** Notifications remembered; beyond it the oldest that have ended are forgotten. Default 1,000,000. */
  readonly maxEntries?: number;
  /** How long an end is remembered. Default 72 hours, as long as the topic keeps it. */
  readonly retentionMs?: number;
  readonly clock?: Clock;
  /** The longest lease of a round with so many providers, in milliseconds; undefined: it is not known how many. */
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
 * The ledger's entries in memory, as small as they may be: of one that was sent, which nearly all are, only when. What has
 * not ended is never forgotten. Times of other processes count no more than this one's clock allows: one that is ahead
 * makes nothing old, and no lease longer than any is.
 */
export class LedgerMemory {
  readonly #maxEntries: number;
  readonly #retentionSeconds: number;
  /** Seconds since 1970 by id, negative for e-mail; the oldest first. */
  readonly #sent = new Map<string, number>();
  readonly #ended = new Map<string, Ended>();
  readonly #open = new Map<string, LedgerEntry>();
  readonly #clock: Clock;
  readonly #longestLeaseMs: (providers: number | undefined) => number;
  #newestSeconds = 0;
  #forgotten = 0;

  constructor(limits: LedgerLimits = {}) {
    this.#maxEntries = limits.maxEntries ?? MAX_ENTRIES;
    this.#retentionSeconds = (limits.retentionMs ?? RETENTION_MS) / SECOND;
    this.#clock = limits.clock ?? systemClock;
    this.#longestLeaseMs = limits.longestLeaseMs ?? (() => Infinity);
  }

  get size(): number {
    return this.#sent.size + this.#ended.size + this.#open.size;
  }

  /** Entries that had to go before their time. */
  get forgotten(): number {
    return this.#forgotten;
  }

  find(id: string): LedgerEntry | undefined {
    const sentSeconds = this.#sent.get(id);
    if (sentSeconds !== undefined) return sentSeconds < 0 ? SENT_EMAIL : SENT_SMS;
    return this.#open.get(id) ?? this.#ended.get(id)?.entry;
  }

  /** Takes a state in; answers whether it counts. */
  take(state: NotificationState): boolean {
    const { notificationId: id, status, attempt, channel } = state;
    if (!supersedes(state, this.find(id))) return false;
    this.#open.delete(id);
    this.#ended.delete(id);
    const nowMs = this.#clock.now();
    const atSeconds = Math.floor(Math.min(state.updatedAt, nowMs) / SECOND);
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
        const { owner, providers, repeatableBy } = state;
        const longestMs = this.#longestLeaseMs(providers?.length);
        const leaseUntil = Math.min(state.leaseUntil ?? 0, nowMs + longestMs);
        this.#open.set(id, { status, attempt, channel, owner, leaseUntil, providers, repeatableBy });
        break;
      }
      case 'retrying': {
        const { nextAttemptAt, attempts } = state;
        this.#open.set(id, { status, attempt, channel, nextAttemptAt, attempts });
        break;
      }
    }
    this.#makeRoom();
    return true;
  }

  remove(id: string): void {
    this.#sent.delete(id);
    this.#ended.delete(id);
    this.#open.delete(id);
  }

  /** Intents without an outcome, and those of them whose lease is over. */
  sending(nowMs: number): { readonly intents: number; readonly overdue: number; readonly retrying: number } {
    let intents = 0;
    let overdue = 0;
    for (const { status, leaseUntil = 0 } of this.#open.values()) {
      if (status !== 'sending') continue;
      intents += 1;
      if (leaseUntil < nowMs) overdue += 1;
    }
    return { intents, overdue, retrying: this.#open.size - intents };
  }

  #makeRoom(): void {
    const before = this.#newestSeconds - this.#retentionSeconds;
    this.#trim(this.#sent, (atSeconds) => Math.abs(atSeconds) < before);
    this.#trim(this.#ended, ({ atSeconds }) => atSeconds < before);
  }

  #trim<T>(entries: Map<string, T>, isOutlived: (entry: T) => boolean): void {
    for (const [id, entry] of entries) {
      const isOver = this.size > this.#maxEntries;
      if (!isOver && !isOutlived(entry)) return;
      if (isOver && !isOutlived(entry)) this.#forgotten += 1;
      entries.delete(id);
    }
  }
}
