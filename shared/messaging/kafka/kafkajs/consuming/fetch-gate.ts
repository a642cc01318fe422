/**
 * Tracks the fetches that were pending when a new generation started.
 *
 * When a leader has moved, kafkajs rejoins while fetches to other brokers are still pending (consumerGroup.js,
 * recoverFromFetch). The response to such a fetch belongs to the positions of the old generation; in the new one it would move
 * the position past messages that were delivered but never committed, and they would be skipped. So the gate stays shut, and
 * all partitions stay paused (kafkajs drops responses for paused partitions), until each fetch from before the join has ended.
 */
export class FetchGate {
  /** Brokers with a pending fetch. */
  readonly #pending = new Set<string>();
  readonly #awaited = new Set<string>();
  #onOpen: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #maxFetchMs: number;

  /** A fetch takes at most `maxFetchMs`: after that time the gate opens, since the broker may have left the cluster. */
  constructor(maxFetchMs: number) {
    this.#maxFetchMs = maxFetchMs;
  }

  get isShut(): boolean {
    return this.#onOpen !== undefined;
  }

  fetchStarted(nodeId: string): void {
    // Each broker has one fetch at a time: a new one implies that the previous one has ended, even by an error.
    this.#ended(nodeId);
    this.#pending.add(nodeId);
  }

  fetchEnded(nodeId: string): void {
    this.#pending.delete(nodeId);
    this.#ended(nodeId);
  }

  /** Called when all fetches have ended: kafkajs waits for them before an ordinary rebalance. */
  allEnded(): void {
    this.#pending.clear();
    this.#open();
  }

  /** A new generation started. Returns whether the gate is shut, and calls `onOpen` once when it opens again. */
  generationStarted(onOpen: () => void): boolean {
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
