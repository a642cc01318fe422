/** Something that takes what a log has for it; answers whether there is more. */
export interface LogReader {
  deliver(): boolean;
}

/**
 * Runs deliveries, never inside the publisher's own call: each turn of the event loop gives every reader that has
 * something to read one round, so that none starves another, and network and timers run in between.
 */
export class MemoryScheduler {
  #due = new Set<LogReader>();
  #armed = false;
  #closed = false;

  /** Gives the reader a round in the next turn; asking again before that costs nothing. */
  wake(reader: LogReader): void {
    this.#due.add(reader);
    if (this.#armed || this.#closed) return;
    this.#armed = true;
    setImmediate(this.#run);
  }

  close(): void {
    this.#closed = true;
    this.#due.clear();
  }

  readonly #run = (): void => {
    const due = this.#due;
    this.#due = new Set();
    this.#armed = false;
    for (const reader of due) {
      if (reader.deliver()) this.wake(reader);
    }
  };
}
