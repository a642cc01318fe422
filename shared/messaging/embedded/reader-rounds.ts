import type { Timers } from '../../platform/system-ports.ts';
import type { LogMessage, TopicPartition } from '../message.ts';
import type { LogReader, PartitionLog } from './partition-log.ts';

/** Limits of one read of a partition: large enough to be efficient, small enough to be fair to other readers. */
const ROUND_MAX_RECORDS = 100;
const ROUND_MAX_BYTES = 1_048_576;

/** Each reader gets one round per turn of the event loop, so that none starves another. */
export class EmbeddedScheduler {
  readonly #timers: Timers;
  #due = new Set<LogReader>();
  #armed = false;
  #closed = false;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  wake(reader: LogReader): void {
    this.#due.add(reader);
    if (this.#armed || this.#closed) return;
    this.#armed = true;
    this.#timers.nextTurn(() => {
      const due = this.#due;
      this.#due = new Set();
      this.#armed = false;
      for (const one of due) if (one.deliver()) this.wake(one);
    });
  }

  close(): void {
    this.#closed = true;
    this.#due.clear();
  }
}

export interface Cursor extends TopicPartition {
  readonly log: PartitionLog;
  position: number;
  paused: boolean;
}

export class EmbeddedCursors {
  readonly list: readonly Cursor[];
  readonly #reader: LogReader;
  #closed = false;

  constructor(cursors: readonly Cursor[], reader: LogReader) {
    this.list = cursors;
    this.#reader = reader;
    for (const { log } of cursors) log.readers.add(reader);
  }

  find(topic: string, partition: number): Cursor | undefined {
    return this.list.find((cursor) => cursor.topic === topic && cursor.partition === partition);
  }

  /** `messages` is empty if only offsets without a record were read. Returns true if there is more to read. */
  round(take: (cursor: Cursor, messages: readonly LogMessage[]) => void): boolean {
    let more = false;
    for (const cursor of this.list) {
      if (this.#closed) return false;
      if (cursor.paused || cursor.position >= cursor.log.high) continue;
      const { messages, next } = cursor.log.read(cursor.position, ROUND_MAX_RECORDS, ROUND_MAX_BYTES);
      cursor.position = next;
      take(cursor, messages);
      if (next < cursor.log.high && !cursor.paused) more = true;
    }
    return more && !this.#closed;
  }

  close(): void {
    this.#closed = true;
    for (const { log } of this.list) log.readers.delete(this.#reader);
  }
}
