import { backoffMs } from '../../../shared/messaging/backoff.ts';
import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import type { Health } from '../../../shared/platform/health.ts';
import type { Log } from '../../../shared/platform/log.ts';
import { type SystemPorts, sleep } from '../../../shared/platform/system-ports.ts';
import type { NotificationFeed } from './notification-feed.ts';

export interface AcceptanceRecord {
  readonly notificationId: string;
  readonly acceptedAt: number;
  /** The notification's id, and the id of its Idempotency-Key if that differs. */
  readonly ids: readonly string[];
  readonly message: Omit<OutgoingMessage, 'key'> & { readonly value: Buffer };
}

interface AcceptanceRecordsOptions extends Pick<SystemPorts, 'timers' | 'random'> {
  readonly publisher: Publisher;
  readonly feed: Pick<NotificationFeed, 'addAcceptance'>;
  readonly log: Log;
  readonly countLost: () => void;
}

/** Maximum number of acceptances in progress or still to be written again. Each takes a few hundred bytes. */
const MAX_RECORDS = 10_000;
const BACKOFF = { minMs: 250, maxMs: 5_000 };

/** Writes acceptances until they are stored. Reserve a place before publishing the command: later there may be none. */
export class AcceptanceRecords {
  readonly #options: AcceptanceRecordsOptions;
  readonly #stopping = new AbortController();
  readonly #unwritten = new Set<string>();
  #records = 0;

  constructor(options: AcceptanceRecordsOptions) {
    this.#options = options;
  }

  /** Reserves a place, which `release` or `write` gives back. Returns false if there is none. */
  reserve(): boolean {
    if (this.#records >= MAX_RECORDS) return false;
    this.#records += 1;
    return true;
  }

  release(): void {
    this.#records -= 1;
  }

  /** Resolves with false if the first attempt fails, and then writes again in the background. Never rejects. */
  async write(record: AcceptanceRecord): Promise<boolean> {
    const { notificationId } = record;
    try {
      await this.#publish(record);
      this.release();
      return true;
    } catch (error) {
      const text = 'an acceptance could not be written yet; it is written again';
      this.#options.log.warn({ notificationId, reason: errorText(error) }, text);
      this.#unwritten.add(notificationId);
      void this.#writeAgain(record);
      return false;
    }
  }

  /** True if an attempt to write the acceptance failed and it is still being written again. */
  isUnwritten(notificationId: string): boolean {
    return this.#unwritten.has(notificationId);
  }

  unwritten(): number {
    return this.#unwritten.size;
  }

  health(): Health {
    if (this.#records >= MAX_RECORDS)
      return { status: 'starting', reason: 'too many acceptances are not on the log yet' };
    if (this.#unwritten.size === 0) return { status: 'ready' };
    return { status: 'degraded', reason: `acceptances that are written again: ${this.#unwritten.size}` };
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #writeAgain(record: AcceptanceRecord): Promise<void> {
    const { timers, random, log, countLost } = this.#options;
    const { notificationId } = record;
    const { signal } = this.#stopping;
    for (let attempt = 1; ; attempt += 1) {
      await sleep(timers, backoffMs(BACKOFF, attempt, random), signal);
      try {
        await this.#publish(record);
        break;
      } catch (error) {
        if (!signal.aborted) continue;
        countLost();
        log.error({ notificationId, reason: errorText(error) }, 'an acceptance was not written');
        break;
      }
    }
    this.#unwritten.delete(notificationId);
    this.release();
  }

  /** Tells the feed first: if another instance accepted earlier, it publishes that acceptance again after this one. */
  async #publish({ ids, acceptedAt, message }: AcceptanceRecord): Promise<void> {
    for (const id of ids) this.#options.feed.addAcceptance(id, message.value, acceptedAt);
    await this.#options.publisher.publish(ids.map((key) => ({ ...message, key })));
  }
}
