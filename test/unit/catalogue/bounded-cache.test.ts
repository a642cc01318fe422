import { expect, test } from 'vitest';
import { BoundedCache } from '../../../shared/catalogue/bounded-cache.ts';

test('evicts the least recently used values when entries or bytes exceed the limit', () => {
  const cache = new BoundedCache<string>({ maxEntries: 3, maxBytes: 10 });
  cache.set('a', 'A', 2);
  cache.set('b', 'B', 2);
  cache.set('c', 'C', 2);
  expect(cache.get('a')).toBe('A');
  cache.set('d', 'D', 2);
  expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.get('d')]).toEqual([
    'A',
    undefined,
    'C',
    'D',
  ]);
  cache.set('e', 'E', 7);
  expect(cache.get('e')).toBe('E');
  expect(cache.bytes).toBeLessThanOrEqual(10);
  expect(cache.size).toBe(2);
});

test('does not cache a value above the limit, and frees the bytes of replaced and deleted values', () => {
  const cache = new BoundedCache<string>({ maxEntries: 3, maxBytes: 10 });
  cache.set('a', 'A', 4);
  cache.set('big', 'B', 11);
  expect([cache.get('a'), cache.get('big')]).toEqual(['A', undefined]);
  cache.set('a', 'A2', 6);
  expect([cache.get('a'), cache.bytes]).toEqual(['A2', 6]);
  cache.delete('a');
  cache.delete('a');
  expect([cache.size, cache.bytes]).toEqual([0, 0]);
});
