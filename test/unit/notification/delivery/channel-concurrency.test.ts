import { describe, expect, it } from 'vitest';
import type { Priority } from '../../../../shared/notification/command.ts';
import { systemTimers } from '../../../../shared/platform/timers.ts';
import { ChannelConcurrency } from '../../../../workers/notification/delivery/channel-concurrency.ts';
import { scriptedProviders } from '../../../support/fakes/scripted-providers.ts';
import { settleMicrotasks } from '../../../support/fakes/work.ts';

/** Providers with these limits on concurrent calls; undefined means no limit. */
const of = (...concurrency: (number | undefined)[]) => {
  const set = scriptedProviders();
  for (const [index, most] of concurrency.entries())
    set.add(String(index), most === undefined ? {} : { concurrency: most });
  return set.list;
};

describe('the concurrency of a channel', () => {
  const never = new AbortController().signal;
  const entering =
    (concurrency: ChannelConcurrency, providers: ReturnType<typeof of>, priority: Priority = 'normal') =>
    (limitMs: number, signal = never): Promise<boolean> =>
      concurrency.enter({ providers, priority, limitMs, signal });

  it('admits three times the concurrency of the largest provider, then one waiting call per release in order of arrival', async () => {
    const concurrency = new ChannelConcurrency(systemTimers);
    const providers = of(1, 2);
    const enter = entering(concurrency, providers);
    expect(await Promise.all([1, 2, 3, 4, 5, 6].map(() => enter(1_000)))).toEqual(
      Array.from({ length: 6 }, () => true),
    );
    const order: string[] = [];
    const waiting = ['first', 'second'].map(async (name) => {
      await enter(1_000);
      order.push(name);
    });
    await settleMicrotasks();
    expect(order).toEqual([]);
    concurrency.leave(providers, 'normal');
    // A later call queues behind the waiting ones.
    const late = enter(1_000).then(() => order.push('late'));
    await settleMicrotasks();
    expect(order).toEqual(['first']);
    concurrency.leave(providers, 'normal');
    concurrency.leave(providers, 'normal');
    await Promise.all([...waiting, late]);
    expect(order).toEqual(['first', 'second', 'late']);
  });

  it('does not limit rounds if a provider has no limit or there is no provider', async () => {
    for (const providers of [of(undefined, 1), of()]) {
      const enter = entering(new ChannelConcurrency(systemTimers), providers);
      const entered = await Promise.all(Array.from({ length: 100 }, () => enter(1)));
      expect(entered.every(Boolean)).toBe(true);
    }
  });

  it('returns false on timeout or abort without consuming a slot', async () => {
    const concurrency = new ChannelConcurrency(systemTimers);
    const providers = of(1);
    const enter = entering(concurrency, providers);
    await Promise.all([1, 2, 3].map(() => enter(1)));
    expect(await enter(5)).toBe(false);
    const stop = new AbortController();
    const reported = enter(60_000, stop.signal);
    stop.abort();
    expect(await reported).toBe(false);
    expect(await enter(60_000, stop.signal)).toBe(false);
    concurrency.leave(providers, 'normal');
    expect(await enter(1)).toBe(true);
  });

  it('grants urgent rounds their own slots while normal rounds use all of theirs, and serves waiting urgent rounds first', async () => {
    const concurrency = new ChannelConcurrency(systemTimers);
    const providers = of(1);
    const enter = entering(concurrency, providers);
    const enterUrgent = entering(concurrency, providers, 'urgent');
    await Promise.all([enter(1_000), enter(1_000), enter(1_000)]);
    expect(await enterUrgent(0)).toBe(true);
    const order: string[] = [];
    const normal = enter(1_000).then(() => order.push('normal'));
    const urgent = enterUrgent(1_000).then(() => order.push('urgent'));
    await settleMicrotasks();
    expect(order).toEqual([]);
    concurrency.leave(providers, 'normal');
    await urgent;
    expect(order).toEqual(['urgent']);
    // Normal rounds do not get a slot that urgent ones have reserved.
    concurrency.leave(providers, 'urgent');
    concurrency.leave(providers, 'urgent');
    await normal;
    expect(await enter(1)).toBe(false);
    expect(await enterUrgent(0)).toBe(true);
  });
});
