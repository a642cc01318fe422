import { defineConfig } from 'vitest/config';

const TEST_LIMIT_MS = 60_000;
/** Patterns of test files between colons, by scripts/mutate.ts. */
const include = (process.env['MUTATE_TESTS'] ?? '').split(':');

/** The levels without sockets and processes, as one project: Stryker runs for each mutant the tests that reach it. */
export default defineConfig({
  test: { include, environment: 'node', testTimeout: TEST_LIMIT_MS, hookTimeout: TEST_LIMIT_MS },
});
