/**
 * The order of notifications per receiver and priority. While one notification of a key waits on a retry tier (the head), later ones of
 * the key are kept on the hold topic (the followers) and are processed after it, in order. A head may never return: its copy
 * is lost, or the process that completed it crashed before it processed the followers. Each owner of a partition therefore
 * searches for keys whose head is no longer awaited, and writes a wake message with such a key to the command topic. The
 * current owner of the partition then processes the followers in the order of the key.
 */

import { HEADER, headerNumber, headerText, contentBytes } from '../../../shared/messaging/headers.ts';
import type { LogMessage, OutgoingMessage, TopicPartition } from '../../../shared/messaging/message.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';
import type { Process, FinalResult } from '../../../shared/messaging/outcome.ts';
import type { Channel } from '../../../shared/notification/command.ts';
import type { Clock, MonotonicClock } from '../../../shared/platform/clock.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { carriedHeaders, retryCopy, type CommandCopy } from '../state/command-copy.ts';
import { tierFor, type RetryPlan } from '../state/retry-plan.ts';
import { holdKey, parseHoldKey, type CommandLane, type Head } from './hold-records.ts';
import type { HeldKey, HoldTopic } from './hold-topic.ts';

export interface ReceiverOrderOptions extends CommandLane {
  /** The topic of the lane's commands. */
  readonly commandTopic: string;
  readonly hold: HoldTopic;
  readonly ledger: Pick<Ledger, 'find'>;
  readonly plan: RetryPlan;
  /** Name of the tier topic for a delay. */
  readonly tierTopic: (delayMs: number) => string;
  /** Publishes retry copies and wake messages. */
  readonly copies: Publisher;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  /** Counts a message that was put on the hold topic. */
  readonly onHeld: (channel: Channel) => void;
  /** Counts a message whose receiver's order is not kept. */
  readonly onUnordered: (channel: Channel) => void;
  readonly log: Log;
}

/** Added to the time limit of a head; when both have passed, its copy is considered lost. */
const LOST_HEAD_MS = 15 * 60_000;
/** Maximum number of wake messages per publish. */
const WAKE_BATCH = 500;

/** The result of processing the followers of a key. */
type DrainEnd =
  /** One of them is retried; the others wait for it. */
  | { readonly retryAfterMs: number }
  /** All followers that need not wait are processed. */
  | 'drained';

/** Keeps the order of the notifications of one channel and priority. */
export class ReceiverOrder {
  readonly #options: ReceiverOrderOptions;
  /** Keys whose followers this process is processing, or whose wake message is not received yet. */
  readonly #inHand = new Set<string>();

  constructor(options: ReceiverOrderOptions) {
    this.#options = options;
  }

