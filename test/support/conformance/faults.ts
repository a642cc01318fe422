import type { FaultPlan, MemoryFault } from '../../../shared/messaging/memory/injected-faults.ts';

/** Switches for the faults of the embedded broker. */
export class FaultSwitch {
  readonly #cutOff = new Set<string>();
  readonly #lostReplies = new Map<string, number>();
  readonly #delays = new Map<string, number>();
  #down = false;

  /** The broker refuses all calls (true) or accepts them again (false). */
  setDown(down: boolean): void {
    this.#down = down;
  }

  /** Refuses every call of clients whose id has this prefix, as if their process had been killed. */
  cutOff(prefix: string): void {
    this.#cutOff.add(prefix);
  }

  reconnect(prefix: string): void {
    this.#cutOff.delete(prefix);
  }

  /** The next publishes of the client, as many as given, are stored, but their responses are lost. */
  loseReplies(clientId: string, times: number): void {
    this.#lostReplies.set(clientId, times);
  }

  /** Delays each publish of the client by `ms`; 0 ends the delay. */
  delay(clientId: string, ms: number): void {
    if (ms === 0) this.#delays.delete(clientId);
    else this.#delays.set(clientId, ms);
  }

  readonly plan: FaultPlan = (call, clientId) => {
    if (this.#down || [...this.#cutOff].some((prefix) => clientId.startsWith(prefix)))
      return { kind: 'refuse' };
    return call === 'publish' ? this.#publishFault(clientId) : undefined;
  };

  #publishFault(clientId: string): MemoryFault | undefined {
    const lost = this.#lostReplies.get(clientId) ?? 0;
    if (lost > 0) {
      this.#lostReplies.set(clientId, lost - 1);
      return { kind: 'lose-reply' };
    }
    const ms = this.#delays.get(clientId);
    return ms === undefined ? undefined : { kind: 'delay', ms };
  }
}
