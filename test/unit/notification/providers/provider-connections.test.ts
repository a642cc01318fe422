import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import {
  createProviderConnections,
  PrioritySlots,
} from '../../../../workers/notification/providers/provider-connections.ts';

const { signal: caller } = new AbortController();

function calls(count: number, timeoutMs = 20_000) {
  const connections = createProviderConnections(count, timeoutMs);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const call = (name: string, priority: 'normal' | 'urgent' = 'normal', signal = caller) =>
    connections.use({ priority, caller: signal }, async () => {
      begun.push(name);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(resolve);
      await promise;
      return name;
    });
  return { connections, begun, ends, call };
}

it.each([
  [1, ['1'], ['1', 'urgent', '2', '3', '4']],
  [2, ['1', 'urgent'], ['1', 'urgent', '2', '3', '4']],
  [3, ['1', '2', 'urgent'], ['1', '2', 'urgent', '3', '4']],
])(
  'of %i, urgent calls get one before waiting normal ones, and one is reserved for them',
  async (...given) => {
    const [count, first, all] = given;
    const { begun, ends, call } = calls(count);
    const results = ['1', '2', '3', '4'].map((name) => call(name));
    results.push(call('urgent', 'urgent'));
    await sleep(0);
    expect(begun).toEqual(first);
    for (let ended = 0; ended < all.length; ended += 1) {
      await expect.poll(() => ends.length, { interval: 5 }).toBeGreaterThan(ended);
      ends[ended]?.();
    }
    expect(await Promise.all(results)).toEqual(expect.arrayContaining(all));
    expect(begun).toEqual(all);
  },
);

it('do not begin a call when none is free in half of its time, or its caller ends, or they are closed', async () => {
  const { connections, begun, ends, call } = calls(1, 40);
  const first = call('1');
  const startedMs = performance.now();
  expect(await call('2')).toEqual({ kind: 'transient', code: 'no-connection', isUncalled: true });
  expect(performance.now() - startedMs).toBeGreaterThan(15);
  expect(await call('3', 'urgent', AbortSignal.abort())).toEqual({ kind: 'transient', code: 'aborted' });
  const closed = connections.close();
  expect(await call('4')).toEqual({ kind: 'transient', code: 'provider-closed' });
  ends[0]?.();
  await closed;
  expect([await first, begun]).toEqual(['1', ['1']]);
});

it('a slot that is given back twice is free once', async () => {
  const slots = new PrioritySlots(() => ({ normal: 1, all: 1 }));
  const leave = await slots.enter('normal', caller);
  leave?.();
  leave?.();
  expect(await slots.enter('normal', caller)).toBeDefined();
  expect(await slots.enter('normal', AbortSignal.abort())).toBeUndefined();
});
