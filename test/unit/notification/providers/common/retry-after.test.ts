import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../../../../workers/notification/providers/common/retry-after.ts';

const NOW = Date.parse('2026-03-02T10:00:00Z');

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    [' 0.5 ', 500],
    ['Mon, 02 Mar 2026 10:00:30 GMT', 30_000],
    ['Monday, 02-Mar-26 10:01:00 GMT', 60_000],
    ['999999999', 86_400_000],
  ])('is parsed from %j', (text, ms) => {
    expect(parseRetryAfter(text, 'seconds', NOW)).toBe(ms);
  });

  it('is parsed from seconds since 1970', () => {
    expect(parseRetryAfter(String(NOW / 1_000 + 5), 'epoch-seconds', NOW)).toBe(5_000);
  });

  it.each([
    undefined,
    '',
    '0',
    '-5',
    'soon',
    '2026-03-02',
    '1e3',
    'Mon, 02 Mar 2026 09:59:59 GMT',
    'Mon, 99 Foo 2026 10:00:00 GMT',
  ])('is undefined for %j', (text) => {
    expect(parseRetryAfter(text, 'seconds', NOW)).toBeUndefined();
  });
});
