import type { LogMessage, TopicPartition } from '../message.ts';
import { partitionId } from '../message.ts';
import type { MemoryLog } from './log.ts';
import type { LogReader } from './scheduler.ts';

/** What one reader takes of one partition in one round: enough to be cheap per message, little enough to be fair. */
const ROUND_MAX_RECORDS = 100;
const ROUND_MAX_BYTES = 1_048_576;

/** A reader's place in one partition. */
export interface Cursor extends TopicPartition {
  readonly log: MemoryLog;
  /** Next offset to be read. */
  position: number;
  paused: boolean;
}

/** The partitions that one reader reads, served in turn. */
export class MemoryCursors {
  readonly list: readonly Cursor[];
  readonly #byId: ReadonlyMap<string, Cursor>;
  readonly #reader: LogReader;
  #closed = false;

  constructor(cursors: readonly Cursor[], reader: LogReader) {
    this.list = cursors;
    this.#byId = new Map(cursors.map((cursor) => [partitionId(cursor.topic, cursor.partition), cursor]));
    this.#reader = reader;
    for (const { log } of cursors) log.readers.add(reader);
  }

  find(topic: string, partition: number): Cursor | undefined {
    return this.#byId.get(partitionId(topic, partition));
  }

  /**
   * One round over all partitions, some of each; `messages` is empty where only a gap was read.
   * Answers whether there is more to read.
   */
  round(take: (cursor: Cursor, messages: readonly LogMessage[]) => void): boolean {
    let more = false;
    for (const cursor of this.list) {
      if (cursor.paused || cursor.position >= cursor.log.high) continue;
      const { messages, next } = cursor.log.read(cursor.position, ROUND_MAX_RECORDS, ROUND_MAX_BYTES);
      cursor.position = next;
      take(cursor, messages);
      if (this.#closed) return false;
      if (next < cursor.log.high && !cursor.paused) more = true;
    }
    return more;
  }

  /** No further messages, also in a round that is under way. */
  close(): void {
    this.#closed = true;
    for (const { log } of this.list) log.readers.delete(this.#reader);
  }
}
