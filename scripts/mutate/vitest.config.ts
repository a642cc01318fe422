import { defineConfig } from 'vitest/config';

const TEST_LIMIT_MS = 60_000;
const include = ['test/{unit,golden}/**/*.test.ts'];

/** For each mutant, Stryker runs the tests that reach it. Levels with sockets and processes are left out, since a mutant could leave some open. */
export default defineConfig({
  test: { include, environment: 'node', testTimeout: TEST_LIMIT_MS, hookTimeout: TEST_LIMIT_MS },
});
