/** A broker that was silent comes after the others for so long. */
const SILENT_MS = 30_000;

/**
 * Brokers that took no connection, or left a request unanswered, a moment ago. A new client that begins with such a one waits
 * for it again: 5 s each time for a frozen machine that still takes connections.
 */
export class SilentBrokers {
  readonly #untilMs = new Map<string, number>();

  note(address: string): void {
    this.#untilMs.set(address, performance.now() + SILENT_MS);
  }

  /** The addresses in their order, the silent ones behind the others. */
  last(addresses: readonly string[]): string[] {
    const now = performance.now();
    for (const [address, untilMs] of this.#untilMs) {
      if (untilMs <= now) this.#untilMs.delete(address);
    }
    const isSilent = (address: string): boolean => this.#untilMs.has(address);
    return [
      ...addresses.filter((address) => !isSilent(address)),
      ...addresses.filter((address) => isSilent(address)),
    ];
  }
}
