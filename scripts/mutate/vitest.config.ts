import { defineConfig } from 'vitest/config';

const TEST_LIMIT_MS = 60_000;
const include = ['test/{unit,golden}/**/*.test.ts'];

/** Stryker runs the tests that reach a mutant, but no levels with sockets or processes, which it could leave open. */
export default defineConfig({
  test: { include, environment: 'node', testTimeout: TEST_LIMIT_MS, hookTimeout: TEST_LIMIT_MS },
});
