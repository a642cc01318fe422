import type { MonotonicClock, Timers } from '../../platform/system-ports.ts';
import type { FinalResult, ProcessingResult } from '../outcome.ts';
import { isPromise, type SyncOrAsync } from '../../platform/sync-or-async.ts';
import type { Work } from './offset-tracker.ts';

interface ExecutorOptions {
  run(work: Work): SyncOrAsync<ProcessingResult>;
  /** Converts a throw or rejection of run() to a result. Must not throw. */
  thrown(work: Work, error: unknown): ProcessingResult;
  ended(work: Work, result: FinalResult): void;
  /** Maximum total weight of the running work items. Items held for a retry do not count: they block no other keys. */
  readonly limit: number;
  /** Weight of a work item; default 1. The next one starts when its weight fits, or when none is running. */
  readonly weigh?: ((work: Work) => number) | undefined;
  readonly sliceMs: number;
  readonly monotonic: MonotonicClock;
  readonly timers: Timers;
}

/** The unfinished work items of one key, the oldest first. A message without a key has its own queue. */
interface KeyQueue {
  readonly works: [Work, ...Work[]];
  /** The first work item is running or held. A queue that is not busy is in the ready list. */
  busy: boolean;
  weight: number;
  /** Topic and key; undefined for a message without a key. */
  readonly id: string | undefined;
}

/** The longest delay of a Node timer. With a longer one, the timer fires immediately. */
const MAX_DELAY_MS = 2_147_483_647;

/** Runs work items of a key in order, others concurrently; starts them for `sliceMs` per event loop turn. */
export class KeyOrderedExecutor {
  readonly #options: ExecutorOptions;
  readonly #queues = new Map<string, KeyQueue>();
  /** Queues before #firstReady were started. They are removed in chunks, because moving a long array takes time. */
  #ready: KeyQueue[] = [];
  #firstReady = 0;
  readonly #held = new Map<KeyQueue, () => void>();
  running = 0;
  #load = 0;
  heldAttempts = 0;
  #isPaused = false;
  #isDispatching = false;
  #isSliceOpen = false;
  #sliceEndMs = 0;

  constructor(options: ExecutorOptions) {
    this.#options = options;
  }

  get held(): number {
    return this.#held.size;
  }

  /** Only queues the work item. Call dispatch() after the last add(). */
  add(work: Work): void {
    const { topic, key } = work.message;
    const id = key === null ? undefined : `${topic} ${key.toString('latin1')}`;
    const known = id === undefined ? undefined : this.#queues.get(id);
    if (known !== undefined) {
      known.works.push(work);
      return;
    }
    const queue: KeyQueue = { works: [work], busy: false, weight: 0, id };
    if (id !== undefined) this.#queues.set(id, queue);
    this.#ready.push(queue);
  }

  dispatch(): void {
    if (this.#isDispatching || this.#isPaused || !this.#hasRoom()) return;
    this.#isDispatching = true;
    if (!this.#isSliceOpen) this.#openSlice();
    try {
      this.#startUntilFull();
    } finally {
      this.#isDispatching = false;
    }
  }

  /** No work item starts until resume(). Running ones continue. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.dispatch();
  }

  /** Forgets all work items that are not running, including those held for a retry. */
  dropQueued(): void {
    this.#ready = [];
    this.#firstReady = 0;
    for (const [queue, cancel] of this.#held) {
      cancel();
      queue.busy = false;
    }
    this.#held.clear();
    for (const [id, { busy, works }] of this.#queues) {
      if (busy) works.splice(1);
      else this.#queues.delete(id);
    }
  }

  #startUntilFull(): void {
    const { monotonic } = this.#options;
    while (!this.#isPaused && monotonic.elapsedMs() < this.#sliceEndMs && this.#hasRoom()) {
      const queue = this.#takeReady();
      if (queue !== undefined) this.#start(queue, this.#weigh(queue.works[0]));
    }
  }

  #takeReady(): KeyQueue | undefined {
    const queue = this.#ready[this.#firstReady];
    if (queue === undefined) return undefined;
    this.#firstReady += 1;
    if (this.#firstReady * 2 >= this.#ready.length) {
      this.#ready.splice(0, this.#firstReady);
      this.#firstReady = 0;
    }
    return queue;
  }

  /** Whether there is a next work item and it fits. If it does not fit, the end of a running one dispatches again. */
  #hasRoom(): boolean {
    const queue = this.#ready[this.#firstReady];
    if (queue === undefined) return false;
    return this.running === 0 || this.#load + this.#weigh(queue.works[0]) <= this.#options.limit;
  }

  #weigh(work: Work): number {
    return this.#options.weigh?.(work) ?? 1;
  }

  /** There is one slice per turn of the event loop. It covers work started when a promise settles in that turn. */
  #openSlice(): void {
    const { monotonic, sliceMs, timers } = this.#options;
    this.#isSliceOpen = true;
    this.#sliceEndMs = monotonic.elapsedMs() + sliceMs;
    timers.nextTurn(() => {
      this.#isSliceOpen = false;
      this.dispatch();
    });
  }

  #start(queue: KeyQueue, weight: number): void {
    const [work] = queue.works;
    queue.busy = true;
    queue.weight = weight;
    work.state = 'running';
    work.attempts += 1;
    this.running += 1;
    this.#load += weight;
    let result: SyncOrAsync<ProcessingResult>;
    try {
      result = this.#options.run(work);
    } catch (error) {
      result = this.#options.thrown(work, error);
    }
    if (!isPromise(result)) return this.#end(queue, result);
    void result.then(
      (late) => this.#end(queue, late),
      (error: unknown) => this.#end(queue, this.#options.thrown(work, error)),
    );
  }

  #end(queue: KeyQueue, result: ProcessingResult): void {
    const [work] = queue.works;
    this.running -= 1;
    this.#load -= queue.weight;
    if (typeof result === 'object') this.#hold(queue, result.retryAfterMs);
    else {
      this.#options.ended(work, result);
      this.#advance(queue);
    }
    this.dispatch();
  }

  #hold(queue: KeyQueue, delayMs: number): void {
    queue.works[0].state = 'held';
    this.heldAttempts += 1;
    this.#held.set(
      queue,
      this.#options.timers.schedule(() => this.#release(queue), Math.min(delayMs, MAX_DELAY_MS)),
    );
  }

  #release(queue: KeyQueue): void {
    this.#held.delete(queue);
    const [work] = queue.works;
    work.state = 'queued';
    queue.busy = false;
    if (!work.tracker.closed) this.#ready.push(queue);
    else this.#advance(queue);
    this.dispatch();
  }

  #advance(queue: KeyQueue): void {
    queue.works.shift();
    queue.busy = false;
    if (queue.works.length === 0) {
      if (queue.id !== undefined) this.#queues.delete(queue.id);
      return;
    }
    this.#ready.push(queue);
  }
}
