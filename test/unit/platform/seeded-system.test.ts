import { describe, expect, it } from 'vitest';
import { repeat, sleep } from '../../../shared/platform/timers.ts';
import { seededSystem } from '../../simulation/seeded-system.ts';

const CALLBACKS = 8;

/** The order in which callbacks of one moment run. */
async function orderOf(seed: number, schedule: 'timers' | 'turns'): Promise<string> {
  const system = seededSystem(seed);
  const order: number[] = [];
  for (let number = 0; number < CALLBACKS; number += 1) {
    const callback = (): void => void order.push(number);
    if (schedule === 'timers') system.timers.schedule(callback, 5);
    else system.timers.nextTurn(callback);
  }
  await system.pass(5);
  return order.join(' ');
}

/** Two new ids and a random number. */
function valuesOf(seed: number): readonly (string | number)[] {
  const { newId, random } = seededSystem(seed);
  return [newId(), newId(), random()];
}

describe('a seeded system', () => {
  it.each(['timers', 'turns'] as const)(
    'determines the order of simultaneous %s by its seed',
    async (kind) => {
      expect(await orderOf(1, kind)).toBe(await orderOf(1, kind));
      const orders = await Promise.all([1, 2, 3, 4].map((seed) => orderOf(seed, kind)));
      expect(new Set(orders).size).toBeGreaterThan(1);
    },
  );

  it('fires timers in the order of their times, at their times', async () => {
    const { timers, monotonic, clock, pass } = seededSystem(1);
    const startMs = clock.now();
    const fired: number[] = [];
    for (const afterMs of [30, 10, 50, 20, 40, 10.5])
      timers.schedule(() => fired.push(monotonic.elapsedMs()), afterMs);
    await pass(45);
    expect(fired).toEqual([10, 10.5, 20, 30, 40]);
    expect(clock.now() - startMs).toBe(45);
  });

  it('does not fire a timer that another one of the same moment cancels', async () => {
    const { timers, pass } = seededSystem(1);
    const fired: string[] = [];
    const cancels: (() => void)[] = [];
    for (const name of ['one', 'other']) {
      const cancel = timers.schedule(() => {
        fired.push(name);
        for (const cancelOne of cancels) cancelOne();
      }, 10);
      cancels.push(cancel);
    }
    await pass(20);
    expect(fired).toHaveLength(1);
  });

  it('handles the promises of a callback before the next callback and before time passes', async () => {
    const { timers, monotonic, run } = seededSystem(1);
    const stop = repeat(timers, () => undefined, 1);
    const work = async (): Promise<number> => {
      await sleep(timers, 5);
      for (let step = 0; step < 100; step += 1) await Promise.resolve();
      return monotonic.elapsedMs();
    };
    expect(await run(work(), 1_000)).toBe(5);
    stop();
  });

  it.each([
    ['promises', queueMicrotask],
    ['ticks', (callback: () => void) => process.nextTick(callback)],
  ] as const)('handles the %s of a callback before the next callback of the moment', async (_kind, later) => {
    const { timers, pass } = seededSystem(1);
    const order: string[] = [];
    for (let number = 0; number < CALLBACKS; number += 1) {
      timers.nextTurn(() => {
        order.push('callback');
        later(() => later(() => order.push('later')));
      });
    }
    await pass(1);
    expect(order.join(' ')).toBe('callback later '.repeat(CALLBACKS).trim());
  });

  it('rejects when a callback throws', async () => {
    const { timers, pass } = seededSystem(1);
    timers.schedule(() => {
      throw new Error('a bug');
    }, 5);
    await expect(pass(10)).rejects.toThrow('a bug');
  });

  it('rejects work that does not end within its limit', async () => {
    const { timers, run } = seededSystem(1);
    await expect(run(new Promise(() => undefined), 50)).rejects.toThrow('did not end within 50 simulated ms');
    await expect(run(sleep(timers, 51), 50)).rejects.toThrow('did not end within 50 simulated ms');
  });

  it('creates the same version 4 UUIDs and random numbers from the same seed', () => {
    const values = valuesOf(7);
    expect(values).toEqual(valuesOf(7));
    expect(values).not.toEqual(valuesOf(8));
    expect(values[0]).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(values[0]).not.toBe(values[1]);
  });
});
