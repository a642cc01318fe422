import type { MonotonicClock } from '../../../shared/platform/clock.ts';

/**
 * Limits how many requests are in progress, so that none waits longer than a target: the limit falls while the queueing
 * delay exceeds the target, and grows while requests are refused and the delay is below it (the gradient of Netflix'
 * concurrency-limits and of Envoy's adaptive concurrency filter). The unit is a place, which one ordinary request takes.
 */
export interface AdaptiveLimit {
  /** Whether a request of the caller would be admitted now. */
  hasRoom(caller: string, retryKey?: string): boolean;
  /** Admits a request, which takes this many places; undefined if it is refused. */
  take(caller: string, places: number, retryKey?: string): Place | undefined;
  /**
   * Remembers a refused request by a key that its repetition will have. The repetition may take places beyond the
   * limit, so that new requests cannot starve it, but not those that callers below their share may take there.
   */
  expectRetry(retryKey: string): void;
  /** Whether the caller has its share of the limit or more, which is why a request of it was refused. */
  hasShare(caller: string): boolean;
  /** The limit and the places that are taken. */
  size(): { readonly limit: number; readonly taken: number };
}

/** The places of one request. */
export interface Place {
  /**
   * Gives the places back. `expectedMs`: how long the request takes without a queue; absent: its delay tells nothing;
   * 'refused': the worker had no room for it, so that fewer requests are admitted.
   */
  release(expectedMs?: number | 'refused'): void;
  /** Keeps the places until they expire: the caller has disconnected, but its request is still in the queue. */
  abandon(): void;
}

export interface AdaptiveLimitOptions {
  /** The queueing delay that requests may have, in milliseconds. */
  readonly targetMs: number;
  /**
   * A request gives its places back after this time, in milliseconds, even without a reply. What takes so much longer than
   * the target does not wait for other requests: its worker is frozen, or its caller has disconnected.
   */
  readonly holdMs: number;
  /** The limit at first, and its maximum, in places. */
  readonly places: { readonly normal: number; readonly most: number };
  readonly monotonic: MonotonicClock;
}

/** By which right places are taken beyond the limit: of a caller below its share, or of a repetition. */
type Overdraft = 'share' | 'repetition';

interface TakenPlaces extends Place {
  readonly caller: string;
  readonly places: number;
  readonly overdraft: Overdraft | undefined;
  readonly takenAtMs: number;
}

/** The limit never falls below it. */
const LEAST_PLACES = 16;
/** The limit changes once in this time, or once in the delay of the requests if that is longer. */
const WINDOW_MS = 100;
/** A window contains at least this many delays, or they tell nothing. */
const MIN_DELAYS = 10;
/** Enough for a quartile. */
const MAX_DELAYS = 500;
/**
 * The quartile of the fastest requests: all requests wait in a queue that the limit can shorten, while those of a frozen or
 * slow worker are the only ones that wait.
 */
const QUANTILE = 0.25;
/** The limit falls at most by this factor at a time, so that it survives a process that gets no processor for a moment. */
const LEAST_GRADIENT = 0.5;
/** The delay without a queue is measured again in this time, since the broker may become slower or faster. */
const BASELINE_PERIOD_MS = 30_000;
/** A higher delay without a queue counts as a queue at first: requests would no longer be answered within a second. */
const MAX_BASELINE_MS = 400;
/**
 * If the delay stays above the maximum for this number of windows while the limit is below this number of places, it is not a
 * queue, which would have emptied. The broker is slow, and fewer requests would not make it faster.
 */
const SLOW_BROKER = { belowPlaces: 64, windows: 5 } as const;
/** Refused requests that are remembered; the oldest is forgotten first. */
const MAX_RETRIES = 10_000;

/** Creates a limit without history. It uses no timers: it changes when requests arrive and end. */
export function createAdaptiveLimit(options: AdaptiveLimitOptions): AdaptiveLimit {
  return new GradientLimit(options);
}

