import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import type { Reply } from '../../../shared/messaging/reply.ts';
import { TOPIC } from '../../../shared/messaging/topics/topics.ts';
import { createMetrics } from '../../../shared/platform/metrics.ts';
import { send, SMS } from '../../support/builders/notification-call.ts';
import { FakePublisher } from '../../support/fakes/publisher.ts';
import { createFakeRequester } from '../../support/fakes/requester.ts';
import { tokenAccess } from '../../support/fakes/token-access.ts';
import { hasBody, openRawHttp } from '../../support/raw-http.ts';
import {
  echoAction,
  ECHO_PATH,
  createTestBroker,
  openNotificationIngress,
  openTestIngress,
  postEcho,
  type IngressSettings,
} from '../../support/worlds/ingress-fixture.ts';

/** The processor time of the echo action: 40 places of the 320 that a new instance has. */
const DEAR = { processorMs: 20, leastReplyBytes: 0 };
const LONG = { processorMs: 21, leastReplyBytes: 0 };
const TO_FILL = 8;
const OTHER_PATH = ECHO_PATH.replace('Echo', 'Other');

const as = (token: string) => ({ authorization: `Bearer ${token}` });

/**
 * An ingress whose worker replies when `reply` is called. Its monotonic clock does not advance until then, so that no place
 * expires because the machine is busy.
 */
async function openSilentIngress(settings: IngressSettings = {}) {
  const replied = Promise.withResolvers<Reply>();
  // A whole number, so that exactly a second passes after `pass(1_000)`.
  let stoppedMs: number | undefined = Math.floor(performance.now());
  const requester = createFakeRequester(() => replied.promise);
  const metrics = createMetrics();
  const actions = [
    { ...echoAction, effort: () => DEAR },
    { ...echoAction, name: 'PLAT_BP_Long', effort: () => LONG },
    { ...echoAction, name: 'PLAT_BP_Other', topic: 'productRequests' as const, effort: () => DEAR },
  ];
  const ingress = await openTestIngress({
    requester,
    metrics,
    monotonic: { elapsedMs: () => stoppedMs ?? performance.now() },
    actions: new Map(actions.map((action) => [action.name.toLowerCase(), action])),
    ...settings,
  });
  const waiting: Promise<Response>[] = [];
  return {
    ingress,
    requester,
    metrics,
    /** Sends requests that wait for their replies, until the next one is refused. */
    fill: async (headers: Record<string, string> = {}): Promise<void> => {
      for (let sent = 1; sent <= TO_FILL; sent += 1) {
        waiting.push(postEcho(ingress, {}, headers));
        await expect.poll(() => requester.requests.length).toBe(sent);
      }
    },
    pass: (ms: number): void => {
      stoppedMs = (stoppedMs ?? 0) + ms;
    },
    reply: async (): Promise<readonly number[]> => {
      stoppedMs = undefined;
      replied.resolve({ kind: 'reply', type: 'EchoReply', payload: {} });
      return (await Promise.all(waiting)).map(({ status }) => status);
    },
  };
}

