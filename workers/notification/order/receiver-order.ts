/**
 * While the copy of one notification of a key (the first one) waits on a retry tier, later messages of the key wait on
 * the hold topic and are processed after it, in order. A first notification may never return, because its copy is lost
 * or the process that completed it crashed. Each owner of a partition therefore searches for keys that do not await a
 * first one and writes a resume message for each to the command topic. Its receiver processes what waits.
 */

import { HEADER, headerNumber, headerText, contentBytes } from '../../../shared/messaging/headers.ts';
import type { LogMessage, TopicPartition } from '../../../shared/messaging/message.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';
import type { Process, FinalResult } from '../../../shared/messaging/outcome.ts';
import type { Channel } from '../../../shared/notification/notification-command.ts';
import type { WorkerContext } from '../../runtime/worker.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import type { DeliveryLog } from '../state/delivery-log.ts';
import { carriedHeaders, retryCopy, type CommandCopy } from '../retry/command-copy.ts';
import { tierFor, type RetryPlan } from '../retry/retry-plan.ts';
import {
  holdKey,
  parseHoldKey,
  type CommandQueue,
  type FirstNotification,
  type HeldKey,
  type HoldKey,
  type HoldTopic,
} from './hold-topic.ts';

export interface ReceiverOrderOptions
  extends CommandQueue, Pick<WorkerContext, 'clock' | 'monotonic' | 'log'> {
  readonly commandTopic: string;
  readonly hold: HoldTopic;
  readonly deliveryLog: Pick<DeliveryLog, 'find'>;
  readonly plan: RetryPlan;
  readonly tierTopic: (delayMs: number) => string;
  readonly copies: Publisher;
  readonly onHeld: (channel: Channel) => void;
  readonly onUnordered: (channel: Channel) => void;
}

/** Added to the time limit of a notification. When both have passed, its copy counts as lost. */
const LOST_COPY_MS = 15 * 60_000;
const RESUME_BATCH = 500;

export class ReceiverOrder {
  readonly #options: ReceiverOrderOptions;
  /** Names of keys whose waiting messages are in progress here, or whose resume message has not been received. */
  readonly #inHand = new Set<string>();

  constructor(options: ReceiverOrderOptions) {
    this.#options = options;
  }

