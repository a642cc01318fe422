import { expect, it } from 'vitest';
import { createAuditMessage, LetterStates, type AuditRecord } from '../../../shared/dead-letters/audit.ts';
import type { LetterLog } from '../../../shared/dead-letters/letter-log.ts';
import {
  countByCode,
  discardSelected,
  sendSelected,
  visibleLetters,
} from '../../../shared/dead-letters/handle-letters.ts';
import { callContext } from '../../support/worlds/dead-letters-world.ts';
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
  const scan = {
    states: new LetterStates(),
    audit: { read: 0, isComplete: true },
    isComplete: true,
    read: 4,
    prefix: '',
  };
  const idsOf = (read: typeof letters) =>
    visibleLetters({ ...scan, letters: read }, true).map(({ id }) => id);
  expect(idsOf(letters)).toEqual(['a/0/2', 'b/0/2', 'a/1/1', 'a/0/1']);
  expect(idsOf(letters.toReversed())).toEqual(idsOf(letters));
});

it('a reply lists a hundred skipped letters and counts all of them', async () => {
  const states = new LetterStates();
  const letters = Array.from({ length: 250 }, (_, offset) => deadLetter({}, { offset }));
  const log = { read: async () => undefined } as unknown as LetterLog;
  const context = callContext(log);
  for (const letter of letters) {
    const { value } = createAuditMessage(context, letter, { action: 'discard', stage: 'done' });
    states.add(JSON.parse(String(value)) as AuditRecord);
  }
  const scan = {
    letters,
    states,
    audit: { read: 250, isComplete: true },
    isComplete: true,
    read: 250,
    prefix: '',
  };
  const options = { dryRun: true, again: false, force: false, acceptDuplicates: false, ratePerSecond: 1 };
  const chosen = { selection: { ids: [] }, limit: 10 };
  for (const handled of [
    await sendSelected(context, scan, chosen, { action: 'redrive', options }),
    await discardSelected(context, scan, chosen, options),
  ]) {
    expect(handled.results).toHaveLength(100);
    expect(handled).toMatchObject({ counts: { skipped: 250 }, notListed: 150 });
  }
});

it('counts the hundred most frequent codes, and all others together', () => {
  const letters = Array.from({ length: 150 }, (_, number) => [
    `code-${number}`,
    ...(number < 3 ? ['smtp-550'] : []),
  ])
    .flat()
    .map((code) => deadLetter({}, { code }));
  const counts = countByCode(letters);
  expect(Object.keys(counts)).toHaveLength(101);
  expect(counts).toMatchObject({ 'smtp-550': 3, '*': 51 });
});
