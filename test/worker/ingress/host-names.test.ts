import { describe, expect, it, onTestFinished } from 'vitest';
import { startHealthServer } from '../../../shared/platform/health.ts';
import { createMetrics } from '../../../shared/platform/metrics.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { ECHO_PATH } from '../../support/worlds/ingress-fixture.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { openRawHttp } from '../../support/raw-http.ts';

/**
 * A web page of another site can make its domain resolve to 127.0.0.1 (DNS rebinding). Its requests then reach this
 * process, and only Host and Origin distinguish them from those of the user.
 */
const SECRET = 'a shared secret for the tests of at least 32 characters';
const PATHS = [
  'GET /health/live',
  'GET /health/ready',
  'GET /metrics',
  'GET /docs',
  'GET /openapi.json',
  'GET /nowhere',
  'GET /platapi/results/none',
  `POST ${ECHO_PATH}`,
  'POST /api/notifications/v1/sms/send',
  'OPTIONS /api/notifications/v1/sms/send',
  'GET /api/notifications/v1/none',
];
const NOT_LOOPBACK = [
  '',
  'localhost.',
  'a@localhost',
  'localhost:x',
  '127.0.0.1.example',
  '1127.0.0.1',
  '0.0.0.0',
  '[::]',
  '[::1].x',
];
const health = () => ({ schedule: { status: 'ready' } as const });
const portOf = ({ url }: { url: string }) => Number(new URL(url).port);

/** The status and body of the response to a request with these header lines. */
async function ask(port: number, line: string, headers: readonly string[]) {
  const raw = await openRawHttp(port);
  const [method = '', path = ''] = line.split(' ');
  raw.send(`${[`${method} ${path} HTTP/1.1`, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`);
  await raw.closed();
  const answer = await raw.received(() => true);
  // A worker's health port sends its body in chunks.
  return { status: Number(answer.split(' ')[1]), body: /\{.*\}/s.exec(answer)?.[0] ?? '' };
}

const ingress = async (env: Record<string, string> = {}) =>
  startOn(await createSharedBroker(1), startIngressWorker, env);

describe('an ingress on loopback', () => {
  it.each([
    ['off', {}],
    ['on', { AUTH_JWT_SECRET: SECRET }],
  ])('refuses an unknown Host on every path, with access control %s', async (_, env) => {
    const port = portOf(await ingress(env));
    for (const line of PATHS) {
      const { status, body } = await ask(port, line, [`Host: evil.example:${port}`]);
      expect([line, status]).toEqual([line, 403]);
      expect(body).not.toContain('evil');
      expect(body).toContain('ALLOWED_HOSTS');
    }
  });

  it('refuses an unknown Origin on every path', async () => {
    const port = portOf(await ingress());
    for (const line of PATHS) {
      for (const origin of [
        'https://evil.example',
        'null',
        'http://localhost.evil.example',
        'http://localhost, http://evil.example',
      ])
        expect([line, (await ask(port, line, ['Host: localhost', `Origin: ${origin}`])).status]).toEqual([
          line,
          403,
        ]);
    }
  });

  it('reports both headers together', async () => {
    const port = portOf(await ingress());
    const { body } = await ask(port, 'GET /metrics', ['Host: evil.example', 'Origin: http://evil.example']);
    expect(JSON.parse(body)).toMatchObject({
      code: 'forbidden',
      errors: [{ path: 'Host' }, { path: 'Origin' }],
    });
  });

  it('accepts the names and addresses of loopback only', async () => {
    const port = portOf(await ingress());
    for (const name of ['localhost', 'LocalHost:1', '127.0.0.1', '127.8.9.1:65535', '[::1]', '[::1]:8080']) {
      expect((await ask(port, 'GET /health/live', [`Host: ${name}`])).status).toBe(200);
      expect((await ask(port, 'GET /metrics', [`Host: ${name}`, `Origin: http://${name}`])).status).toBe(200);
    }
    for (const name of NOT_LOOPBACK) {
      expect([name, (await ask(port, 'GET /metrics', [`Host: ${name}`])).status]).toEqual([name, 403]);
    }
  });

  it('accepts the listed names of a reverse proxy', async () => {
    const port = portOf(await ingress({ ALLOWED_HOSTS: 'Bank.example,10.1.2.3' }));
    const statusOf = async (...headers: string[]) => (await ask(port, 'GET /metrics', headers)).status;
    expect(await statusOf('Host: bank.example', 'Origin: https://BANK.example')).toBe(200);
    expect(await statusOf('Host: 10.1.2.3:443')).toBe(200);
    expect(await statusOf('Host: localhost')).toBe(200);
    expect(await statusOf('Host: www.bank.example')).toBe(403);
  });

  it('does not send an SMS for a page of another site', async () => {
    const port = portOf(await ingress());
    const body = '{"receiver":"+40722123456","message":"x"}';
    const raw = await openRawHttp(port);
    raw.send(
      `POST /api/notifications/v1/sms/send HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nX-Communication-Channel: 1\r\nX-Sender-Id: platrealm\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    await raw.closed();
    expect((await raw.received(() => true)).slice(0, 12)).toBe('HTTP/1.1 403');
  });
});

describe('an ingress beyond loopback', () => {
  const beyond = { HOST: '0.0.0.0', AUTH_JWT_SECRET: SECRET, RESULT_ID_SECRET: SECRET };

  it('accepts every name unless ALLOWED_HOSTS is set', async () => {
    const open = portOf(await ingress(beyond));
    expect((await ask(open, 'GET /health/live', ['Host: gateway.internal'])).status).toBe(200);
    const listed = portOf(await ingress({ ...beyond, ALLOWED_HOSTS: 'gateway.internal' }));
    expect((await ask(listed, 'GET /health/live', ['Host: gateway.internal'])).status).toBe(200);
    expect((await ask(listed, 'GET /health/live', ['Host: evil.example'])).status).toBe(403);
  });
});

async function healthPort(host: string, allowedHosts: readonly string[] = []): Promise<number> {
  const { timers } = systemPorts;
  const server = await startHealthServer({
    host,
    allowedHosts,
    port: 0,
    metrics: createMetrics(),
    timers,
    health,
  });
  onTestFinished(() => server.stop());
  return portOf(server);
}

describe('the health port of a worker', () => {
  it('on loopback refuses an unknown Host or Origin', async () => {
    const port = await healthPort('127.0.0.1', ['bank.example']);
    for (const line of ['GET /health/live', 'GET /health/ready', 'GET /metrics', 'GET /nowhere']) {
      const foreign = await ask(port, line, ['Host: evil.example']);
      expect([line, foreign.status]).toEqual([line, 403]);
      expect(JSON.parse(foreign.body)).toMatchObject({ code: 'forbidden' });
      expect((await ask(port, line, ['Host: localhost', 'Origin: http://evil.example'])).status).toBe(403);
    }
    for (const name of ['localhost', '[::1]:1', 'bank.example'])
      expect((await ask(port, 'GET /metrics', [`Host: ${name}`])).status).toBe(200);
  });

  it('on another address accepts the names of a cluster', async () => {
    expect((await ask(await healthPort('0.0.0.0'), 'GET /metrics', ['Host: schedule:8081'])).status).toBe(
      200,
    );
  });
});
