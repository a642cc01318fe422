/**
 * One valid request of 41 KB, a loan of 1,200 installments with 400 explained charges, kept its process busy for 2.5 s in
 * one piece, and its answer was then thrown away as larger than a message may be. Five of them delayed the small request
 * of another caller and the health check by 8 s and took 811 MB. Now such a request is refused before it is calculated,
 * and long calculations that are allowed are done beside the event loop.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../shared/platform/load-config.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { startWorkers } from '../../workers/start-workers.ts';
import { EXPENSIVE_REQUESTS, TOO_LARGE_REPLY } from '../support/expensive-requests.ts';
import { post, PROOF_REQUEST } from '../support/builders/schedule-call.ts';

/**
 * Processor time between two looks at it, in milliseconds: on a busy machine a measure of what blocks the loop, other than
 * time on the clock. Calculated on the loop the requests here take 300 to 2,500 in one piece; the rest is the caller's
 * share, which runs in this thread too.
 */
const MOST_BLOCKED_MS = 200;
const LOOK_EVERY_MS = 2;
const TEST_LIMIT_MS = 120_000;

/** Ingress and schedule worker in this thread, over the embedded broker. */
async function startEngine(env: Record<string, string> = {}): Promise<string> {
  const config = loadConfig({ PORT: '0', RATE_LIMIT_PER_SECOND: '0', REPLY_TIMEOUT_MS: '60000', ...env });
  const system = await startWorkers({ config, names: ['schedule', 'ingress'], log: silentLog });
  onTestFinished(() => system.stop(0));
  return system.url ?? '';
}

function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Watches the processor time of this thread; answers what one piece of work took at most. */
function watchThread(): () => number {
  let before = usedMs();
  let longest = 0;
  const timer = setInterval(() => {
    const now = usedMs();
    longest = Math.max(longest, now - before);
    before = now;
  }, LOOK_EVERY_MS);
  onTestFinished(() => clearInterval(timer));
  return () => longest;
}

it(
  'refuses the request with its figure and the limit, and asks no worker',
  {
    timeout: TEST_LIMIT_MS,
  },
  async () => {
    const url = await startEngine();
    const longestMs = watchThread();
    for (let call = 0; call < 5; call++) {
      const response = await post(url, { jsonParam: TOO_LARGE_REPLY });
      expect(response.status).toBe(422);
      const problem = (await response.json()) as { code: string; detail: string };
      expect(problem.code).toBe('reply-too-large');
      expect(problem.detail).toMatch(/at least 2\d{7} bytes; a reply may have 8388608/);
    }
    expect(longestMs()).toBeLessThan(MOST_BLOCKED_MS);
  },
);

it(
  'serves other callers and health checks while the most expensive requests are calculated',
  {
    timeout: TEST_LIMIT_MS,
  },
  async () => {
    const url = await startEngine();
    // The threads are started, and what is compiled at its first use is compiled.
    for (const jsonParam of Object.values(EXPENSIVE_REQUESTS))
      await (await post(url, { jsonParam })).arrayBuffer();
    const longestMs = watchThread();
    const open = new Set<string>();
    const answers = Object.entries(EXPENSIVE_REQUESTS).map(async ([name, jsonParam]) => {
      open.add(name);
      const response = await post(url, { jsonParam });
      await response.arrayBuffer();
      open.delete(name);
      return `${name}: ${response.status}`;
    });
    let served = 0;
    while (open.size > 0) {
      const health = await Promise.all(['/health/live', '/health/ready'].map((path) => fetch(url + path)));
      const small = await post(url, { jsonParam: PROOF_REQUEST });
      expect([...health, small].map(({ status }) => status)).toEqual([200, 200, 200]);
      await Promise.all([...health, small].map((response) => response.arrayBuffer()));
      if (open.size > 0) served += 1;
      await sleep(LOOK_EVERY_MS);
    }
    expect(await Promise.all(answers)).toEqual(Object.keys(EXPENSIVE_REQUESTS).map((name) => `${name}: 200`));
    expect(served).toBeGreaterThan(0);
    expect(longestMs()).toBeLessThan(MOST_BLOCKED_MS);
  },
);

it(
  'counts an expensive request by what it costs, for its own caller',
  {
    timeout: TEST_LIMIT_MS,
  },
  async () => {
    const url = await startEngine({ RATE_LIMIT_PER_SECOND: '1' });
    const expensive = Object.values(EXPENSIVE_REQUESTS)[0];
    const first = await post(url, { jsonParam: expensive });
    expect(first.status).toBe(200);
    await first.arrayBuffer();
    const second = await post(url, { jsonParam: PROOF_REQUEST });
    expect(second.status).toBe(429);
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(10);
  },
);
