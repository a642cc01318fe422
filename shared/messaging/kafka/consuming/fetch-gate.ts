/**
 * Tracks the fetches that were pending when a new generation began.
 *
 * When a leader has moved, kafkajs rejoins while fetches to other brokers are still pending (consumerGroup.js,
 * recoverFromFetch). The answer to such a fetch belongs to the positions of the old generation; accepted in the new one it
 * would move the new position past messages that were delivered but never committed: they would be skipped. So the gate
 * stays shut, and all partitions stay paused (kafkajs drops answers for paused partitions), until each fetch that began
 * before the join has ended.
 */
export class FetchGate {
  /** Brokers with a pending fetch. */
  readonly #pending = new Set<string>();
  readonly #awaited = new Set<string>();
  #onOpen: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #maxFetchMs: number;

  /** A fetch takes at most `maxFetchMs`; the gate waits no longer for a broker that left the cluster. */
  constructor(maxFetchMs: number) {
    this.#maxFetchMs = maxFetchMs;
  }

  get isShut(): boolean {
    return this.#onOpen !== undefined;
  }

  fetchStarted(nodeId: string): void {
    // Each broker has one fetch at a time: a new one implies that the one before has ended, even by an error.
    this.#ended(nodeId);
    this.#pending.add(nodeId);
  }

  fetchEnded(nodeId: string): void {
    this.#pending.delete(nodeId);
    this.#ended(nodeId);
  }

  /** All fetches are known to have ended: kafkajs waits for them before an ordinary rebalance. */
  allEnded(): void {
    this.#pending.clear();
    this.#open();
  }

  /**
   * A new generation began. Returns whether the gate is shut, and calls `onOpen` once when it opens again.
   */
  generationBegan(onOpen: () => void): boolean {
    this.close();
    for (const nodeId of this.#pending) this.#awaited.add(nodeId);
    if (this.#awaited.size === 0) return false;
    this.#onOpen = onOpen;
    this.#timer = setTimeout(() => this.#open(), this.#maxFetchMs);
    return true;
  }

  /** Stops waiting, without a call of `onOpen`. */
  close(): void {
    clearTimeout(this.#timer);
    this.#awaited.clear();
    this.#onOpen = undefined;
  }

  #ended(nodeId: string): void {
    if (this.#awaited.delete(nodeId) && this.#awaited.size === 0) this.#open();
  }

  #open(): void {
    const onOpen = this.#onOpen;
    this.close();
    onOpen?.();
  }
}
