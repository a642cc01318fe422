import { expect, it } from 'vitest';
import { LetterStates } from '../../../shared/dead-letters/audit.ts';
import { visibleLetters } from '../../../shared/dead-letters/handle-letters.ts';
import { deadLetter } from '../../support/worlds/dead-letters.ts';

it('letters have one order, also those of one moment in several partitions, in whatever order they were read', () => {
  const letters = [
    [5, 'a/0/1'],
    [5, 'a/1/1'],
    [5, 'b/0/2'],
    [7, 'a/0/2'],
  ].map(([atMs, id]) => {
    const offset = Number(String(id).at(-1));
    return deadLetter({}, { atMs: Number(atMs), id: String(id), offset });
  });
  const scan = { states: new LetterStates(), unreadable: 0, isComplete: true, read: 4, prefix: '' };
  const idsOf = (read: typeof letters) =>
    visibleLetters({ ...scan, letters: read }, true).map(({ id }) => id);
  expect(idsOf(letters)).toEqual(['a/0/2', 'b/0/2', 'a/1/1', 'a/0/1']);
  expect(idsOf(letters.toReversed())).toEqual(idsOf(letters));
});
