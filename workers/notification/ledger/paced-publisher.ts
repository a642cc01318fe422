import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';

/** Interval of requests; each carries the states of all rounds since the last one. */
const INTERVAL_MS = 10;

interface Batch {
  readonly messages: OutgoingMessage[];
  readonly result: Promise<void>;
  readonly publish: () => void;
}

/**
 * Gathers records into one request per short interval; the first record after a pause is sent at once. A request, and each
 * fetch by its readers, costs more than all the small records in it. A failed request fails all calls in it, so this suits
 * small records only, which the broker does not refuse individually.
 */
export class PacedPublisher implements Publisher {
  readonly #publisher: Publisher;
  readonly #intervalMs: number;
  #batch: Batch | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(publisher: Publisher, intervalMs: number = INTERVAL_MS) {
    this.#publisher = publisher;
    this.#intervalMs = intervalMs;
  }

  start(): Promise<void> {
    return this.#publisher.start();
  }

  publish(messages: readonly OutgoingMessage[]): Promise<void> {
    this.#batch ??= this.#open();
    this.#batch.messages.push(...messages);
    return this.#batch.result;
  }

  isHealthy(): boolean {
    return this.#publisher.isHealthy();
  }

  async stop(timeoutMs?: number): Promise<void> {
    this.#batch?.publish();
    await this.#publisher.stop(timeoutMs);
  }

  #open(): Batch {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const messages: OutgoingMessage[] = [];
    const publish = (): void => {
      if (this.#batch !== batch) return;
      clearTimeout(timer);
      this.#batch = undefined;
      this.#lastMs = performance.now();
      this.#publisher.publish(messages).then(resolve, reject);
    };
    const batch = { messages, result: promise, publish };
    const waitMs = this.#lastMs + this.#intervalMs - performance.now();
    const timer = waitMs > 0 ? setTimeout(publish, waitMs) : undefined;
    if (waitMs <= 0) setImmediate(publish);
    return batch;
  }
}