describe('a request for which there is no place', () => {
  it('is refused with 503 and Retry-After before its body arrives, and its connection is kept', async () => {
    const scene = await openSilentIngress();
    await scene.fill();
    const raw = await openRawHttp(scene.ingress.port);
    const head = `POST ${ECHO_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
    raw.send(`${head}X-Correlation-Id: loan-1\r\nContent-Length: 2\r\n\r\n`);
    const answer = await raw.received(hasBody);
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/\r\nretry-after: 1\r\n/i);
    expect(answer).toMatch(/\r\nx-correlation-id: loan-1\r\n/i);
    expect(answer).toMatch(/\r\ncontent-type: application\/problem\+json; charset=utf-8\r\n/i);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({
      type: 'urn:plat:problem:overloaded',
      title: 'Too many requests are waiting for a reply',
      status: 503,
      code: 'overloaded',
      detail: 'Too many requests are waiting; this one was not processed.',
      correlationId: 'loan-1',
    });
    raw.send('{}GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await raw.received((text) => text.includes('HTTP/1.1 200 '))).toContain('"status":"ready"');
    expect(scene.requester.requests).toHaveLength(TO_FILL);
    expect(await scene.reply()).toEqual(Array(TO_FILL).fill(200));
    expect((await postEcho(scene.ingress, {})).status).toBe(200);
  });

  it('is refused without a reset when its connection is to be closed and its body arrives later', async () => {
    const scene = await openSilentIngress();
    await scene.fill();
    const raw = await openRawHttp(scene.ingress.port);
    const errors: Error[] = [];
    raw.socket.on('error', (error) => errors.push(error));
    raw.send(
      `POST ${ECHO_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
        'Connection: close\r\nContent-Length: 200000\r\n\r\n{',
    );
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

  it('delays neither health checks, metrics nor the requests of other workers', async () => {
    const scene = await openSilentIngress();
    await scene.fill();
    expect((await postEcho(scene.ingress, {})).status).toBe(503);
    const get = (path: string) => fetch(scene.ingress.url + path);
    expect((await get('/health/ready')).status).toBe(200);
    const metrics = await (await get('/metrics')).text();
    const labels = 'queue="scheduleRequests",kind="short"';
    expect(metrics).toContain(`plat_ingress_places_limit{${labels}} 320`);
    expect(metrics).toContain(`plat_ingress_places_taken{${labels}} 320`);
    expect(metrics).toContain(`plat_ingress_shed_total{${labels},reason="share"} 1`);
    const other = fetch(scene.ingress.url + OTHER_PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    await expect.poll(() => scene.requester.requests.length).toBe(TO_FILL + 1);
    await scene.reply();
    expect((await other).status).toBe(200);
  });

  it('is admitted when its caller has less than its share, with a known token or a new one', async () => {
    const scene = await openSilentIngress({ access: tokenAccess() });
    await scene.fill(as('flood'));
    expect((await postEcho(scene.ingress, {}, as('flood'))).status).toBe(503);
    const quiet = [postEcho(scene.ingress, {}, as('quiet'))];
    await expect.poll(() => scene.requester.requests.length).toBe(TO_FILL + 1);
    quiet.push(postEcho(scene.ingress, {}, as('quiet')));
    await expect.poll(() => scene.requester.requests.length).toBe(TO_FILL + 2);
    expect((await postEcho(scene.ingress, {}, as('flood'))).status).toBe(503);
    await scene.reply();
    expect((await Promise.all(quiet)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('is not refused while long calculations are in progress, which have places of their own', async () => {
    const scene = await openSilentIngress();
    const long = Array.from({ length: TO_FILL }, () =>
      fetch(scene.ingress.url + ECHO_PATH.replace('Echo', 'Long'), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      }),
    );
    await expect.poll(() => scene.requester.requests.length).toBe(TO_FILL);
    scene.pass(5_000);
    const short = postEcho(scene.ingress, {});
    await expect.poll(() => scene.requester.requests.length).toBe(TO_FILL + 1);
    await scene.reply();
    expect((await short).status).toBe(200);
    expect((await Promise.all(long)).map(({ status }) => status)).toEqual(Array(TO_FILL).fill(200));
  });

  it('is admitted again a second after the last one, although a frozen worker has not replied', async () => {
    const scene = await openSilentIngress();
    await scene.fill();
    expect((await postEcho(scene.ingress, {})).status).toBe(503);
    scene.pass(1_000);
    const later = postEcho(scene.ingress, {});
    await expect.poll(() => scene.requester.requests.length).toBe(TO_FILL + 1);
    await scene.reply();
    expect((await later).status).toBe(200);
  });

  it('does not count towards the rate limit of its caller', async () => {
    const clock = { now: () => 1_000_000 };
    const scene = await openSilentIngress({ options: { rateLimitPerSecond: 40 }, clock });
    await scene.fill();
    for (let call = 0; call < 40; call += 1) expect((await postEcho(scene.ingress, {})).status).toBe(503);
    await scene.reply();
    expect((await postEcho(scene.ingress, {})).status).toBe(200);
  });
});

describe('a notification for which there is no place', () => {
  it('is admitted when it is repeated with its Idempotency-Key, before others', async () => {
    const published = Promise.withResolvers<void>();
    const publisher = {
      start: async () => undefined,
      publish: () => published.promise,
      isHealthy: () => true,
      stop: async () => undefined,
    };
    let stoppedMs: number | undefined = performance.now();
    const monotonic = { elapsedMs: () => stoppedMs ?? performance.now() };
    const { url } = await openNotificationIngress({ notificationPublisher: publisher, monotonic });
    // 245,000 bytes take 19 of the 320 places.
    const large = { ...SMS, ignored: 'x'.repeat(245_000) };
    const waiting: Promise<Response>[] = [];
    const metric = async () =>
      /places_taken\{[^}]*\} (\d+)/.exec(await (await fetch(`${url}/metrics`)).text())?.[1];
    for (let taken = 19; taken < 320 + 19; taken += 19) {
      waiting.push(send(url, 'sms', large));
      await expect.poll(metric).toBe(String(taken));
    }
    const keyed = { headers: { 'idempotency-key': 'first' } };
    const refused = await send(url, 'sms', SMS, keyed);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await send(url, 'sms', SMS, { headers: { 'idempotency-key': 'other' } })).status).toBe(503);
    // Nor is memory spent on keys that are too long to be valid.
    const invalid = { headers: { 'idempotency-key': 'x'.repeat(10_000) } };
    for (let sent = 0; sent < 2; sent += 1) {
      expect((await send(url, 'sms', SMS, invalid)).status).toBe(503);
    }
    waiting.push(send(url, 'sms', SMS, keyed));
    await expect.poll(metric).toBe(String(19 * 17 + 1));
    stoppedMs = undefined;
    published.resolve();
    for (const response of await Promise.all(waiting)) expect(response.status).toBe(202);
  });
});

describe('notifications that are not queued', () => {
  it('do not hide that the others wait too long', async () => {
    const publisher = new FakePublisher();
    let nowMs = 0;
    const { url } = await openNotificationIngress({
      notificationPublisher: publisher,
      monotonic: { elapsedMs: () => nowMs },
    });
    const sendKeyed = (message = 'first') =>
      send(url, 'sms', { ...SMS, message }, { headers: { 'idempotency-key': 'k' } });
    expect((await sendKeyed()).status).toBe(202);
    for (let sent = 0; sent < 2; sent += 1) {
      expect((await sendKeyed()).status).toBe(202);
      expect((await sendKeyed('other')).status).toBe(409);
      publisher.healthy = false;
      expect((await send(url, 'sms', SMS)).status).toBe(503);
      publisher.healthy = true;
    }
    const published = Promise.withResolvers<void>();
    let started = 0;
    publisher.onPublish = () => {
      started += 1;
      return published.promise;
    };
    const waiting = Array.from({ length: 10 }, () => send(url, 'sms', SMS));
    await expect.poll(() => started).toBe(waiting.length);
    nowMs += 900;
    published.resolve();
    for (const response of await Promise.all(waiting)) expect(response.status).toBe(202);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    // 320 places at first, times the 700 ms that are allowed, divided by 900 ms.
    expect(metrics).toContain('plat_ingress_places_limit{queue="notifications",kind="short"} 248');
  });
});

describe('an asynchronous request', () => {
  it('keeps its place until its result is there', async () => {
    const broker = await createTestBroker();
    const scene = await openSilentIngress({ broker });
    const prefer = { prefer: 'respond-async' };
    for (let sent = 1; sent <= TO_FILL; sent += 1) {
      expect((await postEcho(scene.ingress, {}, prefer)).status).toBe(202);
    }
    expect((await postEcho(scene.ingress, {}, prefer)).status).toBe(503);
    expect((await postEcho(scene.ingress, {})).status).toBe(503);
    const correlationId = scene.requester.fired[0]?.request.correlationId ?? '';
    const headers = { [HEADER.correlationId]: correlationId };
    const publisher = broker.createPublisher({ clientId: 'worker' });
    await publisher.start();
    await publisher.publish([{ topic: TOPIC.ingressResults, key: '1', value: Buffer.from('{}'), headers }]);
    await expect.poll(async () => (await postEcho(scene.ingress, {}, prefer)).status).toBe(202);
    expect((await postEcho(scene.ingress, {}, prefer)).status).toBe(503);
    await scene.reply();
  });
});
