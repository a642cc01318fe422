import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const SECOND = 1_000;
/** How long a test waits for what it polls: longer than a busy machine needs, less than the test itself may take. */
const POLL_LIMIT_MS = 10 * SECOND;
const POLL_SHARE = 0.8;

/** One vitest project per test level; the folder names the level unless `extra` has `include`, the level names its time limit. */
function level(name: string, testTimeoutMs: number, extra: object = {}) {
  return {
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      environment: 'node' as const,
      testTimeout: testTimeoutMs,
      hookTimeout: testTimeoutMs,
      expect: { poll: { timeout: Math.min(POLL_LIMIT_MS, testTimeoutMs * POLL_SHARE) } },
      ...extra,
    },
  };
}

/**
 * Pure code shares its modules between files: loading them again for each would take longer than the tests. It waits for
 * nothing, so each processor runs files of it. Levels with different numbers of workers run one group after another.
 */
const pure = { isolate: false, pool: 'threads' as const, maxWorkers: '100%', sequence: { groupOrder: 0 } };

/**
 * Levels of real sockets and processes, which wait for a third of their time: two files at once also on two processors. Loading the
 * modules again for each file would take a third of their processor time.
 */
const impure = {
  isolate: false,
  maxWorkers: Math.max(2, availableParallelism() - 1),
  sequence: { groupOrder: 1 },
};

/** Pages in a real browser, which alone uses as many processors as there are: one browser for all files. */
const inBrowser = {
  isolate: false,
  sequence: { groupOrder: 3 },
  fileParallelism: false,
  globalSetup: ['test/support/browser/global-setup.ts'],
};

/** Levels that meet Kafka: one broker for the whole run; their files one after another, in one process. */
const withKafka = {
  isolate: false,
  sequence: { groupOrder: 2 },
  fileParallelism: false,
  globalSetup: ['test/support/kafka/global-setup.ts'],
};

/** The conformance suite on Kafka; on the other brokers it needs none. */
const KAFKA_CONFORMANCE = ['test/conformance/kafka-*.test.ts'];

/** Faults of a cluster of three nodes, which their files share: last, when no other level with Kafka runs beside them. */
const CLUSTER_FAULTS = ['test/integration/kafka-adapter-failures.test.ts', 'test/system/soak.test.ts'];

export default defineConfig({
  test: {
    /** Processes that tests start keep nothing unless a test names a folder. */
    env: { DATA_DIR: 'memory' },
    /** Node loads the sources directly, as in production; Vite's module runner costs a fifth more processor time. */
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      level('unit', 20 * SECOND, pure),
      level('property', 60 * SECOND, pure),
      level('golden', 10 * SECOND, pure),
      level('regression', 30 * SECOND, impure),
      level('worker', 30 * SECOND, impure),
      level('browser', 60 * SECOND, inBrowser),
      level('conformance', 120 * SECOND, { ...impure, exclude: KAFKA_CONFORMANCE, maxConcurrency: 4 }),
      level('kafka-conformance', 120 * SECOND, {
        ...withKafka,
        include: KAFKA_CONFORMANCE,
        maxConcurrency: 4,
      }),
      level('integration', 120 * SECOND, { ...withKafka, exclude: CLUSTER_FAULTS }),
      level('system', 180 * SECOND, { ...withKafka, exclude: CLUSTER_FAULTS }),
      level('cluster-faults', 180 * SECOND, {
        ...withKafka,
        sequence: { groupOrder: 3 },
        include: CLUSTER_FAULTS,
      }),
    ],
  },
});
