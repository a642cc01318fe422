import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { expect, it } from 'vitest';
import { HEADER } from '../../../shared/messaging/headers.ts';
import type { Reply } from '../../../shared/messaging/outcome.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import type { Access } from '../../../workers/ingress/access/access.ts';
import { listenOnSockets } from '../../../workers/ingress/server/app.ts';
import { createFakeRequester } from '../../support/fakes/requester.ts';
import { tokenAccess } from '../../support/fakes/token-access.ts';
import { hasBody, openRawHttp } from '../../support/raw-http.ts';
import {
  echoAction,
  ECHO_PATH,
  echoHead,
  createTestBroker,
  metricsOf,
  openNotificationIngress,
  openTestIngress,
  postEcho,
  publishTo,
  type IngressSettings,
} from '../../support/worlds/ingress-fixture.ts';

/** More than one caller can have in progress, of which each is a hundredth of a second of work. */
const CALLS = 80;

const IN_FLIGHT = /plat_http_requests_in_flight 1\n/;
const as = (token: string) => ({ authorization: `Bearer ${token}` });

/** An ingress whose workers reply when `reply` is called. */
async function openSilentIngress(settings: IngressSettings = {}) {
  const replied = Promise.withResolvers<Reply>();
  const requester = createFakeRequester(() => replied.promise);
  const actions = [
    { ...echoAction, units: () => 9_000 },
    { ...echoAction, name: 'PLAT_BP_Long', units: () => 900_000 },
    { ...echoAction, name: 'PLAT_BP_Other', topic: 'productRequests' as const },
  ];
  const ingress = await openTestIngress({
    requester,
    actions: new Map(actions.map((action) => [action.name.toLowerCase(), action])),
    ...settings,
  });
  const calls: Promise<Response>[] = [];
  const call = (name: string, headers: Record<string, string> = {}, init: RequestInit = {}) => {
    const all = { 'content-type': 'application/json', ...headers };
    const url = ingress.url + ECHO_PATH.replace('Echo', name);
    return fetch(url, { method: 'POST', headers: all, body: '{}', ...init });
  };
  return {
    ingress,
    requester,
    call,
    /** Sends calls, many at once and then one by one, until one is refused; resolves with how many wait for their replies. */
    flood: async (headers: Record<string, string> = {}, init: RequestInit = {}): Promise<number> => {
      const before = requester.requests.length;
      const send = async (count: number): Promise<number> => {
        const ended = requester.requests.length + count;
        let refused = 0;
        const onAnswer = ({ status }: Response): void => void (refused += status === 503 ? 1 : 0);
        for (let index = 0; index < count; index += 1) {
          const sending = call('Echo', headers, init);
          calls.push(sending);
          sending.then(onAnswer, () => undefined);
        }
        await expect.poll(() => requester.requests.length + refused).toBe(ended);
        return refused;
      };
      await send(CALLS);
      await expect.poll(() => send(1)).toBe(1);
      return requester.requests.length - before;
    },
    reply: async (): Promise<readonly number[]> => {
      replied.resolve({ kind: 'reply', type: 'EchoReply', payload: {} });
      return (await Promise.all(calls)).map(({ status }) => status);
    },
  };
}

it('refuses with 503 and Retry-After before the body arrives, and keeps the connection', async () => {
  const scene = await openSilentIngress();
  const waiting = await scene.flood();
  expect(waiting).toBeGreaterThan(5);
  const raw = await openRawHttp(scene.ingress.port);
  raw.send(echoHead('X-Correlation-Id: loan-1\r\nContent-Length: 2\r\n'));
  const answer = await raw.received(hasBody);
  expect(answer).toMatch(/^HTTP\/1\.1 503 /);
  expect(answer).toMatch(/\r\nretry-after: 1\r\n/i);
  expect(answer).toMatch(/\r\nx-correlation-id: loan-1\r\n/i);
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
    status: 503,
    code: 'overloaded',
    detail: 'Too many requests are waiting; this one was not processed.',
  });
  raw.send('{}GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect(await raw.received((text) => text.includes('HTTP/1.1 200 '))).toContain('"status":"ready"');
  const ends = await scene.reply();
  expect(ends.filter((status) => status === 200)).toHaveLength(waiting);
  expect((await postEcho(scene.ingress, {})).status).toBe(200);
});

it('a call too many is refused without a reset when its connection is to be closed and its body arrives later', async () => {
  const scene = await openSilentIngress();
  await scene.flood();
  const raw = await openRawHttp(scene.ingress.port);
  const errors: Error[] = [];
  raw.socket.on('error', (error) => errors.push(error));
  raw.send(`${echoHead('Connection: close\r\nContent-Length: 200000\r\n')}{`);
  expect(await raw.received(hasBody)).toMatch(/^HTTP\/1\.1 503 [^]*\r\nconnection: close\r\n/i);
  for (let sent = 0; sent < 2; sent += 1) {
    raw.send(' '.repeat(90_000));
    await sleep(50);
    expect(raw.socket.readyState).toBe('open');
  }
  raw.send(' '.repeat(20_000 - 1));
  await raw.closed();
  expect(errors).toEqual([]);
  await scene.reply();
});

it('a call too many delays neither health checks, metrics, the calls of other workers nor callers that have less in progress', async () => {
  const scene = await openSilentIngress({ access: tokenAccess() });
  const waiting = await scene.flood(as('flood'));
  expect((await fetch(`${scene.ingress.url}/health/ready`)).status).toBe(200);
  const shed = /plat_ingress_shed_total\{queue="scheduleRequests",reason="share"\} [1-9]/;
  expect(await metricsOf(scene.ingress)).toMatch(shed);
  const others = [scene.call('Other', as('flood'))];
  others.push(scene.call('Echo', as('quiet')), scene.call('Echo', as('quiet')));
  await expect.poll(() => scene.requester.requests.length).toBe(waiting + 3);
  expect((await scene.call('Echo', as('flood'))).status).toBe(503);
  await scene.reply();
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200]);
});

