import { expect, it } from 'vitest';
import { toPlainJson } from '../../../scripts/dead-letters/run-dead-letters.ts';

it('JSON on a terminal has neither control characters nor marks for directions, and the same value', () => {
  const value = { name: '\u009b31m red \u202e back \u007f \u{e0001} ăîșț', list: ['\n'] };
  const text = toPlainJson(value);
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(text).toContain('ăîșț');
  expect(JSON.parse(text)).toEqual(value);
});
