/**
 * A day count name with many blanks kept the worker busy for minutes: the pattern for blanks around the slash took
 * quadratic time, and a string in Avro may have megabytes.
 */

import { expect, it } from 'vitest';
import { findDayCount } from '../../shared/lending/dates/day-count.ts';

it('parses a day count name with a million blanks in linear time', () => {
  const startedMs = performance.now();
  expect(findDayCount(`Actual${' '.repeat(1_000_000)}360`)).toBeUndefined();
  expect(findDayCount(`Actual${' '.repeat(1_000_000)}/ 360`)).toBe('Actual/360');
  expect(performance.now() - startedMs).toBeLessThan(1_000);
});
