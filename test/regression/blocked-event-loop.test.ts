/** One valid request of 41 KB blocked the event loop for 2.5 s; five of them delayed other callers by 8 s and used 811 MB. */

import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../shared/platform/load-config.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { startWorkers } from '../../workers/start-workers.ts';
import { EXPENSIVE_REQUESTS, EXPLAINED_LOAN, TOO_LARGE_REPLY } from '../support/expensive-requests.ts';
import { post, untilAdmitted } from '../support/builders/schedule-call.ts';

/** CPU time between two samples: on the event loop the calculations take 300 to 2,500 ms without interruption. */
const MAX_BLOCKED_MS = 200;
const SAMPLE_INTERVAL_MS = 2;
const TEST_LIMIT_MS = 120_000;

async function startEngine(env: Record<string, string> = {}): Promise<string> {
  const quiet = { PORT: '0', RATE_LIMIT_PER_SECOND: '0', REPLY_TIMEOUT_MS: '60000', DATA_DIR: 'memory' };
  const config = loadConfig({ ...quiet, ...env });
  const system = await startWorkers({ config, names: ['schedule', 'ingress'], log: silentLog });
  onTestFinished(() => system.stop(0));
  return system.url ?? '';
}

function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function watchThread(): () => number {
  let before = usedMs();
  let longest = 0;
  const timer = setInterval(() => {
    const now = usedMs();
    longest = Math.max(longest, now - before);
    before = now;
  }, SAMPLE_INTERVAL_MS);
  onTestFinished(() => clearInterval(timer));
  return () => longest;
}

it(
  'calculates the most expensive requests, and refuses a reply that is too large, without blocking the event loop',
  { timeout: TEST_LIMIT_MS },
  async () => {
    const url = await startEngine();
    const longestMs = watchThread();
    for (const jsonParam of Object.values(EXPENSIVE_REQUESTS)) {
      const response = await post(url, { jsonParam });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
    for (let call = 0; call < 2; call++) {
      const response = await untilAdmitted(() => post(url, { jsonParam: TOO_LARGE_REPLY }));
      expect(response.status).toBe(422);
      const problem = (await response.json()) as { code: string; detail: string };
      expect(problem.code).toBe('reply-too-large');
      expect(problem.detail).toMatch(/the explanations need more than the 8388608 bytes of a reply/);
    }
    expect(longestMs()).toBeLessThan(MAX_BLOCKED_MS);
  },
);

it(
  'counts an expensive request by its cost towards the rate limit of its caller',
  { timeout: TEST_LIMIT_MS },
  async () => {
    // It counts as ten small ones.
    const url = await startEngine({ RATE_LIMIT_PER_SECOND: '10' });
    const send = () => post(url, { jsonParam: EXPLAINED_LOAN });
    const both = await Promise.all([send(), send()]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 429]);
  },
);
