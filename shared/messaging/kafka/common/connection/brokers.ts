/** How long new clients try a silent broker after the others. */
const SILENT_MS = 30_000;

/**
 * The brokers from a random one on. A client connects to the first broker of the list, and stays with it even when it accepts
 * connections but never answers, as a frozen machine does. So each client starts with a random broker, and tries silent ones
 * last.
 */
export function rotateRandomly<Broker>(brokers: readonly Broker[]): Broker[] {
  const first = Math.floor(Math.random() * brokers.length);
  return [...brokers.slice(first), ...brokers.slice(0, first)];
}

/**
 * Brokers that recently did not accept a connection or did not answer a request. A new client that connects to such a broker
 * first waits for it again: 5 s each time for a frozen machine that still accepts connections.
 */
export class SilentBrokers {
  readonly #untilMs = new Map<string, number>();

  add(address: string): void {
    this.#untilMs.set(address, performance.now() + SILENT_MS);
  }

  /** The addresses in their order, silent ones last. */
  moveToEnd(addresses: readonly string[]): string[] {
    const now = performance.now();
    const isSilent = (address: string): boolean => (this.#untilMs.get(address) ?? 0) > now;
    return [
      ...addresses.filter((address) => !isSilent(address)),
      ...addresses.filter((address) => isSilent(address)),
    ];
  }
}
