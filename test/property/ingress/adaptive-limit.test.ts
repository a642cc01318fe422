import { describe, expect, it } from 'vitest';
import { createAdaptiveLimit, type AdaptiveLimit } from '../../../workers/ingress/server/adaptive-limit.ts';

const SECOND_MS = 1_000;
const TARGET_MS = 200;
const HOLD_MS = 1_000;
const PLACES = { normal: 320, most: 2_000 };

/** One caller of the simulated server. */
interface Caller {
  readonly name: string;
  /** Requests per second at this time in milliseconds. */
  readonly rate: (nowMs: number) => number;
  /** Places, and multiple of the service time; default 1. */
  readonly cost?: number;
  /** Repeats each refused request with its key after this time in milliseconds, until it is admitted. */
  readonly retryMs?: number;
}

interface Scene {
  readonly callers: readonly Caller[];
  /** Processor time of a request in milliseconds. */
  readonly serviceMs: (nowMs: number) => number;
  /** Time that a reply takes in addition, such as that of a broker. */
  readonly transitMs?: number;
  readonly forMs: number;
}

interface Ended {
  readonly caller: string;
  /** Arrival of the first attempt. */
  readonly firstMs: number;
  readonly atMs: number;
  /** Undefined: refused. */
  readonly latencyMs: number | undefined;
}

/** Simulates a server with one processor and a queue in steps of a millisecond. */
function simulate({ callers, serviceMs, transitMs = 0, forMs }: Scene) {
  let nowMs = 0;
  const limit = createAdaptiveLimit({
    targetMs: TARGET_MS,
    holdMs: HOLD_MS,
    places: PLACES,
    monotonic: { elapsedMs: () => nowMs },
  });
  const ended: Ended[] = [];
  const limits: number[] = [];
  const replies: { readonly atMs: number; readonly end: () => void }[] = [];
  const repeats: { readonly atMs: number; readonly send: () => void }[] = [];
  const due = new Map(callers.map(({ name }) => [name, 0]));
  let freeAtMs = 0;
  let keys = 0;
  const send = ({ name, cost = 1, retryMs }: Caller, firstMs: number, key?: string): void => {
    const place = limit.take(name, cost, key);
    if (place === undefined) {
      ended.push({ caller: name, firstMs, atMs: nowMs, latencyMs: undefined });
      if (retryMs === undefined || key === undefined) return;
      limit.expectRetry(key);
      const caller = callers.find((one) => one.name === name);
      if (caller !== undefined)
        repeats.push({ atMs: nowMs + retryMs, send: () => send(caller, firstMs, key) });
      return;
    }
    const arrivedMs = nowMs;
    const ownMs = serviceMs(nowMs) * cost;
    freeAtMs = Math.max(freeAtMs, nowMs) + ownMs;
    const end = (): void => {
      place.release(ownMs);
      ended.push({ caller: name, firstMs, atMs: nowMs, latencyMs: nowMs - arrivedMs });
    };
    replies.push({ atMs: freeAtMs + transitMs, end });
  };
  for (; nowMs < forMs; nowMs += 1) {
    while ((replies[0]?.atMs ?? Infinity) <= nowMs) replies.shift()?.end();
    while ((repeats[0]?.atMs ?? Infinity) <= nowMs) repeats.shift()?.send();
    for (const caller of callers) {
      let left = (due.get(caller.name) ?? 0) + caller.rate(nowMs) / SECOND_MS;
      for (; left >= 1; left -= 1) {
        send(caller, nowMs, caller.retryMs === undefined ? undefined : String(keys++));
      }
      due.set(caller.name, left);
    }
    limits.push(limit.size().limit);
  }
  return {
    limits,
    /** What ended within a period. */
    within: (fromMs: number, toMs: number, caller?: string) =>
      summarise(
        ended.filter(({ atMs, caller: name }) => atMs >= fromMs && atMs < toMs && (caller ?? name) === name),
        (toMs - fromMs) / SECOND_MS,
      ),
    ended,
  };
}

function summarise(ended: readonly Ended[], seconds: number) {
  const latencies = ended.flatMap(({ latencyMs }) => latencyMs ?? []).toSorted((a, b) => a - b);
  return {
    perSecond: latencies.length / seconds,
    refused: ended.length - latencies.length,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
  };
}

