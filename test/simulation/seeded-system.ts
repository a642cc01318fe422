import type { SystemPorts, Timers } from '../../shared/platform/system-ports.ts';
import { Picks } from '../support/random/pick.ts';

/** The day that the example catalogue describes, early enough that no run reaches the next one. */
const START_MS = Date.UTC(2026, 0, 15, 6);
const UUID_DIGITS = 16;
/** A turn of the real event loop costs more; signals and the timeouts of tests are handled between these. */
const TURNS_OF_LOOP = 100;
/** A simulation that never becomes idle at one moment has a loop; real work needs some thousand turns at most. */
const MAX_TURNS_AT_ONCE = 1_000_000;

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
  isCancelled: boolean;
}

/** A generated secret would differ from run to run, and ids and partitions with it. */
export const SIMULATED_SECRET = 'a secret for simulations';

export interface SeededSystem extends SystemPorts {
  readonly picks: Picks;
  /** Lets time pass, which passes in no other way. Rejects after `limitMs` simulated milliseconds. */
  readonly run: <Value>(work: Promise<Value>, limitMs: number) => Promise<Value>;
  readonly pass: (ms: number) => Promise<void>;
  readonly turns: () => number;
}

/**
 * Callbacks of a turn run in an order of the seed, each with the promises that it settles; timers fire at their exact time.
 * The work must not wait for real I/O, threads, timers or setImmediate().
 */
export function seededSystem(seed: number): SeededSystem {
  const picks = new Picks(seed);
  const timers = new TimerQueue();
  let elapsedMs = 0;
  let turns = 0;
  let ready: (() => void)[] = [];

  const turn = (limitMs: number): boolean => {
    if (ready.length === 0) {
      const dueMs = timers.nextMs();
      if (dueMs === undefined || dueMs > limitMs) return false;
      elapsedMs = Math.max(elapsedMs, dueMs);
      ready = timers.takeDue(elapsedMs);
    }
    const callbacks = ready;
    ready = [];
    turns += 1;
    runAll(callbacks, picks);
    return true;
  };
  const runUntil = async (isOver: () => boolean, limitMs: number): Promise<void> => {
    let sinceMs = elapsedMs;
    let turnsSince = turns;
    const nextTurn = (): boolean => {
      if (isOver() || !turn(limitMs)) return false;
      if (elapsedMs > sinceMs) [sinceMs, turnsSince] = [elapsedMs, turns];
      if (turns - turnsSince > MAX_TURNS_AT_ONCE) throw new Error(`no end of the work at ${elapsedMs} ms`);
      return true;
    };
    await settlePromises();
    while (await inEventLoop(() => repeatWhile(nextTurn, TURNS_OF_LOOP)));
  };
  return {
    clock: { now: () => START_MS + Math.floor(elapsedMs) },
    monotonic: { elapsedMs: () => elapsedMs },
    timers: {
      schedule: (callback, afterMs) => timers.add(callback, elapsedMs + Math.max(0, afterMs)),
      nextTurn: (callback) => void ready.push(callback),
    } satisfies Timers,
    newId: () => uuid(picks),
    random: () => picks.share(),
    picks,
    run: async (work, limitMs) => {
      let isSettled = false;
      const settled = (): void => {
        isSettled = true;
      };
      work.then(settled, settled);
      await runUntil(() => isSettled, elapsedMs + limitMs);
      if (!isSettled) throw new Error(`the work did not end within ${limitMs} simulated ms`);
      return work;
    },
    pass: async (ms) => {
      const endMs = elapsedMs + ms;
      await runUntil(() => false, endMs);
      elapsedMs = endMs;
    },
    turns: () => turns,
  };
}

function runAll(callbacks: (() => void)[], picks: Picks): void {
  for (let left = callbacks.length; left > 0; left -= 1) {
    const at = picks.whole(0, left - 1);
    const callback = callbacks[at];
    callbacks[at] = callbacks[left - 1] as () => void;
    callback?.();
    handlePromises();
  }
}

function repeatWhile(step: () => boolean, times: number): boolean {
  for (let time = 0; time < times; time += 1) if (!step()) return false;
  return true;
}

/** Calls the function in a callback of the event loop, outside of promises, where settled promises can be handled. */
function inEventLoop<Result>(work: () => Result): Promise<Result> {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    });
  });
}

/** Handles settled promises and process.nextTick callbacks, as Node does after each callback of the event loop. */
const { _tickCallback: handlePromises } = process as unknown as { readonly _tickCallback: () => void };

function settlePromises(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

export function uuid(picks: Picks): string {
  const bytes = Buffer.from(Array.from({ length: UUID_DIGITS }, () => picks.whole(0, 255)));
  bytes[6] = (bytes.readUInt8(6) & 0x0f) | 0x40;
  bytes[8] = (bytes.readUInt8(8) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Timers, the next one last. */
class TimerQueue {
  readonly #timers: Timer[] = [];

  add(callback: () => void, dueMs: number): () => void {
    const timer: Timer = { dueMs, callback, isCancelled: false };
    let [low, high] = [0, this.#timers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#timers[middle]?.dueMs ?? 0) > dueMs) low = middle + 1;
      else high = middle;
    }
    this.#timers.splice(low, 0, timer);
    return () => {
      timer.isCancelled = true;
    };
  }

  nextMs(): number | undefined {
    while (this.#timers.at(-1)?.isCancelled === true) this.#timers.pop();
    return this.#timers.at(-1)?.dueMs;
  }

  /** Removes the timers that are due. A timer that is cancelled by another one of them does not call back. */
  takeDue(nowMs: number): (() => void)[] {
    const due: (() => void)[] = [];
    for (let dueMs = this.nextMs(); dueMs !== undefined && dueMs <= nowMs; dueMs = this.nextMs()) {
      const timer = this.#timers.pop();
      due.push(() => {
        if (timer?.isCancelled === false) timer.callback();
      });
    }
    return due;
  }
}
