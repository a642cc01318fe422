import { describe, expect, it } from 'vitest';
import {
  HEADER_TEXT_CHARACTERS,
  readWarningsList,
  safeHeaderText,
  warningsList,
} from '../../../shared/messaging/header-text.ts';

describe('safeHeaderText', () => {
  it('returns visible ASCII unchanged, and percent-encodes all other characters', () => {
    expect(safeHeaderText('RO+TARGET;version=2026.1 %41')).toBe('RO+TARGET;version=2026.1 %41');
    expect(safeHeaderText('a\r\nb\u0000ș\ud800')).toBe('a%0D%0Ab%00%C8%99%EF%BF%BD');
    expect(safeHeaderText('a😀b')).toBe('a%F0%9F%98%80b');
  });

  it.each(['x', 'ș', '\n', '😀'])('truncates at its limit, between encoded bytes of %j', (character) => {
    for (const start of ['', 'a', 'ab', 'abc', 'abcd']) {
      const text = safeHeaderText(start + character.repeat(2_000));
      expect(text.length).toBeLessThanOrEqual(HEADER_TEXT_CHARACTERS);
      expect(text.length).toBeGreaterThan(HEADER_TEXT_CHARACTERS - 3);
      expect(text).toMatch(/^([^%]|%[\dA-F]{2})*$/);
    }
  });
});

describe('warningsList (E3)', () => {
  it('lists code and path of each warning once, its own before additional ones', () => {
    const own = [{ code: 'unknown-member', path: 'jsonParam.Foo' }];
    const listed = warningsList(own, 'no-effect;jsonParam.X,unknown-member;jsonParam.Foo');
    expect(listed).toBe('unknown-member;jsonParam.Foo, no-effect;jsonParam.X');
    expect(warningsList([], undefined)).toBeUndefined();
    expect(warningsList([], ' , ')).toBeUndefined();
  });

  it('encodes separators and other characters in field names', () => {
    const header = warningsList([{ code: 'unknown-member', path: 'a,b;c\r\nX: y ș\ud800' }], 'x;\u00e4');
    expect(header).toBe('unknown-member;a%2Cb%3Bc%0D%0AX:%20y%20%C8%99%EF%BF%BD, x;%C3%A4');
    expect(header).toMatch(/^[\x20-\x7e]+$/);
  });

  it('truncates between items at 4 KiB and marks it', () => {
    const code = 'unknown-member';
    const many = Array.from({ length: 500 }, (_, index) => ({ code, path: `field${index}` }));
    const header = warningsList(many, undefined) ?? '';
    expect(header.length).toBeLessThanOrEqual(4_096);
    expect(header.length).toBeGreaterThan(4_000);
    expect(header).toMatch(/^(unknown-member;field\d+, )+truncated$/);
    expect(warningsList(many.slice(0, 100), undefined)).not.toContain('truncated');
    expect(warningsList([{ code, path: 'x'.repeat(5_000) }], undefined)).toBe('truncated');
  });

  it('is read again, without the mark of a truncated list', () => {
    const warnings = ['a,b;c ț', 'jsonParam.X'].map((path) => ({ code: 'unknown-member', path }));
    expect(readWarningsList(warningsList(warnings, undefined))).toEqual(warnings);
    expect(readWarningsList('unused;100%, truncated')).toEqual([{ code: 'unused', path: '100%' }]);
    expect(readWarningsList(undefined)).toEqual([]);
  });
});
