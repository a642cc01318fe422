import { describe, expect, it } from 'vitest';
import { isGsmText } from '../../../shared/notification/gsm-text.ts';

describe('the default alphabet of SMS', () => {
  it.each(['', 'Your code is 1234.', 'Prix: 5 €, à toi? £$¥', '[a]{b}~^|\\\n\r'])('contains %j', (text) => {
    expect(isGsmText(text)).toBe(true);
  });

  it.each(['Plată', 'ç', '’', '😀', '\t', 'Привет'])('does not contain %j', (text) => {
    expect(isGsmText(text)).toBe(false);
  });
});
