import { describe, expect, it } from 'vitest';
import { systemTimers } from '../../../../shared/platform/timers.ts';
import { SendGate } from '../../../../workers/notification/delivery/delivery-limit.ts';
import { scriptedProviders } from '../../../support/fakes/scripted-providers.ts';
import { settleMicrotasks } from '../../../support/fakes/work.ts';

/** Providers with these limits on concurrent calls; undefined means no limit. */
const of = (...concurrency: (number | undefined)[]) => {
  const set = scriptedProviders();
  for (const [index, most] of concurrency.entries())
    set.add(String(index), most === undefined ? {} : { concurrency: most });
  return set.list;
};

describe('the send gate', () => {
  const never = new AbortController().signal;
  it('admits three times the concurrency of the largest provider, then one waiting call per release in order of arrival', async () => {
    const gate = new SendGate(systemTimers);
    const providers = of(1, 2);
    expect(await Promise.all([1, 2, 3, 4, 5, 6].map(() => gate.enter(providers, 1_000, never)))).toEqual(
      Array.from({ length: 6 }, () => true),
    );
    const order: string[] = [];
    const waiting = ['first', 'second'].map(async (name) => {
      await gate.enter(providers, 1_000, never);
      order.push(name);
    });
    await settleMicrotasks();
    expect(order).toEqual([]);
    gate.leave(providers);
    // A later call queues behind the waiting ones.
    const late = gate.enter(providers, 1_000, never).then(() => order.push('late'));
    await settleMicrotasks();
    expect(order).toEqual(['first']);
    gate.leave(providers);
    gate.leave(providers);
    await Promise.all([...waiting, late]);
    expect(order).toEqual(['first', 'second', 'late']);
  });

  it('does not limit rounds if a provider has no limit or there is no provider', async () => {
    for (const providers of [of(undefined, 1), of()]) {
      const gate = new SendGate(systemTimers);
      const entered = await Promise.all(Array.from({ length: 100 }, () => gate.enter(providers, 1, never)));
      expect(entered.every(Boolean)).toBe(true);
    }
  });

  it('returns false on timeout or abort without consuming a slot', async () => {
    const gate = new SendGate(systemTimers);
    const providers = of(1);
    await Promise.all([1, 2, 3].map(() => gate.enter(providers, 1, never)));
    expect(await gate.enter(providers, 5, never)).toBe(false);
    const stop = new AbortController();
    const reported = gate.enter(providers, 60_000, stop.signal);
    stop.abort();
    expect(await reported).toBe(false);
    expect(await gate.enter(providers, 60_000, stop.signal)).toBe(false);
    gate.leave(providers);
    expect(await gate.enter(providers, 1, never)).toBe(true);
  });
});
