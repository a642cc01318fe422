import type { Log } from '../../platform/log.ts';
import { errorText } from '../../platform/errors.ts';
import { EmbeddedCursors, type Cursor } from './scheduler.ts';
import { isRefused, unreachable } from './injected-faults.ts';
import type { LogReader } from './partition-log.ts';
import type { LogUser, EmbeddedParts } from './topics.ts';
import { tailBehind, tailStopped, topicUnknown } from '../broker-errors.ts';
import type { LogMessage } from '../message.ts';
import type { Tail, TailOptions } from '../ports.ts';
import { firstPosition } from '../tail-start.ts';

/** Interval at which a tail tries again that is disconnected, or whose log could not be read. */
const RETRY_INTERVAL_MS = 50;

interface Waiter {
  readonly targets: ReadonlyMap<Cursor, number>;
  readonly settle: (error?: Error) => void;
}

/** Reads partitions without a group, with its own positions and without commits. */
export class EmbeddedTail implements Tail, LogReader, LogUser {
  readonly isEager: boolean;
  readonly #options: TailOptions;
  readonly #parts: EmbeddedParts;
  readonly #log: Log | undefined;
  #cursors: EmbeddedCursors | undefined;
  #onMessage: ((message: LogMessage) => void) | undefined;
  #cancelRetry: (() => void) | undefined;
  /** The last read of the log failed. */
  #isFailing = false;
  readonly #waiters = new Set<Waiter>();

  constructor(options: TailOptions, parts: EmbeddedParts, log: Log | undefined) {
    this.isEager = options.isEager === true;
    this.#options = options;
    this.#parts = parts;
    this.#log = log;
  }

  async start(onMessage: (message: LogMessage) => void): Promise<void> {
    if (this.#isCutOff()) throw unreachable(`tail ${this.#options.clientId}`);
    if (this.#onMessage !== undefined) throw tailStopped(this.#options.clientId);
    const cursors = this.#options.topics.flatMap((topic) => this.#open(topic));
    this.#onMessage = onMessage;
    this.#cursors = new EmbeddedCursors(cursors, this);
    this.#parts.topics.addUser(this);
    this.#parts.scheduler.wake(this);
  }

  isReady(): boolean {
    return this.#cursors !== undefined && !this.#isFailing && !this.#isCutOff();
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
      const waiter = { targets: new Map(cursors.list.map((cursor) => [cursor, cursor.log.high])), settle };
      this.#waiters.add(waiter);
      this.#parts.scheduler.wake(this);
    });
  }

  async stop(): Promise<void> {
    this.#end();
    this.#parts.onStopped(this);
  }

  /** Called by the scheduler: delivers one round of messages. */
  deliver(): boolean {
    const cursors = this.#cursors;
    if (cursors === undefined) return false;
    if (this.#isCutOff()) {
      this.#tryAgainLater();
      return false;
    }
    const more = this.#read(cursors);
    for (const waiter of this.#waiters) if (isReached(waiter.targets)) waiter.settle();
    return more;
  }

  /** Undelivered records are kept. */
  keepFrom(topic: string, partition: number): number {
    return this.#cursors?.find(topic, partition)?.position ?? Infinity;
  }

  /** Tries again while the log cannot be read: what follows must not be delivered before. */
  #read(cursors: EmbeddedCursors): boolean {
    const { clientId } = this.#options;
    try {
      const more = cursors.round((_, messages) => {
        for (const message of messages) this.#handle(message);
      });
      if (this.#isFailing) this.#log?.info({ clientId }, 'the tail reads its log again');
      this.#isFailing = false;
      return more;
    } catch (error) {
      const reason = errorText(error);
      if (!this.#isFailing) this.#log?.error({ clientId, error: reason }, 'the tail cannot read its log');
      this.#isFailing = true;
      this.#tryAgainLater();
      return false;
    }
  }

  #tryAgainLater(): void {
    this.#cancelRetry?.();
    const { scheduler, ports } = this.#parts;
    this.#cancelRetry = ports.timers.schedule(() => scheduler.wake(this), RETRY_INTERVAL_MS);
  }

  #end(): void {
    this.#cancelRetry?.();
    this.#cursors?.close();
    this.#cursors = undefined;
    this.#parts.topics.removeUser(this);
    for (const waiter of this.#waiters) waiter.settle(tailStopped(this.#options.clientId));
  }

  #handle(message: LogMessage): void {
    if (this.#cursors === undefined) return;
    try {
      this.#onMessage?.(message);
    } catch (error) {
      const { topic, partition, offset } = message;
      this.#log?.warn(
        { topic, partition, offset, error: errorText(error) },
        'message skipped: its handler failed',
      );
    }
  }

  #isCutOff(): boolean {
    return isRefused(this.#parts.faults, 'fetch', this.#options.clientId);
  }

  #open(topic: string): Cursor[] {
    const { logs } = this.#parts.topics.get(topic);
    const { partition } = this.#options;
    const read = partition === undefined ? logs : logs.filter((log) => log.partition === partition);
    if (read.length === 0) throw topicUnknown(topic, partition);
    return read.map((log) => ({
      topic,
      partition: log.partition,
      log,
      position: firstPosition(this.#options, {
        topic,
        partition: log.partition,
        low: log.low,
        high: this.isEager ? log.end : log.high,
      }),
      paused: false,
    }));
  }
}

function isReached(targets: ReadonlyMap<Cursor, number>): boolean {
  for (const [cursor, target] of targets) if (cursor.position < target) return false;
  return true;
}
