import { describe, expect, it } from 'vitest';
import { createResultStore } from '../../../../workers/ingress/actions/result-store.ts';

const openStore = (changes: { maxBytes?: number; now?: () => number } = {}) =>
  createResultStore<string>({
    maxBytes: 1_000,
    retentionMs: 100,
    now: () => 100,
    sizeOf: (key, value) => key.length + value.length,
    callerOf: (key) => key.slice(0, -1),
    ...changes,
  });

describe('the record store', () => {
  it('keeps the latest record of a key with its timestamp', () => {
    const store = openStore();
    store.put('a', 'first', 10);
    store.put('a', 'second', 20);
    expect(store.find('a')).toEqual({ value: 'second', writtenAtMs: 20 });
    expect(store.find('b')).toBeUndefined();
    expect(store.size()).toEqual({ records: 1, bytes: 7 });
  });

  it('evicts records beyond the retention', () => {
    let nowMs = 100;
    const store = openStore({ now: () => nowMs });
    store.put('a', 'x', 0);
    expect(store.find('a')).toBeDefined();
    nowMs = 101;
    expect(store.find('a')).toBeUndefined();
    store.put('b', 'x', 0);
    expect(store.size()).toEqual({ records: 0, bytes: 0 });
    expect(store.mayHaveEvicted(0)).toBe(false);
  });

  it('keeps a record with an old timestamp until the records inserted before it expire', () => {
    let nowMs = 200;
    const store = openStore({ now: () => nowMs });
    store.put('other', 'x', 150);
    store.put('a', 'sending', 150);
    store.put('a', 'sent', 50);
    expect(store.find('a')?.value).toBe('sent');
    nowMs = 251;
    expect([store.find('other'), store.find('a')]).toEqual([undefined, undefined]);
  });

  it('evicts the records inserted first above the size limit, and reports which times may be affected', () => {
    const store = openStore({ maxBytes: 6 });
    store.put('a', 'xx', 30);
    store.put('b', 'xx', 20);
    expect(store.mayHaveEvicted(0)).toBe(false);
    store.put('c', 'xx', 40);
    expect(store.size()).toEqual({ records: 2, bytes: 6 });
    expect([store.find('a'), store.find('b')?.value, store.find('c')?.value]).toEqual([
      undefined,
      'xx',
      'xx',
    ]);
    expect([store.mayHaveEvicted(30), store.mayHaveEvicted(31)]).toEqual([true, false]);
    store.put('d', 'xx', 50);
    expect([store.mayHaveEvicted(30), store.mayHaveEvicted(31)]).toEqual([true, false]);
  });

  it('evicts only from callers with more than an equal share, the largest first', () => {
    const store = openStore({ maxBytes: 60 });
    const putAll = (caller: string, keys: string, bytes: number) => {
      for (const key of keys) store.put(caller + key, 'x'.repeat(bytes - 2), 10);
    };
    const kept = (caller: string, keys: string) =>
      keys
        .split('')
        .filter((key) => store.find(caller + key) !== undefined)
        .join('');
    putAll('A', 'ab', 10);
    putAll('B', 'abc', 5);
    putAll('C', 'abcdefghij', 10);
    expect([kept('A', 'ab'), kept('B', 'abc'), kept('C', 'abcdefghij')]).toEqual(['ab', 'abc', 'ij']);
    expect(['Aa', 'Ca', 'Ch', 'Ci'].map((key) => store.isEvicted(key))).toEqual([false, true, true, false]);
    putAll('D', 'a', 30);
    expect([kept('D', 'a'), kept('B', 'abc'), kept('A', 'ab')]).toEqual(['', 'abc', 'ab']);
  });
});
