import { expect, test } from 'vitest';
import { SharedLimit } from '../../../shared/platform/shared-limit.ts';

const LIMIT = 600;

/** Takes one after the other for each owner until none has room. */
function fill(shared: SharedLimit, ...owners: readonly string[]): readonly number[] {
  const taken = owners.map(() => 0);
  while (owners.some((owner) => shared.hasRoom(owner, LIMIT))) {
    for (const [place, owner] of owners.entries()) {
      if (!shared.hasRoom(owner, LIMIT)) continue;
      shared.take(owner, 1);
      taken[place] = (taken[place] ?? 0) + 1;
    }
  }
  return taken;
}

test('one owner takes half of the limit, two take a third each', () => {
  expect(fill(new SharedLimit(), 'a')).toEqual([300]);
  expect(fill(new SharedLimit(), 'a', 'b')).toEqual([200, 200]);
});

test('there is room for another owner, and again for one that gave back', () => {
  const shared = new SharedLimit();
  fill(shared, 'a', 'b');
  expect(shared.hasRoom('c', LIMIT)).toBe(true);
  shared.giveBack('a', 200);
  expect(fill(shared, 'a')).toEqual([200]);
});
