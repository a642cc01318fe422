import { afterEach, expect, test, vi } from 'vitest';
import { buildSpringPair } from '../../../scripts/bench/peers/spring-pair.ts';

afterEach(() => vi.unstubAllEnvs());

test('without Java the Spring pair is left out, and the report says why', async () => {
  vi.stubEnv('JAVA_HOME', '/does/not/exist');
  const lines: string[] = [];
  expect(await buildSpringPair((line) => lines.push(line))).toBeUndefined();
  expect(lines).toEqual([expect.stringMatching(/^the Spring pair is left out: Java .* is not installed/)]);
});
