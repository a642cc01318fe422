import { describe, expect, it } from 'vitest';
import { isGsmText } from '../../../../../workers/notification/providers/http/message-values.ts';

describe('the default alphabet of SMS', () => {
  it.each(['', 'Your code is 1234.', 'Prix: 5 €, à toi? £$¥', '[a]{b}~^|\\\n\r'])('has %j', (text) => {
    expect(isGsmText(text)).toBe(true);
  });

  it.each(['Plată', 'ç', '’', '😀', '\t', 'Привет'])('has not %j', (text) => {
    expect(isGsmText(text)).toBe(false);
  });
});