class GradientLimit implements AdaptiveLimit {
  readonly #options: AdaptiveLimitOptions;
  /** In the order in which they were taken. */
  readonly #taken = new Set<TakenPlaces>();
  readonly #placesOf = new Map<string, number>();
  readonly #retries = new Set<string>();
  readonly #baseline: Baseline;
  #places = 0;
  /** The places of them that were taken beyond the limit. Each right is limited on its own: neither takes from the other. */
  readonly #overdrawn: Record<Overdraft, number> = { share: 0, repetition: 0 };
  #limit: number;
  #delays: number[] = [];
  #windowEndMs = 0;
  #wasFull = false;

  constructor(options: AdaptiveLimitOptions) {
    this.#options = options;
    this.#limit = options.places.normal;
    this.#baseline = new Baseline(options.monotonic.elapsedMs());
  }

  size(): { readonly limit: number; readonly taken: number } {
    this.#expire();
    return { limit: Math.floor(this.#limit), taken: this.#places };
  }

  hasRoom(caller: string, retryKey?: string): boolean {
    this.#expire();
    if (this.#places < this.#limit) return true;
    this.#wasFull = true;
    return this.#overdraftOf(caller, retryKey) !== undefined;
  }

  hasShare(caller: string): boolean {
    const own = this.#placesOf.get(caller) ?? 0;
    const callers = this.#placesOf.size + (own === 0 ? 1 : 0);
    return own + 1 > this.#limit / callers;
  }

  take(caller: string, places: number, retryKey?: string): Place | undefined {
    if (!this.hasRoom(caller, retryKey)) return undefined;
    const overdraft = this.#places < this.#limit ? undefined : this.#overdraftOf(caller, retryKey);
    if (retryKey !== undefined) this.#retries.delete(retryKey);
    const takenAtMs = this.#options.monotonic.elapsedMs();
    let isEnded = false;
    const taken: TakenPlaces = {
      caller,
      places,
      overdraft,
      takenAtMs,
      release: (expectedMs) => {
        if (isEnded) return;
        isEnded = true;
        this.#giveBack(taken);
        if (expectedMs === 'refused') this.#shrink();
        else if (expectedMs !== undefined)
          this.#addDelay(this.#options.monotonic.elapsedMs() - takenAtMs - expectedMs);
      },
      abandon: () => {
        isEnded = true;
      },
    };
    this.#taken.add(taken);
    this.#places += places;
    if (overdraft !== undefined) this.#overdrawn[overdraft] += places;
    this.#placesOf.set(caller, (this.#placesOf.get(caller) ?? 0) + places);
    return taken;
  }

  expectRetry(retryKey: string): void {
    this.#retries.delete(retryKey);
    const [oldest] = this.#retries.size >= MAX_RETRIES ? this.#retries : [];
    if (oldest !== undefined) this.#retries.delete(oldest);
    this.#retries.add(retryKey);
  }

  /** The right by which a request may take places beyond the limit now; undefined: it may not. */
  #overdraftOf(caller: string, retryKey: string | undefined): Overdraft | undefined {
    if (!this.hasShare(caller) && this.#overdrawn.share < this.#limit) return 'share';
    const isRepetition = retryKey !== undefined && this.#retries.has(retryKey);
    return isRepetition && this.#overdrawn.repetition < this.#limit ? 'repetition' : undefined;
  }

  #giveBack(taken: TakenPlaces): void {
    if (!this.#taken.delete(taken)) return;
    this.#places -= taken.places;
    if (taken.overdraft !== undefined) this.#overdrawn[taken.overdraft] -= taken.places;
    const left = (this.#placesOf.get(taken.caller) ?? 0) - taken.places;
    if (left > 0) this.#placesOf.set(taken.caller, left);
    else this.#placesOf.delete(taken.caller);
  }

  /**
   * Gives back the places of requests that have held them for too long. Their delays count only if they get a reply after
   * all: without one it is not known whether fewer requests would have been answered.
   */
  #expire(): void {
    const nowMs = this.#options.monotonic.elapsedMs();
    for (const taken of this.#taken) {
      if (nowMs - taken.takenAtMs < this.#options.holdMs) return;
      this.#giveBack(taken);
    }
  }

  /** Lowers the limit because the worker refused a request, once in a window. */
  #shrink(): void {
    const nowMs = this.#options.monotonic.elapsedMs();
    if (nowMs < this.#windowEndMs) return;
    this.#limit = Math.max(LEAST_PLACES, this.#limit * LEAST_GRADIENT);
    this.#startWindow(nowMs + WINDOW_MS);
  }

  #addDelay(delayMs: number): void {
    if (this.#delays.length < MAX_DELAYS) this.#delays.push(Math.max(0, delayMs));
    const nowMs = this.#options.monotonic.elapsedMs();
    if (nowMs < this.#windowEndMs || this.#delays.length < MIN_DELAYS) return;
    const typicalMs = quantile(this.#delays, QUANTILE);
    this.#adjust(typicalMs, nowMs);
    this.#startWindow(nowMs + Math.max(WINDOW_MS, typicalMs));
  }

  #startWindow(endMs: number): void {
    this.#delays = [];
    this.#wasFull = false;
    this.#windowEndMs = endMs;
  }

  #adjust(delayMs: number, nowMs: number): void {
    const mayQueue = this.#wasFull && this.#limit > LEAST_PLACES;
    const { targetMs, places } = this.#options;
    const isLow = this.#limit < SLOW_BROKER.belowPlaces;
    if (isLow && delayMs > MAX_BASELINE_MS + targetMs) this.#baseline.noteSlow(delayMs);
    else this.#baseline.noteOther();
    const allowedMs = this.#baseline.update(delayMs, mayQueue, nowMs) + targetMs;
    const gradient = Math.max(LEAST_GRADIENT, Math.min(1, allowedMs / Math.max(delayMs, 1)));
    // Without refusals a limit below the normal one has not been needed lately.
    const growth = this.#wasFull || this.#limit < places.normal ? Math.sqrt(this.#limit) : 0;
    this.#limit = Math.min(places.most, Math.max(LEAST_PLACES, this.#limit * gradient + growth));
  }
}

/** The delay without a queue: the least of the windows in which no request was refused, and of the first one. */
class Baseline {
  #currentMs = Number.POSITIVE_INFINITY;
  #nextMs = Number.POSITIVE_INFINITY;
  #periodEndMs: number;
  /** The highest delay that does not count as a queue: that of a slow broker while it lasts. */
  #mostMs: number = MAX_BASELINE_MS;
  /** The delays of the last windows if all of them were too high. */
  #slow: number[] = [];

  constructor(nowMs: number) {
    this.#periodEndMs = nowMs + BASELINE_PERIOD_MS;
  }

  /** Notes a window of few requests with a delay that is too high nevertheless; several in a row show a slow broker. */
  noteSlow(delayMs: number): void {
    this.#slow.push(delayMs);
    if (this.#slow.length < SLOW_BROKER.windows) return;
    this.#mostMs = this.#currentMs = this.#nextMs = Math.min(...this.#slow);
    this.#slow = [];
  }

  /** Notes any other window. */
  noteOther(): void {
    this.#slow = [];
  }

  /** Takes the delay of a window into account and returns the delay without a queue. */
  update(delayMs: number, mayQueue: boolean, nowMs: number): number {
    if (!mayQueue) this.#nextMs = Math.min(this.#nextMs, delayMs);
    if (nowMs >= this.#periodEndMs && Number.isFinite(this.#nextMs)) {
      this.#currentMs = this.#nextMs;
      this.#nextMs = Number.POSITIVE_INFINITY;
      this.#periodEndMs = nowMs + BASELINE_PERIOD_MS;
    }
    this.#currentMs = Math.min(this.#currentMs, delayMs);
    this.#mostMs = Math.max(MAX_BASELINE_MS, Math.min(this.#mostMs, this.#currentMs));
    return Math.min(this.#currentMs, this.#mostMs);
  }
}

function quantile(values: number[], share: number): number {
  values.sort((a, b) => a - b);
  return values[Math.floor(values.length * share)] ?? 0;
}
