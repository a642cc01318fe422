import { expect, it } from 'vitest';
import { deliveriesHealth } from '../../../../workers/notification/command-consumer.ts';
import { DeliveriesInProgress } from '../../../../workers/notification/delivery/deliveries-in-progress.ts';

function inProgressAt() {
  const time = { elapsedMs: 0 };
  return { time, deliveries: new DeliveriesInProgress({ elapsedMs: () => time.elapsedMs }) };
}

it('reports the delivery with the longest time since its last progress', () => {
  const { time, deliveries } = inProgressAt();
  expect(deliveries.slowest()).toBeUndefined();
  expect(deliveriesHealth(deliveries, 0).status).toBe('ready');
  deliveries.enter('one', 'claiming');
  time.elapsedMs = 10_000;
  deliveries.enter('two', 'sending');
  time.elapsedMs = 40_000;
  expect(deliveries.slowest()).toEqual({ step: 'claiming', stalledMs: 40_000 });
  expect(deliveriesHealth(deliveries, 40_001).status).toBe('ready');
  expect(deliveriesHealth(deliveries, 40_000)).toEqual({
    status: 'unhealthy',
    reason: 'a delivery has made no progress in state claiming for 40 s',
  });
  deliveries.enter('one', 'sending');
  expect(deliveries.slowest()).toEqual({ step: 'sending', stalledMs: 30_000 });
  deliveries.leave('two');
  expect(deliveries.slowest()).toEqual({ step: 'sending', stalledMs: 0 });
  expect([deliveries.size, deliveries.has('one'), deliveries.has('two')]).toEqual([1, true, false]);
});

it('reports a round from the state queueing until the given time after the delivery has ended', () => {
  const { time, deliveries } = inProgressAt();
  deliveries.enter('one', 'queueing');
  deliveries.enter('one', 'acquiring');
  time.elapsedMs = 9_000;
  expect(deliveries.hasRound(5_000)).toBe(true);
  deliveries.enter('one', 'sending');
  expect(deliveries.hasRound(5_000)).toBe(true);
  deliveries.leave('one');
  time.elapsedMs = 14_000;
  expect([deliveries.hasRound(5_000), deliveries.hasRound(4_999)]).toEqual([true, false]);
});

it('does not report a round for a delivery that only repeats the follow-up of an earlier one', () => {
  const { deliveries } = inProgressAt();
  deliveries.enter('one', 'following-up');
  expect(deliveries.hasRound(5_000)).toBe(false);
  deliveries.leave('one');
  expect(deliveries.hasRound(5_000)).toBe(false);
});
