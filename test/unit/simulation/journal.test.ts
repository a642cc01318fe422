import { expect, it } from 'vitest';
import { formatEntry, Journal } from '../../simulation/check/journal.ts';

/** A journal with one entry a second. */
function journalOf(...entries: readonly (readonly [who: string, text: string, ...ids: string[]])[]): Journal {
  let nowMs = 0;
  const journal = new Journal(() => nowMs);
  for (const [who, text, ...ids] of entries) {
    nowMs += 1_000;
    journal.note(who, text, ...ids);
  }
  return journal;
}

it('shows the last entries before a violation, and earlier ones that are faults or concern its ids', () => {
  const journal = journalOf(
    ['caller', 'calls', 'call-1'],
    ['cluster', 'ingress-1 crashed'],
    ['caller', 'calls', 'call-2'],
    ['caller', 'has the id', 'call-2', 'notification'],
    ['worker', 'writes', 'notification'],
    ['caller', 'calls', 'call-3'],
    ['caller', 'calls', 'call-4'],
    ['caller', 'calls after it', 'call-2'],
  );
  const shown = journal.excerpt(['call-2'], 7_000, 1).map(({ atMs }) => atMs / 1_000);
  expect(shown).toEqual([2, 3, 4, 5, 7]);
});

it('a line has the time in seconds, the actor, what happened, and the ids', () => {
  const [entry] = journalOf(['ingress-1#1', 'writes a record', 'call-1', 'key']).entries;
  expect(entry && formatEntry(entry)).toBe('   1.000000 ingress-1#1    writes a record [call-1 key]');
});
