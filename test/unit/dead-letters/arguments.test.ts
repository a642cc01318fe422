import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../scripts/command-line/parse-command-line.ts';
import { parseTime, readDeadLettersArguments } from '../../../scripts/dead-letters/arguments.ts';

const NOW_MS = Date.UTC(2026, 4, 1);
const read = (...args: string[]) => readDeadLettersArguments(args, NOW_MS);

describe('readDeadLettersArguments', () => {
  it('defaults to 50 dead letters a second with all guards enabled', () => {
    expect(read('list')?.command).toMatchObject({ name: 'list', all: false, limit: undefined });
    expect(read('redrive', 'a/1/2', '--id', 'n-1')?.command).toMatchObject({
      name: 'redrive',
      selection: { ids: ['a/1/2', 'n-1'] },
      send: { dryRun: false, ratePerSecond: 50, again: false, force: false, acceptDuplicates: false },
    });
    expect(read('--help')).toBeUndefined();
  });

  it('reads repeated topics and codes, times and a limit', () => {
    const args = [
      '--topic',
      'a',
      '--topic',
      'b',
      '--code',
      'c*',
      '--since',
      '2h',
      '--until',
      '2026-05-01',
      '--limit',
      '5',
    ];
    expect(read('list', ...args)?.command).toMatchObject({
      limit: 5,
      selection: { topics: ['a', 'b'], codes: ['c*'], sinceMs: NOW_MS - 7_200_000, untilMs: NOW_MS },
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
    [['edit', 'a/1/2'], '--set'],
    [['redrive', 'a/1/2', '--rate', '0'], '--rate'],
    [['redrive', 'a/1/2', '--rate', '99999'], '--rate'],
    [['list', '--limit', 'many'], '--limit'],
    [['list', '--since', 'yesterday'], '--since'],
    [['discard', 'a/1/2', '--reason', 'two\nlines'], '--reason'],
    [['discard', 'a/1/2', '--reason', ' '], '--reason'],
    [['redrive', 'a/1/2', '--operator', 'x'.repeat(501)], '--operator'],
  ])('refuses %j and names the fault', (args, text) => {
    expect(() => read(...args)).toThrow(UsageError);
    expect(() => read(...args)).toThrow(text);
  });
});

it('parseTime reads dates, times with and without a time zone, and durations before now', () => {
  const now = Date.UTC(2026, 4, 2, 12);
  expect(parseTime('2026-05-01', now)).toBe(Date.UTC(2026, 4, 1));
  expect(parseTime('2026-05-01T10:00', now)).toBe(Date.UTC(2026, 4, 1, 10));
  expect(parseTime('2026-05-01T12:00:00+02:00', now)).toBe(Date.UTC(2026, 4, 1, 10));
  expect(parseTime('2h', now)).toBe(now - 7_200_000);
  expect(parseTime('7d', now)).toBe(now - 7 * 86_400_000);
  const noDays = ['2026-02-29', '2026-02-30T10:00Z', '2026-04-31'];
  for (const text of ['', 'yesterday', '0h', '2w', '2026-13-01', ...noDays, '01/05/2026', '-2h']) {
    expect(parseTime(text, now)).toBeUndefined();
  }
});
