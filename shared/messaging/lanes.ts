import type { Disposition, WorkEnd } from './disposition.ts';
import { Fifo } from './fifo.ts';
import { isPromise, type MaybePromise } from './maybe-promise.ts';
import type { Work } from './work.ts';

/** The works of one key that are not done, the oldest first; a message without a key has a lane of its own. */
interface Lane {
  first: Work;
  last: Work;
  /** The first work is running or held. A lane that is not busy waits in the ready queue. */
  busy: boolean;
  readonly key: string;
  /** The lanes of the topic, by key; undefined for a message without a key. */
  readonly group: Map<string, Lane> | undefined;
}

/** The longest delay that a timer of Node keeps; a longer one would be none at all. */
const MAX_DELAY_MS = 2_147_483_647;

/** What the lanes ask of their owner. */
export interface LaneCalls {
  run(work: Work): MaybePromise<Disposition>;
  /** Decides about a throw of run(); throws nothing itself. */
  thrown(work: Work, error: unknown): MaybePromise<Disposition>;
  /** The work has ended: on to the next of its key, or the same again (it stays first and waits to be started). */
  ended(work: Work, end: WorkEnd): 'next' | 'again';
  /** The work waits for its next attempt. */
  held(work: Work): void;
  /** Whether a held work whose delay is over is still wanted. */
  wanted(work: Work): boolean;
}

export interface LaneOptions {
  /** Works in progress side by side. Held ones do not count: they must not keep other keys waiting. */
  readonly limit: number;
  /** Synchronous work between two turns of the event loop, in milliseconds. */
  readonly sliceMs: number;
}

/** Runs works side by side, but those of one key one after another, in the order in which they came. */
export class Lanes {
  readonly #calls: LaneCalls;
  readonly #options: LaneOptions;
  readonly #topics = new Map<string, Map<string, Lane>>();
  readonly #ready = new Fifo<Lane>();
  readonly #held = new Map<Lane, NodeJS.Timeout>();
  #running = 0;
  #halted = false;
  #pumping = false;
  #sliceOpen = false;
  #sliceEndMs = 0;

  constructor(calls: LaneCalls, options: LaneOptions) {
    this.#calls = calls;
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get held(): number {
    return this.#held.size;
  }

  /** Nothing runs and nothing could be started; held works may still come back. */
  get isIdle(): boolean {
    return this.#running === 0 && this.#ready.length === 0;
  }

  /** Appends a work to its key's lane. It starts with the next pump(). */
  add(work: Work): void {
    const { topic, key } = work.message;
    if (key === null) {
      this.#ready.push({ first: work, last: work, busy: false, key: '', group: undefined });
      return;
    }
    const text = key.toString('latin1');
    let group = this.#topics.get(topic);
    if (group === undefined) {
      group = new Map();
      this.#topics.set(topic, group);
    }
    const lane = group.get(text);
    if (lane === undefined) {
      const opened = { first: work, last: work, busy: false, key: text, group };
      group.set(text, opened);
      this.#ready.push(opened);
      return;
    }
    lane.last.follower = work;
    lane.last = work;
  }

  /** Starts what may be started, until the limit or the end of the time slice. */
  pump(): void {
    if (this.#pumping || this.#halted || this.#ready.length === 0) return;
    this.#pumping = true;
    if (!this.#sliceOpen) this.#openSlice();
    try {
      this.#startUntilFull();
    } finally {
      this.#pumping = false;
    }
  }

  #startUntilFull(): void {
    while (!this.#halted && this.#running < this.#options.limit) {
      if (performance.now() >= this.#sliceEndMs) return;
      const lane = this.#ready.shift();
      if (lane === undefined) return;
      this.#start(lane);
    }
  }

  /** Starts no more until go(); what runs goes on. */
  halt(): void {
    this.#halted = true;
  }

  go(): void {
    this.#halted = false;
    this.pump();
  }

  /** Starts the first work that waits, even while halted. */
  runOne(): Work | undefined {
    const lane = this.#ready.shift();
    if (lane === undefined) return undefined;
    const work = lane.first;
    this.#start(lane);
    return work;
  }

  /** Ends the wait of a held work before its time; of one that is not held, nothing. */
  endWait(work: Work): void {
    if (work.state !== 'held') return;
    for (const [lane, timer] of this.#held) {
      if (lane.first !== work) continue;
      clearTimeout(timer);
      this.#release(lane);
      return;
    }
  }

  /** Forgets every work that was not begun; running and held ones keep their lanes. */
  dropQueued(): void {
    this.#ready.clear();
    for (const group of this.#topics.values()) {
      for (const lane of group.values()) {
        if (lane.busy) this.#cutFollowers(lane);
        else group.delete(lane.key);
      }
    }
  }

  /** Forgets held works too: the consumer ends. */
  close(): void {
    this.halt();
    for (const timer of this.#held.values()) clearTimeout(timer);
    this.#held.clear();
    this.dropQueued();
  }

  #cutFollowers(lane: Lane): void {
    lane.first.follower = undefined;
    lane.last = lane.first;
  }

  /** The slice ends with the turn of the event loop, however many promises are settled within it. */
  #openSlice(): void {
    this.#sliceOpen = true;
    this.#sliceEndMs = performance.now() + this.#options.sliceMs;
    setImmediate(() => {
      this.#sliceOpen = false;
      this.pump();
    });
  }

  #start(lane: Lane): void {
    const work = lane.first;
    lane.busy = true;
    work.state = 'running';
    work.attempts += 1;
    this.#running += 1;
    let disposition: MaybePromise<Disposition>;
    try {
      disposition = this.#calls.run(work);
    } catch (error) {
      disposition = this.#calls.thrown(work, error);
    }
    if (isPromise(disposition)) this.#await(lane, disposition);
    else this.#end(lane, disposition);
  }

  #await(lane: Lane, disposition: Promise<Disposition>): void {
    void disposition.then(
      (end) => this.#end(lane, end),
      async (error: unknown) => this.#end(lane, await this.#calls.thrown(lane.first, error)),
    );
  }

  #end(lane: Lane, disposition: Disposition): void {
    const work = lane.first;
    this.#running -= 1;
    if (typeof disposition === 'object') this.#hold(lane, disposition.retryAfterMs);
    else if (this.#calls.ended(work, disposition) === 'next') this.#advance(lane);
    else this.#putBack(lane);
    this.pump();
  }

  #putBack(lane: Lane): void {
    lane.first.state = 'queued';
    lane.busy = false;
    this.#ready.unshift(lane);
  }

  #hold(lane: Lane, delayMs: number): void {
    lane.first.state = 'held';
    this.#calls.held(lane.first);
    this.#held.set(
      lane,
      setTimeout(() => this.#release(lane), Math.min(delayMs, MAX_DELAY_MS)),
    );
  }

  #release(lane: Lane): void {
    this.#held.delete(lane);
    const work = lane.first;
    work.state = 'queued';
    lane.busy = false;
    if (this.#calls.wanted(work)) this.#ready.push(lane);
    else this.#advance(lane);
    this.pump();
  }

  #advance(lane: Lane): void {
    const next = lane.first.follower;
    lane.first.follower = undefined;
    lane.busy = false;
    if (next === undefined) {
      lane.group?.delete(lane.key);
      return;
    }
    lane.first = next;
    this.#ready.push(lane);
  }
}