const constant = (value: number) => (): number => value;
const flood = (name: string, rate: number): Caller => ({ name, rate: constant(rate) });

describe('the adaptive limit under ten times the capacity', () => {
  it.each([
    { serviceMs: 0.25, transitMs: 0, settledMs: 3_000, title: 'a fast server' },
    { serviceMs: 2, transitMs: 30, settledMs: 3_000, title: 'a slow server behind a broker' },
    { serviceMs: 10, transitMs: 5, settledMs: 8_000, title: 'a server that is slower than the estimates' },
  ])('keeps the goodput and a p99 well below a second: $title', ({ serviceMs, transitMs, settledMs }) => {
    const capacity = SECOND_MS / serviceMs;
    const forMs = 20_000;
    const run = simulate({
      callers: [flood('a', 10 * capacity)],
      serviceMs: constant(serviceMs),
      transitMs,
      forMs,
    });
    const settled = run.within(settledMs, forMs);
    expect(settled.perSecond).toBeGreaterThan(0.97 * capacity);
    expect(settled.p99Ms).toBeLessThan(500);
  });

  it('admits as much as before when the server becomes four times slower, and then fast again', () => {
    const run = simulate({
      callers: [flood('a', 5_000)],
      serviceMs: (nowMs) => (nowMs >= 10_000 && nowMs < 25_000 ? 4 : 1),
      forMs: 40_000,
    });
    expect(run.within(15_000, 25_000)).toMatchObject({ perSecond: expect.closeTo(250, -1) });
    expect(run.within(15_000, 25_000).p99Ms).toBeLessThan(600);
    expect(run.within(30_000, 40_000).perSecond).toBeGreaterThan(950);
  });
});

describe('the adaptive limit after an overload', () => {
  it('refuses nothing any more', () => {
    const caller: Caller = { name: 'a', rate: (nowMs) => (nowMs < 10_000 ? 10_000 : 800) };
    const run = simulate({ callers: [caller], serviceMs: constant(1), forMs: 20_000 });
    expect(run.within(0, 10_000).refused).toBeGreaterThan(80_000);
    expect(run.within(10_500, 20_000).refused).toBe(0);
    expect(run.within(12_000, 20_000).perSecond).toBeCloseTo(800, -1);
  });

  it('survives pauses of a second, after which all requests of the pause arrive at once', () => {
    const caller: Caller = {
      name: 'a',
      rate: (nowMs) => {
        const second = Math.floor(nowMs / SECOND_MS) % 5;
        if (second === 0) return 0;
        return nowMs % (5 * SECOND_MS) === SECOND_MS ? 100_000 : 100;
      },
    };
    const run = simulate({ callers: [caller], serviceMs: constant(1), forMs: 60_000 });
    expect(run.within(0, 60_000).refused).toBe(0);
  });
});

describe('the adaptive limit without an overload', () => {
  it('refuses nothing at nine tenths of the capacity, whatever the time of a reply without a queue', () => {
    for (const transitMs of [0, 50, 300]) {
      const run = simulate({ callers: [flood('a', 900)], serviceMs: constant(1), transitMs, forMs: 30_000 });
      expect({ transitMs, refused: run.within(1_000, 30_000).refused }).toEqual({ transitMs, refused: 0 });
    }
  });

  it('refuses nothing after a minute when every reply takes longer than the target allows', () => {
    for (const transitMs of [1_000, 2_000]) {
      const run = simulate({ callers: [flood('a', 100)], serviceMs: constant(1), transitMs, forMs: 90_000 });
      expect({ transitMs, refused: run.within(60_000, 90_000).refused }).toEqual({ transitMs, refused: 0 });
    }
  });

  it('follows a delay that becomes high, and then low again', () => {
    let nowMs = 0;
    const monotonic = { elapsedMs: () => nowMs };
    const limit = createAdaptiveLimit({ targetMs: TARGET_MS, holdMs: HOLD_MS, places: PLACES, monotonic });
    /** Windows of 20 requests that all take as long. */
    const pass = (windows: number, delayMs: number): number => {
      for (let window = 0; window < windows; window += 1) {
        const taken = Array.from({ length: 20 }, () => limit.take('a', 1));
        nowMs += delayMs;
        for (const place of taken) place?.release(0);
      }
      return limit.size().limit;
    };
    expect(pass(50, 100)).toBe(320);
    expect(pass(10, 2_000)).toBeLessThan(64);
    expect(pass(60, 2_000)).toBeGreaterThan(250);
    expect(pass(2, 100)).toBeGreaterThan(250);
    expect(pass(4, 2_000)).toBeLessThan(64);
  });

  it('does not shrink because a part of the requests waits for a frozen worker', () => {
    let nowMs = 0;
    const monotonic = { elapsedMs: () => nowMs };
    const limit = createAdaptiveLimit({ targetMs: TARGET_MS, holdMs: HOLD_MS, places: PLACES, monotonic });
    let refused = 0;
    for (; nowMs < 30_000; nowMs += 10) {
      const place = limit.take('a', 1);
      if (place === undefined) refused += 1;
      // Every second request never gets a reply.
      else if (nowMs % 20 === 0) place.release(0);
    }
    expect(refused).toBe(0);
    expect(limit.size().taken).toBeLessThanOrEqual(51);
  });
});

