import { describe, expect, it } from 'vitest';
import { countSmsParts, isGsmText } from '../../../shared/notification/sms-parts.ts';

describe('the default alphabet of SMS', () => {
  it.each(['', 'Your code is 1234.', 'Prix: 5 €, à toi? £$¥', '[a]{b}~^|\\\n\r'])('contains %j', (text) => {
    expect(isGsmText(text)).toBe(true);
  });

  it.each(['Plată', 'ç', '’', '😀', '\t', 'Привет'])('does not contain %j', (text) => {
    expect(isGsmText(text)).toBe(false);
  });
});

describe('the parts of an SMS', () => {
  it.each([
    ['x', 1],
    ['x'.repeat(160), 1],
    ['x'.repeat(161), 2],
    ['x'.repeat(306), 2],
    ['x'.repeat(307), 3],
    ['x'.repeat(1_600), 11],
    ['€'.repeat(80), 1],
    ['€'.repeat(81), 2],
    // The last place of a part is too small for a character of two septets.
    ['€'.repeat(152), 2],
    ['€'.repeat(153), 3],
    ['ă'.repeat(70), 1],
    ['ă'.repeat(71), 2],
    ['ă'.repeat(134), 2],
    ['ă'.repeat(1_600), 24],
    ['😀'.repeat(35), 1],
    ['😀'.repeat(66), 2],
    ['😀'.repeat(67), 3],
  ])('%j: %i', (text, parts) => {
    expect(countSmsParts(text)).toBe(parts);
  });
});
