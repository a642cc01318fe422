import type { Log } from '../../platform/log.ts';
import { errorText } from '../../platform/errors.ts';
import { EmbeddedCursors, type Cursor } from './reader-rounds.ts';
import type { LogReader } from './partition-log.ts';
import type { LogUser, EmbeddedParts } from './embedded-topics.ts';
import { tailBehind, tailStopped, topicUnknown } from '../broker-errors.ts';
import type { LogMessage } from '../message.ts';
import { type Tail, type TailOptions, firstPosition } from '../ports.ts';

type Target = Readonly<{ cursor: Cursor; target: number }>;

export class EmbeddedTail implements Tail, LogReader, LogUser {
  readonly #options: TailOptions;
  readonly #parts: EmbeddedParts;
  readonly #log: Log | undefined;
  #cursors: EmbeddedCursors | undefined;
  #onMessage: ((message: LogMessage) => void) | undefined;
  #hasFailed = false;
  readonly #waiters = new Set<{ readonly targets: readonly Target[]; settle(error?: Error): void }>();

  constructor(options: TailOptions, parts: EmbeddedParts, log: Log | undefined) {
    this.#options = options;
    this.#parts = parts;
    this.#log = log;
  }

  async start(onMessage: (message: LogMessage) => void): Promise<void> {
    if (this.#onMessage !== undefined) throw tailStopped(this.#options.clientId);
    const cursors = this.#options.topics.flatMap((topic) => this.#open(topic));
    this.#onMessage = onMessage;
    this.#cursors = new EmbeddedCursors(cursors, this);
    this.#parts.topics.users.add(this);
    this.#parts.scheduler.wake(this);
  }

  isReady(): boolean {
    return this.#cursors !== undefined && !this.#hasFailed;
  }

  caughtUp(timeoutMs: number): Promise<void> {
    const cursors = this.#cursors;
    if (cursors === undefined) return Promise.reject(tailStopped(this.#options.clientId));
    return new Promise((resolve, reject) => {
      const settle = (error?: Error) => {
        cancel();
        this.#waiters.delete(waiter);
        if (error === undefined) resolve();
        else reject(error);
      };
      const late = (): void => settle(tailBehind(this.#options.clientId, timeoutMs));
      const cancel = this.#parts.ports.timers.schedule(late, timeoutMs);
      const waiter = { targets: cursors.list.map((cursor) => ({ cursor, target: cursor.log.high })), settle };
      this.#waiters.add(waiter);
      this.#parts.scheduler.wake(this);
    });
  }

  async stop(): Promise<void> {
    this.#cursors?.close();
    this.#cursors = undefined;
    this.#parts.topics.users.delete(this);
    for (const waiter of this.#waiters) waiter.settle(tailStopped(this.#options.clientId));
    this.#parts.onStopped(this);
  }

  deliver(): boolean {
    const cursors = this.#cursors;
    if (cursors === undefined || this.#hasFailed) return false;
    const more = this.#read(cursors);
    for (const waiter of this.#waiters)
      if (!waiter.targets.some(({ cursor, target }) => cursor.position < target)) waiter.settle();
    return more;
  }

  keepFrom(topic: string, partition: number): number {
    return this.#cursors?.find(topic, partition)?.position ?? Infinity;
  }

  /** Stops for good at a record that cannot be read: later records must not be delivered before it. */
  #read(cursors: EmbeddedCursors): boolean {
    const { clientId } = this.#options;
    try {
      return cursors.round((_, messages) => {
        for (const message of messages) this.#handle(message);
      });
    } catch (error) {
      this.#log?.error({ clientId, error: errorText(error) }, 'the tail cannot read its log');
      this.#hasFailed = true;
      return false;
    }
  }

  #handle(message: LogMessage): void {
    if (this.#cursors === undefined) return;
    try {
      this.#onMessage?.(message);
    } catch (error) {
      const { topic, partition, offset } = message;
      const fields = { topic, partition, offset, error: errorText(error) };
      this.#log?.warn(fields, 'message skipped: its handler failed');
    }
  }

  #open(topic: string): Cursor[] {
    const { logs } = this.#parts.topics.get(topic);
    const { partition } = this.#options;
    const read = partition === undefined ? logs : logs.filter((log) => log.partition === partition);
    if (read.length === 0) throw topicUnknown(topic, partition);
    return read.map((log) => {
      const position = firstPosition(this.#options, log);
      return { topic, partition: log.partition, log, position, paused: false };
    });
  }
}
