import { partitionId, type LogMessage } from '../message.ts';
import type { CommitPrefix } from './offset-tracker.ts';
import type { Work } from './work.ts';

/**
 * Work of earlier epochs that the log may deliver again: what was begun or done but not known to be committed when the
 * group rebalanced or the consumer was rebuilt. A redelivered message joins its work instead of being done twice by
 * this process. Bounded by what may lie beyond a partition's prefix; forgotten once the partition has been read past it.
 */
export class InFlight {
  readonly #works = new Map<string, Map<number, Work>>();

  /** Keeps the begun and done works of a partition whose epoch has ended. */
  keep(prefix: CommitPrefix): void {
    const begun = prefix.unconfirmed().filter((work) => work.state !== 'queued');
    if (begun.length === 0) return;
    const id = partitionId(prefix.topic, prefix.partition);
    const known = this.#works.get(id) ?? new Map<number, Work>();
    for (const work of begun) known.set(work.offset, work);
    this.#works.set(id, known);
  }

  /** Whether anything is kept of a partition; the usual answer is no, at the price of one look. */
  has(id: string): boolean {
    return this.#works.has(id);
  }

  /**
   * The work of a message that was delivered before, handed out once. The timestamp is compared too, so that a topic
   * that was deleted and made again is not taken for the old one.
   */
  take(id: string, message: LogMessage): Work | undefined {
    const works = this.#works.get(id);
    const work = works?.get(message.offset);
    if (works === undefined || work === undefined) return undefined;
    works.delete(message.offset);
    const wasDropped = work.state === 'queued';
    return work.timestampMs === message.timestampMs && !wasDropped ? work : undefined;
  }

  /**
   * The partition was read up to `offset`: what is kept below will not come again, since another member has done it.
   * Answers what was forgotten.
   */
  forget(id: string, offset: number): readonly Work[] {
    const works = this.#works.get(id);
    if (works === undefined) return [];
    const forgotten: Work[] = [];
    for (const [known, work] of works) {
      if (known > offset) continue;
      works.delete(known);
      forgotten.push(work);
    }
    if (works.size === 0) this.#works.delete(id);
    return forgotten;
  }

  get size(): number {
    let size = 0;
    for (const works of this.#works.values()) size += works.size;
    return size;
  }
}
