/**
 * Knows which fetches were under way when a new generation began.
 *
 * kafkajs joins anew while fetches to other brokers are still under way when a leader has moved (consumerGroup.js,
 * recoverFromFetch). The answer to such a fetch belongs to the positions of the old generation; taken in the new one it
 * would move the new position past messages that were handed over but never committed: they would be skipped. So
 * the gate stays shut, and with it all partitions paused (kafkajs drops answers for paused partitions), until each
 * fetch that began before the join has ended.
 */
export class FetchGate {
  /** Brokers with a fetch under way. */
  readonly #underWay = new Set<string>();
  readonly #awaited = new Set<string>();
  #onOpen: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #longestFetchMs: number;

  /** A fetch takes at most `longestFetchMs`; a broker that left the cluster is waited for no longer than that. */
  constructor(longestFetchMs: number) {
    this.#longestFetchMs = longestFetchMs;
  }

  get isShut(): boolean {
    return this.#onOpen !== undefined;
  }

  fetchStarted(nodeId: string): void {
    // Each broker has one fetch at a time: a new one tells that the one before ended, be it by an error.
    this.#ended(nodeId);
    this.#underWay.add(nodeId);
  }

  fetchEnded(nodeId: string): void {
    this.#underWay.delete(nodeId);
    this.#ended(nodeId);
  }

  /** All fetches are known to have ended: kafkajs waits for them before an ordinary rebalance. */
  allEnded(): void {
    this.#underWay.clear();
    this.#open();
  }

  /**
   * A new generation began. Answers whether the gate is shut, and calls `onOpen` once when it opens again.
   */
  generationBegan(onOpen: () => void): boolean {
    this.close();
    for (const nodeId of this.#underWay) this.#awaited.add(nodeId);
    if (this.#awaited.size === 0) return false;
    this.#onOpen = onOpen;
    this.#timer = setTimeout(() => this.#open(), this.#longestFetchMs);
    return true;
  }

  /** Forgets what it waits for. */
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
