import { describe, expect, it } from 'vitest';
import { readDeadLettersArguments, UsageError } from '../../../scripts/dead-letters/command-arguments.ts';
import { readEdit } from '../../../scripts/dead-letters/edit-request.ts';

const NOW_MS = Date.UTC(2026, 4, 1);
const read = (...args: string[]) => readDeadLettersArguments(args, NOW_MS);
const NO_EDIT = { set: [], patchFile: undefined, headers: [] };

describe('the command line', () => {
  it('lists without any option, and acts with a rate of 50 and every guard in place', () => {
    expect(read('list')?.command).toMatchObject({ name: 'list', all: false, limit: undefined });
    expect(read('redrive', 'a/1/2', '--id', 'n-1')?.command).toMatchObject({
      name: 'redrive',
      selection: { ids: ['a/1/2', 'n-1'] },
      send: { dryRun: false, ratePerSecond: 50, again: false, force: false, acceptDuplicates: false },
    });
    expect(read('--help')).toBeUndefined();
  });

  it('takes several topics and codes, times and a limit', () => {
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
    [[], 'give one of'],
    [['purge'], 'give one of'],
    [['list', '--nonsense'], 'nonsense'],
    [['list', '--dry-run'], '--dry-run is no option of list'],
    [['show', 'a/1/2', '--force'], '--force is no option of show'],
    [['discard', 'a/1/2', '--reason', 'r', '--set', 'a=1'], '--set is no option of discard'],
    [['redrive'], 'say which letters'],
    [['show'], 'say which letters'],
    [['discard', '--topic', 'schedule'], '--reason'],
    [['edit', 'a/1/2'], '--set'],
    [['redrive', 'a/1/2', '--rate', '0'], '--rate'],
    [['redrive', 'a/1/2', '--rate', '99999'], '--rate'],
    [['list', '--limit', 'many'], '--limit'],
    [['list', '--since', 'yesterday'], '--since'],
    [['discard', 'a/1/2', '--reason', 'two\nlines'], '--reason'],
    [['discard', 'a/1/2', '--reason', ' '], '--reason'],
    [['redrive', 'a/1/2', '--operator', 'x'.repeat(501)], '--operator'],
  ])('refuses %j and says what is allowed', (args, text) => {
    expect(() => read(...args)).toThrow(UsageError);
    expect(() => read(...args)).toThrow(text);
  });
});

describe('an edit', () => {
  it('is its patches in their order, and tells what it changes without values', () => {
    const edit = readEdit({
      ...NO_EDIT,
      set: ['receiver=+40722123456', 'cc=null'],
      headers: ['kafka_replyTopic=t', 'x='],
    });
    expect(edit.patches).toEqual([{ receiver: '+40722123456' }, { cc: null }]);
    expect(edit.headers).toEqual({ kafka_replyTopic: 't', x: undefined });
    expect(edit.members).toEqual(['receiver', 'cc', 'header kafka_replyTopic', 'header x']);
  });

  it.each([
    [{ set: ['receiver'] }, 'PATH=VALUE'],
    [{ set: ['notificationId=1'] }, 'notificationId'],
    [{ patchFile: '/does/not/exist' }, '--patch'],
    [{ headers: ['kafka_replyTopic'] }, 'NAME=VALUE'],
    [{ headers: ['plat-attempt=9'] }, 'plat-attempt'],
    [{ headers: ['plat-redrive-unknown=true'] }, 'plat-redrive-unknown'],
    [{ headers: ['plat-dead-letter-code=x'] }, 'plat-dead-letter-code'],
  ])('refuses %j', (options, text) => {
    expect(() => readEdit({ ...NO_EDIT, ...options })).toThrow(UsageError);
    expect(() => readEdit({ ...NO_EDIT, ...options })).toThrow(text);
  });
});
