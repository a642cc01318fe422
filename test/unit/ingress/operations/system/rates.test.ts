import { expect, it } from 'vitest';
import { createMetrics } from '../../../../../shared/platform/metrics.ts';
import { createRates, RATE_METRICS } from '../../../../../workers/ingress/operations/system/rates.ts';

const REQUESTS = 'plat_http_request_duration_seconds';
const SECOND = 1_000;

function setUp() {
  const metrics = createMetrics();
  const requests = metrics.duration(REQUESTS, 'help', ['action', 'status']);
  const rates = createRates();
  return {
    metrics,
    /** Ends requests that took this time in seconds. */
    end: (times: number, seconds: number, status = '200', action = 'PLAT_BP_CalculatePMT') => {
      for (let left = times; left > 0; left -= 1) requests.labels(action, status).observe(seconds);
    },
    observe: async (nowMs: number, startedMs = 0) =>
      rates.observe(await metrics.samples(RATE_METRICS), nowMs, startedMs),
  };
}

it('rates of a process without a watcher are those since its start', async () => {
  const { end, observe } = setUp();
  end(90, 0.002);
  end(10, 0.2, '503');
  expect(await observe(200 * SECOND, 100 * SECOND)).toEqual([
    {
      kind: 'request',
      name: 'PLAT_BP_CalculatePMT',
      count: 100,
      failed: 10,
      perSecond: 1,
      // 50 of the 90 in the bucket from 1 to 2.5 ms; 9 of the 10 in the bucket from 100 to 250 ms.
      p50Ms: 1.83,
      p99Ms: 235,
      windowSeconds: 100,
    },
  ]);
});

it('rates of a watched process are those of the last minute, in which earlier requests do not count', async () => {
  const { end, observe } = setUp();
  end(100, 5, '500');
  await observe(0);
  for (let at = 5; at < 120; at += 5) await observe(at * SECOND);
  end(65, 0.002);
  expect(await observe(120 * SECOND)).toMatchObject([
    { count: 65, failed: 0, perSecond: 1.08, windowSeconds: 60 },
  ]);
});

it('a process without requests in the window has no durations', async () => {
  const { end, observe } = setUp();
  end(1, 0.01);
  await observe(0);
  const [rate] = await observe(10 * SECOND);
  expect(rate).toEqual({
    kind: 'request',
    name: 'PLAT_BP_CalculatePMT',
    count: 0,
    failed: 0,
    perSecond: 0,
    windowSeconds: 10,
  });
});

it('the counts of a process begin anew after its restart', async () => {
  const { end, observe, metrics } = setUp();
  end(50, 0.01);
  const rates = createRates();
  rates.observe(await metrics.samples(RATE_METRICS), 10 * SECOND, 0);
  const restarted = setUp();
  restarted.end(4, 0.01);
  const after = rates.observe(await restarted.metrics.samples(RATE_METRICS), 20 * SECOND, 18 * SECOND);
  expect(after).toMatchObject([{ count: 4, perSecond: 2, windowSeconds: 2 }]);
  expect(await observe(0)).toHaveLength(1);
});

it('a request longer than the last bound counts as that bound', async () => {
  const { end, observe } = setUp();
  end(1, 60);
  expect(await observe(SECOND)).toMatchObject([{ p50Ms: 10_000, p99Ms: 10_000 }]);
});

it('watching is not work: the system addresses and the workbench have no rates', async () => {
  const { end, observe } = setUp();
  for (const action of ['system', 'system-settings', 'workbench']) end(1, 1, '200', action);
  expect(await observe(SECOND)).toEqual([]);
});

it('messages fail by their result, and providers are named with their channel', async () => {
  const { metrics, observe } = setUp();
  const handled = metrics.duration('plat_handler_duration_seconds', 'help', ['worker', 'type', 'result']);
  handled.labels('schedule-bulk', 'CalculatePMTRequest', 'done').observe(0.01);
  handled.labels('schedule-bulk', 'CalculatePMTRequest', 'refused').observe(0.01);
  handled.labels('schedule-bulk', 'CalculateDAERequest', 'unexpected').observe(0.01);
  const calls = metrics.duration('plat_notification_provider_seconds', 'help', ['channel', 'provider']);
  calls.labels('sms', 'main').observe(0.3);
  expect(await observe(SECOND)).toMatchObject([
    { kind: 'message', name: 'schedule-bulk', count: 3, failed: 1 },
    { kind: 'provider', name: 'sms/main', count: 1, failed: 0 },
  ]);
});