  /** Queues a copy behind the first notification of its key, if any. Without room it waits on a tier, out of order. */
  async enqueue(copy: CommandCopy): Promise<'first-in-line' | 'queued'> {
    const { channel, hold, onHeld, onUnordered } = this.#options;
    const { message, id } = copy;
    const { offset, timestampMs, value } = message;
    const key = holdKey(this.#options, message);
    const held = key === undefined ? undefined : hold.get(key.name);
    if (key === undefined || held === undefined || value === null || held.firsts.has(id))
      return 'first-in-line';
    if (!this.#mustWait(held)) return 'first-in-line';
    if (held.waiting.some((other) => other.id === id)) return 'queued';
    const content = { value, headers: carriedHeaders(copy) };
    if (hold.hasRoom(key, contentBytes(content))) {
      await hold.keep(key, { ...content, offset, id, timestampMs });
      onHeld(channel);
    } else {
      onUnordered(channel);
      await this.#waitOnTier(copy, held);
    }
    return 'queued';
  }

  /** Makes later messages wait for a notification whose next copy is on a tier. Without room they do not wait. */
  async setFirst({ id, message }: CommandCopy): Promise<void> {
    const { channel, hold, clock, onUnordered } = this.#options;
    const key = holdKey(this.#options, message);
    if (key === undefined) return;
    if (hold.hasRoomForFirst(key)) await hold.setFirst(key, id, { sinceMs: clock.now() });
    else onUnordered(channel);
  }

  /** Processes waiting messages of a key between its first notification and later ones. A crash repeats one at most. */
  inOrder(process: Process): Process {
    const { hold } = this.#options;
    return async (message, attempt, signal) => {
      const key = holdKey(this.#options, message);
      const isResume = isResumeMessage(message);
      if (key === undefined) return isResume ? 'settled' : process(message, attempt, signal);
      const work = { process, messageKey: message.key, signal };
      if (isResume) this.#inHand.delete(key.name);
      if (hold.get(key.name) !== undefined) {
        const before = await this.#processWaiting(key, work);
        if (before !== 'processed') return before;
      }
      if (isResume) return 'settled';
      const first = this.#firstOf(key, message);
      const result = await process(message, attempt, signal);
      if (typeof result === 'object' || hold.get(key.name) === undefined) return result;
      await this.#endLostFirst(key, first, message, result);
      // This message has ended and is not received again, so a resume message retries the waiting ones.
      if ((await this.#processWaiting(key, work)) !== 'processed') await this.#resume([key.name]);
      return result;
    };
  }

  /** Must be called after a rebalance, because other processes may have received the resume messages. */
  forgetInHand(): void {
    this.#inHand.clear();
  }

  /** Resumes keys of these partitions that wait for nothing. Never rejects: the next search repeats a failed one. */
  async resumeLost(partitions: readonly TopicPartition[]): Promise<void> {
    const { hold, commandTopic, log } = this.#options;
    const owned = new Set(partitions.flatMap((one) => (one.topic === commandTopic ? [one.partition] : [])));
    if (owned.size === 0) return;
    let names: readonly string[] = [];
    try {
      const due = [...hold.keys()].filter((name) => this.#isDue(name, owned));
      for (let at = 0; at < due.length; at += RESUME_BATCH) {
        names = due.slice(at, at + RESUME_BATCH);
        await this.#resume(names);
      }
    } catch (error) {
      for (const name of names) this.#inHand.delete(name);
      log.warn(
        { topic: commandTopic, reason: errorText(error) },
        'messages that wait for nothing could not be resumed; this is tried again',
      );
    }
  }

  #isDue(name: string, owned: ReadonlySet<number>): boolean {
    const parsed = parseHoldKey(this.#options, name);
    if (parsed === undefined || !owned.has(parsed.partition) || this.#inHand.has(name)) return false;
    const held = this.#options.hold.get(name);
    return held !== undefined && !this.#mustWait(held);
  }

  #mustWait({ firsts }: HeldKey): boolean {
    return [...firsts].some(([id, first]) => isAwaited(id, first, this.#options));
  }

  async #resume(names: readonly string[]): Promise<void> {
    const { copies, commandTopic: topic } = this.#options;
    for (const name of names) this.#inHand.add(name);
    const parsed = names.flatMap((name) => parseHoldKey(this.#options, name) ?? []);
    const headers = { [HEADER.holdWake]: 'true' };
    await copies.publish(
      parsed.map(({ partition, messageKey: key }) => ({ topic, partition, key, value: null, headers })),
    );
  }

  /** A message that cannot be kept waits on a tier, at least as long as the first ones of its key. */
  async #waitOnTier(copy: CommandCopy, { firsts }: HeldKey): Promise<void> {
    const { deliveryLog, plan, clock, copies, tierTopic } = this.#options;
    const nowMs = clock.now();
    const dueMs = [...firsts.keys()].map((id) => deliveryLog.find(id)?.nextAttemptAt ?? 0);
    const dueAtMs = Math.max(nowMs + (plan.tiersMs[0] ?? 0), ...dueMs);
    const topic = tierTopic(tierFor(plan, dueAtMs - nowMs));
    await copies.publish([retryCopy(copy, { topic, attempt: copy.attempt, dueAtMs, attempts: [] })]);
  }

  /** Processes waiting messages of a key until they must wait again. The key stays in hand while one is retried. */
  async #processWaiting(
    key: HoldKey,
    work: WaitingWork,
  ): Promise<{ readonly retryAfterMs: number } | 'processed'> {
    const { hold, commandTopic } = this.#options;
    const { name } = key;
    this.#inHand.add(name);
    for (let held = hold.get(name); held !== undefined && !this.#mustWait(held); held = hold.get(name)) {
      // The ids are copied, because another process may set a first one meanwhile.
      const ended = [...held.firsts.keys()];
      for (const id of ended) await hold.endFirst(key, id);
      const [next] = held.waiting;
      if (next === undefined) continue;
      const { offset, value, headers, timestampMs } = next;
      const at = { topic: commandTopic, partition: key.partition, offset };
      const message = { ...at, key: work.messageKey, value, headers, timestampMs };
      const result = await work.process(message, 1, work.signal);
      if (typeof result === 'object') return result;
      await hold.remove(key, offset);
    }
    this.#inHand.delete(name);
    return 'processed';
  }

  #firstOf(key: HoldKey, message: LogMessage): FirstNotification | undefined {
    return this.#options.hold.get(key.name)?.firsts.get(idOf(message));
  }

  /**
   * Ends the wait for a first notification without a further copy: it failed unexpectedly, or was rejected before this
   * round was logged. If it was set again since `before` was read, it has a copy on a tier.
   */
  async #endLostFirst(
    key: HoldKey,
    before: FirstNotification | undefined,
    message: LogMessage,
    end: FinalResult,
  ): Promise<void> {
    const { hold, deliveryLog } = this.#options;
    if (before === undefined || this.#firstOf(key, message) !== before) return;
    const id = idOf(message);
    const attempt = headerNumber(message.headers, HEADER.attempt) ?? 1;
    const known = deliveryLog.find(id);
    if (end === 'failed' || known === undefined || known.attempt < attempt) await hold.endFirst(key, id);
  }
}

interface WaitingWork {
  readonly process: Process;
  readonly messageKey: Buffer | null;
  readonly signal: AbortSignal;
}

function idOf({ headers }: LogMessage): string {
  return headerText(headers, HEADER.notificationId)?.toLowerCase() ?? '';
}

/** True if later messages must wait for a first notification, because its next copy is expected and has not ended. */
export function isAwaited(
  id: string,
  { sinceMs }: FirstNotification,
  {
    deliveryLog,
    plan,
    clock,
    monotonic,
  }: Pick<ReceiverOrderOptions, 'deliveryLog' | 'plan' | 'clock' | 'monotonic'>,
): boolean {
  if (clock.now() > sinceMs + plan.timeLimitMs + LOST_COPY_MS) return false;
  const known = deliveryLog.find(id);
  // The hold record follows the outcome of the round, so a process without that outcome has not read the log that far.
  if (known === undefined || known.status === 'retrying') return true;
  if (known.status === 'sending') return monotonic.elapsedMs() < (known.leaseEndsMs ?? 0) + LOST_COPY_MS;
  return false;
}

/** True if a message only resumes its key. Unlike a command it has no value. */
export function isResumeMessage({ value, headers }: Pick<LogMessage, 'value' | 'headers'>): boolean {
  return value === null && headerText(headers, HEADER.holdWake) === 'true';
}
