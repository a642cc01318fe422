import { expect, test } from 'vitest';
import { figuresOf, measureTrips, type TripLine, tripTable } from '../../../scripts/bench/peers/trips.ts';

const LOOP = { perSecond: 100, p50Ms: 1, p99Ms: 2 };

const round = (perSecond: number, requester: number) => ({
  ...LOOP,
  perSecond,
  refused: 1,
  cpuUs: { requester, broker: 30 },
});

test('every trip is warmed up, then measured once in each round', async () => {
  const calls: string[] = [];
  const trip = (system: string) => ({
    system,
    window: 1,
    pids: { requester: [process.pid] },
    run: (window: number, forMs: number) => {
      calls.push(`${system} ${window} ${forMs}`);
      return Promise.resolve(LOOP);
    },
  });
  const options = { rounds: 2, measureMs: 50, progress: () => undefined };
  const lines = await measureTrips(options, [trip('a'), trip('b')]);
  const measured = calls.filter((call) => call.endsWith(' 50'));
  expect(measured).toEqual(['a 1 50', 'b 1 50', 'b 1 50', 'a 1 50']);
  expect(lines.map(({ system, rounds }) => [system, rounds.length])).toEqual([
    ['a', 2],
    ['b', 2],
  ]);
  expect(lines[0]?.rounds[0]?.cpuUs).toHaveProperty('requester');
});

test('the table has medians, refusals and the processor time of each process', () => {
  const line: TripLine = { system: 'a', window: 64, rounds: [round(10, 90), round(30, 70), round(20, 80)] };
  expect(tripTable('calls', [line])).toContain('20 |   1.00 |   2.00 |       3 |');
  expect(tripTable('calls', [line])).toContain('80 requester + 30 broker');
  expect(figuresOf([line], { system: 'a', window: 64 }, ({ perSecond }) => perSecond)).toEqual([10, 30, 20]);
  expect(figuresOf([line], { system: 'a', window: 1 }, ({ perSecond }) => perSecond)).toEqual([]);
});
