import type { Disposition, Process, WorkEnd } from '../../../shared/messaging/processing-result.ts';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import { headerNumber, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';
import type { DeliveryParts } from '../delivery/delivery-parts.ts';
import type { Follower, HeldKey } from './hold-index.ts';
import { holdKey } from './hold-records.ts';
import { isWakeWord, type HoldWake } from './hold-wake.ts';
import { isAwaited } from './queue-behind-head.ts';

/** What is needed to go on with those behind a head that has ended. */
export interface OrderParts extends Pick<
  DeliveryParts,
  'channel' | 'hold' | 'ledger' | 'plan' | 'clock' | 'ageClock' | 'monotonic'
> {
  readonly wake: Pick<HoldWake, 'begin' | 'end' | 'wake'>;
  /** Counts for the breaker how a message that was held has ended; false: the breaker is open. */
  readonly count: (end: WorkEnd) => boolean;
}

/** A message that comes while its breaker is open and others are before it is looked at again after so long. */
const STOPPED_MS = 1_000;

/**
 * Processes a message, and after it what waits behind it: once the head of its key has ended, in whatever way, those behind
 * it are processed in their order, by the same process in the same lane, until one of them becomes the head itself. Those
 * who waited come before the message if their head ended earlier. Each ends on the hold topic after it was processed, so
 * that a crash repeats it at most, and the ledger passes over what is repeated.
 */
export function keepOrder(process: Process, parts: OrderParts, commandTopic: string): Process {
  const { hold, wake } = parts;
  const drain = createDrain(process, parts, commandTopic);
  return async (message, attempt, signal) => {
    const key = holdKey(parts.channel, message);
    const isWake = isWakeWord(message);
    if (key === undefined) return isWake ? 'settled' : process(message, attempt, signal);
    if (isWake) wake.end(key);
    const before = hold.has(key) ? await drain(key, message, signal) : undefined;
    if (before !== undefined) return before === 'stopped' ? { retryAfterMs: STOPPED_MS } : before;
    if (isWake) return 'settled';
    const disposition = await process(message, attempt, signal);
    if (typeof disposition === 'object' || !hold.has(key)) return disposition;
    await endLostHead(key, message, disposition, parts);
    const after = await drain(key, message, signal);
    if (after !== 'stopped') return after ?? disposition;
    await wake.wake(key);
    return disposition;
  };
}

/**
 * Answers the wait of whoever has to be tried again; `stopped`: there is more, but the breaker is open; undefined when all
 * that may be done is done.
 */
type Drain = (
  key: string,
  message: LogMessage,
  signal: AbortSignal,
) => Promise<Disposition | 'stopped' | undefined>;

function createDrain(process: Process, parts: OrderParts, commandTopic: string): Drain {
  const { hold, wake, count } = parts;
  const handOver = async (key: string, { partition }: HeldKey, follower: Follower): Promise<void> => {
    const sinceMs = parts.clock.now();
    const attempt = headerNumber(follower.headers, HEADER.attempt) ?? 1;
    await hold.setHead(key, partition, { id: follower.id, attempt, isDeferred: true, sinceMs });
    await hold.endFollower(key, partition, follower.offset);
  };
  const drain: Drain = async (key, { key: messageKey }, signal) => {
    for (let held = hold.get(key); held !== undefined; held = hold.get(key)) {
      if (isAwaited(held.head, parts)) return undefined;
      const [next] = held.followers;
      if (next === undefined) {
        await hold.endHead(key, held.partition);
        return undefined;
      }
      if (next.value === undefined) {
        await handOver(key, held, next);
        return undefined;
      }
      const message = messageOf(commandTopic, held.partition, messageKey, next);
      const disposition = await process(message, 1, signal);
      if (typeof disposition === 'object') return disposition;
      await endLostHead(key, message, disposition, parts);
      await hold.endFollower(key, held.partition, next.offset);
      if (!count(disposition) && disposition !== 'settled') return 'stopped';
    }
    return undefined;
  };
  return async (key, message, signal) => {
    wake.begin(key);
    const end = await drain(key, message, signal);
    // Whoever is tried again is still at it, and so is one whose try was cut off by lost infrastructure.
    if (typeof end !== 'object') wake.end(key);
    return end;
  };
}

/**
 * Ends the head of a key after its own copy, when nothing comes after that: it failed unexpectedly, or it was refused before
 * the ledger heard of this round. Those behind it would wait in vain, for as long as it might have taken.
 */
async function endLostHead(
  key: string,
  { headers, partition }: LogMessage,
  end: WorkEnd,
  { hold, ledger }: OrderParts,
): Promise<void> {
  const id = headerText(headers, HEADER.notificationId)?.toLowerCase();
  if (id === undefined || hold.get(key)?.head?.id !== id) return;
  const attempt = headerNumber(headers, HEADER.attempt) ?? 1;
  const known = ledger.find(id);
  if (end === 'failed' || known === undefined || known.attempt < attempt) await hold.endHead(key, partition);
}

/** The message as it was on the command topic. */
function messageOf(
  topic: string,
  partition: number,
  key: Buffer | null,
  { offset, value, headers, timestampMs }: Follower,
): LogMessage {
  return { topic, partition, offset, key, value: value ?? null, headers, timestampMs };
}
