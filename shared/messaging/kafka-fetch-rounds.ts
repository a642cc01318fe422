/** A fetch that found nothing and took at least this share of its waiting time was answered, not failed. */
const ANSWERED_SHARE = 0.8;

interface Ended {
  readonly durationMs: number;
  /** Batches handed over when it ended; its own come after that. */
  readonly batches: number;
}

/**
 * Tells answered fetches from failed ones: kafkajs reports both alike (it swallows lost connections). An answered one
 * either brought a batch or lasted as long as a fetch waits for data.
 */
export class FetchRounds {
  readonly #maxWaitMs: number;
  readonly #ended = new Map<string, Ended>();
  readonly brokers = new Set<string>();
  #batches = 0;

  constructor(maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs;
  }

  /** A fetch begins; answers what the one before it, of the same broker, found. */
  started(nodeId: string): 'busy' | 'empty' | 'failed' {
    this.brokers.add(nodeId);
    const before = this.#ended.get(nodeId);
    this.#ended.delete(nodeId);
    if (before === undefined) return 'failed';
    if (this.#batches > before.batches) return 'busy';
    return before.durationMs >= this.#maxWaitMs * ANSWERED_SHARE ? 'empty' : 'failed';
  }

  ended(nodeId: string, durationMs: number): void {
    this.#ended.set(nodeId, { durationMs, batches: this.#batches });
  }

  batch(): void {
    this.#batches += 1;
  }

  restarted(): void {
    this.#ended.clear();
    this.brokers.clear();
  }
}
