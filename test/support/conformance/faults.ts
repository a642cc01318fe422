import type { FaultPlan } from '../../../shared/messaging/embedded/injected-faults.ts';

/** Switches for the faults of the embedded broker. */
export class FaultSwitch {
  readonly #cutOff = new Set<string>();
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

  readonly plan: FaultPlan = (_call, clientId) =>
    this.#down || [...this.#cutOff].some((prefix) => clientId.startsWith(prefix));
}
