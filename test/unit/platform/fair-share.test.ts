import { expect, it } from 'vitest';
import { FairShare } from '../../../shared/platform/fair-share.ts';

const LIMIT = 600;

function fill(shared: FairShare, ...owners: readonly string[]): readonly number[] {
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

it('one owner takes half, two take a third each, and there is room for another and for what was given back', () => {
  expect(fill(new FairShare(), 'a')).toEqual([300]);
  const shared = new FairShare();
  expect(fill(shared, 'a', 'b')).toEqual([200, 200]);
  expect(shared.hasRoom('c', LIMIT)).toBe(true);
  shared.giveBack('a', 200);
  expect(fill(shared, 'a')).toEqual([200]);
});
