import { expect, it, onTestFinished } from 'vitest';
import { combineHealth, startHealthServer, type Health } from '../../../shared/platform/health.ts';
import { createMetrics } from '../../../shared/platform/metrics.ts';
import { systemTimers } from '../../../shared/platform/system-ports.ts';

const READY: Health = { status: 'ready' };
const DEGRADED: Health = { status: 'degraded', reason: 'slow' };
const STARTING: Health = { status: 'starting' };
const UNHEALTHY: Health = { status: 'unhealthy', reason: 'stuck' };

it('the health of a worker is that of the first of its worst parts', () => {
  expect(combineHealth({})).toEqual(READY);
  expect(combineHealth({ a: READY, b: READY })).toEqual(READY);
  const late = { ...DEGRADED, reason: 'late' };
  expect(combineHealth({ a: READY, b: DEGRADED, c: late })).toEqual({ ...DEGRADED, reason: 'b: slow' });
  expect(combineHealth({ a: STARTING, b: DEGRADED })).toEqual({ ...STARTING, reason: 'a: starting' });
  expect(combineHealth({ a: STARTING, b: UNHEALTHY, c: READY })).toEqual({
    ...UNHEALTHY,
    reason: 'b: stuck',
  });
});

it.each([
  [READY, 200, 200],
  [DEGRADED, 200, 200],
  [STARTING, 200, 503],
  [UNHEALTHY, 503, 503],
])('answers liveness and readiness for %j with %i and %i', async (part, live, ready) => {
  const server = await startHealthServer({
    host: '127.0.0.1',
    allowedHosts: [],
    port: 0,
    metrics: createMetrics(),
    timers: systemTimers,
    health: () => ({ part }),
  });
  onTestFinished(() => server.stop());
  const responses = await Promise.all(
    ['/health/live', '/health/ready?verbose', '/other'].map((path) => fetch(server.url + path)),
  );
  expect(responses.map(({ status }) => status)).toEqual([live, ready, 404]);
  expect(responses[1]?.headers.get('content-type')).toBe('application/json');
  expect(await responses[1]?.json()).toMatchObject({ status: part.status, parts: { part } });
});
