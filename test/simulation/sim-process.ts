import type { SystemPorts } from '../../shared/platform/system-ports.ts';
import { Picks } from '../support/random/pick.ts';
import type { ClockDeviation } from './faults/fault-plan.ts';
import { hashText } from './faults/call-fates.ts';
import { uuid } from './seeded-system.ts';

const MILLION = 1_000_000;
/** As in Node, the shortest timer: without it a loop that sleeps for the rest of a rounded time would never end. */
const MIN_TIMER_MS = 1;

export interface Host {
  readonly id: string;
  readonly ports: SystemPorts;
  readonly isFrozen?: boolean;
  isAlive(): boolean;
  /** Announces an effect outside the process; false when the process has ended and the effect must not happen. */
  mayAct(): boolean;
  enter(callback: () => void): void;
}

export type Machine = ReturnType<typeof createMachine>;

/** The machine of a process: its clocks survive a restart. */
export function createMachine(system: SystemPorts, seed: number, clocks: Partial<ClockDeviation> = {}) {
  return { system, seed, skewMs: clocks.skewMs ?? 0, driftPpm: clocks.driftPpm ?? 0 };
}

/** One life of a process. Timers of a frozen process fire when it continues, in their order; those of an ended one never. */
export class ProcessLife implements Host {
  readonly id: string;
  readonly ports: SystemPorts;
  readonly #machine: Machine;
  #isAlive = true;
  #freezes = 0;
  #isDraining = false;
  readonly #backlog: (() => void)[] = [];
  #effectsLeft = Infinity;
  #onEnd: (() => void) | undefined;

  constructor(id: string, machine: Machine) {
    this.id = id;
    this.#machine = machine;
    this.ports = this.#createPorts();
  }

  isAlive(): boolean {
    return this.#isAlive;
  }

  get isFrozen(): boolean {
    return this.#freezes > 0;
  }

  mayAct(): boolean {
    if (!this.#isAlive) return false;
    this.#effectsLeft -= 1;
    if (this.#effectsLeft < 0) this.end();
    return this.#isAlive;
  }

  enter(callback: () => void): void {
    if (!this.#isAlive) return;
    if (this.isFrozen || this.#backlog.length > 0) this.#backlog.push(callback);
    else callback();
  }

  await<Value>(promise: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => this.enter(() => resolve(value)),
        (error: unknown) => this.enter(() => reject(error)),
      );
    });
  }

  /** Ends the process after this number of further effects, instead of what was said before; Infinity: never. */
  endAfter(effects: number, onEnd?: () => void): void {
    this.#onEnd = onEnd;
    this.#effectsLeft = effects;
    if (effects === 0) this.end();
  }

  end(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#backlog.length = 0;
    this.#onEnd?.();
  }

  freeze(): void {
    this.#freezes += 1;
  }

  thaw(): void {
    this.#freezes -= 1;
    if (!this.#isDraining) this.#drain();
  }

  #drain(): void {
    this.#isDraining = !this.isFrozen && this.#backlog.length > 0;
    if (!this.#isDraining) return;
    const [next] = this.#backlog;
    next?.();
    this.#backlog.shift();
    this.#machine.system.timers.nextTurn(() => this.#drain());
  }

  #createPorts(): SystemPorts {
    const machine = this.#machine;
    const { clock, monotonic, timers } = machine.system;
    const picks = new Picks(hashText(this.id) ^ Math.imul(machine.seed, 0x85ebca6b));
    const pace = 1 + machine.driftPpm / MILLION;
    const bootMs = monotonic.elapsedMs();
    const upMs = (): number => (monotonic.elapsedMs() - bootMs) * pace;
    const bootWallMs = clock.now();
    return {
      clock: { now: () => Math.floor(bootWallMs + upMs() + machine.skewMs) },
      monotonic: { elapsedMs: upMs },
      timers: {
        schedule: (callback, afterMs) => {
          let isCancelled = false;
          const fire = (): void => {
            if (!isCancelled) callback();
          };
          const delayMs = afterMs <= 0 ? 0 : Math.max(MIN_TIMER_MS, afterMs) / pace;
          const cancel = timers.schedule(() => this.enter(fire), delayMs);
          return () => {
            isCancelled = true;
            cancel();
          };
        },
        nextTurn: (callback) => timers.nextTurn(() => this.enter(callback)),
      },
      newId: () => uuid(picks),
      random: () => picks.share(),
    };
  }
}
