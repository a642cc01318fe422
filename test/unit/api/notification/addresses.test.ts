import { expect, it } from 'vitest';
import {
  cleanEmailAddress,
  nameAddressCharacter,
  readAddressList,
  withoutRepeated,
} from '../../../../shared/api/notification/email-address.ts';
import { NOTIFICATION_LIMITS } from '../../../../shared/api/notification/notification-limits.ts';
import { cleanPhoneNumber, cleanSmsSender } from '../../../../shared/api/notification/phone-number.ts';
import { leastMsOf } from '../../../support/fakes/least-time.ts';

/** Texts between bars, which are part of no address. */
const texts = (list: string) => list.split('|');

it.each(
  texts(
    'ana@mail.example|  ana@mail.example\t|ana@mail.example\u200b|\ufeff\u2068ana@mail.example\u2069|' +
      '\u00a0ana@mail.example\u202f|ana@ma\u00adil.example|ana\u200d@mail.example\u200c',
  ),
)('cleanEmailAddress normalises %j to ana@mail.example', (written) => {
  expect(cleanEmailAddress(written)).toBe('ana@mail.example');
});

it.each(texts(`ana.b+tag@sub.mail.example|o'neil_1@mail.example|${'a'.repeat(64)}@mail.example`))(
  'cleanEmailAddress accepts %s',
  (written) => {
    expect(cleanEmailAddress(written)).toBe(written);
    expect(cleanEmailAddress('ana@bücher.example')).toBe('ana@xn--bcher-kva.example');
  },
);

it.each(
  texts(
    '|ana|ana@|@mail.example|ana@mail|ana@localhost|ana@[127.0.0.1]|ana@127.0.0.1|ana@mail..example|' +
      'ana@-mail.example|.ana@mail.example|ana.@mail.example|a..b@mail.example|Ana <ana@mail.example>|' +
      '<ana@mail.example>|"ana b"@mail.example|ana@mail.example (home)|ana b@mail.example|' +
      'ana@mail.example,eve@mail.example|ana@mail.example;eve@mail.example|ana@eve@mail.example|' +
      'ana@mail.example\r\nBcc: eve@mail.example|ana@mail.example\n|\u0000ana@mail.example|äна@mail.example|' +
      'ana@mail.example\u2028|ana@ma\u200dil.example|ana@mail\uff0eexample|' +
      `ana@mail.example%0aBcc:eve@mail.example|${'a'.repeat(65)}@mail.example|` +
      `ana@${'a'.repeat(64)}.example|ana@${'a.'.repeat(130)}example`,
  ),
)('cleanEmailAddress refuses %j', (written) => {
  expect(cleanEmailAddress(written)).toBeUndefined();
});

it.each([
  ['a@x.example; b@x.example,c@x.example ;, ', ['a@x.example', 'b@x.example', 'c@x.example'], []],
  [' ;, ', [], []],
  ['a@x.example; invalid; Ana <b@x.example>', ['a@x.example'], [2, 3]],
])('a list of addresses (N4) %j is read, with wrong items by position', (list, addresses, wrong) => {
  expect(readAddressList(list)).toEqual({ addresses, wrong });
});

it('a list of addresses (N4) is read and searched in linear time, and omits duplicates', () => {
  const list = `a${' '.repeat(NOTIFICATION_LIMITS.addressListCharacters - 2)}b`;
  expect(leastMsOf(() => readAddressList(list))).toBeLessThan(20);
  expect(leastMsOf(() => nameAddressCharacter('\u0416'.repeat(40_000)))).toBeLessThan(500);
  expect(nameAddressCharacter('b\u00fc@b\u00fc')).toContain('U+00FC');
  expect(nameAddressCharacter('b@b\u00fc; b\u00fc')).toBe('');
  const own = ['a@x.example', 'A@X.example', 'b@x.example'];
  expect(withoutRepeated(own, new Set(['b@x.example']))).toEqual(['a@x.example']);
});

it.each(
  texts(
    '+40722123456|+40 722 123 456| +40-722-123-456 |(+40) 722.123.456|[0040] 722/123/456|0040722123456|' +
      '+40\u00a0722\u2011123\u2013456|+40 (0) 722 123 456|\u202a+40722123456\u202c|\u2068+40 722 123 456\u2069|' +
      '\uff0b40722123456|\uff0b\uff14\uff10\uff17\uff12\uff12\uff11\uff12\uff13\uff14\uff15\uff16|' +
      '\ufe6240722123456|\uff08+40\uff09722\uff0d123\uff0d456|+40\u00ad722\u200b123\u2060456\ufeff|' +
      '\u200e+40\u202f722\u3000123\u00a0456\u200f',
  ),
)('cleanPhoneNumber (N4) converts %j to +40722123456', (written) => {
  expect(cleanPhoneNumber(written)).toBe('+40722123456');
});

it.each(
  texts(
    '|0722123456|40722123456|+4072212|+999123456789|+40722123456x|+40722123456;ext=5|+40722123456 ext 5|' +
      'tel:+40722123456|++40722123456|+40722+123456|+|00|\u0664\u0660\u0667\u0662\u0662|' +
      `+40722${' '.repeat(40)}123456`,
  ),
)('cleanPhoneNumber (N4) refuses %j', (written) => {
  expect(cleanPhoneNumber(written)).toBeUndefined();
});

it.each([
  ['0722 123 456', 'RO', '+40722123456'],
  ['07400 123456', 'GB', '+447400123456'],
  ['+447400123456', 'RO', '+447400123456'],
  ['+1 (202) 555-0123', undefined, '+12025550123'],
] as const)('cleanPhoneNumber (N4) reads %s in %s as %s', (written, country, number) => {
  expect(cleanPhoneNumber(written, country)).toBe(number);
});

it.each([
  ...texts('MyBank|Bänk & Sö|A2345678901|1717').map((sender) => [sender, sender]),
  [' MyBank ', 'MyBank'],
  ['+40 722 123 456', '+40722123456'],
  ['\u2068MyBank\u2069\u200b', 'MyBank'],
  ['\uff11\uff17\uff11\uff17', '1717'],
  ...texts('Bänk & Söhne|12345678901|A23456789012|12|Ба́нк|Bank€|My\nBank|').map((sender) => [
    sender,
    undefined,
  ]),
])('cleanSmsSender converts %j to %j', (written, sender) => {
  expect(cleanSmsSender(written!)).toBe(sender);
});
