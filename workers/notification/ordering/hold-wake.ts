import { HEADER } from '../../../shared/messaging/header-names.ts';
import { headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage, OutgoingMessage, TopicPartition } from '../../../shared/messaging/message.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import type { DeliveryParts } from '../delivery/delivery-parts.ts';
import { placeOfHoldKey } from './hold-records.ts';
import { isAwaited } from './queue-behind-head.ts';

type Parts = 'channel' | 'hold' | 'ledger' | 'plan' | 'ageClock' | 'monotonic' | 'copies' | 'log';

export interface WakeParts extends Pick<DeliveryParts, Parts> {
  /** The topic of the channel's commands. */
  readonly topic: string;
}

/** So many go out in one call. */
const BATCH = 500;

/**
 * Sees that nobody waits for a head that will not come: its copy is lost, or whoever saw its end died before those behind
 * it. For each such key of the partitions that are owned a word goes onto the command topic, under the key, so that those
 * who wait are gone on with in the lane and the place of the key, by whoever owns the partition then.
 */
export class HoldWake {
  readonly #parts: WakeParts;
  /** Keys that somebody here is at, or whose word is on its way. */
  readonly #inHand = new Set<string>();

  constructor(parts: WakeParts) {
    this.#parts = parts;
  }

  /** A new assignment: who was at which key before does not count. */
  forget(): void {
    this.#inHand.clear();
  }

  begin(key: string): void {
    this.#inHand.add(key);
  }

  end(key: string): void {
    this.#inHand.delete(key);
  }

  /** Resolves when the word for a key is on the log. */
  async wake(key: string): Promise<void> {
    const word = this.#wordFor(key);
    if (word === undefined) return;
    this.#inHand.add(key);
    await this.#parts.copies.publish([word]);
  }

  /** Wakes what nobody is waited for on these partitions. Never rejects: what fails is looked at again the next time. */
  async look(partitions: readonly TopicPartition[]): Promise<void> {
    const { hold, topic, copies, log } = this.#parts;
    const owned = new Set(partitions.flatMap((one) => (one.topic === topic ? [one.partition] : [])));
    const due = owned.size === 0 ? [] : [...hold.keys()].filter((key) => this.#isDue(key, owned));
    for (let at = 0; at < due.length; at += BATCH) {
      const keys = due.slice(at, at + BATCH);
      for (const key of keys) this.#inHand.add(key);
      try {
        await copies.publish(keys.flatMap((key) => this.#wordFor(key) ?? []));
      } catch (error) {
        for (const key of keys) this.#inHand.delete(key);
        log.warn({ topic, reason: errorText(error) }, 'held messages could not be gone on with');
        return;
      }
    }
  }

  #isDue(key: string, owned: ReadonlySet<number>): boolean {
    const place = placeOfHoldKey(this.#parts.channel, key);
    if (place === undefined || !owned.has(place.partition) || this.#inHand.has(key)) return false;
    return !isAwaited(this.#parts.hold.get(key)?.head, this.#parts);
  }

  #wordFor(key: string): OutgoingMessage | undefined {
    const { channel, topic } = this.#parts;
    const place = placeOfHoldKey(channel, key);
    if (place === undefined) return undefined;
    const { partition, messageKey } = place;
    return { topic, partition, key: messageKey, value: null, headers: { [HEADER.holdWake]: 'true' } };
  }
}

/** Whether a message is such a word: it holds nothing else, so that no command can be taken for one. */
export function isWakeWord({ value, headers }: Pick<LogMessage, 'value' | 'headers'>): boolean {
  return value === null && headerText(headers, HEADER.holdWake) === 'true';
}
