import { partitionId, type LogMessage } from '../message.ts';
import { createWork, type OffsetTracker, type Work } from './offset-tracker.ts';

/**
 * Work of earlier generations that may be delivered again: what was started or done but not known to be committed when
 * the group rebalanced or the consumer was rebuilt. A redelivered message joins its work instead of being processed twice
 * by this process. Bounded by what may lie beyond a partition's prefix; forgotten once the partition has been read past it.
 */
export class InFlight {
  readonly #works = new Map<string, Map<number, Work>>();

  get size(): number {
    let size = 0;
    for (const works of this.#works.values()) size += works.size;
    return size;
  }

  /** Keeps the started and done works of a partition whose generation has ended. */
  keep(tracker: OffsetTracker): void {
    const started = tracker.unconfirmed().filter((work) => work.state !== 'queued');
    if (started.length === 0) return;
    const id = partitionId(tracker.topic, tracker.partition);
    const known = this.#works.get(id) ?? new Map<number, Work>();
    for (const work of started) known.set(work.offset, work);
    this.#works.set(id, known);
  }

  /**
   * Adds delivered messages of one partition to its tracker. A message that was started in an earlier generation joins
   * that work, one that was already delivered in this generation is skipped, and all others are new.
   */
  deliver(messages: readonly LogMessage[], tracker: OffsetTracker): Delivery {
    const id = partitionId(tracker.topic, tracker.partition);
    const works = this.#works.get(id);
    const added: Work[] = [];
    let joined = 0;
    for (const message of messages) {
      if (message.offset <= tracker.lastOffset) continue;
      const known = works && take(works, message);
      const work = known ?? createWork(message, tracker);
      if (known === undefined) added.push(work);
      else joined += 1;
      work.tracker = tracker;
      tracker.add(work);
    }
    if (works === undefined) return { added, joined, forgotten: [] };
    const forgotten = forget(works, tracker.lastOffset);
    if (works.size === 0) this.#works.delete(id);
    tracker.advance();
    return { added, joined, forgotten };
  }
}

export interface Delivery {
  /** The works of new messages. */
  readonly added: readonly Work[];
  /** Number of messages that joined earlier work. */
  readonly joined: number;
  /** Earlier works whose messages will not be delivered again, since another consumer has done them. */
  readonly forgotten: readonly Work[];
}

/**
 * Removes the work of a message that was delivered before. The timestamps are compared too, so that a topic which was
 * deleted and created again is not mistaken for the old one.
 */
function take(works: Map<number, Work>, { offset, timestampMs }: LogMessage): Work | undefined {
  const work = works.get(offset);
  if (work === undefined) return undefined;
  works.delete(offset);
  const wasDropped = work.state === 'queued';
  return work.timestampMs === timestampMs && !wasDropped ? work : undefined;
}

function forget(works: Map<number, Work>, offset: number): readonly Work[] {
  const forgotten: Work[] = [];
  for (const [known, work] of works) {
    if (known > offset) continue;
    works.delete(known);
    forgotten.push(work);
  }
  return forgotten;
}