describe('the adaptive limit when no request is answered for three seconds', () => {
  it('refuses nothing at a tenth of the capacity, and nothing at once after that', () => {
    const run = simulate({
      callers: [flood('a', 100)],
      // One request after ten seconds takes three.
      serviceMs: (nowMs) => (nowMs === 10_000 ? 3_000 : 1),
      forMs: 20_000,
    });
    expect(run.within(0, 20_000).refused).toBe(0);
    expect(run.within(0, 20_000).perSecond).toBeCloseTo(100, -1);
  });

  it('refuses requests when the server stays too slow for them', () => {
    const run = simulate({
      callers: [flood('a', 100)],
      serviceMs: (nowMs) => (nowMs < 10_000 ? 1 : 20),
      forMs: 60_000,
    });
    expect(run.within(40_000, 60_000).perSecond).toBeCloseTo(50, 0);
    expect(run.within(40_000, 60_000).p99Ms).toBeLessThan(900);
  });
});

describe('the share of a caller', () => {
  it('is not taken by one that floods', () => {
    const run = simulate({
      callers: [flood('flood', 10_000), flood('quiet', 200), flood('other', 100)],
      serviceMs: constant(1),
      forMs: 20_000,
    });
    for (const [caller, rate] of [
      ['quiet', 200],
      ['other', 100],
    ] as const) {
      const { perSecond, refused, p99Ms } = run.within(5_000, 20_000, caller);
      expect(refused).toBe(0);
      expect(perSecond).toBeCloseTo(rate, -1);
      expect(p99Ms).toBeLessThan(800);
    }
    expect(run.within(5_000, 20_000).perSecond).toBeGreaterThan(970);
  });

  it('is not taken by one that repeats each refused request', () => {
    const run = simulate({
      callers: [{ ...flood('flood', 2_000), retryMs: 100 }, flood('quiet', 200)],
      serviceMs: constant(1),
      forMs: 5_000,
    });
    const { perSecond, refused, p99Ms } = run.within(2_000, 5_000, 'quiet');
    expect(refused).toBe(0);
    expect(perSecond).toBeCloseTo(200, -1);
    expect(p99Ms).toBeLessThan(800);
    expect(run.within(2_000, 5_000).perSecond).toBeGreaterThan(970);
  });

  it('is the same for callers that all ask for more', () => {
    const run = simulate({
      callers: [flood('a', 4_000), flood('b', 1_000), flood('c', 2_000)],
      serviceMs: constant(1),
      forMs: 30_000,
    });
    for (const caller of ['a', 'b', 'c']) {
      const { perSecond } = run.within(10_000, 30_000, caller);
      expect(perSecond).toBeGreaterThan(230);
      expect(perSecond).toBeLessThan(450);
    }
  });

  it('counts expensive requests by their cost, and does not starve them', () => {
    const run = simulate({
      callers: [flood('cheap', 5_000), { ...flood('dear', 1_000), cost: 10 }],
      serviceMs: constant(1),
      forMs: 30_000,
    });
    const cheap = run.within(10_000, 30_000, 'cheap').perSecond;
    const dear = run.within(10_000, 30_000, 'dear').perSecond;
    expect(cheap).toBeGreaterThan(350);
    expect(dear * 10).toBeGreaterThan(350);
  });

  it('is available to an expensive request although those of another caller exceed the limit by far', () => {
    const limit = createFixed();
    for (let taken = 0; taken < limit.size().limit; taken += 255) limit.take('flood', 255);
    expect(limit.size()).toEqual({ limit: 320, taken: 510 });
    expect(limit.take('flood', 1)).toBeUndefined();
    expect(limit.take('quiet', 40)).toBeDefined();
  });

  it('is limited together with the shares of the others, although each was larger when there were fewer callers', () => {
    const limit = createFixed();
    const { limit: places } = limit.size();
    for (let caller = 0; caller < places; caller += 1) {
      while (limit.take(`caller ${caller}`, 1) !== undefined);
    }
    expect(limit.size().taken).toBe(2 * places);
  });

  it('does not raise the total when there are very many callers', () => {
    const limit = createFixed();
    const admitted = Array.from({ length: 5_000 }, (_, number) => limit.take(`caller ${number}`, 1));
    expect(admitted.filter((place) => place !== undefined)).toHaveLength(limit.size().limit);
  });
});

