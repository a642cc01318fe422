import { done, type Outcome } from '../../../shared/messaging/outcome.ts';
import { carriedHeaders, retryCopy, type CommandCopy } from '../state/command-copy.ts';
import { tierFor } from '../delivery/conclude-round.ts';
import type { DeliveryParts } from '../delivery/delivery-parts.ts';
import type { Follower, Head, HeldKey } from './hold-index.ts';
import { holdKey } from './hold-records.ts';

/** A head is not waited for any longer than its time limit and this: its copy must be lost then. */
const LOST_HEAD_MS = 15 * 60_000;
/** Messages of which only the place is kept come back so far from one another. */
const PLACE_MS = 20;

/** Whether those behind a head have to wait for it: its next copy will come and has not ended. */
export function isAwaited(
  head: Head | undefined,
  { ledger, plan, ageClock, monotonic }: Pick<DeliveryParts, 'ledger' | 'plan' | 'ageClock' | 'monotonic'>,
): boolean {
  if (head === undefined || ageClock.now() > head.sinceMs + plan.timeLimitMs + LOST_HEAD_MS) return false;
  const known = ledger.find(head.id);
  if (known === undefined) return head.isDeferred;
  if (known.status === 'retrying') return true;
  if (known.status === 'sending') return monotonic.elapsedMs() < (known.leaseEndsMs ?? 0) + LOST_HEAD_MS;
  return known.status !== 'sent' && head.isDeferred && known.attempt < head.attempt;
}

/**
 * Puts a copy behind the head of its key, when there is one that is waited for; undefined: there is none, or it is the head
 * itself. What is kept is on the log before the copy counts as done. Where there is no room for the message only its place
 * is kept, and the message goes to a retry tier: the order stays, memory is bounded, and the partition is not held up by a
 * message that waits for a copy behind it. `full`: there is no room for one more place either.
 */
export async function queueBehindHead(
  copy: CommandCopy,
  parts: DeliveryParts,
): Promise<Outcome | 'full' | undefined> {
  const { channel, hold, observer } = parts;
  const { message, id } = copy;
  const key = holdKey(channel, message);
  const held = key === undefined ? undefined : hold.get(key);
  if (key === undefined || held === undefined || held.head?.id === id) return undefined;
  if (!isAwaited(held.head, parts)) return undefined;
  const place = held.followers.findIndex((follower) => follower.id === id);
  if (place >= 0) return waitElsewhere(copy, parts, { held, place });
  const room = hold.room(key, message.partition, message.value?.length ?? 0);
  if (room === 'none') return 'full';
  const follower: Follower = {
    offset: message.offset,
    id,
    value: room === 'whole' ? (message.value ?? undefined) : undefined,
    headers: carriedHeaders(copy),
    timestampMs: message.timestampMs,
  };
  await hold.keep(key, message.partition, follower);
  observer.onHeld(channel, room);
  return room === 'whole' ? done() : waitElsewhere(copy, parts, { held, place: held.followers.length });
}

/** Puts a message whose place is kept onto a tier; one that is kept whole needs nothing more. */
async function waitElsewhere(
  copy: CommandCopy,
  { ledger, plan, clock, copies, tierTopic }: DeliveryParts,
  { held, place }: { readonly held: HeldKey; readonly place: number },
): Promise<Outcome> {
  if (held.followers[place]?.value !== undefined) return done();
  const nowMs = clock.now();
  const headDueMs = held.head === undefined ? undefined : ledger.find(held.head.id)?.nextAttemptAt;
  // One after the other, since each has to wait for the one before it; and not before the head can have ended.
  const dueAtMs = Math.max(nowMs + (plan.tiersMs[0] ?? 0), headDueMs ?? 0) + place * PLACE_MS;
  const topic = tierTopic(tierFor(plan, dueAtMs - nowMs));
  await copies.publish([retryCopy(copy, { topic, attempt: copy.attempt, dueAtMs, attempts: [] })]);
  return done();
}