it('a call too many is still refused after the callers of the others have disconnected, until their workers reply', async () => {
  const scene = await openSilentIngress();
  const leaving = new AbortController();
  await scene.flood({}, { signal: leaving.signal });
  leaving.abort();
  await expect.poll(() => metricsOf(scene.ingress)).toMatch(IN_FLIGHT);
  expect((await scene.call('Echo')).status).toBe(503);
  await scene.reply().catch(() => undefined);
  await expect.poll(async () => (await scene.call('Echo')).status).toBe(200);
});

it('too many long calculations take nothing from short calls and from another caller', async () => {
  const scene = await openSilentIngress({ access: tokenAccess() });
  const waiting = [scene.call('Long', as('flood')), scene.call('Long', as('flood'))];
  await expect.poll(() => scene.requester.requests.length).toBe(2);
  expect((await scene.call('Long', as('flood'))).status).toBe(503);
  waiting.push(scene.call('Long', as('other')), scene.call('Echo', as('flood')));
  await expect.poll(() => scene.requester.requests.length).toBe(4);
  await scene.reply();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

it('a late event loop refuses calls, but neither health checks nor metrics', async () => {
  let isLate = false;
  const ingress = await openTestIngress({
    listen: async (app, { host, port }) => {
      const rest = { heapUsed: 0, rssBytes: 0, eventLoopUtilized: 0 };
      app.decorate('memoryUsage', () => ({ ...rest, eventLoopDelay: isLate ? 2_000 : Infinity }));
      return Number(new URL(await app.listen({ host, port })).port);
    },
  });
  expect((await postEcho(ingress, {})).status).toBe(200);
  isLate = true;
  expect((await postEcho(ingress, {})).status).toBe(503);
  expect((await fetch(`${ingress.url}/health/ready`)).status).toBe(200);
  const shed = 'plat_ingress_shed_total{queue="scheduleRequests",reason="event-loop"} 1';
  expect(await metricsOf(ingress)).toContain(shed);
});

it('a late event loop is noticed by the server that listens on sockets', async () => {
  const server: { app?: FastifyInstance } = {};
  await openTestIngress({
    listen: async (app, address) => {
      server.app = app;
      return listenOnSockets(app, address);
    },
  });
  const delayAfterLoop = async () => {
    const endMs = performance.now() + 1_500;
    while (performance.now() < endMs);
    await sleep(20);
    return server.app?.memoryUsage().eventLoopDelay;
  };
  await expect.poll(delayAfterLoop, { timeout: 20_000, interval: 0 }).toBeGreaterThan(1_000);
});

const MANY = 250;

it('callers that disconnect while their token is checked leave their places to others', async () => {
  const checking: (() => void)[] = [];
  const granted = { kind: 'granted', subject: 'ana', scopes: new Set<never>() } as const;
  const check = () => new Promise<typeof granted>((resolve) => checking.push(() => resolve(granted)));
  const access: Access = { required: true, check };
  const scene = await openSilentIngress({ access, options: { rateLimitPerSecond: 0 } });
  const leaving = new AbortController();
  const left = Array.from({ length: MANY }, () => scene.call('Long', as('ana'), { signal: leaving.signal }));
  await expect.poll(() => checking.length).toBe(MANY);
  leaving.abort();
  await Promise.allSettled(left);
  await expect.poll(() => metricsOf(scene.ingress)).toMatch(IN_FLIGHT);
  const admitted = (): number => {
    for (const answer of checking.splice(0)) answer();
    return scene.requester.requests.length;
  };
  expect(admitted()).toBe(0);
  const stays = scene.call('Long', as('ana'));
  await expect.poll(admitted).toBe(1);
  await scene.reply();
  expect((await stays).status).toBe(200);
});

it.each([
  ['Content-Length: 10000000', '{'],
  ['Transfer-Encoding: chunked', '1\r\n{\r\n'],
])('large bodies of one caller do not exhaust the memory: %s', async (framing, start) => {
  const { url, port } = await openNotificationIngress();
  const statuses: string[] = [];
  for (let sent = 0; sent < 8; sent += 1) {
    const raw = await openRawHttp(port);
    raw.send(
      'POST /api/notifications/v1/email/send HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
        `X-Sender-Id: platrealm\r\nX-Communication-Channel: 2\r\n${framing}\r\n\r\n${start}`,
    );
    raw.socket.on('data', (chunk) => statuses.push(chunk.toString().slice(9, 12)));
  }
  await expect.poll(() => statuses).not.toEqual([]);
  expect(new Set(statuses)).toEqual(new Set(['503']));
  expect(statuses.length).toBeLessThan(5);
  expect((await fetch(`${url}/health/live`)).status).toBe(200);
});

it('an asynchronous request keeps its permit until its result is there', async () => {
  const broker = await createTestBroker();
  const scene = await openSilentIngress({ broker });
  const prefer = { prefer: 'respond-async' };
  for (let sent = 0; sent < 2; sent += 1) expect((await scene.call('Long', prefer)).status).toBe(202);
  expect((await scene.call('Long', prefer)).status).toBe(503);
  const correlationId = scene.requester.fired[0]?.request.correlationId ?? '';
  const headers = { [HEADER.correlationId]: correlationId };
  await publishTo(broker, [{ topic: TOPIC.ingressResults, key: '1', value: Buffer.from('{}'), headers }]);
  await expect.poll(async () => (await scene.call('Long', prefer)).status).toBe(202);
});
