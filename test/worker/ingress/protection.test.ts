import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createFakeRequester } from '../../support/fakes/requester.ts';
import {
  ECHO_PATH,
  echoHead,
  echoRequester,
  metricsOf,
  openTestIngress,
  postEcho,
} from '../../support/worlds/ingress-fixture.ts';
import { hasBody, openRawHttp } from '../../support/raw-http.ts';

const IN_FLIGHT = /plat_http_requests_in_flight 1\n/;

it('the rate limit answers 429 and Retry-After above the allowance, and admits again later', async () => {
  const ingress = await openTestIngress({ options: { rateLimitPerSecond: 3 } });
  const answers = await Promise.all(Array.from({ length: 5 }, () => postEcho(ingress, {})));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 429, 429]);
  const refused = answers[statuses.indexOf(429)] as Response;
  expect(refused.headers.get('retry-after')).toBe('1');
  const detail = 'Send fewer requests; try again in 1 s.';
  expect(await refused.json()).toMatchObject({ code: 'rate-limited', detail });
  await expect.poll(async () => (await postEcho(ingress, {})).status, { timeout: 5_000 }).toBe(200);
});

it('the rate limit counts a large body as several requests, even if it cannot be parsed', async () => {
  const ingress = await openTestIngress({ options: { rateLimitPerSecond: 2 } });
  const large = `{"text":"${'x'.repeat(200_000)}`;
  expect((await postEcho(ingress, large)).status).toBe(400);
  expect((await postEcho(ingress, '{}')).status).toBe(429);
});

it('the rate limit counts results, but not health and documents', async () => {
  const ingress = await openTestIngress({ options: { rateLimitPerSecond: 1 } });
  const get = async (path: string) => (await fetch(ingress.url + path)).status;
  expect(await get('/platapi/results/none')).toBe(404);
  expect(await get('/platapi/results/none')).toBe(429);
  for (const path of ['/health/live', '/health/live', '/docs']) expect(await get(path)).toBe(200);
});

it('slow clients are disconnected when their headers or body are too slow, or they send nothing', async () => {
  const ingress = await openTestIngress({ options: { headersTimeoutMs: 200, requestTimeoutMs: 400 } });
  /** Node looks for slow connections once a second. */
  const noticedMs = 3_000;
  const silent = await openRawHttp(ingress.port);
  const slowHead = await openRawHttp(ingress.port);
  slowHead.send(`POST ${ECHO_PATH} HTTP/1.1\r\n`);
  const slowBody = await openRawHttp(ingress.port);
  slowBody.send(echoHead('Content-Length: 9999\r\n'));
  const drip = setInterval(() => {
    slowHead.send('X-Drip: 1\r\n');
    slowBody.send(' ');
  }, 50);
  onTestFinished(() => clearInterval(drip));
  const text = await slowHead.received(() => false, noticedMs);
  expect(text).toMatch(/^HTTP\/1.1 408 [^]*"code":"request-timeout"/);
  await slowBody.closed(noticedMs);
  await silent.closed(noticedMs);
  expect(await metricsOf(ingress)).toMatch(IN_FLIGHT);
  expect((await postEcho(ingress, {})).status).toBe(200);
});

it('clients that do not read are disconnected before the whole response is sent', async () => {
  const payload = 'x'.repeat(24 * 1_048_576);
  const requester = createFakeRequester(() => ({ kind: 'reply', type: 'EchoReply', payload }));
  const options = { replyTimeoutMs: 100, stalledResponseMs: 300 };
  const ingress = await openTestIngress({ requester, options });
  const raw = await openRawHttp(ingress.port);
  raw.socket.pause();
  raw.send(`${echoHead('Content-Length: 2\r\n')}{}`);
  await expect
    .poll(() => metricsOf(ingress), { timeout: 20_000 })
    .toContain('plat_http_request_duration_seconds_count{action="PLAT_BP_Echo",status="499"} 1');
  raw.socket.resume();
  await raw.closed();
  expect(raw.socket.bytesRead).toBeLessThan(payload.length);
});