  /**
   * Queues a copy behind the head of its key, if one is awaited. Its record is on the hold topic before the copy's offset is
   * committed. Without room for it, the copy waits on a retry tier and then queues again: memory is bounded and the partition is not
   * blocked, but the order is not kept.
   */
  async enqueue(copy: CommandCopy): Promise<'first-in-line' | 'queued'> {
    const { channel, hold, onHeld, onUnordered } = this.#options;
    const { message, id } = copy;
    const { partition, offset, timestampMs, value } = message;
    const key = holdKey(this.#options, message);
    const held = key === undefined ? undefined : hold.get(key);
    if (key === undefined || held === undefined || value === null || held.head?.id === id)
      return 'first-in-line';
    if (!isAwaited(held.head, this.#options)) return 'first-in-line';
    if (held.followers.some((follower) => follower.id === id)) return 'queued';
    const content = { value, headers: carriedHeaders(copy) };
    if (hold.hasRoom(key, partition, contentBytes(content))) {
      await hold.keep(key, partition, { ...content, offset, id, timestampMs });
      onHeld(channel);
    } else {
      onUnordered(channel);
      await this.#waitOnTier(copy, held);
    }
    return 'queued';
  }

  /**
   * Makes a notification the head of its key, while its next copy, with this attempt, waits on a retry tier. If another head is
   * awaited, which a process sets that stood still while the owner of the partition went on, or without room for another head, later
   * messages of the receiver do not wait for it: the copy returns as if it were new.
   */
  async setHead(copy: CommandCopy, attempt: number): Promise<void> {
    const { channel, hold, clock, onUnordered } = this.#options;
    const { id, message } = copy;
    const key = holdKey(this.#options, message);
    if (key === undefined) return;
    const head = hold.get(key)?.head;
    const isOther = head !== undefined && head.id !== id && isAwaited(head, this.#options);
    if (isOther || !hold.hasRoomForHead(key)) onUnordered(channel);
    else await hold.setHead(key, message.partition, { id, attempt, sinceMs: clock.now() });
  }

  /**
   * Wraps the processing of commands: once the head of a key has ended, its followers are processed in order, until one of
   * them becomes the head itself. Followers precede a message that arrives after their head has ended. The record of a
   * follower is removed after it was processed, so that a crash can only repeat it, which the ledger recognises.
   */
  inOrder(process: Process): Process {
    const { hold } = this.#options;
    return async (message, attempt, signal) => {
      const key = holdKey(this.#options, message);
      const isWake = isWakeMessage(message);
      if (key === undefined) return isWake ? 'settled' : process(message, attempt, signal);
      if (isWake) this.#inHand.delete(key);
      if (hold.has(key)) {
        const before = await this.#drain(key, message, { process, signal });
        if (before !== 'drained') return before;
      }
      if (isWake) return 'settled';
      const head = hold.get(key)?.head;
      const result = await process(message, attempt, signal);
      if (typeof result === 'object' || !hold.has(key)) return result;
      await this.#endLostHead(key, head, message, result);
      const after = await this.#drain(key, message, { process, signal });
      // This message has ended and is not processed again: a wake message retries its followers.
      if (after !== 'drained') await this.#wake([key]);
      return result;
    };
  }

  /** Must be called after a rebalance: other processes may have received the wake messages. */
  forgetInHand(): void {
    this.#inHand.clear();
  }

  /** Wakes the keys of these partitions whose head is no longer awaited. Never rejects: the next search retries failures. */
  async wakeLost(partitions: readonly TopicPartition[]): Promise<void> {
    const { hold, commandTopic, log } = this.#options;
    const owned = new Set(
      partitions.flatMap(({ topic, partition }) => (topic === commandTopic ? [partition] : [])),
    );
    if (owned.size === 0) return;
    let keys: readonly string[] = [];
    try {
      const due = [...hold.keys()].filter((key) => this.#isDue(key, owned));
      for (let at = 0; at < due.length; at += WAKE_BATCH) {
        keys = due.slice(at, at + WAKE_BATCH);
        await this.#wake(keys);
      }
    } catch (error) {
      for (const key of keys) this.#inHand.delete(key);
      log.warn(
        { topic: commandTopic, reason: errorText(error) },
        'lost heads could not be searched or woken',
      );
    }
  }

  #isDue(key: string, owned: ReadonlySet<number>): boolean {
    const { hold } = this.#options;
    const place = parseHoldKey(this.#options, key);
    if (place === undefined || !owned.has(place.partition) || this.#inHand.has(key)) return false;
    return !isAwaited(hold.get(key)?.head, this.#options);
  }

  /** Resolves when the wake messages of the keys are on the log. */
  async #wake(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#inHand.add(key);
    await this.#options.copies.publish(keys.flatMap((key) => this.#wakeMessage(key) ?? []));
  }

  #wakeMessage(key: string): OutgoingMessage | undefined {
    const { commandTopic: topic } = this.#options;
    const place = parseHoldKey(this.#options, key);
    if (place === undefined) return undefined;
    const { partition, messageKey } = place;
    return { topic, partition, key: messageKey, value: null, headers: { [HEADER.holdWake]: 'true' } };
  }

  /** A message that cannot be kept waits on a tier, at least as long as its head. */
  async #waitOnTier(copy: CommandCopy, { head }: HeldKey): Promise<void> {
    const { ledger, plan, clock, copies, tierTopic } = this.#options;
    const nowMs = clock.now();
    const headDueMs = head === undefined ? undefined : ledger.find(head.id)?.nextAttemptAt;
    const dueAtMs = Math.max(nowMs + (plan.tiersMs[0] ?? 0), headDueMs ?? 0);
    const topic = tierTopic(tierFor(plan, dueAtMs - nowMs));
    await copies.publish([retryCopy(copy, { topic, attempt: copy.attempt, dueAtMs, attempts: [] })]);
  }

  /** Processes the followers of a key whose head has ended. The key stays in hand while one of them is retried. */
  async #drain(key: string, { key: messageKey }: LogMessage, work: DrainWork): Promise<DrainEnd> {
    this.#inHand.add(key);
    const end = await this.#processFollowers(key, messageKey, work);
    if (typeof end !== 'object') this.#inHand.delete(key);
    return end;
  }

  async #processFollowers(
    key: string,
    messageKey: Buffer | null,
    { process, signal }: DrainWork,
  ): Promise<DrainEnd> {
    const { hold, commandTopic: topic } = this.#options;
    for (let held = hold.get(key); held !== undefined; held = hold.get(key)) {
      const { head, partition, followers } = held;
      if (isAwaited(head, this.#options)) return 'drained';
      const [next] = followers;
      if (next === undefined) {
        await hold.endHead(key, partition);
        return 'drained';
      }
      const { offset, value, headers, timestampMs } = next;
      const message = { topic, partition, offset, key: messageKey, value, headers, timestampMs };
      const result = await process(message, 1, signal);
      if (typeof result === 'object') return result;
      await this.#endLostHead(key, head, message, result);
      await hold.endFollower(key, partition, offset);
    }
    return 'drained';
  }

  /**
   * Ends the head of a key after its copy if no further copy follows: it failed unexpectedly, or was rejected before this
   * round was in the ledger. Otherwise its followers would wait until the head is considered lost. `before` is the head before
   * the copy was processed: a head that this or another process set meanwhile has a copy on a tier.
   */
  async #endLostHead(
    key: string,
    before: Head | undefined,
    { headers, partition }: LogMessage,
    end: FinalResult,
  ): Promise<void> {
    const { hold, ledger } = this.#options;
    const id = headerText(headers, HEADER.notificationId)?.toLowerCase();
    if (id === undefined || before?.id !== id || hold.get(key)?.head !== before) return;
    const attempt = headerNumber(headers, HEADER.attempt) ?? 1;
    const known = ledger.find(id);
    if (end === 'failed' || known === undefined || known.attempt < attempt)
      await hold.endHead(key, partition);
  }
}

interface DrainWork {
  readonly process: Process;
  readonly signal: AbortSignal;
}

/** Whether the followers of a head must wait for it, because its next copy is expected and has not ended. */
export function isAwaited(
  head: Head | undefined,
  { ledger, plan, clock, monotonic }: Pick<ReceiverOrderOptions, 'ledger' | 'plan' | 'clock' | 'monotonic'>,
): boolean {
  if (head === undefined || clock.now() > head.sinceMs + plan.timeLimitMs + LOST_HEAD_MS) return false;
  const known = ledger.find(head.id);
  // A head is written after the outcome of its round: a process without it has not read the ledger that far.
  if (known === undefined || known.status === 'retrying') return true;
  if (known.status === 'sending') return monotonic.elapsedMs() < (known.leaseEndsMs ?? 0) + LOST_HEAD_MS;
  return false;
}

/** Whether a message only wakes its key. It has no value, which distinguishes it from commands. */
export function isWakeMessage({ value, headers }: Pick<LogMessage, 'value' | 'headers'>): boolean {
  return value === null && headerText(headers, HEADER.holdWake) === 'true';
}
