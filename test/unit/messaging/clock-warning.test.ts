import { expect, it } from 'vitest';
import { ClockWarning } from '../../../shared/messaging/clock-warning.ts';

const TOPIC = 'requests';

it('warns once in ten minutes of records that are more than ten seconds ahead of the clock', () => {
  const warned: object[] = [];
  let nowMs = 1_700_000_000_000;
  const warning = new ClockWarning({
    clock: { now: () => nowMs },
    log: { warn: (fields: object) => void warned.push(fields) },
  });
  const see = (aheadMs: number): void => warning.see({ topic: TOPIC, timestampMs: nowMs + aheadMs });
  for (const aheadMs of [-86_400_000, 0, 10_000]) see(aheadMs);
  expect(warned).toEqual([]);
  for (const aheadMs of [10_001, 20_000]) see(aheadMs);
  expect(warned).toEqual([{ topic: TOPIC, aheadMs: 10_001 }]);
  nowMs += 600_000;
  see(20_000);
  expect(warned).toHaveLength(2);
});
