import { assert, jsonValue, nat, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exceedsJsonDepth, MAX_JSON_DEPTH } from '../../../shared/platform/json-depth.ts';

const exceeds = (text: string, maxDepth: number): boolean => exceedsJsonDepth(Buffer.from(text), maxDepth);

const nested = (levels: number): Buffer => Buffer.from('['.repeat(levels) + ']'.repeat(levels));

describe('exceedsJsonDepth', () => {
  it('counts the deepest nesting of objects and arrays', () => {
    expect(exceeds('[{"a":[1]},[2],{"b":{}}]', 3)).toBe(false);
    expect(exceeds('[{"a":[1]},[2],{"b":{}}]', 2)).toBe(true);
    expect(exceeds('1', 0)).toBe(false);
  });

  it('ignores brackets inside strings with escapes', () => {
    expect(exceeds(String.raw`["[[[", "\"[[[", "\\", "{{\\\"[["]`, 1)).toBe(false);
    expect(exceeds(String.raw`["\\", [1]]`, 1)).toBe(true);
    expect(exceeds('"[[[[ never closed', 1)).toBe(false);
    expect(exceeds('"ends in a backslash\\', 1)).toBe(false);
  });

  it('ignores bracket and quote bytes of multi-byte characters', () => {
    expect(exceeds('["\u5b5b\u7b7b\u225b", "\u{1f5b5}"]', 1)).toBe(false);
    expect(exceeds('{"\u00e4": [1]}', 1)).toBe(true);
  });

  it('allows 32 levels by default', () => {
    expect(exceedsJsonDepth(nested(MAX_JSON_DEPTH))).toBe(false);
    expect(exceedsJsonDepth(nested(MAX_JSON_DEPTH + 1))).toBe(true);
  });

  it('agrees with the depth of the parsed value', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    assert(
      property(jsonValue({ maxDepth: 6, noUnicodeString: false }), nat(6), (value, maxDepth) => {
        expect(exceeds(JSON.stringify(value, null, 1), maxDepth)).toBe(depthOf(value) > maxDepth);
      }),
    );
  });
});
