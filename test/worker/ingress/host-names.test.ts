import { expect, it } from 'vitest';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { JWT_SECRET } from '../../support/builders/access-token.ts';
import { ECHO_PATH, openHealthPort } from '../../support/worlds/ingress-fixture.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { openRawHttp } from '../../support/raw-http.ts';

/**
 * A web page of another site can make its domain resolve to 127.0.0.1 (DNS rebinding). Its requests then reach this
 * process, and only Host and Origin distinguish them from those of the user.
 */
const PATHS = [
  ...'/health/live /health/ready /metrics /docs /openapi.json /nowhere'
    .split(' ')
    .map((path) => `GET ${path}`),
  'GET /platapi/results/none',
  `POST ${ECHO_PATH}`,
  'POST /api/notifications/v1/sms/send',
  'OPTIONS /api/notifications/v1/sms/send',
  'GET /api/notifications/v1/none',
];
const NOT_LOOPBACK =
  ',localhost.,a@localhost,localhost:x,127.0.0.1.example,1127.0.0.1,0.0.0.0,[::],[::1].x'.split(',');
const portOf = ({ url }: { url: string }) => Number(new URL(url).port);

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

it.each([
  ['off', {}],
  ['on', { AUTH_JWT_SECRET: JWT_SECRET }],
])('on loopback refuses an unknown Host or Origin on every path, with access control %s', async (_, env) => {
  const port = portOf(await ingress(env));
  const origins = ['https://evil.example', 'null', 'http://localhost.evil.example'];
  for (const line of PATHS) {
    const { status, body } = await ask(port, line, [`Host: evil.example:${port}`]);
    expect([line, status]).toEqual([line, 403]);
    expect(body).not.toContain('evil');
    expect(body).toContain('ALLOWED_HOSTS');
    for (const origin of [...origins, 'http://localhost, http://evil.example']) {
      const refused = await ask(port, line, ['Host: localhost', `Origin: ${origin}`]);
      expect([line, refused.status]).toEqual([line, 403]);
    }
  }
  const { body } = await ask(port, 'GET /metrics', ['Host: evil.example', 'Origin: http://evil.example']);
  const errors = [{ path: 'Host' }, { path: 'Origin' }];
  expect(JSON.parse(body)).toMatchObject({ code: 'forbidden', errors });
});

it('on loopback accepts only the names and addresses of loopback and listed names', async () => {
  const port = portOf(await ingress({ ALLOWED_HOSTS: 'Bank.example,10.1.2.3' }));
  const loopback = ['localhost', 'LocalHost:1', '127.0.0.1', '127.8.9.1:65535', '[::1]', '[::1]:8080'];
  for (const name of [...loopback, 'BANK.example', '10.1.2.3:443']) {
    const own = [`Host: ${name}`, `Origin: https://${name}`];
    expect([name, (await ask(port, 'GET /metrics', own)).status]).toEqual([name, 200]);
  }
  for (const name of [...NOT_LOOPBACK, 'www.bank.example'])
    expect([name, (await ask(port, 'GET /metrics', [`Host: ${name}`])).status]).toEqual([name, 403]);
});

it('an ingress beyond loopback accepts every name unless ALLOWED_HOSTS is set', async () => {
  const beyond = { HOST: '0.0.0.0', AUTH_JWT_SECRET: JWT_SECRET, RESULT_ID_SECRET: JWT_SECRET };
  const open = portOf(await ingress(beyond));
  const listed = portOf(await ingress({ ...beyond, ALLOWED_HOSTS: 'gateway.internal' }));
  for (const [port, name, status] of [
    [open, 'gateway.internal', 200],
    [listed, 'gateway.internal', 200],
    [listed, 'evil.example', 403],
  ] as const)
    expect((await ask(port, 'GET /health/live', [`Host: ${name}`])).status).toBe(status);
});

it('the health port of a worker refuses an unknown Host or Origin, unless it is beyond loopback', async () => {
  const port = portOf(await openHealthPort({ allowedHosts: ['bank.example'] }));
  for (const line of ['GET /health/live', 'GET /health/ready', 'GET /metrics', 'GET /nowhere']) {
    const foreign = await ask(port, line, ['Host: evil.example']);
    expect([line, foreign.status]).toEqual([line, 403]);
    expect(JSON.parse(foreign.body)).toMatchObject({ code: 'forbidden' });
    expect((await ask(port, line, ['Host: localhost', 'Origin: http://evil.example'])).status).toBe(403);
  }
  for (const name of ['localhost', '[::1]:1', 'bank.example'])
    expect((await ask(port, 'GET /metrics', [`Host: ${name}`])).status).toBe(200);
  const beyond = portOf(await openHealthPort({ host: '0.0.0.0' }));
  expect((await ask(beyond, 'GET /metrics', ['Host: schedule:8081'])).status).toBe(200);
});