describe('a repeated request', () => {
  it('is admitted sooner than new ones, and within a few attempts', () => {
    const run = simulate({
      callers: [{ ...flood('keyed', 1_000), retryMs: 1_000 }, flood('flood', 5_000)],
      serviceMs: constant(1),
      forMs: 20_000,
    });
    const keyed = run.ended.filter(({ caller, latencyMs }) => caller === 'keyed' && latencyMs !== undefined);
    expect(keyed.length).toBeGreaterThan(400 * 20 * 0.8);
  });

  it('is admitted although the limit is used up, up to twice the limit', () => {
    const limit = createFixed();
    const { limit: places } = limit.size();
    for (let taken = 0; taken < places; taken += 1) limit.take('a', 1);
    expect(limit.take('a', 1, 'key')).toBeUndefined();
    limit.expectRetry('key');
    expect(limit.take('a', 1, 'key')).toBeDefined();
    expect(limit.take('a', 1, 'key')).toBeUndefined();
    for (let number = 0; number < 2 * places; number += 1) {
      limit.expectRetry(`key ${number}`);
      limit.take('a', 1, `key ${number}`);
    }
    expect(limit.size().taken).toBe(2 * places);
  });
});

describe('places', () => {
  it('are given back once, by the reply or when they have been held for too long', () => {
    let nowMs = 0;
    const monotonic = { elapsedMs: () => nowMs };
    const limit = createAdaptiveLimit({ targetMs: TARGET_MS, holdMs: HOLD_MS, places: PLACES, monotonic });
    const first = limit.take('a', 3);
    const second = limit.take('a', 2);
    first?.release(1);
    first?.release(1);
    expect(limit.size().taken).toBe(2);
    nowMs = HOLD_MS;
    expect(limit.size().taken).toBe(0);
    second?.release(1);
    expect(limit.size().taken).toBe(0);
  });

  it('are fewer after the worker has refused a request, once in a window', () => {
    let nowMs = 0;
    const monotonic = { elapsedMs: () => nowMs };
    const limit = createAdaptiveLimit({ targetMs: TARGET_MS, holdMs: HOLD_MS, places: PLACES, monotonic });
    const refuse = (): void => limit.take('a', 1)?.release('refused');
    for (let times = 0; times < 10; times += 1) refuse();
    expect(limit.size()).toEqual({ limit: PLACES.normal / 2, taken: 0 });
    nowMs += 100;
    refuse();
    expect(limit.size().limit).toBe(PLACES.normal / 4);
  });

  it('of a caller that has disconnected are kept, since its request is still in the queue', () => {
    let nowMs = 0;
    const monotonic = { elapsedMs: () => nowMs };
    const limit = createAdaptiveLimit({ targetMs: TARGET_MS, holdMs: HOLD_MS, places: PLACES, monotonic });
    const place = limit.take('a', 1);
    place?.abandon();
    place?.release(1);
    expect(limit.size().taken).toBe(1);
    nowMs = HOLD_MS;
    expect(limit.size().taken).toBe(0);
  });
});

/** A limit whose time does not pass. */
function createFixed(): AdaptiveLimit {
  return createAdaptiveLimit({
    targetMs: TARGET_MS,
    holdMs: HOLD_MS,
    places: PLACES,
    monotonic: { elapsedMs: () => 0 },
  });
}
