import { describe, expect, it, onTestFinished } from 'vitest';
import { combineHealth, startHealthServer, type Health } from '../../../shared/platform/health.ts';
import { createMetrics } from '../../../shared/platform/metrics.ts';
import { systemTimers } from '../../../shared/platform/system-ports.ts';

const READY: Health = { status: 'ready' };
const DEGRADED: Health = { status: 'degraded', reason: 'slow' };
const STARTING: Health = { status: 'starting' };
const UNHEALTHY: Health = { status: 'unhealthy', reason: 'stuck' };

describe('combineHealth', () => {
  it.each<[Readonly<Record<string, Health>>, Health]>([
    [{}, { status: 'ready' }],
    [{ a: READY, b: READY }, { status: 'ready' }],
    [
      { a: READY, b: DEGRADED },
      { status: 'degraded', reason: 'b: slow' },
    ],
    [
      { a: STARTING, b: DEGRADED },
      { status: 'starting', reason: 'a: starting' },
    ],
    [
      { a: STARTING, b: UNHEALTHY, c: READY },
      { status: 'unhealthy', reason: 'b: stuck' },
    ],
    [
      { a: DEGRADED, b: { status: 'degraded', reason: 'late' } },
      { status: 'degraded', reason: 'a: slow' },
    ],
  ])('returns the first of the worst parts of %j', (parts, expected) => {
    expect(combineHealth(parts)).toEqual(expected);
  });
});

describe('startHealthServer', () => {
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
});
