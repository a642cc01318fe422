import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';
import type { SystemPorts } from '../../../shared/platform/system-ports.ts';

/** Shortest interval between requests that are not full. Each carries all records since the previous one. */
const INTERVAL_MS = 10;
/**
 * After a long request there is a pause of the same length, so that an urgent intent finds the disk or the broker free
 * half of the time. The shorter of the last two requests counts, so that a single slow one does not delay the next.
 */
const INTERVAL_PER_REQUEST = 2;
const MAX_INTERVAL_MS = 100;
/** With this many records a request is not delayed by INTERVAL_MS: enough of them share its cost. */
const FULL_BATCH = 32;

interface Batch {
  readonly messages: OutgoingMessage[];
  readonly result: Promise<void>;
  readonly publish: () => void;
  readonly hasten: () => void;
}

/**
 * Publishes the records of a short interval in one request, which costs more than the small records in it. If the
 * request fails, all its calls fail, so this suits only records that the broker does not reject individually. The first
 * record after an idle interval is sent at once.
 */
export class PacedPublisher implements Publisher {
  readonly #publisher: Publisher;
  readonly #ports: Pick<SystemPorts, 'monotonic' | 'timers'>;
  #batch: Batch | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  #tookMs: readonly [number, number] = [0, 0];

  constructor(publisher: Publisher, ports: Pick<SystemPorts, 'monotonic' | 'timers'>) {
    this.#publisher = publisher;
    this.#ports = ports;
  }

  start(): Promise<void> {
    return this.#publisher.start();
  }

  publish(messages: readonly OutgoingMessage[]): Promise<void> {
    this.#batch ??= this.#open();
    const { messages: waiting, result, hasten } = this.#batch;
    const wasFull = waiting.length >= FULL_BATCH;
    waiting.push(...messages);
    if (!wasFull && waiting.length >= FULL_BATCH) hasten();
    return result;
  }

  isHealthy(): boolean {
    return this.#publisher.isHealthy();
  }

  async stop(timeoutMs?: number): Promise<void> {
    this.#batch?.publish();
    await this.#publisher.stop(timeoutMs);
  }

  #open(): Batch {
    const { monotonic, timers } = this.#ports;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const messages: OutgoingMessage[] = [];
    const publish = (): void => {
      if (this.#batch !== batch) return;
      cancel();
      this.#batch = undefined;
      const startedMs = monotonic.elapsedMs();
      this.#lastMs = startedMs;
      const ended = (): void => {
        this.#tookMs = [this.#tookMs[1], monotonic.elapsedMs() - startedMs];
      };
      this.#publisher.publish(messages).finally(ended).then(resolve, reject);
    };
    const pauseMs = Math.min(INTERVAL_PER_REQUEST * Math.min(...this.#tookMs), MAX_INTERVAL_MS);
    const publishAfter = (intervalMs: number): (() => void) =>
      timers.schedule(publish, this.#lastMs + intervalMs - monotonic.elapsedMs());
    let cancel = publishAfter(Math.max(INTERVAL_MS, pauseMs));
    const hasten = (): void => {
      cancel();
      cancel = publishAfter(pauseMs);
    };
    const batch: Batch = { messages, result: promise, publish, hasten };
    return batch;
  }
}
