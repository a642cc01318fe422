import { defineConfig } from 'vitest/config';

const TEST_LIMIT_MS = 60_000;
const include = (process.env['MUTATE_TESTS'] ?? '').split(':');

/** The levels without sockets and processes, as one project. For each mutant, Stryker runs the tests that reach it. */
export default defineConfig({
  test: { include, environment: 'node', testTimeout: TEST_LIMIT_MS, hookTimeout: TEST_LIMIT_MS },
});
