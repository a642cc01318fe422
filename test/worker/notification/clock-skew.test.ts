import { expect, it } from 'vitest';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import { eventually } from '../../support/conformance/wait.ts';
import { idOf, notificationWorld } from '../../support/worlds/notification-world.ts';
import { SENT, transient } from '../../support/fakes/scripted-providers.ts';

const HOUR_MS = 3_600_000;
const TIER_MS = 500;
/**
 * Long enough for a delay of a retry tier and a rebalance on a busy machine, but shorter than the clock skew in these
 * tests.
 */
const SOON_MS = 10_000;
const skewed = (ms: number) => ({ now: () => Date.now() + ms });

it.each([
  ['ahead of', HOUR_MS],
  ['behind', -HOUR_MS],
])(
  'returns a copy in time if the clock of its writer is an hour %s the clock of the next owner',
  async (_, skewMs) => {
    const world = await notificationWorld({ tiersMs: [TIER_MS] });
    let isDown = true;
    world.providers.add('only').answer = ({ id }) => (isDown && id === idOf(1) ? transient() : SENT);
    const one = await world.worker({ clock: skewed(skewMs) });
    for (const number of [1, 2, 3]) await world.sms({ id: idOf(number), partition: 0, key: 'same' });
    await expect.poll(() => world.metrics.text()).toContain('plat_notification_hold{figure="followers"} 2');
    await one.stop(500);
    isDown = false;
    const other = await world.worker();
    await eventually('all deliveries', SOON_MS, () => world.providers.delivered.size === 3);
    expect([...world.providers.delivered.keys()]).toEqual([idOf(1), idOf(2), idOf(3)]);
    expect(world.deadLetters).toEqual([]);
    expect(other.health().status).toBe('ready');
  },
);

it('does not fail a notification before its first attempt when the clock of the worker jumps ahead', async () => {
  const world = await notificationWorld({ timeLimitMs: HOUR_MS });
  let isOpen = true;
  world.providers.add('only').admission = () =>
    isOpen ? { kind: 'open', afterMs: 50, code: 'down' } : { kind: 'go' };
  let jumpMs = 0;
  await world.worker({ clock: { now: () => Date.now() + jumpMs } });
  await world.sms({ id: idOf(1), key: 'one' });
  jumpMs = 25 * HOUR_MS;
  await world.sms({ id: idOf(2), key: 'two' });
  isOpen = false;
  await eventually('both deliveries', SOON_MS, () => world.providers.delivered.size === 2);
  expect(world.deadLetters).toEqual([]);
});

it.each([
  ['worker was ahead', 25 * HOUR_MS, 0],
  ['writer was behind', 0, -25 * HOUR_MS],
])(
  'attempts a notification once if it seems too old because the clock of its %s from the start',
  async (_, workerMs, writerMs) => {
    const world = await notificationWorld({ timeLimitMs: HOUR_MS });
    const only = world.providers.add('only');
    let checks = 0;
    let isOpen = true;
    only.admission = () => {
      checks += 1;
      return isOpen ? { kind: 'open', afterMs: 50, code: 'down' } : { kind: 'go' };
    };
    await world.worker({ clock: skewed(workerMs) });
    const headers = { [HEADER.originTimestamp]: String(Date.now() + writerMs) };
    await world.sms({ id: idOf(1), key: 'one', headers });
    await eventually('some checks', SOON_MS, () => checks > 3);
    isOpen = false;
    await eventually('the outcome', SOON_MS, () => world.states.get(idOf(1))?.status === 'sent');
    only.answer = () => transient();
    await world.sms({ id: idOf(2), key: 'two', headers });
    await eventually('the outcome', SOON_MS, () => world.states.get(idOf(2))?.status === 'failed');
    expect(world.providers.calls.map(({ id }) => id)).toEqual([idOf(1), idOf(2)]);
  },
);
