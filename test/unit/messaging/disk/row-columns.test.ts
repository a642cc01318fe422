import { describe, expect, test } from 'vitest';
import { RowColumns } from '../../../../shared/messaging/disk/row-columns.ts';

/** Rows with these digests, each in four words. */
function rowsOf(digests: readonly (readonly [number, number, number, number])[]): RowColumns {
  const rows = new RowColumns(true);
  for (const [offset, digest] of digests.entries()) {
    const place = { segment: 1, position: offset, bytes: 1 };
    rows.push({ ...place, offset, storedAtMs: 0, isTombstone: false, digest: Uint32Array.from(digest) });
  }
  return rows;
}

describe('superseded()', () => {
  test('marks each row whose digest a later one has', () => {
    const count = 5_000;
    const keys = Array.from({ length: count }, (_, number) => (number * 7_919) % 3_001);
    const rows = rowsOf(keys.map((key) => [key % 16, key % 256, key, key]));
    const expected = keys.map((key, at) => (keys.lastIndexOf(key) === at ? 0 : 1));
    expect([...rows.superseded()]).toEqual(expected);
    rows.removeOldest(1_234);
    expect([...rows.superseded()]).toEqual(expected.slice(1_234));
  });

  test('tells apart digests that differ in one word', () => {
    const rows = rowsOf([
      [1, 2, 3, 4],
      [9, 2, 3, 4],
      [1, 9, 3, 4],
      [1, 2, 9, 4],
      [1, 2, 3, 9],
      [1, 2, 3, 4],
    ]);
    expect([...rows.superseded()]).toEqual([1, 0, 0, 0, 0, 0]);
  });

  test('is empty without rows', () => expect(rowsOf([]).superseded()).toHaveLength(0));
});
