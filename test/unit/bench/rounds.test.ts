import { expect, test } from 'vitest';
import {
  atLeast,
  atMost,
  compareRates,
  compareTimes,
  compareWithSeries,
  costsOf,
  inSeries,
  inTurns,
  timeCalls,
  toKnow,
} from '../../../scripts/bench/rounds.ts';

test('scenarios are measured alternately, in reverse order in every second round', async () => {
  const order: string[] = [];
  const lines: string[] = [];
  const options = { rounds: 3, progress: (line: string) => void lines.push(line) };
  const results = await inTurns(
    options,
    [{ name: 'a' }, { name: 'b' }],
    ({ name }) => {
      order.push(name);
      return order.length;
    },
    (count) => `, ${count}`,
  );
  expect(order.join('')).toBe('abbaab');
  expect(results).toEqual([
    [1, 4, 5],
    [2, 3, 6],
  ]);
  expect(lines[2]).toBe('round 2/3: b, 3');
});

test('calls are timed in every round; their cost is the median and the fastest round', async () => {
  let calls = 0;
  const works = [{ name: 'count', run: () => (calls += 1) }];
  const options = { rounds: 2, sliceMs: 1, warmUpMs: 1, progress: () => undefined };
  const times = await timeCalls(works, options);
  expect(times.get('count')).toHaveLength(2);
  expect(calls).toBeGreaterThan(2);
  expect(costsOf(new Map([['x', [3, 1, 2]]]))).toEqual([{ name: 'x', microseconds: 2, fastest: 1 }]);
});

test('times and rates are compared by round, and by the fastest round of each', () => {
  expect(compareTimes([20, 60, 30], [10, 20, 10])).toEqual({ value: 3, byFastest: 2, rounds: [2, 3, 3] });
  expect(compareRates([20, 60, 30], [10, 20, 10])).toEqual({ value: 3, byFastest: 3, rounds: [2, 3, 3] });
});

test('two sequential steps take the sum of their times', () => {
  expect(inSeries(1_000, 1_000)).toBe(500);
  expect(inSeries(30_000, 6_000)).toBeCloseTo(5_000);
});

test('the share of two sequential steps is the median over all rounds, and that of the fastest rounds', () => {
  const measured = compareWithSeries([25, 100, 60], [100, 200, 100], [100, 200, 300]);
  expect(measured.value).toBeCloseTo(0.8);
  expect(measured.byFastest).toBeCloseTo(100 / 120);
});

test('a target is met if it is reached exactly', () => {
  expect(atLeast('x', { value: 0.8 }, 0.8)).toEqual({ name: 'x', value: 0.8, aim: '>= 0.8', reached: true });
  expect(atLeast('x', { value: 0.79 }, 0.8)).toMatchObject({ reached: false });
  expect(atMost('x', { value: 3, byFastest: 2 }, 3)).toEqual({
    name: 'x',
    value: 3,
    byFastest: 2,
    aim: '<= 3',
    reached: true,
  });
  expect(atMost('x', { value: 3.1 }, 3)).toMatchObject({ reached: false });
  expect(toKnow('x', { value: 1 })).toEqual({ name: 'x', value: 1, aim: '-' });
});
