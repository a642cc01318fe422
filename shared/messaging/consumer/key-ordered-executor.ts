import type { Disposition } from '../processing-result.ts';
import { Fifo } from '../../platform/fifo.ts';
import type { Lane, LaneCalls, LaneOptions } from './lane.ts';
import { isPromise, type MaybePromise } from '../sync-or-async.ts';
import type { Work } from './work.ts';

/** The longest delay that a timer of Node keeps; a longer one would be none at all. */
const MAX_DELAY_MS = 2_147_483_647;

/** Runs works side by side, but those of one key one after another, in the order in which they came. */
export class Lanes {
  readonly #calls: LaneCalls;
  readonly #options: LaneOptions;
  readonly #topics = new Map<string, Map<string, Lane>>();
  readonly #ready = new Fifo<Lane>();
  readonly #held = new Map<Lane, NodeJS.Timeout>();
  #running = 0;
  /** What the running works weigh together. */
  #load = 0;
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
      this.#ready.push({ first: work, last: work, busy: false, weight: 0, key: '', group: undefined });
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
      const opened = { first: work, last: work, busy: false, weight: 0, key: text, group };
      group.set(text, opened);
      this.#ready.push(opened);
      return;
    }
    lane.last.follower = work;
    lane.last = work;
  }

  /** Starts what may be started, in order, until the limit or the end of the time slice. */
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
    while (!this.#halted) {
      const lane = this.#ready.first;
      if (lane === undefined || performance.now() >= this.#sliceEndMs) return;
      const weight = this.#weigh(lane.first);
      if (this.#running > 0 && this.#load + weight > this.#options.limit) return;
      this.#ready.shift();
      this.#start(lane, weight);
    }
  }

  #weigh(work: Work): number {
    return this.#options.weigh?.(work) ?? 1;
  }

  /** Starts no more until go(); what runs goes on. */
  halt(): void {
    this.#halted = true;
  }

  go(): void {
    this.#halted = false;
    this.pump();
  }

  /** Starts a work that waits, even while halted: the one whose key waits longest, or the one that came last. */
  runOne(which: 'oldest' | 'newest' = 'oldest'): Work | undefined {
    const lane = which === 'oldest' ? this.#ready.shift() : this.#ready.pop();
    if (lane === undefined) return undefined;
    const work = lane.first;
    this.#start(lane, this.#weigh(work));
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

  #start(lane: Lane, weight: number): void {
    const work = lane.first;
    lane.busy = true;
    lane.weight = weight;
    work.state = 'running';
    work.attempts += 1;
    this.#running += 1;
    this.#load += weight;
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
    this.#load -= lane.weight;
    if (typeof disposition === 'object') this.#hold(lane, disposition.retryAfterMs);
    else {
      this.#calls.ended(work, disposition);
      this.#advance(lane);
    }
    this.pump();
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
