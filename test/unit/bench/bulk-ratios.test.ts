import { expect, test } from 'vitest';
import { inSeries, laneRatio, shareOfSeries } from '../../../scripts/bench/bulk/ratios.ts';

test('two steps one after the other take the sum of their times', () => {
  expect(inSeries(1_000, 1_000)).toBe(500);
  expect(inSeries(30_000, 6_000)).toBeCloseTo(5_000);
});

test('the share is the median over the rounds, and that of the fastest rounds beside it', () => {
  const measured = shareOfSeries({ echo: [100, 200, 100], engine: [100, 200, 300], lane: [25, 100, 60] });
  expect(measured.value).toBeCloseTo(0.8);
  expect(measured.byFastest).toBeCloseTo(100 / 120);
});

test('the aim is reached from 0.8 on', () => {
  expect(laneRatio('lane', { echo: [100], engine: [100], lane: [40] })).toMatchObject({ reached: true });
  expect(laneRatio('lane', { echo: [100], engine: [100], lane: [39] })).toMatchObject({ reached: false });
});