it('a caller that disconnects does not cause a request message if its body is incomplete', async () => {
  const requester = echoRequester();
  const ingress = await openTestIngress({ requester });
  const raw = await openRawHttp(ingress.port);
  raw.send(`${echoHead('Content-Length: 10\r\n')}{"a"`);
  raw.socket.destroy();
  await expect.poll(() => metricsOf(ingress)).toMatch(IN_FLIGHT);
  expect(requester.requests).toEqual([]);
});

it('the shutdown responds to pending requests, refuses new ones, and completes', async () => {
  const answer = Promise.withResolvers<void>();
  const requester = echoRequester(() => answer.promise);
  const ingress = await openTestIngress({ requester });
  const idle = await openRawHttp(ingress.port);
  idle.send(`GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await idle.received(hasBody);
  const pending = postEcho(ingress, { a: 1 });
  await expect.poll(() => requester.pending()).toBe(1);
  const stopped = ingress.stop(5_000);
  expect(ingress.health().status).toBe('starting');
  await idle.closed();
  const refusal = () => postEcho(ingress, {}).catch(() => 'refused');
  await expect.poll(refusal).toBe('refused');
  answer.resolve();
  expect(await (await pending).json()).toEqual({ a: 1 });
  await stopped;
  expect(requester.isReady()).toBe(false);
});

it('the shutdown closes kept-alive connections, of calls after a 503, without resetting them', async () => {
  const ingress = await openTestIngress();
  const kept = await openRawHttp(ingress.port);
  kept.send(`GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const before = await kept.received(hasBody);
  const [caller, monitor] = [await openRawHttp(ingress.port), await openRawHttp(ingress.port)];
  const errors: unknown[] = [];
  caller.socket.on('error', (error) => errors.push(error));
  const stopped = ingress.stop(5_000);
  kept.send(`${echoHead('Content-Length: 2\r\n')}{}`);
  // It is still sending its body.
  caller.send(`${echoHead('Content-Length: 100000\r\n')}{`);
  monitor.send('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect(await caller.received(hasBody)).toMatch(/^HTTP\/1\.1 503 [^]*\r\nconnection: close\r\n/i);
  expect(caller.socket.writable).toBe(true);
  caller.send(Buffer.alloc(50_000, ' '));
  caller.send(Buffer.alloc(49_999, ' '));
  expect(await monitor.received(hasBody)).toMatch(/\r\nconnection: close\r\n/i);
  for (const raw of [kept, caller, monitor]) await raw.closed();
  const answer = (await kept.received(() => true)).slice(before.length);
  expect(answer).toMatch(/^HTTP\/1\.1 503 /);
  expect(answer).toMatch(/\r\nretry-after: 1\r\n/i);
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  await stopped;
  expect(errors).toEqual([]);
});

it('the shutdown sends no second response to a connection that it is closing after bytes that are not HTTP', async () => {
  const ingress = await openTestIngress();
  const peer = connect({ port: ingress.port, host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  peer.on('data', (chunk) => (text += chunk.toString())).on('error', () => undefined);
  onTestFinished(() => void peer.destroy());
  peer.write('not HTTP\r\n\r\n');
  await expect.poll(() => text).toMatch(/^HTTP\/1\.1 400 /);
  await ingress.stop(2_000);
  expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
});

it('the shutdown takes no longer than the configured time', async () => {
  const requester = createFakeRequester(() => new Promise(() => undefined));
  const ingress = await openTestIngress({ requester });
  const pending = postEcho(ingress, {});
  pending.catch(() => undefined);
  await expect.poll(() => requester.pending()).toBe(1);
  const startedAt = performance.now();
  await ingress.stop(200);
  expect(performance.now() - startedAt).toBeLessThan(1_500);
  await expect(pending).rejects.toThrow('fetch failed');
});
