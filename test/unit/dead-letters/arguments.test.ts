import { expect, it } from 'vitest';
import { UsageError } from '../../../scripts/command-line/parse-command-line.ts';
import { readDeadLettersArguments } from '../../../scripts/dead-letters/dead-letters-arguments.ts';

const NOW_MS = Date.UTC(2026, 4, 1);
const read = (...args: string[]) => readDeadLettersArguments(args, NOW_MS);

it('the command line of dead-letters enables all guards by default', () => {
  expect(read('list')).toMatchObject({ name: 'list', all: false, limit: undefined, isAction: false });
  expect(read('redrive', 'a/1/2', '--id', 'n-1', '--dry-run')).toMatchObject({
    name: 'redrive',
    ids: ['a/1/2', 'n-1'],
    isFiltered: false,
    again: false,
    force: false,
    'accept-duplicates': false,
  });
  expect(read('--help')).toBeUndefined();
});

it('the command line of dead-letters reads repeated topics and codes, times and a limit', () => {
  const topics = ['--topic', 'a', '--topic', 'b', '--code', 'c*'];
  const times = ['--since', '2h', '--until', '2026-05-01T12:00:00+02:00', '--limit', '5'];
  expect(read('list', ...topics, ...times)).toMatchObject({
    limit: 5,
    isFiltered: true,
    criteria: {
      topics: ['a', 'b'],
      codes: ['c*'],
      since: '2026-04-30T22:00:00.000Z',
      until: '2026-05-01T12:00:00+02:00',
    },
  });
});

it.each([
  [[], 'the command must be one of'],
  [['purge'], 'the command must be one of'],
  [['list', '--nonsense'], 'nonsense'],
  [['list', '--dry-run'], '--dry-run is not an option of list'],
  [['show', 'a/1/2', '--force'], '--force is not an option of show'],
  [['discard', 'a/1/2', '--reason', 'r', '--set', 'a=1'], '--set is not an option of discard'],
  [['redrive'], 'select the letters'],
  [['show'], 'select the letters'],
  [['discard', '--topic', 'schedule'], '--reason'],
  [['mark-sent', 'a/1/2'], '--reason'],
  [['edit', 'a/1/2', '--reason', 'r'], '--set'],
  [['redrive', 'a/1/2'], '--reason'],
  [['list', '--limit', 'many'], '--limit'],
  [['list', '--since', 'yesterday'], '--since'],
  [['discard', 'a/1/2', '--reason', 'two\nlines'], '--reason'],
  [['discard', 'a/1/2', '--reason', ' '], '--reason'],
  [['redrive', 'a/1/2', '--reason', 'x'.repeat(501)], '--reason'],
])('the command line of dead-letters refuses %j and names the fault', (args, text) => {
  expect(() => read(...args)).toThrow(UsageError);
  expect(() => read(...args)).toThrow(text);
});
