import { describe, expect, it } from 'vitest';
import { cleanPhoneNumber, cleanSmsSender } from '../../../../shared/api/notification/phone-number.ts';

describe('cleanPhoneNumber (N4)', () => {
  it.each([
    ['+40722123456', '+40722123456'],
    ['+40 722 123 456', '+40722123456'],
    [' +40-722-123-456 ', '+40722123456'],
    ['(+40) 722.123.456', '+40722123456'],
    ['[0040] 722/123/456', '+40722123456'],
    ['0040722123456', '+40722123456'],
    ['+40\u00a0722\u2011123\u2013456', '+40722123456'],
    ['+40 (0) 722 123 456', '+40722123456'],
    ['+1 (202) 555-0123', '+12025550123'],
    ['\u202a+40722123456\u202c', '+40722123456'],
    ['\u2068+40 722 123 456\u2069', '+40722123456'],
    ['\uff0b40722123456', '+40722123456'],
    ['\uff0b\uff14\uff10\uff17\uff12\uff12\uff11\uff12\uff13\uff14\uff15\uff16', '+40722123456'],
    ['\ufe6240722123456', '+40722123456'],
    ['\uff08+40\uff09722\uff0d123\uff0d456', '+40722123456'],
    ['+40\u00ad722\u200b123\u2060456\ufeff', '+40722123456'],
    ['\u200e+40\u202f722\u3000123\u00a0456\u200f', '+40722123456'],
  ])('converts %j to %s', (written, number) => {
    expect(cleanPhoneNumber(written)).toBe(number);
  });

  it.each([
    '',
    '0722123456',
    '40722123456',
    '+4072212',
    '+999123456789',
    '+40722123456x',
    '+40722123456;ext=5',
    '+40722123456 ext 5',
    'tel:+40722123456',
    '++40722123456',
    '+40722+123456',
    '+',
    '00',
    '\u0664\u0660\u0667\u0662\u0662',
    `+40722${' '.repeat(40)}123456`,
  ])('refuses %j', (written) => {
    expect(cleanPhoneNumber(written)).toBeUndefined();
  });

  it('reads a number without a country code as one of the given country, and refuses it without', () => {
    expect(cleanPhoneNumber('0722 123 456', 'RO')).toBe('+40722123456');
    expect(cleanPhoneNumber('07400 123456', 'GB')).toBe('+447400123456');
    expect(cleanPhoneNumber('+447400123456', 'RO')).toBe('+447400123456');
    expect(cleanPhoneNumber('0722 123 456')).toBeUndefined();
  });
});

describe('cleanSmsSender', () => {
  it.each([
    ['MyBank', 'MyBank'],
    [' MyBank ', 'MyBank'],
    ['Bänk & Söhne', undefined],
    ['Bänk & Sö', 'Bänk & Sö'],
    ['12345678901', undefined],
    ['A2345678901', 'A2345678901'],
    ['A23456789012', undefined],
    ['1717', '1717'],
    ['12', undefined],
    ['+40 722 123 456', '+40722123456'],
    ['Ба́нк', undefined],
    ['Bank€', undefined],
    ['\u2068MyBank\u2069\u200b', 'MyBank'],
    ['\uff11\uff17\uff11\uff17', '1717'],
    ['My\nBank', undefined],
    ['', undefined],
  ])('converts %j to %j', (written, sender) => {
    expect(cleanSmsSender(written)).toBe(sender);
  });
});
