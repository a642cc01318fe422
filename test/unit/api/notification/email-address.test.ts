import { describe, expect, it } from 'vitest';
import {
  cleanEmailAddress,
  nameAddressCharacter,
  readAddressList,
  withoutRepeated,
} from '../../../../shared/api/notification/email-address.ts';
import { NOTIFICATION_LIMITS } from '../../../../shared/api/notification/notification-limits.ts';
import { leastMsOf } from '../../../support/fakes/least-time.ts';

describe('cleanEmailAddress', () => {
  it.each([
    ['ana@mail.example', 'ana@mail.example'],
    ['  ana@mail.example\t', 'ana@mail.example'],
    ['ana@mail.example\u200b', 'ana@mail.example'],
    ['\ufeff\u2068ana@mail.example\u2069', 'ana@mail.example'],
    ['\u00a0ana@mail.example\u202f', 'ana@mail.example'],
    ['ana@ma\u00adil.example', 'ana@mail.example'],
    ['ana\u200d@mail.example\u200c', 'ana@mail.example'],
    ['ana.b+tag@sub.mail.example', 'ana.b+tag@sub.mail.example'],
    ["o'neil_1@mail.example", "o'neil_1@mail.example"],
    ['ana@bücher.example', 'ana@xn--bcher-kva.example'],
    [`${'a'.repeat(64)}@mail.example`, `${'a'.repeat(64)}@mail.example`],
  ])('normalises %j to %s', (written, address) => {
    expect(cleanEmailAddress(written)).toBe(address);
  });

  it.each([
    '',
    'ana',
    'ana@',
    '@mail.example',
    'ana@mail',
    'ana@localhost',
    'ana@[127.0.0.1]',
    'ana@127.0.0.1',
    'ana@mail..example',
    'ana@-mail.example',
    '.ana@mail.example',
    'ana.@mail.example',
    'a..b@mail.example',
    'Ana <ana@mail.example>',
    '<ana@mail.example>',
    '"ana b"@mail.example',
    'ana@mail.example (home)',
    'ana b@mail.example',
    'ana@mail.example,eve@mail.example',
    'ana@mail.example;eve@mail.example',
    'ana@eve@mail.example',
    'ana@mail.example\r\nBcc: eve@mail.example',
    'ana@mail.example\n',
    '\u0000ana@mail.example',
    'änа@mail.example',
    'ana@mail.example\u2028',
    'ana@ma\u200dil.example',
    'ana@mail\uff0eexample',
    'ana@mail.example%0aBcc:eve@mail.example',
    `${'a'.repeat(65)}@mail.example`,
    `ana@${'a'.repeat(64)}.example`,
    `ana@${'a.'.repeat(130)}example`,
  ])('refuses %j', (written) => {
    expect(cleanEmailAddress(written)).toBeUndefined();
  });
});

describe('a list of addresses (N4)', () => {
  it('is separated by semicolons or commas; blanks and empty items are ignored', () => {
    expect(readAddressList('a@x.example; b@x.example,c@x.example ;, ')).toEqual({
      addresses: ['a@x.example', 'b@x.example', 'c@x.example'],
      wrong: [],
    });
    expect(readAddressList(' ;, ')).toEqual({ addresses: [], wrong: [] });
  });

  it('reports invalid items by position, not by their text', () => {
    expect(readAddressList('a@x.example; invalid; Ana <b@x.example>')).toEqual({
      addresses: ['a@x.example'],
      wrong: [2, 3],
    });
  });

  it('takes linear time for a list with many blanks', () => {
    const list = `a${' '.repeat(NOTIFICATION_LIMITS.addressListCharacters - 2)}b`;
    expect(leastMsOf(() => readAddressList(list))).toBeLessThan(20);
  });

  it('is searched in linear time for a character that is not allowed', () => {
    expect(leastMsOf(() => nameAddressCharacter('\u0416'.repeat(40_000)))).toBeLessThan(500);
    expect(nameAddressCharacter('b\u00fc@b\u00fc')).toContain('U+00FC');
    expect(nameAddressCharacter('b@b\u00fc; b\u00fc')).toBe('');
  });

  it('omits duplicates and addresses of other lists', () => {
    expect(withoutRepeated(['a@x.example', 'A@X.example', 'b@x.example'], new Set(['b@x.example']))).toEqual([
      'a@x.example',
    ]);
  });
});
