import { assert, jsonValue, property } from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_JSON_DEPTH, parseJson } from '../../../shared/platform/parse-json.ts';

test('parseJson reads what JSON.stringify writes, unless it is nested too deeply', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  const levels = MAX_JSON_DEPTH - 3;
  assert(
    property(jsonValue({ maxDepth: 6, noUnicodeString: false }), (value) => {
      const text = JSON.stringify(value, null, 1);
      const nested = parseJson('['.repeat(levels) + text + ']'.repeat(levels));
      expect(nested.kind).toBe(depthOf(value) > 3 ? 'refused' : 'parsed');
      expect(JSON.stringify(parseJson(text))).toContain(`"value":${JSON.stringify(value)}`);
    }),
  );
});
