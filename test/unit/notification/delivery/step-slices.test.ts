import { describe, expect, it } from 'vitest';
import type { Timers } from '../../../../shared/platform/timers.ts';
import { StepSlices } from '../../../../workers/notification/delivery/step-slices.ts';

/** Slices on a clock that only steps advance, and whose turns the test takes. */
function setUp() {
  let nowMs = 0;
  let turns: (() => void)[] = [];
  let due: { readonly atMs: number; readonly callback: () => void }[] = [];
  const timers: Timers = {
    nextTurn: (callback) => turns.push(callback),
    schedule: (callback, afterMs) => {
      due.push({ atMs: nowMs + afterMs, callback });
      return () => undefined;
    },
  };
  const slices = new StepSlices({ monotonic: { elapsedMs: () => nowMs }, timers });
  const done: string[] = [];
  /** A step that takes this long. */
  const step = (name: string, tookMs: number) => () => {
    nowMs += tookMs;
    done.push(name);
    return name;
  };
  return {
    slices,
    done,
    step,
    nextTurn: () => {
      const current = turns;
      turns = [];
      for (const callback of current) callback();
    },
    pass: (ms: number) => {
      nowMs += ms;
      const fired = due.filter(({ atMs }) => atMs <= nowMs);
      due = due.filter(({ atMs }) => atMs > nowMs);
      for (const { callback } of fired) callback();
    },
  };
}

const fail = (): never => {
  throw new Error('a fault');
};

describe('the steps of deliveries', () => {
  it('run at once while a slice lasts, and in order in later turns', async () => {
    const { slices, done, step, nextTurn } = setUp();
    expect(slices.run('normal', step('a', 0.6))).toBe('a');
    expect(slices.run('normal', step('b', 0.6))).toBe('b');
    const later = [slices.run('normal', step('c', 1)), slices.run('normal', step('d', 1))];
    expect(done).toEqual(['a', 'b']);
    nextTurn();
    expect(done).toEqual(['a', 'b', 'c']);
    // A new step waits behind those that wait already.
    later.push(slices.run('normal', step('e', 1)));
    nextTurn();
    nextTurn();
    expect(await Promise.all(later.map((one) => Promise.resolve(one)))).toEqual(['c', 'd', 'e']);
    expect(done).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('run at once if they are urgent', () => {
    const { slices, done, step } = setUp();
    void slices.run('normal', step('normal', 5));
    void slices.run('normal', step('waits', 5));
    expect(slices.run('urgent', step('urgent', 1))).toBe('urgent');
    expect(done).toEqual(['normal', 'urgent']);
  });

  it('wait until no urgent delivery is in progress', () => {
    const { slices, done, step, pass, nextTurn } = setUp();
    slices.enterUrgent();
    slices.enterUrgent();
    void slices.run('normal', step('normal', 1));
    pass(50);
    slices.leaveUrgent();
    nextTurn();
    expect(done).toEqual([]);
    slices.leaveUrgent();
    nextTurn();
    nextTurn();
    expect(done).toEqual(['normal']);
  });

  it('wait for urgent deliveries for 100 ms at most', () => {
    const { slices, done, step, pass, nextTurn } = setUp();
    slices.enterUrgent();
    void slices.run('normal', step('first', 2));
    void slices.run('normal', step('second', 2));
    pass(99);
    nextTurn();
    expect(done).toEqual([]);
    pass(2);
    nextTurn();
    expect(done).toEqual(['first']);
    nextTurn();
    expect(done).toEqual(['first', 'second']);
  });

  it('wait for 100 ms at most even if one urgent delivery follows another at once', () => {
    const { slices, done, step, pass, nextTurn } = setUp();
    slices.enterUrgent();
    void slices.run('normal', step('normal', 1));
    for (let count = 0; count < 3; count += 1) {
      pass(40);
      slices.leaveUrgent();
      slices.enterUrgent();
      nextTurn();
    }
    nextTurn();
    expect(done).toEqual(['normal']);
  });

  it('run while all urgent deliveries in progress wait for something outside, whatever comes of it', async () => {
    const { slices, done, step, nextTurn } = setUp();
    slices.enterUrgent();
    const answer = Promise.withResolvers<string>();
    const refusal = Promise.withResolvers<string>();
    void slices.run('normal', step('first', 1));
    const answered = slices.waitOutside(answer.promise);
    nextTurn();
    nextTurn();
    expect(done).toEqual(['first']);
    answer.resolve('answer');
    expect(await answered).toBe('answer');
    void slices.run('normal', step('second', 1));
    nextTurn();
    expect(done).toEqual(['first']);
    const refused = slices.waitOutside(refusal.promise);
    nextTurn();
    nextTurn();
    expect(done).toEqual(['first', 'second']);
    refusal.reject(new Error('refused'));
    await expect(refused).rejects.toThrow('refused');
    void slices.run('normal', step('third', 1));
    nextTurn();
    expect(done).toEqual(['first', 'second']);
    slices.leaveUrgent();
    nextTurn();
    nextTurn();
    expect(done).toEqual(['first', 'second', 'third']);
  });

  it('reject if they throw, whenever they run', async () => {
    const { slices, step, nextTurn } = setUp();
    expect(() => slices.run('normal', fail)).toThrow('a fault');
    void slices.run('normal', step('long', 2));
    const late = slices.run('normal', fail);
    const next = slices.run('normal', step('next', 1));
    nextTurn();
    await expect(late).rejects.toThrow('a fault');
    expect(await next).toBe('next');
  });
});
