import { partitionId, type LogMessage } from '../message.ts';
import { createWork, type OffsetTracker, type Work } from './offset-tracker.ts';

/**
 * Work of earlier generations that may be redelivered: started or done, but without a confirmed commit when the group
 * rebalanced or the source was replaced. A redelivered message joins its work, so that this process does not process it
 * twice. Its size is limited by the window of each partition; work is forgotten once the partition is read beyond it.
 */
export class InFlight {
  readonly #works = new Map<string, Map<number, Work>>();

  get size(): number {
    let size = 0;
    for (const works of this.#works.values()) size += works.size;
    return size;
  }

  /** Keeps the started and completed work items of a partition whose generation has ended. */
  keep(tracker: OffsetTracker): void {
    const started = tracker.unconfirmed().filter((work) => work.state !== 'queued');
    if (started.length === 0) return;
    const id = partitionId(tracker.topic, tracker.partition);
    const known = this.#works.get(id) ?? new Map<number, Work>();
    for (const work of started) known.set(work.offset, work);
    this.#works.set(id, known);
  }

  /**
   * Adds delivered messages of one partition to its tracker. A message started in an earlier generation joins its work; one
   * that was already delivered in this generation is skipped. `nowMs`: monotonic milliseconds.
   */
  deliver(messages: readonly LogMessage[], tracker: OffsetTracker, nowMs: number): Delivery {
    const id = partitionId(tracker.topic, tracker.partition);
    const works = this.#works.get(id);
    const added: Work[] = [];
    let joined = 0;
    for (const message of messages) {
      if (message.offset <= tracker.lastOffset) continue;
      const known = works && take(works, message);
      const work = known ?? createWork(message, tracker, nowMs);
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
  /** The work items of new messages. */
  readonly added: readonly Work[];
  /** Number of messages that joined earlier work. */
  readonly joined: number;
  /** Earlier work items that will not be redelivered, since another consumer has completed them. */
  readonly forgotten: readonly Work[];
}

/**
 * Removes and returns the work of a redelivered message. Timestamps must match, so that messages of a recreated topic do not
 * join work of the deleted one.
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
