import { describe, expect, it } from 'vitest';
import { HEADER_TEXT_CHARACTERS, safeHeaderText } from '../../../shared/platform/header-text.ts';

describe('text of a header', () => {
  it('stays as it is where it is visible ASCII, blanks and percent signs included', () => {
    expect(safeHeaderText('RO+TARGET;version=2026.1 %41')).toBe('RO+TARGET;version=2026.1 %41');
  });

  it('shows every other character percent-encoded', () => {
    expect(safeHeaderText('a\r\nb\u0000ș\ud800')).toBe('a%0D%0Ab%00%C8%99%EF%BF%BD');
    expect(safeHeaderText(safeHeaderText('ș'))).toBe('%C8%99');
  });

  it('encodes a character outside the first plane as a whole', () => {
    expect(safeHeaderText('a😀b')).toBe('a%F0%9F%98%80b');
  });

  it.each(['x', 'ș', '\n', '😀'])('is cut at its limit, between encoded bytes: %j', (character) => {
    for (const start of ['', 'a', 'ab', 'abc', 'abcd']) {
      const text = safeHeaderText(start + character.repeat(2_000));
      expect(text.length).toBeLessThanOrEqual(HEADER_TEXT_CHARACTERS);
      expect(text.length).toBeGreaterThan(HEADER_TEXT_CHARACTERS - 3);
      expect(text).toMatch(/^([^%]|%[\dA-F]{2})*$/);
    }
  });
});
